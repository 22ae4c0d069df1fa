//! A house that is built from its resource `zwave://devices` has the same devices as the server's house, and reads
//! every phrase in the same way.

use serde_json::Value as Json;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House as Home;
use zwave_mcp_server::home::published::PublishedHouse;

use super::fixture::served::run_on_paused_clock;
use super::meant::{build_home, resolve_phrase};
use super::model::House;
use super::served::Served;
use super::trial::read_house;

async fn read_published(house: &House) -> Json {
    Served::start(house).await.read("zwave://devices").await
}

/// Returns everything by which a device is chosen. The guard, the ids of values and the gateway's name are only
/// the server's.
fn facts(device: &Device) -> String {
    let names: Vec<_> = device.names_with_node().map(|name| (&name.text, &name.words)).collect();
    format!(
        "{:?} {} {} {:?} {:?} {:?} {} {names:?} {:?}",
        device.id.thing,
        device.with_room(),
        device.spoken,
        device.kind,
        device.categories.list(),
        device.room_words,
        device.keeps_house_going(),
        device.tag.as_ref().map(|tag| &tag.text),
    )
}

#[test]
fn a_published_house_has_the_devices_and_the_names_of_the_house() {
    let mut differences = Vec::new();
    let mut phrases = 0;
    for file in super::HOUSES {
        let house = read_house(file);
        let content = run_on_paused_clock(read_published(&house));
        let published: PublishedHouse = serde_json::from_value(content.clone()).unwrap();
        assert_eq!(serde_json::to_value(&published).unwrap(), content, "{file}");
        let read = Home::from_published(&published.devices);
        let home = build_home(&house);
        if read.devices().len() > home.devices().len() {
            // `build_home` has no scenes and groups.
            continue;
        }
        let devices: Vec<String> = home.devices().iter().map(facts).collect();
        let as_read: Vec<String> = read.devices().iter().map(facts).collect();
        for (device, as_read) in devices.iter().zip(&as_read) {
            if device != as_read {
                differences.push(format!(
                    "{file}: the server has {device}\n     but its resource is read as {as_read}"
                ));
            }
        }
        assert_eq!(devices.len(), as_read.len(), "{file}");
        // Only the server knows the hidden devices.
        for case in house.cases.iter().filter(|_| home.hidden().is_empty()) {
            let resolved = resolve_phrase(&house, &home, &case.say, &case.action);
            let as_read = resolve_phrase(&house, &read, &case.say, &case.action);
            phrases += 1;
            if resolved != as_read {
                differences.push(format!(
                    "{file}: {}: the server resolves it to {resolved:?}, and a reader of its resource to {as_read:?}",
                    case.say
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(phrases > 500, "only {phrases} phrases");
}
