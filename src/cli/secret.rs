//! Hides a password from the process list, if the password was typed in a broker's address.

use std::ffi::{OsStr, OsString};

use url::Url;

use super::settings::split_addresses;

/// If a broker's address among the arguments has a password, restarts this program with the addresses in
/// the environment, which other users can't read. Does not return if the restart succeeds.
///
/// Returns a warning if the restart fails. Returns `None` if there is no password to hide, if the settings
/// are wrong, or if the path of this program is unknown.
#[cfg(unix)]
pub fn hide_password(are_settings_valid: impl FnOnce() -> bool) -> Option<String> {
    use std::os::unix::process::CommandExt;
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let (arguments, addresses) = without_password(arguments.collect())?;
    let program = std::env::current_exe().ok().filter(|_| are_settings_valid())?;
    let mut restart = std::process::Command::new(program);
    restart.arg0(name).args(arguments);
    // `exec` returns only if it fails.
    let error = restart.env("MQTT_BROKER_URL", addresses).exec();
    Some(format!(
        "others can see the password in --broker, because restarting to hide it failed: {error}"
    ))
}

/// Returns a warning if a broker's address among the arguments has a password, which everybody can see.
#[cfg(not(unix))]
pub fn hide_password(_: impl FnOnce() -> bool) -> Option<String> {
    let hidden = without_password(std::env::args_os().skip(1).collect());
    hidden.map(|_| "the password in --broker can be seen; set MQTT_BROKER_URL instead".to_owned())
}

/// Removes every `--broker` from the arguments. Returns the remaining arguments, and the removed addresses,
/// joined by commas. Returns `None` if no address has a password.
fn without_password(arguments: Vec<OsString>) -> Option<(Vec<OsString>, String)> {
    let mut kept = Vec::new();
    let mut addresses = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        // Only positional arguments follow `--`, and only another server's command follows `--server`.
        if argument == "--" || argument == "--server" {
            kept.push(argument);
            kept.extend(rest);
            break;
        }
        let typed = argument.to_str().unwrap_or_default();
        if typed == "--broker" {
            addresses.extend(rest.next());
        } else if let Some(value) = typed.strip_prefix("--broker=") {
            addresses.push(value.into());
        } else {
            kept.push(argument);
        }
    }
    let addresses = addresses.join(OsStr::new(",")).into_string().ok()?;
    let has_password = split_addresses(&addresses)
        .iter()
        .any(|address| Url::parse(address).is_ok_and(|url| url.password().is_some()));
    has_password.then_some((kept, addresses))
}

#[cfg(test)]
#[path = "../../tests/unit/cli/secret.rs"]
mod tests;
