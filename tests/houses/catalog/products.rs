//! Products by category. Each becomes a node of one device with a neutral name.

use serde_json::{Value as Json, json};

use crate::values::{Values, document, level_words, measurement_words};

/// A product of the gateway's database.
pub struct Product {
    pub category: String,
    maker: u16,
    family: u16,
    id: u16,
    manufacturer: String,
    label: String,
    pub description: String,
}

/// Whether an order to a set must write to a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    No,
    May,
    Yes,
}

/// What is true of all products of a category.
pub struct CategoryRow {
    category: &'static str,
    class: (u8, u8),
    /// The groups of values in `fixtures/kinds.json`.
    values: &'static [&'static str],
    pub kinds: &'static [&'static str],
    /// Whether "all lights" on, "all switches" on and "everything" off write to it.
    pub written: [Written; 3],
    /// True if the product need not be listed.
    pub may_be_missing: bool,
}

use Written::{May, No, Yes};

const LIGHTS: &[&str] = &["dimmer", "light", "lamp", "bulb", "color light"];
const COVERS: &[&str] = &[
    "blind",
    "shade",
    "shutter",
    "roller shutter",
    "curtain",
    "cover",
    "awning",
];

#[rustfmt::skip]
const ROWS: &[CategoryRow] = &[
    row("fan", (17, 1), &["level"], &["fan"], [No, No, May]),
    row("valve", (16, 1), &["switch"], &["valve"], [No, No, No]),
    row("siren", (16, 1), &["switch"], &["siren", "chime", "doorbell"], [No, No, May]),
    row("siren38", (17, 1), &["level"], &["siren"], [No, No, May]),
    row("cover", (17, 1), &["level"], COVERS, [No, No, No]),
    row("garage", (16, 1), &["switch"], &["garage door"], [No, No, No]),
    row("thermostat", (16, 1), &["thermostat", "switch"], &["thermostat", "radiator valve"], [No, No, No]),
    row("lock", (16, 1), &["lock"], &["lock"], [No, No, No]),
    row("plug", (16, 1), &["switch"], &["outlet", "plug", "socket"], [No, May, May]),
    row("bulb", (17, 1), &["level"], LIGHTS, [Yes, No, May]),
    row("not:dimmer", (17, 1), &["level"], LIGHTS, [Yes, No, May]),
    row("not:switch", (16, 1), &["switch"], &["switch"], [No, Yes, May]),
    row("not:sensor", (7, 1), &["door", "battery"], &["sensor"], [No, No, No]),
    row("not:trv", (8, 4), &["heating", "measurement", "battery"], &["radiator valve", "thermostat"], [No, No, No]),
    row("not:fancoil", (8, 6), &["thermostat", "fan_mode"], &["thermostat"], [No, No, No]),
    CategoryRow {
        may_be_missing: true,
        ..row("not:remote", (24, 1), &["button"], &["remote", "wall controller", "button"], [No, No, No])
    },
];

const fn row(
    category: &'static str,
    class: (u8, u8),
    values: &'static [&'static str],
    kinds: &'static [&'static str],
    written: [Written; 3],
) -> CategoryRow {
    CategoryRow {
        category,
        class,
        values,
        kinds,
        written,
        may_be_missing: false,
    }
}

impl Product {
    /// Reads the products of all categories.
    pub fn read_all(json: &Json) -> Vec<Self> {
        let categories = json.as_object().unwrap().iter();
        let rows = categories.flat_map(|(category, products)| {
            let products = products.as_array().unwrap().iter();
            products.map(|product| (category.clone(), product))
        });
        rows.map(|(category, product)| {
            let text = |at: usize| product[at].as_str().unwrap().to_owned();
            let number = |at: usize| {
                let text = text(at);
                u16::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
            };
            Self {
                category,
                maker: number(0),
                family: number(1),
                id: number(2),
                manufacturer: text(3),
                label: text(4),
                description: text(5),
            }
        })
        .collect()
    }

    /// Returns what is true of the product.
    pub fn row(&self) -> &'static CategoryRow {
        let row = ROWS.iter().find(|row| row.category == self.category);
        row.unwrap_or_else(|| panic!("{} is no category", self.category))
    }

    /// Returns the node's documents.
    pub fn nodes(&self) -> Vec<Json> {
        let row = self.row();
        let up_and_down = level_words("Up", "Down");
        let temperature = measurement_words("Air temperature", "°C");
        let words: Vec<_> = up_and_down.into_iter().chain(temperature).collect();
        let groups = row.values.iter();
        let values = groups.fold(Values::new(2), |values, group| {
            values.add_group(group, 0, &words)
        });
        let mut node = document(2, "Thing", "Workshop", row.class, values);
        node["manufacturerId"] = self.maker.into();
        node["productType"] = self.family.into();
        node["productId"] = self.id.into();
        node["manufacturer"] = self.manufacturer.as_str().into();
        node["productLabel"] = self.label.as_str().into();
        node["productDescription"] = self.description.as_str().into();
        if self.category == "not:trv" {
            node["isListening"] = false.into();
            node["isFrequentListening"] = json!("1000ms");
        }
        vec![node]
    }

    /// Returns the product in a line.
    pub fn describe(&self) -> String {
        format!(
            "{} {:04x}/{:04x}/{:04x} {} {}: {}",
            self.category,
            self.maker,
            self.family,
            self.id,
            self.manufacturer,
            self.label,
            self.description
        )
    }
}
