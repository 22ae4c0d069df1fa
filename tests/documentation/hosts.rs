//! The entries in `docs/HOSTS.md`, which are generated from the doctor's table of hosts.
//!
//! With `ZWAVE_UPDATE_DOCS=1`, the first test writes the entries instead of comparing them.

use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::doctor::{Entries, KnownHost, hosts};
use zwave_mcp_server::terminal::Screen;

use crate::pages::{page, root};

const PAGE: &str = "docs/HOSTS.md";
const BEGIN: &str =
    "<!-- entries: written by `ZWAVE_UPDATE_DOCS=1 cargo test --test documentation entries` -->\n";
const END: &str = "<!-- end of entries -->\n";

/// Returns the entries for the path and the broker that the pages use as examples.
fn example_entries() -> Entries {
    let variables = [
        ("MQTT_BROKER_URL", "mqtt://192.168.1.10"),
        ("MQTT_USERNAME", "house"),
    ];
    Entries {
        program: "/absolute/path/to/zwave-mcp-server".into(),
        settings: HostSettings {
            variables: variables.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec(),
            needs_password: true,
            ..HostSettings::default()
        },
    }
}

/// Says how and when the host's entry was last tested, from the tables of what was run.
fn describe_test(host: &KnownHost) -> String {
    let rows = page("docs/MEASURED.md").rows();
    let Some(read) = &host.read else {
        let is_run = |row: &&Vec<String>| row.len() == 10 && row[0].starts_with(&host.name);
        let row = rows
            .iter()
            .find(is_run)
            .unwrap_or_else(|| panic!("{} is not in the table of hosts that were run", host.name));
        return format!("run here, version {}, {}", row[1], row[9]);
    };
    let is_checked = |row: &&Vec<String>| {
        row.len() == 5 && row[0] == host.name && ["add-mcp", "mcpo"].contains(&&*row[1])
    };
    let check = rows.iter().find(is_checked).map_or("not run".to_owned(), |row| {
        let verb = if row[3] == "runs" { "run" } else { "compared" };
        format!("{verb} with {} {}, {}", row[1], row[2], row[4])
    });
    format!("read in its documentation, {read}; {check}")
}

/// Returns a host's row in the table of entries.
fn format_row(entries: &Entries, host: &KnownHost) -> String {
    let place = match (&*host.file, &*host.menu) {
        ("", _) => "a command".to_owned(),
        (file, "") => format!("`{file}`"),
        (file, menu) => format!("`{file}` ({menu})"),
    };
    let link = entries.link(host).map_or("-".to_owned(), |link| {
        format!("`{}:`", link.split(':').next().unwrap())
    });
    let tested = describe_test(host);
    format!(
        "| {} | `{}` | {place} | {link} | {tested} |\n",
        host.name, host.id
    )
}

fn join_names(hosts: &[&KnownHost]) -> String {
    let names: Vec<_> = hosts.iter().map(|host| &*host.name).collect();
    names.join(", ")
}

const PAGE_WIDTH: Screen = Screen {
    width: Some(120),
    colors: false,
};

/// Returns the generated part of the page.
fn generate_entries() -> String {
    let entries = example_entries();
    let mut text =
        "\n| host | `--host` | the entry goes into | one click | last tested |\n|---|---|---|---|---|\n"
            .to_owned();
    for host in hosts() {
        text += &format_row(&entries, host);
    }
    // Hosts with the same entry share a block.
    let mut blocks: Vec<(String, Vec<&KnownHost>)> = Vec::new();
    for host in hosts() {
        let entry = entries.text(host);
        match blocks.iter_mut().find(|(text, _)| *text == entry) {
            Some((_, hosts)) => hosts.push(host),
            None => blocks.push((entry, vec![host])),
        }
    }
    for (entry, hosts) in blocks {
        let language = serde_json::to_value(hosts[0].format).unwrap();
        let language = language.as_str().unwrap();
        let heading = join_names(&hosts);
        text += &format!("\n### {heading}\n\n```{language}\n{entry}\n```\n");
        let notes: String = hosts
            .iter()
            .filter(|host| !host.note.is_empty())
            .map(|host| PAGE_WIDTH.wrap_under(&format!("- {}", host.note), "  ") + "\n")
            .collect();
        if !notes.is_empty() {
            text += &format!("\n{notes}");
        }
    }
    let cannot_ask: Vec<_> = hosts().iter().filter(|host| host.cannot_ask).collect();
    let cannot_ask = format!(
        "With `--guard confirm`, a person is asked before something is unlocked or opened. These hosts can't ask \
         during a call, so the server refuses the call, unless it can ask [on a \
         phone](SAFETY.md#asked-on-a-phone-or-a-panel): {}.",
        join_names(&cannot_ask)
    );
    format!(
        "{text}\n### Hosts that can't ask\n\n{}\n\n",
        PAGE_WIDTH.wrap(&cannot_ask)
    )
}

#[test]
fn the_page_has_the_entries_of_the_doctor_s_table() {
    let page = page(PAGE);
    let (before, rest) = page.text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    let generated = generate_entries();
    if std::env::var_os("ZWAVE_UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}{generated}{END}{after}");
        std::fs::write(root().join(PAGE), text).unwrap();
        return;
    }
    assert_eq!(
        written, generated,
        "run this test with ZWAVE_UPDATE_DOCS=1, and review the change"
    );
}

#[test]
fn the_script_runs_the_hosts_that_the_table_marks_as_run() {
    let script = include_str!("../../scripts/hosts/programs.py");
    for host in hosts() {
        let is_run = script.contains(&format!(", \"{}\", ", host.id));
        assert_eq!(is_run, host.read.is_none(), "{}", host.name);
    }
}
