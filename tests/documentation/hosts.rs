//! The entries in `docs/HOSTS.md`: written from the table that `doctor` prints from.
//!
//! `ZWAVE_UPDATE_DOCS=1` writes the page anew instead of comparing it.

use zwave_mcp_server::cli::settings::for_hosts::HostSettings;
use zwave_mcp_server::doctor::{Entries, HOSTS, Host};

use crate::pages::{Page, page, root};

const PAGE: &str = "docs/HOSTS.md";
const BEGIN: &str =
    "<!-- entries: written by `ZWAVE_UPDATE_DOCS=1 cargo test --test documentation entries` -->\n";
const END: &str = "<!-- end of entries -->\n";

/// The reader's program and house, as the pages have them.
fn example() -> Entries {
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

/// The row of a host in the table of those that were run, by the first words of its name.
fn version(page: &Page, host: &Host) -> String {
    let row = page
        .rows()
        .into_iter()
        .find(|row| row.len() == 9 && row[0].starts_with(host.name))
        .unwrap_or_else(|| panic!("{} is not among those that were run", host.name));
    row[1].clone()
}

fn row(page: &Page, entries: &Entries, host: &Host) -> String {
    let place = match (host.file, host.menu) {
        ("", _) => "a command".to_owned(),
        (file, "") => format!("`{file}`"),
        (file, menu) => format!("`{file}` ({menu})"),
    };
    let link = entries.link(host).map_or("-".to_owned(), |link| {
        format!("`{}:`", link.split(':').next().unwrap())
    });
    let known = if host.run {
        format!("run here, version {}", version(page, host))
    } else {
        "read from its documentation, not run".to_owned()
    };
    format!(
        "| {} | `{}` | {place} | {link} | {known} |\n",
        host.name, host.id
    )
}

/// The names of hosts as a list in a sentence.
fn names(hosts: &[&Host]) -> String {
    let names: Vec<_> = hosts.iter().map(|host| host.name).collect();
    names.join(", ")
}

/// Breaks a paragraph into lines of the pages' width.
fn wrap(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().unwrap();
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= 120 {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(format!("{indent}{word}"));
        }
    }
    lines.join("\n")
}

fn section(page: &Page) -> String {
    let entries = example();
    let mut text =
        "\n| host | `--host` | the entry goes into | one click | |\n|---|---|---|---|---|\n"
            .to_owned();
    for host in &HOSTS {
        text += &row(page, &entries, host);
    }
    // Hosts that read the same share a block.
    let mut blocks: Vec<(String, Vec<&Host>)> = Vec::new();
    for host in &HOSTS {
        let entry = entries.text(host);
        match blocks.iter_mut().find(|(text, _)| *text == entry) {
            Some((_, hosts)) => hosts.push(host),
            None => blocks.push((entry, vec![host])),
        }
    }
    for (entry, hosts) in blocks {
        let language = hosts[0].format.name();
        text += &format!("\n### {}\n\n```{language}\n{entry}\n```\n", names(&hosts));
        let notes = hosts.iter().filter(|host| !host.note.is_empty());
        let notes: String =
            notes.map(|host| wrap(&format!("- {}", host.note), "  ") + "\n").collect();
        if !notes.is_empty() {
            text += &format!("\n{notes}");
        }
    }
    let silent: Vec<_> = HOSTS.iter().filter(|host| !host.asks).collect();
    let silent = format!(
        "With `--guard confirm` a person is asked before something is unlocked or opened. These can't ask in the \
         middle of a call, so it is refused there: {}.",
        names(&silent)
    );
    format!(
        "{text}\n### Hosts that can't ask\n\n{}\n\n",
        wrap(&silent, "")
    )
}

#[test]
fn the_page_has_the_entries_of_the_doctor_s_table() {
    let page = page(PAGE);
    let (before, rest) = page.text.split_once(BEGIN).unwrap();
    let (there, after) = rest.split_once(END).unwrap();
    let right = section(&page);
    if std::env::var_os("ZWAVE_UPDATE_DOCS").is_some() {
        let text = format!("{before}{BEGIN}{right}{END}{after}");
        std::fs::write(root().join(PAGE), text).unwrap();
        return;
    }
    assert_eq!(
        there, right,
        "write the page anew with ZWAVE_UPDATE_DOCS=1, and see what changed"
    );
}

/// Checks that the scripts run the programs of the table.
#[test]
fn every_host_that_was_run_is_run_with_the_doctor_s_entries() {
    let programs = include_str!("../../scripts/hosts/programs.py");
    for host in &HOSTS {
        let there = programs.contains(&format!(", \"{}\", ", host.id));
        assert_eq!(there, host.run, "{}", host.name);
    }
}
