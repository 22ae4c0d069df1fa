//! The brokers: addresses, logins and certificates.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use super::sources::{FoundSetting, GivenSettings, SettingError, Sources};
use crate::gateway::mqtt::Broker;
use crate::gateway::tls::{ClientIdentity, Tls};

impl Broker {
    /// Returns the address in the form that settings use, with this user name, if any.
    pub fn url(&self, user: Option<&str>) -> String {
        let scheme = if self.tls.is_some() { "mqtts" } else { "mqtt" };
        let user = user.map(|user| utf8_percent_encode(user, NON_ALPHANUMERIC));
        let user = user.map_or_else(String::new, |user| format!("{user}@"));
        format!("{scheme}://{user}{}", self.address())
    }

    /// Returns the user name, if there is a login.
    pub fn user(&self) -> Option<&str> {
        self.login.as_ref().map(|(user, _)| user.as_str())
    }

    /// Returns the texts that must never be shown: the password itself, its form in debug output, and its form
    /// in an address.
    pub fn secrets(&self) -> Vec<String> {
        let Some((_, password)) = &self.login else {
            return Vec::new();
        };
        let encoded = utf8_percent_encode(password, NON_ALPHANUMERIC);
        let mut secrets = vec![
            password.clone(),
            password.escape_debug().to_string(),
            encoded.to_string(),
        ];
        // The longest first, because a secret that contains another secret must be redacted as a whole.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        secrets
    }
}

const ADDRESS: &str = "an address such as mqtt://localhost:1883 or mqtts://broker.local:8883";

const ADDRESSES: &str = "addresses such as mqtt://one:1883,mqtt://two:1883, each with its own mqtt:// or \
                         mqtts://";

/// Reads the addresses, logins and certificates of a cluster's brokers, without duplicates. We connect to them with
/// this client id.
pub(super) fn read_brokers(
    given: &GivenSettings,
    sources: &Sources,
    client_id: &str,
) -> Result<Vec<Broker>, SettingError> {
    let default = [given.value("--broker")];
    let found = match given.list("--broker") {
        [] => &default,
        found => found,
    };
    let mut addresses = Vec::new();
    for found in found {
        let texts = split_addresses(&found.text);
        if texts.is_empty() {
            return Err(found.setting_error(ADDRESS));
        }
        addresses.extend(texts.into_iter().map(|text| (found, text)));
    }
    let shared = SharedLogin::find(given, sources)?;
    let is_only_broker = addresses.len() == 1;
    let mut brokers = Vec::new();
    for (found, text) in addresses {
        // A comma in a password may split an address. Then `text` ends with the first half of the password,
        // and the `@` is in the next text. An error hides only what precedes an `@`, so this error is about
        // the whole setting.
        let url =
            Url::parse(&text).map_err(|_| found.setting_error(describe_valid(&found.text)))?;
        let name = found.name;
        let found = FoundSetting { name, text };
        let broker = Broker {
            login: shared.login(&found, &url, is_only_broker)?,
            ..read_broker(given, &found, &url, client_id)?
        };
        if !brokers.contains(&broker) {
            brokers.push(broker);
        }
    }
    match shared.password {
        Some(unused) if brokers.iter().all(|broker| broker.login.is_none()) => {
            Err(user_missing(unused.name))
        }
        _ => Ok(brokers),
    }
}

/// Splits a text into addresses, at each comma before a `scheme://`. Any other comma may be part of a password.
pub(in crate::cli) fn split_addresses(text: &str) -> Vec<String> {
    let has_scheme = |part: &str| {
        part.trim_start()
            .split_once("://")
            .map(|(scheme, _)| scheme)
            .is_some_and(|scheme| scheme.chars().all(|character| character.is_ascii_alphanumeric()))
    };
    let mut addresses: Vec<String> = Vec::new();
    for part in text.split(',') {
        match addresses.last_mut() {
            Some(last) if !has_scheme(part) => {
                last.push(',');
                last.push_str(part);
            }
            _ => addresses.push(part.to_owned()),
        }
    }
    let is_separator = |character: char| character == ',' || character.is_whitespace();
    addresses
        .iter()
        .map(|address| address.trim_matches(is_separator).to_owned())
        .filter(|address| !address.is_empty())
        .collect()
}

/// Returns the description of a valid setting, for the error about `text`.
fn describe_valid(text: &str) -> &'static str {
    if text.contains(',') {
        ADDRESSES
    } else {
        ADDRESS
    }
}

/// Reads a broker from its address, without the login.
fn read_broker(
    given: &GivenSettings,
    found: &FoundSetting,
    url: &Url,
    client_id: &str,
) -> Result<Broker, SettingError> {
    let invalid = || found.setting_error(describe_valid(&found.text));
    let is_encrypted = match url.scheme() {
        "mqtt" | "tcp" => false,
        "mqtts" | "ssl" | "tls" => true,
        _ => return Err(invalid()),
    };
    let host = url.host_str().ok_or_else(invalid)?;
    if host.is_empty() || host.contains(',') {
        return Err(invalid());
    }
    // A `#` or `?` ends the host of an address, even if it was meant as part of a password.
    if url.query().is_some() || url.fragment().is_some() {
        return Err(found.setting_error(&format!(
            "{ADDRESS}; a # or ? in a password is written %23 or %3F"
        )));
    }
    if !matches!(url.path(), "" | "/") {
        return Err(invalid());
    }
    // rustls compares the certificate with `host`, and rejects an IPv6 address in brackets.
    if is_encrypted && host.starts_with('[') {
        return Err(found.setting_error(
            "an address with a host name or an IPv4 address, if it begins with mqtts://",
        ));
    }
    Ok(Broker {
        host: host.to_owned(),
        port: url.port().unwrap_or(if is_encrypted { 8883 } else { 1883 }),
        login: None,
        tls: read_tls(given, is_encrypted)?,
        client_id: client_id.to_owned(),
    })
}

/// Returns the files for TLS. For an address without TLS, returns `None`, or fails if such files are set.
fn read_tls(given: &GivenSettings, is_encrypted: bool) -> Result<Option<Tls>, SettingError> {
    let file = |option| {
        given.first(option).map(|found| FoundSetting {
            text: found.text.trim().to_owned(),
            name: found.name,
        })
    };
    let (authorities, certificate, key) = (
        file("--ca-file"),
        file("--client-cert"),
        file("--client-key"),
    );
    let files = [&authorities, &certificate, &key];
    if !is_encrypted {
        // Ignoring the files would let people believe that the connection is encrypted.
        return match files.into_iter().flatten().next() {
            Some(found) => {
                Err(found
                    .setting_error("left out, unless every broker's address begins with mqtts://"))
            }
            None => Ok(None),
        };
    }
    let identity = match (certificate, key) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some(ClientIdentity {
            certificate: certificate.text.into(),
            key: key.text.into(),
        }),
        (Some(alone), None) => return Err(alone.setting_error("given together with --client-key")),
        (None, Some(alone)) => return Err(alone.setting_error("given together with --client-cert")),
    };
    Ok(Some(Tls {
        ca_file: authorities.map(|found| found.text.into()),
        identity,
    }))
}

/// The login that all brokers share. It comes from the settings for user and password, not from addresses.
struct SharedLogin {
    user: Option<String>,
    password: Option<FoundSetting>,
}

impl SharedLogin {
    fn find(given: &GivenSettings, sources: &Sources) -> Result<Self, SettingError> {
        Ok(Self {
            user: given.first("--username").map(|found| found.text.clone()),
            password: read_password(given, sources)?,
        })
    }

    /// Returns user and password for the broker of an address. If there are several brokers, user info in the
    /// address overrides the shared login. If there is only one, the shared login overrides the user info.
    fn login(
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
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
#[path = "../../../tests/unit/cli/settings/broker.rs"]
mod tests;
