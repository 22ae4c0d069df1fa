//! Calls in many houses. The tests check what the gateway is told to write. The module `told` also checks the
//! answers.
//!
//! - Every case of the houses in `fixtures/houses` is tried in this process: JSON-RPC goes in, and the
//!   simulated gateway receives the writes. `cargo test --test houses loft` tries one house.
//! - In random houses, an oracle checks what random phrases mean. The oracle is independent of the resolver.
//!   The module `random` tests only the resolver, through the module `meant`. The module `calls` tests the
//!   whole server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    missing_docs
)]

mod asker;
mod calls;
mod catalog;
mod documents;
mod doors;
mod files;
#[path = "../fixture/mod.rs"]
mod fixture;
mod meant;
mod model;
mod moves;
#[path = "../needs/mod.rs"]
mod needs;
mod oracle;
mod published;
mod random;
mod recorder;
mod served;
mod slips;
mod thing;
mod told;
mod trial;
#[allow(dead_code)] // Other test programs use the rest.
mod values;
mod words;

use std::path::PathBuf;

/// Returns the folder of the house files.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/houses")
}

/// Defines the list of house files, and for each file a test with the file's name.
macro_rules! houses {
    ($($house:ident),* $(,)?) => {
        const HOUSES: &[&str] = &[$(concat!(stringify!($house), ".json")),*];
        $(
            #[test]
            fn $house() {
                trial::try_house(concat!(stringify!($house), ".json"));
            }
        )*
    };
}

houses![
    appliances,
    atelier,
    attic,
    bungalow,
    casa,
    cortijo,
    cottage,
    cutoff,
    depot,
    diner,
    echo,
    ensuite,
    family,
    farm,
    garages,
    grachtenhuis,
    hoeve,
    hostel,
    knxhaus,
    lazyflat,
    letters,
    lodge,
    longere,
    loft,
    maison,
    manor,
    namesakes,
    neubau,
    office,
    patio,
    provence,
    rollos,
    sayings,
    shutters,
    twins,
    veranda,
    villa,
    wholehouse,
    wohnung,
];
