//! What is guarded in the house, and why.

use super::house::ExaminedHouse;
use crate::home::bounds;
use crate::home::device::{Device, Opening};
use crate::home::guard::guards;
use crate::home::house::House;
use crate::home::intent::Intent;
use crate::home::planner::plan;
use crate::mcp::wording::{kind_word, spoken_list};

impl ExaminedHouse {
    /// The devices that are guarded, each with the reason.
    pub fn guarded(&self) -> String {
        self.gateways.look(|view| {
            let devices = view.house.devices().iter();
            let guarded = devices.filter_map(|device| {
                let why = why(view.house, device)?;
                Some(format!("{} ({why})", device.with_room()))
            });
            sentence(guarded.collect())
        })
    }
}

fn sentence(guarded: Vec<String>) -> String {
    if guarded.is_empty() {
        return "nothing: no lock, and no name says door or gate; --guarded adds what opens something"
            .to_owned();
    }
    spoken_list(&bounds::some(guarded, bounds::CHOICES), "and")
}

/// Why a device is guarded, if it is.
fn why(house: &House, device: &Device) -> Option<String> {
    match &device.opening {
        Some(Opening::Barrier) => Some(format!("it is a {}", kind_word(device))),
        Some(Opening::Name(word)) => Some(format!("its name says \"{word}\"")),
        Some(Opening::Room(word)) => Some(format!("its room says \"{word}\"")),
        Some(Opening::Owner) => Some("--guarded".to_owned()),
        None => {
            let planned = plan(house, device, &Intent::On(None)).ok()?;
            guards(&planned, house).then(|| "it moves something that is".to_owned())
        }
    }
}
