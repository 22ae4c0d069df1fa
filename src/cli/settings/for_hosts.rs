//! The current settings, in the form that a host needs to start this program.

use std::path::Path;

use super::house::DEFAULT_PREFIX;
use super::sources::{GivenSettings, Sources};
use super::{BrokerSettings, Settings};
use crate::cli::options::{self, Options};
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
    /// True if a person is asked before a guarded command is sent.
    pub confirms_guarded: bool,
}

impl HostSettings {
    /// Collects the settings that were given. A host may start the program in another folder, so relative
    /// paths are resolved against `folder`.
    pub fn new(settings: &Settings, options: &Options, sources: &Sources, folder: &Path) -> Self {
        let given = GivenSettings::find(options, sources);
        let mut host_settings = Self {
            confirms_guarded: settings.policy.guard == Guard::Confirm,
            ..Self::default()
        };
        for (setting, found) in given.all() {
            let values = match setting {
                options::READ_ONLY | options::STRUCTURED | options::DEMO => {
                    let is_set = given.flag(setting) == Ok(true);
                    host_settings.arguments.extend(is_set.then(|| setting.flag.to_owned()));
                    continue;
                }
                // `set_brokers` turns these into variables.
                options::BROKER
                | options::USERNAME
                | options::PASSWORD_FILE
                | options::CA_FILE
                | options::CLIENT_CERT
                | options::CLIENT_KEY => continue,
                options::PREFIX if settings.prefix == DEFAULT_PREFIX => continue,
                options::PREFIX => vec![settings.prefix.clone()],
                options::GATEWAY => settings.gateways.clone(),
                options::NAMES | options::LOG_FILE => {
                    found.iter().map(|found| absolute(Path::new(&found.text), folder)).collect()
                }
                _ => found.iter().map(|found| found.text.trim().to_owned()).collect(),
            };
            let typed = values.iter();
            host_settings
                .arguments
                .extend(typed.map(|value| format!("{}={value}", setting.flag)));
        }
        if let Some(first) = settings.brokers.first() {
            let file = given.first(options::PASSWORD_FILE).map(|found| found.text.trim());
            host_settings.set_brokers(&settings.brokers, first.user(), file, folder);
        }
        host_settings
    }

    /// Adds the variables for the brokers. `first_user` is the first broker's user.
    fn set_brokers(
        &mut self,
        brokers: &[BrokerSettings],
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

#[cfg(test)]
mod tests {
    use super::super::tests::resolve;
    use super::*;

    fn host_settings(options: &Options, env: &[(&str, &str)]) -> HostSettings {
        let settings = resolve(options, env).ok().unwrap();
        let sources = Sources {
            env: &|name| {
                let found = env.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| (*value).to_owned())
            },
            file: &|_| Ok(String::new()),
        };
        HostSettings::new(&settings, options, &sources, Path::new("/home/me"))
    }

    fn variables(settings: &HostSettings) -> Vec<(&str, &str)> {
        let variables = settings.variables.iter();
        variables.map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }

    #[test]
    fn brokers_and_users_become_variables_without_the_password() {
        let brokers = |urls| ("MQTT_BROKER_URL", urls);
        let me = ("MQTT_USERNAME", "me");
        for (env, expected, needs_password) in [
            (vec![], vec![brokers("mqtt://localhost:1883")], false),
            (vec![me], vec![brokers("mqtt://localhost:1883"), me], true),
            (
                vec![brokers("mqtts://me:s3cret@broker")],
                vec![brokers("mqtts://broker:8883"), me],
                true,
            ),
            (
                vec![brokers("mqtt://a,mqtts://b"), me],
                vec![brokers("mqtt://a:1883,mqtts://b:8883"), me],
                true,
            ),
            // If the brokers have different users, the addresses contain the users.
            (
                vec![brokers("mqtt://a,mqtt://y%2Fou:s3cret@b")],
                vec![brokers("mqtt://a:1883,mqtt://y%2Fou@b:1883")],
                true,
            ),
        ] {
            let settings = host_settings(&Options::default(), &env);
            assert_eq!(variables(&settings), expected);
            assert_eq!(settings.needs_password, needs_password, "{settings:?}");
            assert!(settings.arguments.is_empty(), "{settings:?}");
            assert!(!format!("{settings:?}").contains("s3cret"));
            // With the password added, the settings are valid.
            let added = needs_password.then_some(("MQTT_PASSWORD", "s3cret"));
            let complete: Vec<_> = expected.into_iter().chain(added).collect();
            assert!(resolve(&Options::default(), &complete).is_ok());
        }
    }

    #[test]
    fn files_have_absolute_paths() {
        let env = [
            ("MQTT_BROKER_URL", "mqtts://me@broker"),
            ("MQTT_PASSWORD_FILE", "pw"),
            ("MQTT_CA_FILE", "/etc/ca.pem"),
            ("MQTT_CLIENT_CERT", "me.pem"),
            ("MQTT_CLIENT_KEY", "me.key"),
            ("ZWAVE_LOG_FILE", "logs"),
        ];
        let settings = host_settings(&Options::default(), &env);
        let here = |file: &str| Path::new("/home/me").join(file).display().to_string();
        let [password, certificate, key, logs] = ["pw", "me.pem", "me.key", "logs"].map(here);
        let expected = [
            ("MQTT_PASSWORD_FILE", password.as_str()),
            ("MQTT_CA_FILE", "/etc/ca.pem"),
            ("MQTT_CLIENT_CERT", certificate.as_str()),
            ("MQTT_CLIENT_KEY", key.as_str()),
        ];
        assert_eq!(variables(&settings)[2..], expected);
        assert!(!settings.needs_password);
        assert_eq!(settings.arguments, [format!("--log-file={logs}")]);
    }

    #[test]
    fn all_settings_that_are_not_for_brokers_become_arguments() {
        let options = Options {
            hide: vec!["kind:lock".to_owned()],
            read_only: true,
            ..Options::default()
        };
        let env = [
            ("ZWAVE_DEMO", "1"),
            ("ZWAVE_MQTT_TOPIC", "home/zwave/"),
            ("ZWAVE_GATEWAY", "Up, Down"),
            ("ZWAVE_HIDE", "Attic"),
            ("ZWAVE_EXPOSE", "Kitchen/*, Hall"),
            ("ZWAVE_REPLY_TIMEOUT", "2s"),
        ];
        let settings = host_settings(&options, &env);
        assert_eq!(variables(&settings), []);
        let expected = [
            "--prefix=home/zwave",
            "--reply-timeout=2s",
            "--gateway=Up",
            "--gateway=Down",
            "--expose=Kitchen/*",
            "--expose=Hall",
            "--hide=kind:lock",
            "--read-only",
            "--demo",
        ];
        assert_eq!(settings.arguments, expected);
    }
}
