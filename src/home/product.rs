//! What is special about single products: those whose device class is misleading, and whose values mean
//! something else than usual. The table is `products.toml`, and overrides the class.

pub mod words;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::model::ids::CommandClass as Cc;
use super::model::node::{Nature, Node, Product};

/// The content of `products.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cut: Vec<String>,
    words: Vec<words::ProductWords>,
    products: Vec<ProductRow>,
}

/// Products of one maker, and what is special about them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProductRow {
    /// Where this is from, for who reads the file.
    #[serde(rename = "source")]
    _source: String,
    maker: String,
    types: Vec<String>,
    products: Vec<String>,
    /// The nature of all endpoints, unless `endpoints` has another one.
    all: Option<Nature>,
    endpoints: BTreeMap<Nature, Vec<u8>>,
    exchanged: bool,
    /// States, each with the highest level at which it holds, in the order of the levels.
    levels: Vec<(f64, String)>,
}

const FILE: &str = include_str!("products.toml");

/// The table. An invalid file would count as empty, and no product of the tests would be recognized.
static TABLE: LazyLock<Table> = LazyLock::new(|| toml::from_str(FILE).unwrap_or_default());

static PRODUCTS: LazyLock<HashMap<Product, &'static ProductRow>> = LazyLock::new(|| {
    let number = |text: &str| u16::from_str_radix(text, 16).ok();
    let products_of = |row: &'static ProductRow| {
        let types = row.types.iter();
        types.flat_map(move |family| {
            row.products.iter().filter_map(move |id| {
                let (maker, family, id) = (number(&row.maker)?, number(family)?, number(id)?);
                Some((Product { maker, family, id }, row))
            })
        })
    };
    TABLE.products.iter().flat_map(products_of).collect()
});

fn row_of(node: &Node) -> Option<&'static ProductRow> {
    PRODUCTS.get(&node.product?).copied()
}

/// Looks up an endpoint's nature by the node's product. Returns `None` if the product is not in the table, or if
/// the endpoint has a function, but lacks the command class that would control it.
pub fn nature_of(node: &Node, endpoint: u8) -> Option<Nature> {
    let row = row_of(node)?;
    let of_endpoint = row.endpoints.iter().find(|(_, endpoints)| endpoints.contains(&endpoint));
    let nature = of_endpoint.map(|(nature, _)| *nature).or(row.all)?;
    let has = |class| node.has(endpoint, class);
    let (is_switch, has_level) = (has(Cc::BINARY_SWITCH), has(Cc::MULTILEVEL_SWITCH));
    let is_controlled = match nature {
        Nature::Void => true,
        Nature::Switch | Nature::Outlet => is_switch,
        Nature::GarageDoor | Nature::Gate | Nature::Valve => is_switch || has_level,
        _ => has_level,
    };
    is_controlled.then_some(nature)
}

/// Returns true if "on" shuts the device, and "off" opens it.
pub fn is_exchanged(node: &Node) -> bool {
    row_of(node).is_some_and(|row| row.exchanged)
}

/// Returns the state that a device has at a level, or at the next higher level in the table.
pub fn state_at(node: &Node, level: f64) -> Option<&'static str> {
    let mut levels = row_of(node)?.levels.iter();
    let (_, state) = levels.find(|(up_to, _)| level <= *up_to).filter(|_| level > 0.0)?;
    Some(state)
}
