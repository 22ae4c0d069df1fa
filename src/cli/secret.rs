//! A password that was typed as part of the broker's address must not stay in the process list.

use std::ffi::OsString;

use url::Url;

/// The arguments without `--broker`, and the address it had, where that has a password in it; none
/// where there is nothing to hide.
///
/// The program starts itself again with these arguments, and with the address where only its owner
/// can read it: in the environment.
pub fn without_password(arguments: Vec<OsString>) -> Option<(Vec<OsString>, String)> {
    let mut kept = Vec::new();
    let mut address = None;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        // What follows belongs to nobody's options, or to another server.
        if argument == "--" || argument == "--server" {
            kept.push(argument);
            kept.extend(rest);
            break;
        }
        let typed = argument.to_str().unwrap_or_default();
        if typed == "--broker" {
            address = rest.next();
        } else if let Some(value) = typed.strip_prefix("--broker=") {
            address = Some(value.into());
        } else {
            kept.push(argument);
        }
    }
    let address = address?.into_string().ok()?;
    let hides = Url::parse(address.trim()).is_ok_and(|url| url.password().is_some());
    hides.then_some((kept, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Option<(String, String)> {
        let arguments = line.split(' ').map(OsString::from).collect();
        let (kept, address) = without_password(arguments)?;
        let kept: Vec<_> = kept.iter().filter_map(|one| one.to_str()).collect();
        Some((kept.join(" "), address))
    }

    #[test]
    fn an_address_with_a_password_is_taken_out_of_the_arguments() {
        let address = "mqtts://me:pw@host".to_owned();
        for line in [
            "list --broker mqtts://me:pw@host kitchen",
            "list --broker=mqtts://me:pw@host kitchen",
        ] {
            assert_eq!(split(line), Some(("list kitchen".into(), address.clone())));
        }
    }

    #[test]
    fn what_hides_nothing_stays_as_it_is() {
        assert_eq!(split("list --broker mqtt://me@host"), None);
        assert_eq!(split("list --broker"), None);
        assert_eq!(split("list -- --broker=mqtt://me:pw@host"), None);
        assert_eq!(split("call x --server y --broker mqtt://me:pw@host"), None);
    }
}
