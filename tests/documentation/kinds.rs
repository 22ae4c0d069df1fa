//! Each kind of device is in the README, in the changelog and in the page about houses.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use zwave_mcp_server::home::kind::Kind;

use crate::pages::{Page, files, page, root};

/// Returns the kinds in the first column of a page's tables.
fn kinds_in(page: &Page) -> BTreeSet<String> {
    let cells = page.rows().into_iter().map(|row| row[0].clone());
    cells
        .flat_map(|cell| cell.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Returns the kinds of the devices of all houses.
fn kinds_of_houses() -> BTreeSet<String> {
    let files = files(&root().join("fixtures/houses"));
    let houses = files.iter().filter(|file| file.extension().is_some_and(|end| end == "json"));
    houses
        .flat_map(|file| {
            let house: Json =
                serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
            let devices = house["devices"].as_array().unwrap();
            let kinds = devices.iter().map(|device| device["kind"].as_str().unwrap().to_owned());
            kinds.collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn each_kind_of_the_table_is_in_the_readme_and_the_changelog() {
    let (in_readme, changelog) = (kinds_in(&page("README.md")), page("CHANGELOG.md").text);
    // A device that was not read yet is of no kind.
    for word in Kind::words().filter(|word| *word != Kind::Unread.word()) {
        assert!(in_readme.contains(word), "the README lacks {word}");
        assert!(changelog.contains(word), "the changelog lacks {word}");
    }
}

#[test]
fn each_kind_of_a_house_is_in_the_page_about_houses() {
    let in_page = kinds_in(&page("fixtures/houses/README.md"));
    for kind in kinds_of_houses() {
        assert!(
            in_page.contains(&format!("`{kind}`")),
            "the page lacks {kind}"
        );
    }
}
