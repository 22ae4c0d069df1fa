//! Where the broker is, and who asks.

use percent_encoding::NON_ALPHANUMERIC;
use url::Url;

use super::super::Options;
use super::sources::{Found, SettingError, Sources};
use crate::gateway::tls::{Identity, Tls};

/// Where the broker is, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
    /// How to speak TLS; plain MQTT without it.
    pub tls: Option<Tls>,
}

impl BrokerSettings {
    /// Host and port, for people.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The address without user info, as it is written in settings.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "mqtts" } else { "mqtt" };
        format!("{scheme}://{}", self.address())
    }

    /// What must never be shown: the password, also as it stands in addresses and in dumps.
    pub fn secrets(&self) -> Vec<String> {
        let Some((_, password)) = &self.login else {
            return Vec::new();
        };
        let encoded = percent_encoding::utf8_percent_encode(password, NON_ALPHANUMERIC);
        let mut all = vec![
            password.clone(),
            password.escape_debug().to_string(),
            encoded.to_string(),
        ];
        // The longest first: a part of it must not be taken out before the whole.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        all
    }
}

/// What a right address looks like.
const ADDRESS: &str = "an address such as mqtt://localhost:1883 or mqtts://broker.local:8883";

/// Reads the broker's address, the login and the certificates, from wherever they were set.
pub(super) fn broker(options: &Options, sources: &Sources) -> Result<BrokerSettings, SettingError> {
    let found = sources
        .find(options.broker.as_ref(), "--broker", &["MQTT_BROKER_URL"])
        .unwrap_or(Found {
            name: "--broker".to_owned(),
            text: "mqtt://localhost:1883".to_owned(),
        });
    let wrong = || found.wrong(ADDRESS);
    let url = Url::parse(found.text.trim()).map_err(|_| wrong())?;
    let encrypted = match url.scheme() {
        "mqtt" | "tcp" => false,
        "mqtts" | "ssl" | "tls" => true,
        _ => return Err(wrong()),
    };
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.ok_or_else(wrong)?;
    // A password may have been cut at one of these.
    if url.query().is_some() || url.fragment().is_some() {
        return Err(found.wrong(&format!(
            "{ADDRESS}; a # or ? in a password is written %23 or %3F"
        )));
    }
    if !matches!(url.path(), "" | "/") {
        return Err(wrong());
    }
    // The library looks the certificate's names up by the text it connects to, and takes no
    // brackets there.
    if encrypted && host.starts_with('[') {
        return Err(found.wrong("an address with a host name or an IPv4 address, with mqtts"));
    }
    Ok(BrokerSettings {
        host: host.to_owned(),
        port: url.port().unwrap_or(if encrypted { 8883 } else { 1883 }),
        login: login(options, sources, &found, &url)?,
        tls: tls(options, sources, encrypted)?,
    })
}

fn login(
    options: &Options,
    sources: &Sources,
    address: &Found,
    url: &Url,
) -> Result<Option<(String, String)>, SettingError> {
    let user = sources
        .find(options.username.as_ref(), "--username", &["MQTT_USERNAME"])
        .map(|found| found.text)
        .or_else(|| Some(decoded(url.username())).filter(|user| !user.is_empty()));
    let password = match password(options, sources)? {
        Some(found) => Some(found),
        None => url.password().map(|password| Found {
            name: address.name.clone(),
            text: decoded(password),
        }),
    };
    match (user, password) {
        (Some(user), password) => Ok(Some((user, password.map_or(String::new(), |it| it.text)))),
        (None, None) => Ok(None),
        // MQTT 3.1.1, section 3.1.2.9: no password without a user name.
        (None, Some(found)) => Err(Found {
            text: "***".to_owned(),
            ..found
        }
        .wrong("given together with a user name (MQTT_USERNAME)")),
    }
}

/// The certificates; none where the address asks for no TLS.
fn tls(options: &Options, sources: &Sources, encrypted: bool) -> Result<Option<Tls>, SettingError> {
    let file = |option: &Option<String>, flag, variable| {
        let found = sources.find(option.as_ref(), flag, &[variable]);
        found.map(|found| Found {
            text: found.text.trim().to_owned(),
            ..found
        })
    };
    let authorities = file(&options.ca_file, "--ca-file", "MQTT_CA_FILE");
    let certificate = file(&options.client_cert, "--client-cert", "MQTT_CLIENT_CERT");
    let key = file(&options.client_key, "--client-key", "MQTT_CLIENT_KEY");
    let all = [&authorities, &certificate, &key];
    if !encrypted {
        // Silence would let people believe that they are safe.
        return match all.into_iter().flatten().next() {
            Some(found) => {
                Err(found.wrong("left out, or the broker's address begin with mqtts://"))
            }
            None => Ok(None),
        };
    }
    let identity = match (certificate, key) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some(Identity {
            certificate: certificate.text.into(),
            key: key.text.into(),
        }),
        (Some(alone), None) => return Err(alone.wrong("given together with --client-key")),
        (None, Some(alone)) => return Err(alone.wrong("given together with --client-cert")),
    };
    Ok(Some(Tls {
        ca_file: authorities.map(|found| found.text.into()),
        identity,
    }))
}

fn password(options: &Options, sources: &Sources) -> Result<Option<Found>, SettingError> {
    let file = options.password_file.as_ref();
    if let Some(found) = sources.find(file, "--password-file", &["MQTT_PASSWORD_FILE"]) {
        let text = (sources.file)(&found.text)
            .map_err(|why| found.wrong(&format!("a file that can be read ({why})")))?;
        return Ok(Some(Found {
            text: text.trim_end_matches(['\r', '\n']).to_owned(),
            ..found
        }));
    }
    Ok(sources.find(None, "", &["MQTT_PASSWORD"]))
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::resolve;
    use super::*;

    fn broker_of(env: &[(&str, &str)]) -> BrokerSettings {
        resolve(&Options::default(), env)
            .ok()
            .unwrap()
            .broker
            .unwrap()
    }

    #[test]
    fn without_any_setting_the_broker_is_local() {
        let broker = broker_of(&[]);
        assert_eq!(broker.address(), "localhost:1883");
        assert!(broker.login.is_none());
    }

    #[test]
    fn user_and_password_come_from_the_url_the_environment_or_a_file() {
        let url = ("MQTT_BROKER_URL", "mqtt://me:p%40ss@broker");
        assert_eq!(broker_of(&[url]).login, Some(("me".into(), "p@ss".into())));
        let env = [url, ("MQTT_USERNAME", "you"), ("MQTT_PASSWORD", "other")];
        assert_eq!(broker_of(&env).login, Some(("you".into(), "other".into())));
        let file = [url, ("MQTT_PASSWORD_FILE", "pw")];
        assert_eq!(
            broker_of(&file).login,
            Some(("me".into(), "from file".into()))
        );
    }

    #[test]
    fn an_address_whose_password_was_cut_is_refused_and_not_shown() {
        for address in ["mqtt://house:1234#x@broker", "mqtt://house:5678?x@broker"] {
            let env = [("MQTT_BROKER_URL", address)];
            let error = resolve(&Options::default(), &env)
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains("%23"), "{error}");
            assert!(
                !error.contains("1234") && !error.contains("5678"),
                "{error}"
            );
        }
    }

    #[test]
    fn mqtts_speaks_tls_on_its_own_port_with_the_files_that_were_named() {
        let broker = broker_of(&[("MQTT_BROKER_URL", "mqtts://broker")]);
        assert_eq!(broker.port, 8883);
        assert_eq!(broker.tls, Some(Tls::default()));
        let broker = broker_of(&[
            ("MQTT_BROKER_URL", "mqtts://broker:1234"),
            ("MQTT_CA_FILE", "/etc/ca.pem"),
            ("MQTT_CLIENT_CERT", "/etc/me.pem"),
            ("MQTT_CLIENT_KEY", "/etc/me.key"),
        ]);
        assert_eq!(broker.port, 1234);
        let tls = broker.tls.unwrap();
        assert_eq!(tls.ca_file, Some("/etc/ca.pem".into()));
        assert_eq!(
            tls.identity.unwrap().key,
            std::path::Path::new("/etc/me.key")
        );
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused_without_a_secret() {
        let encrypted = ("MQTT_BROKER_URL", "mqtts://broker");
        for (env, right) in [
            (&[("MQTT_CA_FILE", "ca.pem")][..], "begin with mqtts://"),
            (&[encrypted, ("MQTT_CLIENT_CERT", "me.pem")], "--client-key"),
            (&[encrypted, ("MQTT_CLIENT_KEY", "me.key")], "--client-cert"),
            (&[("MQTT_BROKER_URL", "mqtts://[::1]")], "a host name"),
            (&[("MQTT_PASSWORD", "s3cret")], "MQTT_USERNAME"),
            (
                &[("MQTT_BROKER_URL", "mqtt://:s3cret@broker")],
                "MQTT_USERNAME",
            ),
        ] {
            let error = resolve(&Options::default(), env).err().unwrap().to_string();
            assert!(error.contains(right), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
