//! Where settings come from, and what is said where one is wrong.

use std::fmt;
use std::time::Duration;

/// A setting that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What it is called where it was set.
    name: String,
    /// What it was set to, without user info.
    value: String,
    /// What would be right.
    right: String,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, right } = self;
        write!(f, "{name} is \"{value}\"; it must be {right}")
    }
}

impl std::error::Error for SettingError {}

/// Where settings come from besides the options.
pub struct Sources<'a> {
    /// Reads an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Reads a file.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
}

/// A setting as it was found: what it is called there, and its text.
pub(super) struct Found {
    pub name: String,
    pub text: String,
}

impl Found {
    pub fn wrong(&self, right: &str) -> SettingError {
        SettingError {
            name: self.name.clone(),
            value: shown(&self.text),
            right: right.to_owned(),
        }
    }
}

/// A setting as it may be shown: an address may have lost the form by which user info is known,
/// so everything before the last `@` goes.
fn shown(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, rest)) => format!("***@{rest}"),
        None => text.to_owned(),
    }
}

/// Whether a variable is there only because a host hands every one over: empty, or with the place
/// for a value that was left out (what MCP bundles do with a setting that nobody filled in).
fn is_unset(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || (text.starts_with("${user_config.") && text.ends_with('}'))
}

impl Sources<'_> {
    /// An option, else the first of its environment variables that is set to something.
    pub(super) fn find(
        &self,
        option: Option<&String>,
        flag: &str,
        variables: &[&str],
    ) -> Option<Found> {
        if let Some(text) = option {
            return Some(Found {
                name: flag.to_owned(),
                text: text.clone(),
            });
        }
        variables.iter().find_map(|variable| {
            let text = (self.env)(variable)?;
            (!is_unset(&text)).then(|| Found {
                name: (*variable).to_owned(),
                text,
            })
        })
    }

    /// The parts between commas of an option that may be repeated, else of its environment variable.
    pub(super) fn list(&self, options: &[String], flag: &str, variable: &str) -> Vec<Found> {
        let named = |name: &str, text: &str| Found {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        let parts = |list: &Found| -> Vec<Found> {
            let parts = list.text.split(',').filter(|one| !one.trim().is_empty());
            parts.map(|one| named(&list.name, one)).collect()
        };
        if options.is_empty() {
            let list = self.find(None, "", &[variable]);
            return list.iter().flat_map(parts).collect();
        }
        let all = options.iter().map(|one| named(flag, one));
        all.flat_map(|one| match parts(&one) {
            // Told as wrong: an option without a word in it is a slip.
            none if none.is_empty() => vec![one],
            some => some,
        })
        .collect()
    }

    pub(super) fn flag(&self, option: bool, variable: &str) -> Result<bool, SettingError> {
        if option {
            return Ok(true);
        }
        let Some(found) = self.find(None, "", &[variable]) else {
            return Ok(false);
        };
        match found.text.trim().to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(found.wrong("1 or 0")),
        }
    }

    pub(super) fn time(
        &self,
        option: Option<&String>,
        flag: &str,
        variable: &str,
        default: Duration,
    ) -> Result<Duration, SettingError> {
        let Some(found) = self.find(option, flag, &[variable]) else {
            return Ok(default);
        };
        time(&found.text).ok_or_else(|| found.wrong("a time such as 3s or 500ms, at most 60s"))
    }
}

/// A time: "3s", "500ms", "2.5s", "1m", or seconds without a unit. At most a minute.
fn time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.trim().parse().ok()?;
    let seconds = match text.get(digits.len()..)? {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        _ => return None,
    };
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= Duration::from_secs(60)).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(time("3s"), Some(Duration::from_secs(3)));
        assert_eq!(time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(time("2.5"), Some(Duration::from_millis(2500)));
        for wrong in ["", "-1s", "1e9", "NaN", "3 parsecs", "61s"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_variable_that_a_host_hands_over_empty_is_not_set() {
        assert!(is_unset(" "));
        assert!(is_unset("${user_config.username}"));
        assert!(!is_unset("${HOME}"));
        assert!(!is_unset("0"));
    }
}
