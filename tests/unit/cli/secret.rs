//! Unit tests of `src/cli/secret.rs`.

use super::*;

fn hide(line: &str) -> Option<(String, String)> {
    let arguments = line.split(' ').map(OsString::from).collect();
    let (kept, address) = without_password(arguments)?;
    let kept: Vec<_> = kept.iter().filter_map(|argument| argument.to_str()).collect();
    Some((kept.join(" "), address))
}

#[test]
fn an_address_with_a_password_is_removed_from_the_arguments() {
    let address = "mqtts://me:pw@host".to_owned();
    for line in [
        "list --broker mqtts://me:pw@host kitchen",
        "list --broker=mqtts://me:pw@host kitchen",
    ] {
        assert_eq!(hide(line), Some(("list kitchen".into(), address.clone())));
    }
}

#[test]
fn all_addresses_are_removed_if_one_has_a_password() {
    let line = "list --broker mqtt://a,mqtt://me:pw@b --broker=mqtt://c kitchen";
    let addresses = "mqtt://a,mqtt://me:pw@b,mqtt://c".to_owned();
    assert_eq!(hide(line), Some(("list kitchen".into(), addresses)));
}

#[test]
fn arguments_stay_if_no_option_of_this_program_has_a_password() {
    assert_eq!(hide("list --broker mqtt://me@host,mqtt://you@host"), None);
    assert_eq!(hide("list --broker"), None);
    assert_eq!(hide("list -- --broker=mqtt://me:pw@host"), None);
    assert_eq!(hide("call x --server y --broker mqtt://me:pw@host"), None);
}
