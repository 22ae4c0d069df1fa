//! Settings that fit nothing in the house: slips, most likely, and then nothing is hidden or guarded.

use tokio::time::sleep_until;
use tracing::warn;

use crate::gateway::{Gateways, View};
use crate::home::text;

/// A sentence for each.
pub(super) fn slips(view: &View) -> Vec<String> {
    let slips = view.house.unmatched().into_iter().map(|slip| {
        let slip = text::name(slip);
        format!(
            "Nothing in the house is called \"{slip}\", as --expose, --hide, --guarded or \
             --unguarded has it."
        )
    });
    slips.collect()
}

/// Says so in a server's log, once, when its house is known.
pub async fn warn_of_slips(gateways: Gateways) {
    let mut changes = gateways.progress();
    let known = |view: &View| {
        !view.gateways.is_empty() && view.gateways.iter().all(|gateway| gateway.known)
    };
    while !gateways.look(known) {
        if changes.changed().await.is_err() {
            return;
        }
    }
    // Scenes and groups come after the nodes.
    sleep_until(gateways.patience()).await;
    for slip in gateways.look(slips) {
        warn!("{slip}");
    }
}
