//! "Undo that": what brings devices back to what they said before.

use super::house::Standing;
use super::order::{DeviceCall, Target};
use crate::client::ToolResult;
use crate::home::intent::Action;

/// What a result says about the devices before.
const BEFORE: &str = "zwave-mcp-server/before";

/// The call that takes back another one, given its result; none where nothing is known of before, or
/// nothing can bring it back.
pub(super) fn undoing(call: &DeviceCall, result: &ToolResult) -> Option<DeviceCall> {
    let devices = result.meta.as_ref()?.get(BEFORE)?.as_array()?;
    let current = devices.first()?.get("current")?.clone();
    let before: Standing = serde_json::from_value(current).ok()?;
    let plain = |action: Action| Some((action, Target::Nothing));
    let at = |action: Action, percent: f64| Some((action, Target::Percent(percent)));
    let brightness = || match (before.on, before.level) {
        (Some(false), _) | (_, Some(0.0)) => plain(Action::Off),
        (_, Some(level)) => at(Action::Dim, level),
        (Some(true), None) => plain(Action::On),
        (None, None) => None,
    };
    let position = || match (before.position, before.open.or(before.door_open)) {
        (Some(0.0), _) | (None, Some(false)) => plain(Action::Close),
        (Some(100.0), _) | (None, Some(true)) => plain(Action::Open),
        (Some(position), _) => at(Action::Open, position),
        (None, None) => None,
    };
    let target = || {
        let target = before.target?;
        Some((Action::SetTemperature, Target::Degrees(target, None)))
    };
    let mode = || Some((Action::SetMode, Target::Mode(before.mode.clone()?)));
    let (action, with) = match (call.action, &call.with) {
        (Action::SetTemperature, _) => target()?,
        (Action::SetMode, _) => mode()?,
        (Action::Lock | Action::Unlock, _) if before.locked == Some(true) => plain(Action::Lock)?,
        (Action::Lock | Action::Unlock, _) => plain(Action::Unlock)?,
        (Action::Open | Action::Close | Action::Stop, _) => position()?,
        (Action::Increase | Action::Decrease, _) => target().or_else(brightness)?,
        (Action::SetColor, _) => None?,
        (Action::On | Action::Off | Action::Toggle | Action::Dim, _) => {
            brightness().or_else(mode).or_else(position)?
        }
    };
    Some(DeviceCall { action, with })
}
