//! Patterns and names of the settings that fit nothing in the house: mistyped, most likely, and then
//! nothing is hidden, guarded or named.

use tokio::time::sleep_until;
use tracing::warn;

use crate::gateway::{Gateways, View};
use crate::home::text;
use crate::mcp::wording;

/// A sentence for each.
pub(super) fn unmatched(view: &View) -> Vec<String> {
    let patterns = view.house.unmatched();
    let patterns = patterns.into_iter().map(wording::unmatched);
    let own_words = view.house.own_word_problems();
    let own_words = own_words
        .iter()
        .map(|problem| text::reason(&problem.to_string()));
    patterns.chain(own_words).collect()
}

/// Says so in a server's log, once, when its house is known.
pub async fn warn_of_unmatched(gateways: Gateways) {
    let mut changes = gateways.changes();
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
    for sentence in gateways.look(unmatched) {
        warn!("{sentence}");
    }
}
