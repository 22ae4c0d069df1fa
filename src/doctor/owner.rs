//! Shows the effect of the owner's settings. Lists the guarded devices, each with the reason, and the
//! patterns and names that match nothing in the house.

use tokio::time::sleep_until;
use tracing::warn;

use crate::gateway::{Gateways, View};
use crate::home::device::{Device, GuardReason};
use crate::home::guard::needs_permission;
use crate::home::house::House;
use crate::home::intent::Intent;
use crate::home::names::{asker_room, rooms};
use crate::home::planner::plan;
use crate::home::{bounds, text};
use crate::mcp::wording::{self, join_names, kind_word};

/// Lists the guarded devices, each with the reason.
pub(super) fn list_guarded(gateways: &Gateways) -> String {
    let guarded: Vec<String> = gateways.with_view(|view| {
        let guarded = view.house.devices().iter().filter_map(|device| {
            let why = reason_for_guard(view.house, device)?;
            Some(format!("{} ({why})", device.with_room()))
        });
        guarded.collect()
    });
    if guarded.is_empty() {
        return "nothing: there is no lock, and no name says \"door\" or \"gate\"; use --guarded for other devices that open something"
            .to_owned();
    }
    join_names(&bounds::shorten_list(guarded, bounds::CHOICES), "and")
}

/// Returns the reason why a device is guarded, or `None` if it is not.
fn reason_for_guard(house: &House, device: &Device) -> Option<String> {
    match &device.guard_reason {
        Some(GuardReason::Barrier) => Some(format!("it is a {}", kind_word(device))),
        Some(GuardReason::Product) => {
            Some("the gateway's name for the product says that it opens something".to_owned())
        }
        Some(GuardReason::Name(word)) => Some(format!("its name says \"{word}\"")),
        Some(GuardReason::Room(word)) => Some(format!("its room says \"{word}\"")),
        Some(GuardReason::Owner) => Some("--guarded".to_owned()),
        None => {
            let planned = plan(house, device, &Intent::On(None)).ok()?;
            needs_permission(&planned, house).then(|| "it controls a guarded device".to_owned())
        }
    }
}

/// Returns a sentence for each pattern, name and room in the settings that matches nothing in the house. Such a
/// pattern, name or room is probably mistyped.
pub(super) fn describe_unmatched(view: &View) -> Vec<String> {
    let patterns = view.house.unmatched_patterns().into_iter().map(wording::describe_unmatched);
    let own_words = view.house.own_word_problems();
    let host_room = view.house.host_room();
    let unknown_room = host_room.filter(|room| asker_room(view.house, Some(room)).is_none());
    let unknown_room = unknown_room.map(|room| {
        let devices: Vec<&Device> = view.house.devices().iter().collect();
        wording::describe_unknown_room(room, &rooms(&devices))
    });
    let own_words = own_words.iter().map(|problem| text::reason(problem));
    patterns.chain(own_words).chain(unknown_room).collect()
}

/// Waits until the server knows the house. Then logs a warning for each pattern and name that matches nothing.
pub async fn warn_of_unmatched(gateways: Gateways) {
    let mut changes = gateways.changes();
    let is_known = |view: &View| {
        !view.gateways.is_empty() && view.gateways.iter().all(|gateway| gateway.was_read)
    };
    while !gateways.with_view(is_known) {
        if changes.changed().await.is_err() {
            return;
        }
    }
    // Wait for scenes and groups, too. They arrive after the nodes.
    sleep_until(gateways.time_limit()).await;
    for sentence in gateways.with_view(describe_unmatched) {
        warn!("{sentence}");
    }
}
