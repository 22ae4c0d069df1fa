//! What a device can do, how far, and what of it is guarded: for whoever draws a control of it.

use super::device::Device;
use super::guard::guards;
use super::house::House;
use super::intent::{Action, Intent};
use super::model::quantity::{Percent, Temperature};
use super::plan::{Refusal, actions_of, example, plan};

/// What a device can do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Abilities {
    /// The actions, in the order of the tool's schema.
    pub actions: Vec<Action>,
    /// It can be brought to a level between 0 and 100 %.
    pub levels: bool,
    /// The temperatures that it can be set to now.
    pub degrees: Option<TemperatureRange>,
    /// Its modes, in the gateway's words.
    pub modes: Vec<String>,
    /// Something that it can do unlocks or opens what is guarded.
    pub guarded: bool,
}

/// From what to what a device can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct TemperatureRange {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// Their unit, as the gateway spells it.
    pub unit: String,
}

/// No device can be set to so many degrees: its refusal says what it can be set to.
const NOWHERE: f64 = 1e9;

/// What a device can do, by the plans that a command would be carried out with.
pub fn abilities(house: &House, device: &Device) -> Abilities {
    let actions = actions_of(house, device);
    let refused = |action: Action, intent: Intent| {
        let can = actions.contains(&action);
        can.then(|| plan(house, device, &intent).err()).flatten()
    };
    let half = Percent::HALF;
    let levels = [Intent::Dim(half), Intent::Open(Some(half))];
    let levels = levels
        .iter()
        .any(|level| plan(house, device, level).is_ok());
    let nowhere = Temperature {
        degrees: NOWHERE,
        unit: None,
    };
    let degrees = match refused(Action::SetTemperature, Intent::SetTemperature(nowhere)) {
        Some(Refusal::OutOfLimits { min, max, unit }) => Some(TemperatureRange { min, max, unit }),
        _ => None,
    };
    let modes = match refused(Action::SetMode, Intent::SetMode(String::new())) {
        Some(Refusal::UnknownMode(modes)) => modes,
        _ => Vec::new(),
    };
    let guarded = actions
        .iter()
        .filter_map(|action| plan(house, device, &example(*action)).ok())
        .any(|planned| guards(&planned, house));
    Abilities {
        actions,
        levels,
        degrees,
        modes,
        guarded,
    }
}
