//! The options, from the table of settings in `settings.toml`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};
use serde::Deserialize;

/// A row of the table of settings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The option, with its dashes.
    pub option: String,
    /// The environment variables; the first with a value counts.
    pub variables: Vec<String>,
    /// The form of the option's value.
    #[serde(default)]
    pub(super) kind: SettingKind,
    /// The name of the option's value in the help.
    #[serde(default)]
    pub value: String,
    /// The values to offer in completions.
    #[serde(default)]
    choices: Vec<String>,
    /// The meaning, as the help says it.
    pub meaning: String,
    /// The value if neither the option nor a variable gives one.
    pub default: Option<String>,
    /// The meaning of a setting without a value and without a default.
    pub unset: Option<String>,
    /// True if the short help lists the option.
    #[serde(default)]
    is_common: bool,
    /// True if the command `simulate` uses the setting.
    #[serde(default)]
    simulates: bool,
}

/// The form of a setting's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SettingKind {
    #[default]
    Text,
    /// A path to a file.
    File,
    /// A path to a folder.
    Folder,
    /// Several values. Commas separate values too.
    List,
    /// Several values. A comma may be part of a value.
    Addresses,
    Flag,
}

#[derive(Default, Deserialize)]
struct SettingTable {
    settings: Vec<Setting>,
}

/// A test checks that the table can be read.
static TABLE: LazyLock<SettingTable> =
    LazyLock::new(|| toml::from_str(include_str!("settings.toml")).unwrap_or_default());

/// Returns every setting, in the order of the help.
pub fn settings() -> &'static [Setting] {
    &TABLE.settings
}

/// Lists the environment variables that the server reads.
pub fn variables() -> impl Iterator<Item = &'static str> {
    let variables = settings().iter().flat_map(|setting| &setting.variables);
    variables.map(String::as_str).chain(["MQTT_PASSWORD"])
}

/// Returns the environment variable for an option of the server, such as `--guard`.
pub fn variable_for(option: &str) -> Option<&'static str> {
    let setting = settings().iter().find(|setting| setting.option == option)?;
    setting.variables.first().map(String::as_str)
}

impl Setting {
    /// Returns true if a command uses the setting.
    pub(super) fn is_used_by(&self, command: &str) -> bool {
        let uses_none = matches!(command, "completions" | "man");
        !uses_none && (self.simulates || command != "simulate")
    }

    /// Returns the option as clap defines it.
    fn to_arg(&'static self) -> Arg {
        let hint = match self.kind {
            _ if !self.choices.is_empty() => ValueHint::Unknown,
            SettingKind::Addresses => ValueHint::Url,
            SettingKind::File => ValueHint::FilePath,
            SettingKind::Folder => ValueHint::DirPath,
            SettingKind::Text | SettingKind::List | SettingKind::Flag => ValueHint::Other,
        };
        let mut help = self.meaning.clone();
        let default = self.default.as_ref().or(self.unset.as_ref());
        for (what, text) in [("env", self.variables.first()), ("default", default)] {
            help.extend(text.map(|text| format!(" [{what}: {text}]")));
        }
        let arg = Arg::new(self.option.as_str())
            .long(self.option.trim_start_matches('-'))
            .help(help)
            .help_heading("Settings")
            .global(true)
            .hide_short_help(!self.is_common);
        match self.kind {
            SettingKind::Flag => arg.action(ArgAction::SetTrue),
            kind => arg
                .action(match kind {
                    SettingKind::List | SettingKind::Addresses => ArgAction::Append,
                    _ => ArgAction::Set,
                })
                .value_name(self.value.as_str())
                .value_hint(hint)
                .value_parser(Suggested(self.choices.iter().map(String::as_str).collect()))
                .hide_possible_values(true),
        }
    }
}

/// The options that were given, each with its values as they were typed.
#[derive(Clone, Debug, Default)]
pub struct Options(BTreeMap<&'static str, Vec<String>>);

impl Options {
    /// Adds a value of an option. The value of a flag does not count.
    #[must_use]
    pub fn with(mut self, option: &'static str, value: impl Into<String>) -> Self {
        self.0.entry(option).or_default().push(value.into());
        self
    }

    /// Returns true if an option was given.
    pub fn has(&self, option: &str) -> bool {
        self.0.contains_key(option)
    }

    /// Returns the values of an option as they were typed; "1" for a flag.
    pub(super) fn values(&self, option: &str) -> &[String] {
        self.0.get(option).map_or(&[], Vec::as_slice)
    }

    /// Returns the options as arguments, for the server that a command such as `list` spawns.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        for Setting { option, kind, .. } in settings() {
            if *kind != SettingKind::Flag {
                let values = self.values(option).iter();
                arguments.extend(values.map(|value| format!("{option}={value}")));
            } else if self.has(option) {
                arguments.push(option.clone());
            }
        }
        arguments
    }
}

impl Args for Options {
    fn augment_args(command: Command) -> Command {
        command.args(settings().iter().map(Setting::to_arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Self::default();
        for Setting { option, kind, .. } in settings() {
            if *kind != SettingKind::Flag {
                let typed = matches.get_many::<String>(option).unwrap_or_default();
                options = typed.fold(options, |options, value| options.with(option, value));
            } else if matches.get_flag(option) {
                options = options.with(option, "1");
            }
        }
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Accepts any text, but offers only the given values in completions. The text is checked later, so that a
/// wrong value from the command line and one from the environment give the same error.
#[derive(Clone, Debug)]
pub struct Suggested(pub Vec<&'static str>);

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        value
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.is_empty() {
            return None;
        }
        Some(Box::new(
            self.0.iter().map(|value| PossibleValue::new(*value)),
        ))
    }
}
