//! The current settings, in the form that a host needs to start this program.

use std::path::Path;

use super::Settings;
use super::sources::{GivenSettings, Sources};
use crate::cli::options::{Options, SettingKind};
use crate::gateway::mqtt::Broker;
use crate::home::guard::Guard;

/// The current settings, from any source, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// Brokers, user and certificates, as environment variables.
    pub variables: Vec<(String, String)>,
    /// Everything else, as arguments.
    pub arguments: Vec<String>,
    /// True if `MQTT_PASSWORD` has to be set too.
    pub needs_password: bool,
    /// True if a person is asked before a guarded command is sent, and only the host can ask.
    pub confirms_guarded: bool,
}

impl HostSettings {
    /// Collects the settings that were given. A host may start the program in another folder, so relative
    /// paths are resolved against `folder`.
    pub fn new(settings: &Settings, options: &Options, sources: &Sources, folder: &Path) -> Self {
        let given = GivenSettings::find(options, sources);
        let rules = &settings.house.rules;
        let asks_on_topic = settings.house.question_topic.is_some();
        let mut host_settings = Self {
            confirms_guarded: settings.policy.guard == Guard::Confirm && !asks_on_topic,
            ..Self::default()
        };
        for (setting, found) in given.all() {
            if found.is_empty() {
                continue;
            }
            let option = &setting.option;
            let values = match option.as_str() {
                _ if setting.kind == SettingKind::Flag => {
                    let is_set = given.flag(option) == Ok(true);
                    host_settings.arguments.extend(is_set.then(|| option.clone()));
                    continue;
                }
                // `set_brokers` turns these into variables.
                "--broker" | "--username" | "--password-file" | "--ca-file" | "--client-cert"
                | "--client-key" => continue,
                "--prefix" if Some(&rules.prefix) == setting.default.as_ref() => continue,
                "--prefix" => vec![rules.prefix.clone()],
                "--gateway" => rules.named.clone(),
                "--names" | "--log-file" => {
                    found.iter().map(|found| absolute(Path::new(&found.text), folder)).collect()
                }
                _ => found.iter().map(|found| found.text.trim().to_owned()).collect(),
            };
            let typed = values.iter().map(|value| format!("{option}={value}"));
            host_settings.arguments.extend(typed);
        }
        if let Some(first) = settings.brokers.first() {
            let file = given.first("--password-file").map(|found| found.text.trim());
            host_settings.set_brokers(&settings.brokers, first.user(), file, folder);
        }
        host_settings
    }

    /// Adds the variables for the brokers. `first_user` is the first broker's user.
    fn set_brokers(
        &mut self,
        brokers: &[Broker],
        first_user: Option<&str>,
        password_file: Option<&str>,
        folder: &Path,
    ) {
        let mut set = |name: &str, text: String| self.variables.push((name.to_owned(), text));
        let is_shared = brokers.iter().all(|broker| broker.user() == first_user);
        let shared_user = first_user.filter(|_| is_shared);
        let urls = brokers.iter().map(|broker| {
            let user_in_url = broker.user().filter(|_| !is_shared);
            broker.url(user_in_url)
        });
        set("MQTT_BROKER_URL", urls.collect::<Vec<_>>().join(","));
        if let Some(user) = shared_user {
            set("MQTT_USERNAME", user.to_owned());
        }
        if brokers.iter().any(|broker| broker.user().is_some()) {
            match password_file {
                Some(file) => set("MQTT_PASSWORD_FILE", absolute(Path::new(file), folder)),
                None => self.needs_password = true,
            }
        }
        // All brokers with TLS use the same certificate files.
        let Some(tls) = brokers.iter().find_map(|broker| broker.tls.as_ref()) else {
            return;
        };
        let identity = tls.identity.as_ref();
        let files = [
            ("MQTT_CA_FILE", tls.ca_file.as_deref()),
            (
                "MQTT_CLIENT_CERT",
                identity.map(|identity| identity.certificate.as_path()),
            ),
            (
                "MQTT_CLIENT_KEY",
                identity.map(|identity| identity.key.as_path()),
            ),
        ];
        for (name, path) in files {
            self.variables
                .extend(path.map(|path| (name.to_owned(), absolute(path, folder))));
        }
    }
}

fn absolute(path: &Path, folder: &Path) -> String {
    folder.join(path).display().to_string()
}
