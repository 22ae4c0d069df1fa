//! The house: nodes, devices, names, and what a command means.
//!
//! Every rule about devices and answers is a pure function in this crate, which does no I/O, reads no
//! clock and never waits.

#[macro_use]
pub mod named;

pub mod abilities;
pub mod bounds;
pub mod category;
pub mod changes;
pub mod classify;
pub mod color;
pub mod decide;
pub mod device;
pub mod devices;
pub mod doors;
pub mod endpoints;
pub mod exposure;
pub mod fact;
pub mod goal;
pub mod guard;
pub mod house;
pub mod intent;
pub mod kind;
pub mod language;
pub mod last_report;
pub mod letters;
pub mod model;
pub mod names;
pub mod outcome;
pub mod own_words;
pub mod pattern;
pub mod phrase;
pub mod plan;
pub mod planner;
pub mod product;
pub mod proof;
pub mod published;
pub mod state;
pub mod text;
pub mod vocabulary;
pub mod word;

/// Returns the item if there is exactly one.
pub fn only<T>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut items = items.into_iter();
    items.next().filter(|_| items.next().is_none())
}
