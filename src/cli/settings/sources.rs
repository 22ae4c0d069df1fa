//! The sources of settings, and the error for a wrong setting.

use std::time::Duration;

use crate::cli::options::{Options, Setting, SettingKind, settings};
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
#[derive(Clone, Default)]
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

    /// Replaces the `~` at the start of a path by the home folder, because no shell replaces it in an env file, in a
    /// host's entry or behind `--names=`.
    fn expand_home(&self, path: String) -> String {
        let rest = path.trim().strip_prefix('~').filter(|rest| rest.starts_with(['/', '\\']));
        let home = || self.variable("HOME").or_else(|| self.variable("USERPROFILE"));
        match rest.zip(rest.and_then(|_| home())) {
            Some((rest, home)) => format!("{}{rest}", home.text),
            None => path,
        }
    }
}

/// Every setting with the values that were given. They come from the option or, without it, from the setting's first
/// variable that has a value.
pub(super) struct GivenSettings(Vec<(&'static Setting, Vec<FoundSetting>)>);

impl GivenSettings {
    /// Finds the given values of all settings.
    pub fn find(options: &Options, sources: &Sources) -> Self {
        let settings = settings().iter().map(|setting| {
            let typed = options.values(&setting.option);
            let mut found: Vec<FoundSetting> = typed
                .iter()
                .map(|text| FoundSetting {
                    name: &setting.option,
                    text: text.clone(),
                })
                .collect();
            if typed.is_empty() {
                let mut variables = setting.variables.iter();
                found.extend(variables.find_map(|name| sources.variable(name)));
            }
            match setting.kind {
                SettingKind::List => {
                    let lists = found.iter();
                    found = lists.flat_map(|list| split_list(list, !typed.is_empty())).collect();
                }
                SettingKind::File | SettingKind::Folder => {
                    for path in &mut found {
                        path.text = sources.expand_home(std::mem::take(&mut path.text));
                    }
                }
                SettingKind::Text | SettingKind::Addresses | SettingKind::Flag => {}
            }
            (setting, found)
        });
        Self(settings.collect())
    }

    /// Lists all settings with their given values, in the order of the table.
    pub fn all(&self) -> impl Iterator<Item = (&'static Setting, &[FoundSetting])> {
        self.0.iter().map(|(setting, found)| (*setting, found.as_slice()))
    }

    /// Returns the given values of a setting that may have several.
    pub fn list(&self, option: &str) -> &[FoundSetting] {
        let mut settings = self.all();
        settings
            .find(|(setting, _)| setting.option == option)
            .map_or(&[], |(_, found)| found)
    }

    pub fn first(&self, option: &str) -> Option<&FoundSetting> {
        self.list(option).first()
    }

    /// Returns the given value of a setting, or else its default.
    pub fn value(&self, option: &str) -> FoundSetting {
        let default = || {
            let setting = settings().iter().find(|setting| setting.option == option)?;
            Some(FoundSetting {
                name: &setting.option,
                text: setting.default.clone()?,
            })
        };
        self.first(option).cloned().or_else(default).unwrap_or_default()
    }

    /// Parses the value of a setting. `right` describes valid values.
    pub fn parse<T>(
        &self,
        option: &str,
        right: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, SettingError> {
        let found = self.value(option);
        parse(found.text.trim()).ok_or_else(|| found.setting_error(right))
    }

    pub fn flag(&self, option: &str) -> Result<bool, SettingError> {
        self.parse(option, "1 or 0", |text| {
            match text.to_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Some(true),
                "" | "0" | "false" | "no" | "off" => Some(false),
                _ => None,
            }
        })
    }

    pub fn time(&self, option: &str) -> Result<Duration, SettingError> {
        self.parse(
            option,
            "a time such as 3s or 500ms, at most 60s",
            parse_time,
        )
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
