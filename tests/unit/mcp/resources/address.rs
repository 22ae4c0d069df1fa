//! Unit tests of `src/mcp/resources/address.rs`.

use proptest::prelude::*;

use super::*;

#[test]
fn only_uris_in_our_forms_are_parsed() {
    let device = |room: &str, name: &str| {
        Some(Address::Device {
            room: room.to_owned(),
            name: name.to_owned(),
        })
    };
    for (uri, address) in [
        ("zwave://devices", Some(Address::House)),
        ("zwave://changes", Some(Address::Changes)),
        ("zwave://changes/", None),
        (
            "zwave://devices/Office/Ceiling",
            device("Office", "Ceiling"),
        ),
        ("zwave://devices//Lamp", device("", "Lamp")),
        ("zwave://devices/a%2Fb/K%C3%BCche", device("a/b", "Küche")),
        (
            "zwave://devices/Living Room/Lamp",
            device("Living Room", "Lamp"),
        ),
        (
            "zwave://devices?filter=K%C3%BCche on",
            Some(Address::Filtered("Küche on".to_owned())),
        ),
        (
            "zwave://devices?filter=",
            Some(Address::Filtered(String::new())),
        ),
        ("zwave://devices?filter=a&room=b", None),
        ("zwave://devices?room=a", None),
        ("zwave://devices/", None),
        ("zwave://devices/Office", None),
        ("zwave://devices/Office/", None),
        ("zwave://devices/Office/a/b", None),
        ("zwave://devices/Office/%FF", None),
        ("zwave://device/Office/Ceiling", None),
        ("file:///etc/passwd", None),
        ("", None),
    ] {
        assert_eq!(Address::read(uri), address, "{uri}");
    }
}

proptest! {
    #[test]
    fn an_address_with_any_characters_survives_a_round_trip(
        room in ".*", name in ".+",
    ) {
        let filter = Address::Filtered(room.clone());
        for (address, slashes) in [(filter, 2), (Address::Device { room, name }, 4)] {
            let uri = address.to_string();
            prop_assert!(uri.is_ascii() && !uri.contains(' '));
            prop_assert_eq!(uri.matches('/').count(), slashes);
            let read = Address::read(&uri);
            prop_assert!(read == Some(address) || uri.len() > MAX_URI);
        }
    }
}
