//! Tries devices and products of a folder: `nodes/` has node documents, `expect.json` what is true of each, and
//! `products.json` products by category. `scripts/devices.sh` tries any such folder, and a test tries
//! `fixtures/catalog`.
//!
//! Each call finds a fresh house: the document's node, and one plain lamp.

mod entry;
mod house;
pub mod judge;
mod products;
#[cfg(test)]
mod trial;

use std::path::Path;

use serde_json::Value as Json;

pub use entry::Entry;
pub use products::Product;

/// The devices and products of a folder.
pub struct Catalog {
    pub devices: Vec<Entry>,
    pub products: Vec<Product>,
}

impl Catalog {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Self {
        let expected = read_json(&folder.join("expect.json"));
        let devices: Vec<Entry> = serde_json::from_value(expected["devices"].clone()).unwrap();
        let products = folder.join("products.json");
        let products = products.exists().then(|| Product::read_all(&read_json(&products)));
        Self {
            devices,
            products: products.unwrap_or_default(),
        }
    }
}

fn read_json(path: &Path) -> Json {
    let text = std::fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
