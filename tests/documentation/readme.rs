//! The pages have every setting and every reason for a refusal, and every option that they name exists.

use clap::CommandFactory;
use zwave_mcp_server::cli::{Cli, Setting, settings};
use zwave_mcp_server::home::outcome::RefusalReason;

use crate::assistant_options::AssistantCli;
use crate::host::variables;
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
    assert_eq!(first, ["cargo run -- --demo list", "./scripts/test.sh"]);
}

/// Returns a setting's line in the table of `docs/SETTINGS.md`.
fn settings_line(setting: &Setting) -> String {
    let option = format!("{} {}", setting.option, setting.value);
    let variables: Vec<_> = setting.variables.iter().map(|name| format!("`{name}`")).collect();
    let default = match (&setting.default, &setting.unset) {
        _ if setting.value.is_empty() => "off".to_owned(),
        (Some(default), _) => format!("`{default}`"),
        (None, Some(unset)) => unset.clone(),
        (None, None) => "none".to_owned(),
    };
    format!(
        "| `{}` | {} | {} | {default} |",
        option.trim_end(),
        variables.join(", "),
        setting.meaning
    )
}

#[test]
fn the_settings_page_has_a_line_for_every_setting() {
    let page = page("docs/SETTINGS.md");
    let table = page.text.split("|---|---|---|---|\n").nth(1).unwrap();
    let lines = table.split("\n\n").next().unwrap();
    let expected: Vec<_> = settings().iter().map(settings_line).collect();
    for line in &expected {
        assert!(
            lines.lines().any(|shown| shown == line),
            "docs/SETTINGS.md lacks the line\n{line}"
        );
    }
    for line in lines.lines() {
        assert!(
            expected.iter().any(|row| row == line),
            "no setting has the line\n{line}"
        );
    }
    assert!(
        lines.lines().eq(&expected),
        "the lines are not in the order of settings.toml"
    );
    assert!(page.text.contains("`MQTT_PASSWORD`"));
}

#[test]
fn every_setting_has_an_option_in_the_help_and_its_variables_are_read() {
    let mut command = Cli::command();
    command.build();
    let global = command.get_arguments().filter(|argument| argument.is_global_set());
    let options = global.filter_map(clap::Arg::get_long).map(|name| format!("--{name}"));
    let options: Vec<_> = options.filter(|name| name != "--help" && name != "--version").collect();
    let rows: Vec<_> = settings().iter().map(|setting| setting.option.clone()).collect();
    assert!(rows.len() > 20);
    assert_eq!(options, rows);
    let read = variables();
    for name in settings().iter().flat_map(|setting| &setting.variables) {
        assert!(read.contains(name), "nothing reads {name}");
    }
}

#[test]
fn the_page_about_resources_names_every_reason_for_a_refusal() {
    let resources = page("docs/PROGRAMS.md");
    for reason in RefusalReason::ALL {
        let is_listed = resources.text.contains(&format!("`{}`", reason.name()));
        assert!(is_listed, "the page lacks {reason:?}");
    }
}

/// The pages also mention these options, which belong to other programs.
const OTHER_PROGRAMS_OPTIONS: [&str; 20] = [
    "--port",
    "--api-key",
    "--config",
    "--with",
    "--rm",
    "--network",
    "--scope",
    "--user",
    "--now",
    "--print-architecture",
    "--features",
    "--path",
    "--profile",
    "--test",
    "--lib",
    "--locked",
    "--check",
    "--all-targets",
    "--nocapture",
    "--no-deps",
];

/// Returns the options of both programs and their commands.
fn options() -> Vec<String> {
    let mut options = Vec::new();
    for mut program in [AssistantCli::command(), Cli::command()] {
        program.build();
        let arguments = program.get_subcommands().flat_map(clap::Command::get_arguments);
        let arguments = arguments.chain(program.get_arguments());
        options.extend(arguments.filter_map(clap::Arg::get_long).map(|name| format!("--{name}")));
    }
    options
}

#[test]
fn every_option_of_both_programs_is_in_a_page() {
    let pages = pages();
    let is_in_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let named = |option: &str| {
        let mut words = pages.iter().flat_map(|page| page.text.split(|letter| !is_in_word(letter)));
        words.any(|word| word == option)
    };
    let mut missing = options();
    missing.retain(|option| option != "--help" && option != "--version" && !named(option));
    assert!(missing.is_empty(), "no page names {missing:?}");
}

#[test]
fn every_option_and_variable_in_a_page_exists() {
    let options = options();
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
