//! The login at each broker.

use url::Url;

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};
use crate::cli::options::{PASSWORD_FILE, USERNAME};

/// The login that all brokers share. It comes from the settings for user and password, not from addresses.
pub(super) struct SharedLogin {
    user: Option<String>,
    password: Option<FoundSetting>,
}

impl SharedLogin {
    pub fn find(given: &GivenSettings, sources: &Sources) -> Result<Self, SettingError> {
        Ok(Self {
            user: given.first(USERNAME).map(|found| found.text.clone()),
            password: read_password(given, sources)?,
        })
    }

    /// Returns user and password for the broker of an address. If there are several brokers, user info in the
    /// address overrides the shared login. If there is only one, the shared login overrides the user info.
    pub fn login(
        &self,
        address: &FoundSetting,
        url: &Url,
        is_only_broker: bool,
    ) -> Result<Option<(String, String)>, SettingError> {
        let user = Some(decode(url.username())).filter(|user| !user.is_empty());
        let from_address = (user, url.password().map(decode));
        let password = self.password.as_ref().map(|found| found.text.clone());
        let shared = (self.user.clone(), password);
        let has_address_password = from_address.1.is_some();
        let (preferred, fallback) = if is_only_broker {
            (shared, from_address)
        } else {
            (from_address, shared)
        };
        match (preferred.0.or(fallback.0), preferred.1.or(fallback.1)) {
            (Some(user), password) => Ok(Some((user, password.unwrap_or_default()))),
            (None, _) if has_address_password => Err(user_missing(address.name)),
            (None, _) => Ok(None),
        }
    }

    /// Returns the error for a shared password that no broker uses; `None` if there is no shared password.
    /// The caller must check that no broker has a user.
    pub fn unused_password(&self) -> Option<SettingError> {
        self.password.as_ref().map(|found| user_missing(found.name))
    }
}

/// Returns the error for a password without a user name (MQTT 3.1.1, section 3.1.2.9).
fn user_missing(name: &'static str) -> SettingError {
    let hidden = FoundSetting {
        name,
        text: "***".to_owned(),
    };
    hidden.setting_error("given together with a user name (MQTT_USERNAME)")
}

fn read_password(
    given: &GivenSettings,
    sources: &Sources,
) -> Result<Option<FoundSetting>, SettingError> {
    let Some(found) = given.first(PASSWORD_FILE) else {
        return Ok(sources.variable("MQTT_PASSWORD"));
    };
    let text = (sources.file)(found.text.trim())
        .map_err(|why| found.setting_error(&format!("a file that can be read ({why})")))?;
    Ok(Some(FoundSetting {
        text: text.trim_end_matches(['\r', '\n']).to_owned(),
        name: found.name,
    }))
}

fn decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::resolve;
    use crate::cli::Options;

    fn logins(env: &[(&str, &str)]) -> Vec<String> {
        let settings = resolve(&Options::default(), env).ok().unwrap();
        let logins = settings.brokers.into_iter().map(|broker| broker.login);
        let text = |(user, password)| format!("{user} {password}");
        logins.map(|login| login.map_or("nobody".to_owned(), text)).collect()
    }

    #[test]
    fn user_and_password_come_from_the_url_the_environment_or_a_file() {
        let url = ("MQTT_BROKER_URL", "mqtt://me:p%40ss@broker");
        assert_eq!(logins(&[url]), ["me p@ss"]);
        let env = [url, ("MQTT_USERNAME", "you"), ("MQTT_PASSWORD", "other")];
        assert_eq!(logins(&env), ["you other"]);
        for path in ["pw", " pw\n"] {
            assert_eq!(
                logins(&[url, ("MQTT_PASSWORD_FILE", path)]),
                ["me from file"]
            );
        }
    }

    #[test]
    fn with_several_brokers_the_login_in_an_address_overrides_the_shared_login() {
        let url = (
            "MQTT_BROKER_URL",
            "mqtt://a,mqtt://me:p,w@b,mqtt://you@c,mqtt://:x@d",
        );
        let (user, password) = (("MQTT_USERNAME", "house"), ("MQTT_PASSWORD", "shared"));
        let expected = ["house shared", "me p,w", "you shared", "house x"];
        assert_eq!(logins(&[url, user, password]), expected);
    }

    #[test]
    fn shared_password_applies_only_to_brokers_with_a_user() {
        let url = ("MQTT_BROKER_URL", "mqtt://a,mqtt://you@b");
        let expected = ["nobody", "you shared"];
        assert_eq!(logins(&[url, ("MQTT_PASSWORD", "shared")]), expected);
    }
}
