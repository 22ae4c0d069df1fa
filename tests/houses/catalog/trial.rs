//! Tries `fixtures/catalog`, whose devices are of our own making: each shows a kind of fault.

use std::path::PathBuf;

use super::Catalog;
use super::judge::Fault;
use crate::fixture::served::run_on_paused_clock;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/catalog")
}

fn describe(about: &str, faults: &[Fault]) -> Option<String> {
    let faults: Vec<String> = faults
        .iter()
        .map(|fault| format!("  {:?}: {}", fault.flaw, fault.text))
        .collect();
    (!faults.is_empty()).then(|| format!("{about}\n{}", faults.join("\n")))
}

#[test]
fn devices_are_listed_and_moved_as_what_they_are() {
    let faults = run_on_paused_clock(async {
        let mut faults = Vec::new();
        for entry in Catalog::read(&folder()).devices {
            let fault = entry.fault.as_deref().unwrap_or_default();
            let about = format!("{} {fault}: {}", entry.file, entry.why);
            faults.extend(describe(&about, &entry.try_in(&folder()).await));
        }
        faults
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn products_are_what_the_gateway_calls_them() {
    let faults = run_on_paused_clock(async {
        let mut faults = Vec::new();
        for product in Catalog::read(&folder()).products {
            faults.extend(describe(&product.describe(), &product.try_it().await));
        }
        faults
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_document_of_the_folder_is_expected_to_be_something() {
    let catalog = Catalog::read(&folder());
    for file in std::fs::read_dir(folder().join("nodes")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(
            catalog.devices.iter().any(|entry| entry.file == name),
            "fixtures/catalog/nodes/{name} is in no entry: add one to fixtures/catalog/expect.json, or delete the file"
        );
    }
}
