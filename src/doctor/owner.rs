//! The effect of the owner's settings in the house: the guarded devices, each with the reason, and the
//! patterns and names that fit nothing.

use tokio::time::sleep_until;
use tracing::warn;

use crate::gateway::{Gateways, View};
use crate::home::device::{Device, Opening};
use crate::home::guard::needs_permission;
use crate::home::house::House;
use crate::home::intent::Intent;
use crate::home::planner::plan;
use crate::home::{bounds, text};
use crate::mcp::wording::{self, join_names, kind_word};

/// Lists the devices that are guarded, each with the reason, in a sentence.
pub(super) fn list_guarded(gateways: &Gateways) -> String {
    let guarded: Vec<String> = gateways.look(|view| {
        let guarded = view.house.devices().iter().filter_map(|device| {
            let why = reason_for_guard(view.house, device)?;
            Some(format!("{} ({why})", device.with_room()))
        });
        guarded.collect()
    });
    if guarded.is_empty() {
        return "nothing: no lock, and no name says door or gate; --guarded adds what opens something"
            .to_owned();
    }
    join_names(&bounds::shorten_list(guarded, bounds::CHOICES), "and")
}

/// Returns the reason why a device is guarded, if it is.
fn reason_for_guard(house: &House, device: &Device) -> Option<String> {
    match &device.opening {
        Some(Opening::Barrier) => Some(format!("it is a {}", kind_word(device))),
        Some(Opening::Name(word)) => Some(format!("its name says \"{word}\"")),
        Some(Opening::Room(word)) => Some(format!("its room says \"{word}\"")),
        Some(Opening::Owner) => Some("--guarded".to_owned()),
        None => {
            let planned = plan(house, device, &Intent::On(None)).ok()?;
            needs_permission(&planned, house).then(|| "it moves something that is".to_owned())
        }
    }
}

/// Returns a sentence for each pattern and name of the settings that fits nothing in the house: mistyped,
/// most likely, and then nothing is hidden, guarded or named.
pub(super) fn word_unmatched(view: &View) -> Vec<String> {
    let patterns = view.house.unmatched_patterns().into_iter().map(wording::word_unmatched);
    let own_words = view.house.own_word_problems();
    patterns.chain(own_words.iter().map(|problem| text::reason(problem))).collect()
}

/// Warns of patterns and names that fit nothing in a server's log, once, when its house is known.
pub async fn warn_of_unmatched(gateways: Gateways) {
    let mut changes = gateways.changes();
    let is_known = |view: &View| {
        !view.gateways.is_empty() && view.gateways.iter().all(|gateway| gateway.known)
    };
    while !gateways.look(is_known) {
        if changes.changed().await.is_err() {
            return;
        }
    }
    // Scenes and groups come after the nodes.
    sleep_until(gateways.time_limit()).await;
    for sentence in gateways.look(word_unmatched) {
        warn!("{sentence}");
    }
}
