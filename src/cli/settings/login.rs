//! The login at each broker.

use url::Url;

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};

/// The login that all brokers share. It comes from the settings for user and password, not from addresses.
pub(super) struct SharedLogin {
    user: Option<String>,
    pub(super) password: Option<FoundSetting>,
}

impl SharedLogin {
    pub fn find(given: &GivenSettings, sources: &Sources) -> Result<Self, SettingError> {
        Ok(Self {
            user: given.first("--username").map(|found| found.text.clone()),
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
}

/// Returns the error for a password without a user name (MQTT 3.1.1, section 3.1.2.9).
pub(super) fn user_missing(name: &'static str) -> SettingError {
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
    let Some(found) = given.first("--password-file") else {
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
