//! Houses, and what may be said in them: what the gateway is told to write counts, not what is
//! answered.
//!
//! - The houses of `fixtures/houses` are tried case by case, in process: JSON-RPC goes in, and the
//!   simulated gateway receives what comes out. `cargo test --test houses loft` tries one of them.
//! - Random houses and random phrases out of their words are held against an oracle that is written
//!   apart from the resolver: at the resolver (`random`, by way of `meant`), and from the outside
//!   (`calls`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::too_many_lines,
    missing_docs
)]

mod calls;
mod documents;
mod files;
#[path = "../fixture/mod.rs"]
mod fixture;
mod meant;
mod model;
mod moves;
#[path = "../needs/mod.rs"]
mod needs;
mod oracle;
mod random;
mod recorder;
mod served;
mod thing;
mod told;
mod trial;
#[allow(dead_code)] // The assistant's suite uses the rest.
mod values;
mod words;

use std::path::PathBuf;

/// The folder of the houses.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/houses")
}

/// A test for each house, by its file's name.
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
    atelier,
    attic,
    bungalow,
    casa,
    cottage,
    depot,
    echo,
    family,
    farm,
    grachtenhuis,
    hoeve,
    hostel,
    letters,
    lodge,
    loft,
    maison,
    manor,
    namesakes,
    neubau,
    office,
    sayings,
    shutters,
    twins,
    villa,
    wholehouse,
    wohnung,
];
