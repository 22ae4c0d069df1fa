use zwave_mcp_server::home::house::{House, ListedDevice};
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::names::{Purpose, resolve_words};
use zwave_mcp_server::home::words::words;
#[test]
fn zz() {
    let d = |n: &str, r: &str, k: &str| ListedDevice {
        name: n.into(),
        room: r.into(),
        kind: k.into(),
        ..Default::default()
    };
    let h = House::listed(&[
        d("Haustür", "Eingang", "lock"),
        d("Lampe", "Flur", "dimmer"),
    ]);
    for s in [
        "die Haustür auf",
        "die Haustür hoch",
        "Haustür an",
        "die Haustür bei",
    ] {
        println!(
            "{s}: {:?}",
            matches!(
                resolve_words(&h, &words(s), Purpose::Control(Action::On), 2),
                zwave_mcp_server::home::names::Resolved::One(_)
            )
        );
    }
}
