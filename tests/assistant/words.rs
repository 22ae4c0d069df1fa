//! The languages' files have all the words that sentences need.

use zwave_mcp_server::home::language::FILES;

#[test]
fn every_language_has_all_sentence_words() {
    let tables = FILES.map(|file| {
        let file: toml::Table = toml::from_str(file).unwrap();
        file["sentence"].as_table().unwrap().clone()
    });
    let [english, ..] = &tables;
    for table in &tables {
        let code = table["code"].as_str().unwrap();
        let numbers = table["count"].as_array().unwrap().len();
        assert_eq!(numbers, 101, "{code} must count from 0 to 100");
        for excuse in table["excuses"].as_table().unwrap().keys() {
            let phrases = table["phrases"].as_table().unwrap();
            assert!(phrases.contains_key(excuse), "{code} lacks {excuse}");
        }
        for (name, words) in english {
            let entry = table.get(name);
            match (words, name.as_str()) {
                // A language may lack `at`. The keys of these tables may differ from those in English.
                (_, "at" | "groups" | "hints" | "nouns" | "articles") => {}
                // Languages tell the time in different ways.
                (
                    _,
                    "when" | "units" | "spans" | "hours" | "minutes_before" | "minutes_after"
                    | "days" | "day_parts",
                ) => {
                    assert!(
                        entry.is_some() || name.starts_with("minutes"),
                        "{code} lacks {name}"
                    );
                }
                (toml::Value::Array(_), _) => {
                    let list = entry.and_then(toml::Value::as_array);
                    assert!(
                        list.is_some_and(|list| !list.is_empty()),
                        "{code} lacks {name}"
                    );
                }
                (toml::Value::Table(words), _) => {
                    let keys = entry.unwrap().as_table().unwrap();
                    let has_words = |key: &str| match keys.get(key) {
                        Some(toml::Value::Array(words)) => !words.is_empty(),
                        value => value.is_some(),
                    };
                    for key in words.keys() {
                        // Other languages say "switch off" for `Command::Out` ("lights out").
                        assert!(has_words(key) || key == "out", "{code} lacks {name}.{key}");
                    }
                    for key in keys.keys() {
                        assert!(
                            words.contains_key(key),
                            "{code} has {name}.{key}, but English lacks it"
                        );
                    }
                }
                _ => {}
            }
        }
    }
}
