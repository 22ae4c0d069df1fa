//! The rows of `src/home/products.toml`.

use std::collections::BTreeSet;

use toml::{Table, Value};

#[test]
fn each_row_for_products_names_its_source_and_no_product_is_in_two_rows() {
    let table: Table = include_str!("../../src/home/products.toml").parse().unwrap();
    let mut products = BTreeSet::new();
    for row in table["products"].as_array().unwrap() {
        assert!(!row["source"].as_str().unwrap().is_empty(), "{row:?}");
        let number = |text: &Value| u16::from_str_radix(text.as_str().unwrap(), 16).unwrap();
        let maker = number(&row["maker"]);
        for family in row["types"].as_array().unwrap() {
            for id in row["products"].as_array().unwrap() {
                assert!(
                    products.insert((maker, number(family), number(id))),
                    "{row:?}"
                );
            }
        }
        let levels = row.get("levels").and_then(Value::as_array).into_iter().flatten();
        assert!(
            levels.map(|level| level[0].as_integer().unwrap()).is_sorted(),
            "{row:?}"
        );
    }
    assert!(products.len() > 50);
}
