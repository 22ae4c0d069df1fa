//! The command lines in the pages are valid, and print what the pages say.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use clap::Parser;
use zwave_mcp_server::cli::{Cli, Command as Ours};
use zwave_mcp_server::gateway::protocol::topics::{Route, route};

use crate::assistant_options::AssistantCli;
use crate::host::{BINARY, assert_accepted, variables};
use crate::pages::{blocks, files, page, pages, root, shell_lines};

const FULL: &str = include_str!("../../scripts/full.sh");
const CI: &str = include_str!("../../.ci/run");

/// Returns the arguments that a shell line passes to our server; `None` if the line runs something else.
fn server_arguments(line: &str) -> Option<Vec<String>> {
    // The words after `>` or `|` are a file or another program's command.
    let line = line.split(" > ").next().unwrap().split(" | ").next().unwrap();
    let words = shlex::split(line).unwrap_or_else(|| panic!("this is not a shell line: {line:?}"));
    let after = |mark: &str| {
        let at = words.iter().position(|word| word == mark);
        at.map_or_else(|| panic!("{line:?} lacks {mark:?}"), |at| &words[at + 1..])
    };
    match words[0].as_str() {
        "zwave-mcp-server" => Some(words[1..].to_vec()),
        "cargo" if words[1] == "run" => Some(after("--").to_vec()),
        "claude" => {
            let command = after("--");
            assert!(Path::new(&command[0]).is_absolute(), "{line}");
            assert!(command[0].ends_with("/zwave-mcp-server"), "{line}");
            Some(command[1..].to_vec())
        }
        _ => None,
    }
}

#[test]
fn every_block_has_a_known_language() {
    let blocks = blocks();
    assert!(blocks.len() > 15, "{}", blocks.len());
    for block in blocks {
        let known = [
            "sh",
            "bash",
            "powershell",
            "text",
            "json",
            "toml",
            "yaml",
            "python",
            "rust",
            "mermaid",
        ];
        let is_known = known.contains(&block.language.as_str());
        assert!(is_known, "{}: {:?}", block.page, block.language);
    }
}

/// Splits a shell line into words, without the variables at its beginning. Checks that `scripts/full.sh` or a
/// test reads these variables.
fn split_without_variables(line: &str) -> Vec<String> {
    let mut words = shlex::split(line)
        .unwrap_or_else(|| panic!("this is not a shell line: {line:?}"))
        .into_iter()
        .peekable();
    while let Some((name, _)) = words.peek().and_then(|word| word.split_once('=')) {
        let is_read = FULL.contains(name) || contains_word(&root().join("tests"), name);
        assert!(is_read, "{line}: nothing reads {name}");
        words.next();
    }
    words.collect()
}

/// Returns true if a file in this folder has the word as its name or in its text.
fn contains_word(folder: &Path, word: &str) -> bool {
    files(folder).iter().any(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        file.file_stem().is_some_and(|name| name == word) || text.contains(word)
    })
}

/// Checks a line that runs a test suite: the suite must exist, and have the tests that the line names.
fn check_test_run(line: &str, words: &[String]) {
    let before_dashes = words.split(|word| word == "--").next().unwrap();
    let mut words = before_dashes.iter();
    let mut suite = root().join("tests");
    while let Some(word) = words.next() {
        match word.as_str() {
            "--locked" => {}
            "--lib" => suite = root().join("src"),
            "--test" => {
                let name = words.next().unwrap();
                suite = root().join("tests").join(name);
                assert!(suite.join("main.rs").exists(), "{line}");
            }
            option if option.starts_with("--") => panic!("{line}: {option}"),
            filter => {
                let last = filter.rsplit("::").next().unwrap();
                assert!(
                    contains_word(&suite, last),
                    "{line}: no test is called {filter}"
                );
            }
        }
    }
}

/// Checks that the topic after `-t` is `zwave/#` or the topic of a request or reply.
fn check_topic(line: &str, words: &[String]) {
    let at = words.iter().position(|word| word == "-t").unwrap();
    let topic = words[at + 1].as_str();
    let is_known = matches!(route("zwave", topic), Route::Reply(..) | Route::Request(..));
    assert!(is_known || topic == "zwave/#", "{line}");
}

#[test]
fn every_command_line_is_valid() {
    let mut parsed = 0;
    for line in shell_lines() {
        let words = split_without_variables(&line);
        if let Some(arguments) = server_arguments(&line) {
            parsed += 1;
            let mut environment = BTreeMap::new();
            if words[0] == "claude" {
                assert_eq!(words[1..3], ["mcp", "add"], "{line}");
                let pairs = words
                    .windows(2)
                    .filter(|pair| pair[0] == "-e")
                    .map(|pair| pair[1].split_once('=').unwrap());
                environment =
                    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                assert!(!environment.is_empty(), "{line}");
            }
            assert_accepted(&arguments, &environment);
            continue;
        }
        match words[0].as_str() {
            "export" => {
                let (name, value) = words[1].split_once('=').unwrap();
                let known = variables();
                assert!(known.contains(name) && !value.is_empty(), "{line}");
            }
            "cargo" if words[1] == "test" => check_test_run(&line, &words[2..]),
            // Running this line would take too long. Check that CI or `scripts/full.sh` runs it.
            "cargo" => assert!(CI.contains(&line) || FULL.contains(&words[1]), "{line}"),
            "zwave-assistant" => {
                parsed += 1;
                AssistantCli::try_parse_from(&words).unwrap_or_else(|why| panic!("{line}: {why}"));
            }
            "zwave-mcp-server" => {}
            "curl" => assert!(
                line.ends_with("https://ollama.com/install.sh | sh"),
                "{line}"
            ),
            "ollama" => assert_eq!(words[1..], ["pull", "qwen3:0.6b"]),
            "mkdir" => assert_eq!(words[1], "-p", "{line}"),
            "pip" => assert_eq!(words[1..], ["install", "langchain-mcp-adapters"]),
            "mosquitto_sub" | "mosquitto_pub" => check_topic(&line, &words),
            script if script.starts_with("./") => {
                let path = root().join(script);
                let checked = Command::new("bash").arg("-n").arg(&path).status();
                assert!(path.exists() && checked.unwrap().success(), "{line}");
                if script.ends_with("/test.sh") {
                    check_test_run(&line, &words[1..]);
                }
            }
            _ => panic!("no test checks {line:?}"),
        }
    }
    assert!(parsed >= 10, "only {parsed} lines run our programs");
}

#[test]
fn every_script_is_valid_and_runs_the_assistant_with_valid_arguments() {
    let blocks = blocks().into_iter().filter(|block| block.language == "bash");
    for block in blocks {
        let checked = Command::new("bash").args(["-n", "-c", &block.text]).status();
        assert!(checked.unwrap().success(), "{}", block.text);
        let arguments = block.text.split("zwave-assistant ").nth(1).unwrap();
        let words = shlex::split(&format!("zwave-assistant {arguments}")).unwrap();
        AssistantCli::try_parse_from(&words).unwrap_or_else(|why| panic!("{words:?}: {why}"));
    }
}

fn run(arguments: &[String]) -> Output {
    Command::new(BINARY).args(arguments).output().unwrap()
}

/// Runs every command with the demo house, because a test has no real house.
#[test]
fn every_command_that_does_not_run_forever_prints_something_and_succeeds() {
    let mut count = 0;
    for line in shell_lines() {
        let Some(mut arguments) = server_arguments(&line) else {
            continue;
        };
        let cli = Cli::try_parse_from(std::iter::once("x".to_owned()).chain(arguments.clone()));
        let Some(Ours::Talk(_) | Ours::Doctor { .. } | Ours::Completions { .. } | Ours::Man) =
            cli.unwrap().command
        else {
            continue;
        };
        // `--server` would need the network, and `--follow` does not end.
        let is_only_parsed = |word: &String| ["--server", "--follow"].contains(&word.as_str());
        if arguments.iter().any(is_only_parsed) {
            continue;
        }
        // Add `--demo` to the lines that lack it.
        arguments.push("--demo".to_owned());
        arguments.sort_by_key(|word| word == "--demo");
        arguments.dedup();
        let output = run(&arguments);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}: {printed}");
        assert!(!printed.is_empty(), "{line}");
        count += 1;
    }
    assert!(count >= 6, "only {count} were run");
}

#[test]
fn a_block_of_text_after_a_command_is_what_the_command_prints() {
    let mut count = 0;
    for page in pages() {
        let blocks = page.blocks();
        for (index, block) in blocks.iter().enumerate() {
            if block.language != "text" {
                continue;
            }
            let line = blocks[index - 1].commands().pop().unwrap();
            let arguments = server_arguments(&line).unwrap();
            assert!(arguments.contains(&"--demo".to_owned()), "{line}");
            let printed = String::from_utf8(run(&arguments).stdout).unwrap();
            assert_eq!(printed.trim_end(), block.text.trim_end(), "{line}");
            count += 1;
        }
    }
    assert!(count >= 1);
}

/// The answers in the table are those of the demo house.
#[test]
fn each_control_command_in_the_readme_s_table_is_answered_as_the_table_says() {
    let mut count = 0;
    for row in page("README.md").rows() {
        let Some(command) = row[0].strip_prefix("`control ") else {
            continue;
        };
        let words = format!("--demo control {}", command.trim_end_matches('`'));
        let output = run(&shlex::split(&words).unwrap());
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(printed.contains(&row[1]), "{}: {printed}", row[0]);
        count += 1;
    }
    assert!(count >= 5, "only {count} answers");
}
