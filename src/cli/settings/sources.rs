//! The sources of settings, and the error for a wrong setting.

use std::time::Duration;

use crate::cli::options::{
    CA_FILE, CLIENT_CERT, CLIENT_KEY, LOG_FILE, NAMES, Options, PASSWORD_FILE, Setting, Typed,
};
use crate::files;
use crate::home::text;

/// A setting that is wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is \"{value}\"; it must be {right}")]
pub struct SettingError {
    /// The name of the option or variable.
    name: &'static str,
    /// The value, with possible secrets hidden.
    value: String,
    /// A description of valid values.
    right: String,
}

/// The sources of settings, apart from the options.
pub struct Sources<'a> {
    /// Reads an environment variable.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Reads a file.
    pub file: &'a dyn Fn(&str) -> Result<String, String>,
}

/// A setting that was found: the name of the option or variable, and the text.
#[derive(Clone)]
pub(super) struct FoundSetting {
    pub name: &'static str,
    pub text: String,
}

impl FoundSetting {
    pub fn setting_error(&self, right: &str) -> SettingError {
        SettingError {
            name: self.name,
            value: text::reason(&hide_secrets(&self.text)),
            right: right.to_owned(),
        }
    }
}

/// Hides possible secrets in a setting. In an invalid address, we can't tell where the user info begins, so
/// everything before the last `@` is hidden. An address's query and fragment are hidden too, because some MQTT
/// clients accept a password in the query.
fn hide_secrets(text: &str) -> String {
    let (start, visible) = match text.rsplit_once('@') {
        Some((_, visible)) => ("***@", visible),
        None => ("", text),
    };
    let is_address = text.contains("://");
    match visible.split_once(['?', '#']).filter(|_| is_address) {
        Some((before, _)) => format!("{start}{before}?***"),
        None => format!("{start}{visible}"),
    }
}

/// Returns true if the text of a variable is no value: if it is blank, or is the placeholder that an MCP bundle
/// leaves for a setting that was not filled in.
fn is_unset(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || (text.starts_with("${user_config.") && text.ends_with('}'))
}

/// Removes one pair of quotes around the value of a variable. Compose and env files leave such quotes on.
fn unquote(text: String) -> String {
    let inner = |quote: char| {
        let inner = text.trim().strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then(|| inner.to_owned())
    };
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// The settings that are paths. A leading `~/` is the home folder, because no shell replaces it in an env file, in
/// a host's entry or behind `--names=`.
const PATHS: [Setting; 6] = [
    CA_FILE,
    CLIENT_CERT,
    CLIENT_KEY,
    LOG_FILE,
    NAMES,
    PASSWORD_FILE,
];

/// Reads a text file that the owner writes.
fn read_file(path: &str) -> Result<String, String> {
    let content = files::read(path.as_ref())?;
    String::from_utf8(content).map_err(|_| "it is not in UTF-8".to_owned())
}

impl Sources<'static> {
    /// The environment of this process, and the file system. Files are at most 1 MiB long.
    pub const OF_PROCESS: Self = Self {
        // A value that is not UTF-8 counts as set. Its invalid bytes are replaced.
        env: &|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()),
        file: &read_file,
    };
}

impl Sources<'_> {
    /// Returns an environment variable without the quotes around it, if it has a value.
    pub(super) fn variable(&self, name: &'static str) -> Option<FoundSetting> {
        let text = (self.env)(name).map(unquote).filter(|text| !is_unset(text))?;
        Some(FoundSetting { name, text })
    }

    /// Replaces the `~` at the start of a path by the home folder.
    fn expand_home(&self, path: String) -> String {
        let rest = path.trim().strip_prefix('~').filter(|rest| rest.starts_with(['/', '\\']));
        let home = || self.variable("HOME").or_else(|| self.variable("USERPROFILE"));
        match rest.zip(rest.and_then(|_| home())) {
            Some((rest, home)) => format!("{}{rest}", home.text),
            None => path,
        }
    }
}

/// Every setting with its values. The values come from the option, if it is given. Otherwise they come from
/// the setting's first variable that has a value.
pub(super) struct GivenSettings(Vec<(Setting, Vec<FoundSetting>)>);

impl GivenSettings {
    /// Finds the values of all settings.
    pub fn find(options: &Options, sources: &Sources) -> Self {
        let settings = options.all().into_iter().map(|(setting, typed)| {
            let name = setting.flag;
            let text = |text: &String| FoundSetting {
                name,
                text: text.clone(),
            };
            let is_list = matches!(typed, Typed::List(_));
            let mut found: Vec<FoundSetting> = match typed {
                Typed::Text(typed) => typed.iter().map(text).collect(),
                Typed::List(typed) | Typed::Addresses(typed) => typed.iter().map(text).collect(),
                Typed::Flag(true) => vec![text(&"1".to_owned())],
                Typed::Flag(false) => Vec::new(),
            };
            let is_typed = !found.is_empty();
            if !is_typed {
                let mut variables = setting.variables.iter();
                found.extend(variables.find_map(|name| sources.variable(name)));
            }
            if is_list {
                let lists = found.iter();
                found = lists.flat_map(|list| split_list(list, is_typed)).collect();
            }
            if PATHS.contains(&setting) {
                for path in &mut found {
                    path.text = sources.expand_home(std::mem::take(&mut path.text));
                }
            }
            (setting, found)
        });
        Self(settings.collect())
    }

    /// Lists all settings with their values, in the order of [`Options::all`].
    pub fn all(&self) -> impl Iterator<Item = (Setting, &[FoundSetting])> {
        self.0.iter().map(|(setting, found)| (*setting, found.as_slice()))
    }

    /// Returns the values of a setting that may have several.
    pub fn list(&self, setting: Setting) -> &[FoundSetting] {
        let mut settings = self.all();
        settings.find(|(listed, _)| *listed == setting).map_or(&[], |(_, found)| found)
    }

    pub fn first(&self, setting: Setting) -> Option<&FoundSetting> {
        self.list(setting).first()
    }

    pub fn flag(&self, setting: Setting) -> Result<bool, SettingError> {
        let Some(found) = self.first(setting) else {
            return Ok(false);
        };
        match found.text.trim().to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(found.setting_error("1 or 0")),
        }
    }

    pub fn time(&self, setting: Setting, default: Duration) -> Result<Duration, SettingError> {
        let Some(found) = self.first(setting) else {
            return Ok(default);
        };
        parse_time(&found.text)
            .ok_or_else(|| found.setting_error("a time such as 3s or 500ms, at most 60s"))
    }
}

/// Splits a list at its commas. An option with only commas and spaces is kept whole, so that an error reports it.
fn split_list(list: &FoundSetting, is_typed: bool) -> Vec<FoundSetting> {
    let parts: Vec<_> = list
        .text
        .split(',')
        .filter(|part| !part.trim().is_empty())
        .map(|part| FoundSetting {
            name: list.name,
            text: if is_typed {
                part.to_owned()
            } else {
                unquote(part.to_owned())
            },
        })
        .collect();
    if parts.is_empty() && is_typed {
        vec![list.clone()]
    } else {
        parts
    }
}

/// Parses a duration of at most a minute: "3s", "500ms", "2.5s", "1m", or seconds without a unit.
fn parse_time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
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
        assert_eq!(parse_time("3s"), Some(Duration::from_secs(3)));
        assert_eq!(parse_time("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_time("2.5"), Some(Duration::from_millis(2500)));
        for wrong in ["", "-1s", "1e9", "NaN", "3 parsecs", "61s"] {
            assert_eq!(parse_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_variable_without_a_value_is_not_set() {
        assert!(is_unset(" "));
        assert!(is_unset("${user_config.username}"));
        assert!(!is_unset("${HOME}"));
        assert!(!is_unset("0"));
    }
}
