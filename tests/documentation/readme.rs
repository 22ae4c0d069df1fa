//! The README is short. The pages are complete, and everything that they name exists.

use std::process::Command;
use std::time::Duration;

use clap::CommandFactory;
use zwave_mcp_server::cli::Cli;
use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::home::outcome::RefusalReason;
use zwave_mcp_server::mcp::wording;

use crate::assistant_options::AssistantCli;
use crate::host::{README, variables};
use crate::pages::{Block, files, page, pages, root};
use crate::release::read_package;

#[test]
fn the_crate_s_default_program_is_the_server() {
    assert_eq!(read_package()["default_run"], "zwave-mcp-server");
}

#[test]
fn the_first_two_commands_in_the_readme_run_the_demo_and_the_tests() {
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
fn the_settings_page_has_every_option_and_variable() {
    let settings = page("docs/SETTINGS.md");
    let mut command = Cli::command();
    command.build();
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    for name in options.filter(|name| !["help", "version"].contains(name)) {
        let is_listed = settings.text.contains(&format!("`--{name}"));
        assert!(is_listed, "the page lacks --{name}");
    }
    for name in variables() {
        let is_listed = settings.text.contains(&format!("`{name}`"));
        assert!(is_listed, "the page lacks {name}");
    }
}

#[test]
fn the_page_about_resources_names_every_reason_for_a_refusal() {
    let resources = page("docs/RESOURCES.md");
    for reason in RefusalReason::ALL {
        let is_listed = resources.text.contains(&format!("`{}`", reason.name()));
        assert!(is_listed, "the page lacks {reason:?}");
    }
}

/// The pages also mention these options, which belong to other programs.
const OTHER_PROGRAMS_OPTIONS: [&str; 16] = [
    "--port",
    "--api-key",
    "--config",
    "--with",
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
    let mut options = Vec::new();
    for mut program in [AssistantCli::command(), Cli::command()] {
        program.build();
        let arguments = program.get_subcommands().flat_map(clap::Command::get_arguments);
        let arguments = arguments.chain(program.get_arguments());
        options.extend(arguments.filter_map(clap::Arg::get_long).map(|name| format!("--{name}")));
    }
    let variables = variables();
    let tests_and_scripts: String = ["tests", "scripts"]
        .iter()
        .flat_map(|folder| files(&root().join(folder)))
        .filter(|file| file.extension().is_some_and(|end| end == "rs" || end == "sh"))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    for page in pages() {
        let is_in_word = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        for word in page.text.split(|letter| !is_in_word(letter)) {
            let is_option = word.starts_with("--") && word.len() > 2 && !word.starts_with("---");
            // `ZWAVE_GATEWAY-NAME` is a topic level, not a variable.
            let is_variable = (word.starts_with("MQTT_") || word.starts_with("ZWAVE_"))
                && !word.contains("GATEWAY-");
            let is_known = !is_option && !is_variable
                || options.iter().any(|option| option == word)
                || variables.contains(word)
                || OTHER_PROGRAMS_OPTIONS.contains(&word)
                || (is_variable && tests_and_scripts.contains(&format!("{word}\"")))
                || (is_variable && tests_and_scripts.contains(&format!("{word}=")));
            assert!(is_known, "{}: no program has {word}", page.path);
        }
    }
}

#[test]
fn the_program_says_every_sentence_in_the_troubleshooting_tables() {
    let troubles = include_str!(
        "../pure/snapshots/pure__wording__what_stands_in_the_way_is_said_as_reviewed.snap"
    );
    let outcomes = include_str!(
        "../pure/snapshots/pure__wording__what_became_of_a_command_is_said_as_reviewed.snap"
    );
    // Another suite checks that the program says what the snapshots contain. The next assertion only checks
    // that `troubles` is the right snapshot.
    let silent = wording::describe_trouble(&Trouble::GatewayOffline {
        gateway: "Mosquitto".to_owned(),
        since: Some(Duration::from_secs(300)),
    });
    assert!(troubles.contains(&silent));
    let quotes: Vec<String> = page("docs/TROUBLESHOOTING.md")
        .rows()
        .into_iter()
        .filter_map(|row| Some(row[0].strip_prefix('"')?.trim_end_matches('"').to_owned()))
        .collect();
    assert!(quotes.len() >= 18, "{quotes:?}");
    for quote in &quotes {
        let is_said = troubles.contains(quote) || outcomes.contains(quote);
        assert!(is_said, "the program never says {quote:?}");
    }
}

#[test]
fn the_glossary_is_sorted_and_has_each_word_once() {
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

#[test]
fn the_picture_of_a_terminal_shows_what_the_program_prints() {
    needs!(python);
    let output = Command::new("python3")
        .args(["scripts/demo.py", crate::host::BINARY])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let picture = String::from_utf8(output.stdout).unwrap();
    let current = page("docs/demo.svg").text;
    assert_eq!(picture, current, "run scripts/demo.py again");
}
