//! Rooms and names for whoever fills in the template.

use rmcp::model::CompletionInfo;

use super::address::Address;
use crate::home::letters::squashed;

/// What may stand for an argument of the template; none where it has no such argument. Names are
/// those of a room, where one was chosen already. At most 100 are offered (MCP, "Completion"), those
/// first that begin with what was typed.
pub fn completion(
    addresses: &[Address],
    argument: &str,
    typed: &str,
    chosen_room: Option<&str>,
) -> Option<CompletionInfo> {
    let devices = addresses.iter().filter_map(|address| match address {
        Address::Device { room, name } => Some((room.as_str(), name.as_str())),
        Address::House => None,
    });
    let mut values: Vec<&str> = match argument {
        "room" => devices.map(|(room, _)| room).collect(),
        "name" => {
            let chosen = |room: &str| chosen_room.is_none_or(|chosen| chosen == room);
            let inside = devices.filter(|(room, _)| chosen(room));
            inside.map(|(_, name)| name).collect()
        }
        _ => return None,
    };
    values.retain(|value| !value.is_empty());
    values.sort_unstable();
    values.dedup();
    let typed = squashed(typed);
    let mut fitting: Vec<(bool, &str)> = values
        .into_iter()
        .filter_map(|value| {
            let own = squashed(value);
            let at = own.find(&typed)?;
            Some((at > 0, value))
        })
        .collect();
    fitting.sort_unstable();
    let total = u32::try_from(fitting.len()).ok();
    let more = fitting.len() > CompletionInfo::MAX_VALUES;
    let shown = fitting.into_iter().take(CompletionInfo::MAX_VALUES);
    let shown = shown.map(|(_, value)| value.to_owned()).collect();
    CompletionInfo::with_pagination(shown, total, more).ok()
}
