//! Prints what each word of the table makes of the descriptions in a database.

use std::collections::{BTreeMap, BTreeSet};

use zwave_mcp_server::home::product::words::read;

/// Prints the words of one nature, or of all, each with the descriptions that it decides.
pub fn print(file: &str, nature: Option<&str>) {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<[String; 6]> = serde_json::from_str(&text).unwrap();
    let mut decided: BTreeMap<(String, &str), BTreeSet<String>> = BTreeMap::new();
    for [.., label, description] in rows {
        let said = read(&description, false).or_else(|| read(&label, false));
        let key = match said {
            Some(said) => {
                let nature = said.nature.map_or_else(
                    || "nothing".to_owned(),
                    |nature| format!("{nature:?}").to_lowercase(),
                );
                (nature, said.words)
            }
            None => ("undecided".to_owned(), ""),
        };
        decided.entry(key).or_default().insert(format!("{description} [{label}]"));
    }
    for ((kind, word), descriptions) in &decided {
        if nature.is_none_or(|nature| nature.replace('_', "") == *kind) {
            println!("{kind}: {word} ({})", descriptions.len());
            for description in descriptions {
                println!("    {description}");
            }
        }
    }
}
