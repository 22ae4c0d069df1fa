//! The houses of `fixtures/houses` and the server for them, as `tests/houses` has them.

use serde_json::{Value as Json, json};

use super::routed::RoutedHouse;
use super::{fixture, recorder, values};

#[path = "../houses/documents.rs"]
mod documents;
#[path = "../houses/model.rs"]
pub mod model;
#[path = "../houses/moves.rs"]
mod moves;
#[path = "../houses/served.rs"]
pub mod served;

pub use model::{Case, House};
pub use served::{Served, ServedHouse};

/// Reads every house, each with the name of its file.
pub fn read_all() -> Vec<(String, House)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/houses");
    let paths = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let house = House::read(&std::fs::read_to_string(path).unwrap());
        (
            name.clone(),
            house.unwrap_or_else(|why| panic!("{name}: {why}")),
        )
    };
    paths.iter().map(read).collect()
}

/// Starts the house of a document that lacks a description and cases, with a router for it.
pub async fn start_document(mut house: Json, about: &str) -> RoutedHouse {
    house["about"] = about.into();
    house["cases"] = json!([]);
    let house = House::read(&house.to_string()).unwrap();
    let ServedHouse {
        gateways,
        simulation,
        policy,
        ..
    } = ServedHouse::start(&house).await;
    RoutedHouse::of(gateways, simulation, policy, Vec::new()).await
}
