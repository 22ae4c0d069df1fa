//! The files of `src/words`.

use std::path::Path;

use toml::Value;

/// Finds every word that a list has twice, in large or small letters.
fn repeated(place: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (key, inner) in table {
                repeated(&format!("{place}.{key}"), inner, found);
            }
        }
        Value::Array(items) => {
            let mut words = Vec::new();
            for item in items {
                let Some(word) = item.as_str() else {
                    repeated(place, item, found);
                    continue;
                };
                let plain = word.to_lowercase();
                // An empty text only fills a place, such as that of a number without a word.
                if !plain.is_empty() && words.contains(&plain) {
                    found.push(format!("{place}: {word}"));
                }
                words.push(plain);
            }
        }
        _ => {}
    }
}

#[test]
fn no_list_of_a_language_has_a_word_twice() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/words");
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let words: Value = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        repeated(
            path.file_stem().unwrap().to_str().unwrap(),
            &words,
            &mut found,
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}
