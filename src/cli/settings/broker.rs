//! Where the broker is, and who asks.

use url::Url;

use super::super::Options;
use super::sources::{Found, SettingError, Sources};

/// Where the broker is, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Host name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password.
    pub login: Option<(String, String)>,
}

impl BrokerSettings {
    /// Host and port, for people.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What must never be shown.
    pub fn secrets(&self) -> Vec<String> {
        let login = self.login.iter();
        login.map(|(_, password)| password.clone()).collect()
    }
}

/// Reads the broker's address and the login, from wherever they were set.
pub(super) fn broker(options: &Options, sources: &Sources) -> Result<BrokerSettings, SettingError> {
    let found = sources
        .find(options.broker.as_ref(), "--broker", &["MQTT_BROKER_URL"])
        .unwrap_or(Found {
            name: "--broker".to_owned(),
            text: "mqtt://localhost:1883".to_owned(),
        });
    let wrong = || found.wrong("an address such as mqtt://localhost:1883");
    let url = Url::parse(found.text.trim()).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "mqtt" | "tcp") {
        return Err(wrong());
    }
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.ok_or_else(wrong)?;
    if !matches!(url.path(), "" | "/") {
        return Err(wrong());
    }
    let user = sources
        .find(options.username.as_ref(), "--username", &["MQTT_USERNAME"])
        .map(|found| found.text)
        .or_else(|| Some(decoded(url.username())).filter(|user| !user.is_empty()));
    let password = match password(options, sources)? {
        Some(password) => Some(password),
        None => url.password().map(decoded),
    };
    Ok(BrokerSettings {
        host: host.to_owned(),
        port: url.port().unwrap_or(1883),
        login: user.map(|user| (user, password.unwrap_or_default())),
    })
}

fn password(options: &Options, sources: &Sources) -> Result<Option<String>, SettingError> {
    let file = options.password_file.as_ref();
    if let Some(found) = sources.find(file, "--password-file", &["MQTT_PASSWORD_FILE"]) {
        let text = (sources.file)(&found.text)
            .map_err(|why| found.wrong(&format!("a file that can be read ({why})")))?;
        return Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()));
    }
    Ok(sources
        .find(None, "", &["MQTT_PASSWORD"])
        .map(|found| found.text))
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
}
