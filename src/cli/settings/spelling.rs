//! Finds environment variables that are probably misspelt settings.

use strsim::levenshtein;

use crate::cli::options::variables;
use crate::home::text;

/// The starts of the settings' names, apart from `RUST_LOG`.
const STARTS: [&str; 2] = ["ZWAVE_", "MQTT_"];

/// The start of the names that this project's tests and scripts read.
const FOR_TESTS: &str = "ZWAVE_TEST_";

/// The maximum number of letters in which a name may differ from the setting that is probably meant.
const MAX_EDITS: usize = 3;

/// Returns a warning for each variable whose name begins with `ZWAVE_` or is like that of an `MQTT_` setting, and
/// that is no setting. A safety setting would otherwise do nothing in silence.
pub fn warn_of_misspelt(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let known: Vec<&str> = variables().collect();
    let mut warnings: Vec<String> = names
        .into_iter()
        .filter(|name| !known.contains(&name.as_str()) && !name.starts_with(FOR_TESTS))
        .filter_map(|name| {
            let upper = name.to_uppercase();
            let start = STARTS.into_iter().find(|start| upper.starts_with(start))?;
            let likely = known
                .iter()
                .filter(|known| known.starts_with(start))
                .map(|known| (levenshtein(&squash(&upper), &squash(known)), known))
                .min()
                .filter(|(edits, known)| *edits <= MAX_EDITS || is_start_of(&upper, known));
            let shown = text::name(&name);
            match likely {
                Some((_, likely)) => {
                    Some(format!("{shown} is not a setting; did you mean {likely}?"))
                }
                None if start == "ZWAVE_" => Some(format!("{shown} is not a setting")),
                None => None,
            }
        })
        .collect();
    warnings.sort();
    warnings
}

/// Removes the underscores, which people forget.
fn squash(name: &str) -> String {
    name.replace('_', "")
}

/// Returns true if one name begins with the other, as `MQTT_USER` and `MQTT_USERNAME`.
fn is_start_of(name: &str, known: &str) -> bool {
    name.starts_with(known) || known.starts_with(name)
}
