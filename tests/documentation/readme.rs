//! The README, and the tables that the pages must have whole.

use std::process::Command;
use std::time::Duration;

use clap::CommandFactory;
use zwave_mcp_server::cli::Cli;
use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::home::decide::RefusalReason;
use zwave_mcp_server::mcp::wording;

use crate::assistant_options::AssistantCli;
use crate::host::{README, variables};
use crate::pages::{Block, files, page, pages, root};
use crate::release::package;

#[test]
fn the_first_command_runs_this_program_though_tests_have_another() {
    assert_eq!(package()["default_run"], "zwave-mcp-server");
}

#[test]
fn the_readme_starts_with_its_two_commands() {
    let blocks = page("README.md").blocks();
    let first: Vec<_> = blocks.iter().flat_map(Block::commands).take(2).collect();
    assert_eq!(
        first,
        ["cargo run --release -- --demo list", "./scripts/test.sh"]
    );
}

#[test]
fn the_readme_is_short() {
    let lines = README.lines().count();
    assert!(lines <= 200, "{lines} lines");
}

#[test]
fn every_option_and_variable_is_in_the_table() {
    let settings = page("docs/SETTINGS.md");
    let mut command = Cli::command();
    command.build();
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    for name in options.filter(|one| !["help", "version"].contains(one)) {
        let there = settings.text.contains(&format!("`--{name}"));
        assert!(there, "the settings lack --{name}");
    }
    for name in variables() {
        let there = settings.text.contains(&format!("`{name}`"));
        assert!(there, "the settings lack {name}");
    }
}

#[test]
fn the_page_for_programs_names_every_reason() {
    let resources = page("docs/RESOURCES.md");
    for reason in RefusalReason::ALL {
        let there = resources.text.contains(&format!("`{}`", reason.name()));
        assert!(there, "the page lacks {reason:?}");
    }
}

/// Options of other programs that the pages tell how to run.
const OF_OTHERS: [&str; 15] = [
    "--port",
    "--api-key",
    "--config",
    "--rm",
    "--network",
    "--features",
    "--path",
    "--release",
    "--test",
    "--lib",
    "--locked",
    "--check",
    "--all-targets",
    "--nocapture",
    "--no-deps",
];

#[test]
fn every_option_and_variable_in_a_page_exists() {
    let mut assistant = AssistantCli::command();
    assistant.build();
    let mut command = Cli::command();
    command.build();
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    let of_commands = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .filter_map(clap::Arg::get_long);
    let of_assistant = assistant
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .filter_map(clap::Arg::get_long);
    let options: Vec<String> = options
        .chain(of_commands)
        .chain(of_assistant)
        .map(|one| format!("--{one}"))
        .collect();
    let variables = variables();
    // Variables that only tests and scripts look at.
    let of_scripts: String = ["tests", "scripts"]
        .iter()
        .flat_map(|folder| files(&root().join(folder)))
        .filter(|file| file.extension().is_some_and(|own| own == "rs" || own == "sh"))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    for page in pages() {
        let letters = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
        for word in page.text.split(|one| !letters(one)) {
            let option = word.starts_with("--") && word.len() > 2 && !word.starts_with("---");
            let variable = (word.starts_with("MQTT_") || word.starts_with("ZWAVE_"))
                && !word.contains("GATEWAY-");
            let known = !option && !variable
                || options.iter().any(|one| one == word)
                || variables.contains(word)
                || OF_OTHERS.contains(&word)
                || (variable && of_scripts.contains(&format!("{word}\"")))
                || (variable && of_scripts.contains(&format!("{word}=")));
            assert!(known, "{}: nothing knows {word}", page.path);
        }
    }
}

/// The tables for troubles quote what the program really says.
#[test]
fn every_sentence_of_the_troubleshooting_tables_is_said_by_the_program() {
    let reviewed = include_str!(
        "../pure/snapshots/pure__wording__what_stands_in_the_way_is_said_as_reviewed.snap"
    );
    let outcomes = include_str!(
        "../pure/snapshots/pure__wording__what_became_of_a_command_is_said_as_reviewed.snap"
    );
    // The snapshots are what the program says: checked elsewhere, and for one of them here.
    let silent = wording::describe_trouble(&Trouble::GatewayOffline {
        gateway: "Mosquitto".to_owned(),
        since: Some(Duration::from_secs(300)),
    });
    assert!(reviewed.contains(&silent));
    let quotes = |path: &str| -> Vec<String> {
        page(path)
            .rows()
            .into_iter()
            .filter_map(|row| Some(row[0].strip_prefix('"')?.trim_end_matches('"').to_owned()))
            .collect()
    };
    let all = quotes("docs/TROUBLESHOOTING.md");
    assert!(all.len() >= 18, "{all:?}");
    for quote in &all {
        let said = reviewed.contains(quote) || outcomes.contains(quote);
        assert!(said, "the program never says {quote:?}");
    }
}

#[test]
fn a_word_of_the_glossary_stands_there_once_and_in_its_place() {
    let words: Vec<String> = page("docs/GLOSSARY.md")
        .rows()
        .into_iter()
        .skip(1)
        .map(|row| row[0].to_lowercase())
        .collect();
    assert!(words.len() > 40, "{words:?}");
    for pair in words.windows(2) {
        assert!(pair[0] < pair[1], "{pair:?}");
    }
}

/// The picture of a terminal shows what the program says.
#[test]
fn the_drawn_demo_is_what_the_program_prints() {
    needs!(python);
    let drawn = Command::new("python3")
        .args(["scripts/demo.py", crate::host::BINARY])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(drawn.status.success(), "{drawn:?}");
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    assert_eq!(
        drawn,
        page("docs/demo.svg").text,
        "run scripts/demo.py again"
    );
}
