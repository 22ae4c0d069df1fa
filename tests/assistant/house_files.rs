//! The houses of `fixtures/houses` and the server for them, as `tests/houses` has them.

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
