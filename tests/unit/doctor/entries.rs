//! Unit tests of `src/doctor/entries.rs`.

use super::*;

#[test]
fn the_claude_code_command_is_quoted_for_power_shell() {
    let arguments = ["--hide=Attic/*,Cellar", "--prefix=$it's"];
    let entries = Entries {
        program: r"C:\My Tools\zwave-mcp-server.exe".into(),
        settings: HostSettings {
            arguments: arguments.map(str::to_owned).to_vec(),
            ..HostSettings::default()
        },
    };
    let variables = [("MQTT_USERNAME".to_owned(), "it's me".to_owned())];
    assert_eq!(
        entries.command(
            "claude mcp add --scope user zwave {env} -- {words}",
            &variables,
            PasteShell::PowerShell
        ),
        "claude mcp add --scope user zwave -e \"MQTT_USERNAME=it's me\" \"--\" \
         \"C:\\My Tools\\zwave-mcp-server.exe\" \"--hide=Attic/*,Cellar\" '--prefix=$it''s'"
    );
}
