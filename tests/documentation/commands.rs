//! Every command line in the pages: run, or read by what would run it; and what the pages say that it
//! prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use clap::Parser;
use zwave_mcp_server::cli::{Cli, Command as Ours};
use zwave_mcp_server::gateway::protocol::topics::{Route, route};

use crate::assistant_options::AssistantCli;
use crate::host::{BINARY, accept, variables};
use crate::pages::{blocks, files, page, pages, root, shell_lines};

const FULL: &str = include_str!("../../scripts/full.sh");
const CI: &str = include_str!("../../.ci/run");

/// The program's arguments, in a line that is about it.
fn ours(line: &str) -> Option<Vec<String>> {
    // The rest of the line goes to a file or another program.
    let line = line.split(" > ").next().unwrap().split(" | ").next().unwrap();
    let words = shlex::split(line).unwrap_or_else(|| panic!("no shell reads {line:?}"));
    let after = |mark: &str| {
        let at = words.iter().position(|word| word == mark);
        at.map_or_else(|| panic!("{line:?} lacks {mark:?}"), |at| &words[at + 1..])
    };
    match words[0].as_str() {
        // Read where it is built in.
        "zwave-mcp-server" if words[1] == "view" && !cfg!(feature = "view") => None,
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
fn every_block_is_of_a_language_that_is_checked_here() {
    let blocks = blocks();
    assert!(blocks.len() > 15, "{}", blocks.len());
    for block in blocks {
        let known = [
            "sh", "bash", "text", "json", "toml", "yaml", "python", "rust", "mermaid",
        ];
        let known = known.contains(&block.language.as_str());
        assert!(known, "{}: nobody checks {:?}", block.page, block.language);
    }
}

/// A line without the variables that it sets for itself; they are looked for where they would be
/// read.
fn without_variables(line: &str) -> Vec<String> {
    let mut words = shlex::split(line)
        .unwrap_or_else(|| panic!("no shell reads {line:?}"))
        .into_iter()
        .peekable();
    while let Some((name, _)) = words.peek().and_then(|word| word.split_once('=')) {
        let read = FULL.contains(name) || tests_say(&root().join("tests"), name);
        assert!(read, "{line}: nobody reads {name}");
        words.next();
    }
    words.collect()
}

/// Checks that a file below a folder is called so, or has the words in it.
fn tests_say(folder: &Path, words: &str) -> bool {
    files(folder).iter().any(|file| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        file.file_stem().is_some_and(|name| name == words) || text.contains(words)
    })
}

/// A run of tests names a suite and tests that are there.
fn check_run_of_tests(line: &str, words: &[String]) {
    let own = words.split(|word| word == "--").next().unwrap();
    let mut words = own.iter();
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
                    tests_say(&suite, last),
                    "{line}: no test is called {filter}"
                );
            }
        }
    }
}

/// A topic of zwave-js-ui, or everything below the prefix.
fn check_topic(line: &str, words: &[String]) {
    let at = words.iter().position(|word| word == "-t").unwrap();
    let topic = words[at + 1].as_str();
    let known = matches!(route("zwave", topic), Route::Reply(..) | Route::Request(..));
    assert!(known || topic == "zwave/#", "{line}");
}

#[test]
fn every_command_line_is_right() {
    let mut read = 0;
    for line in shell_lines() {
        let words = without_variables(&line);
        if let Some(arguments) = ours(&line) {
            read += 1;
            let mut environment = BTreeMap::new();
            if words[0] == "claude" {
                assert_eq!(words[1..3], ["mcp", "add"], "{line}");
                let pairs = words
                    .windows(2)
                    .filter(|pair| pair[0] == "-e")
                    .map(|pair| pair[1].split_once('=').unwrap());
                environment = pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
                assert!(!environment.is_empty(), "{line}");
            }
            accept(&arguments, &environment);
            continue;
        }
        match words[0].as_str() {
            "export" => {
                let (name, value) = words[1].split_once('=').unwrap();
                let known = variables();
                assert!(known.contains(name) && !value.is_empty(), "{line}");
            }
            "cargo" if words[1] == "test" => check_run_of_tests(&line, &words[2..]),
            // Too long for here: run there.
            "cargo" => assert!(CI.contains(&line) || FULL.contains(&words[1]), "{line}"),
            "zwave-assistant" => {
                read += 1;
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
                let read = Command::new("bash").arg("-n").arg(&path).status();
                assert!(path.exists() && read.unwrap().success(), "{line}");
                if script.ends_with("/test.sh") {
                    check_run_of_tests(&line, &words[1..]);
                }
            }
            _ => panic!("nobody checks {line:?}"),
        }
    }
    assert!(read >= 10, "only {read} lines are about the program");
}

/// A block that is a whole script is one for its shell, and runs the program as it is.
#[test]
fn every_script_is_read_by_its_shell() {
    let blocks = blocks().into_iter().filter(|block| block.language == "bash");
    for block in blocks {
        let checked = Command::new("bash").args(["-n", "-c", &block.text]).status();
        assert!(checked.unwrap().success(), "{}", block.text);
        let ran = block.text.split("zwave-assistant ").nth(1).unwrap();
        let words = shlex::split(&format!("zwave-assistant {ran}")).unwrap();
        AssistantCli::try_parse_from(&words).unwrap_or_else(|why| panic!("{words:?}: {why}"));
    }
}

fn run(arguments: &[String]) -> Output {
    Command::new(BINARY).args(arguments).output().unwrap()
}

/// With the demo house in place of the reader's own.
#[test]
fn every_command_that_ends_does_what_it_is_there_for() {
    let mut ran = 0;
    for line in shell_lines() {
        let Some(mut arguments) = ours(&line) else {
            continue;
        };
        let cli = Cli::try_parse_from(std::iter::once("x".to_owned()).chain(arguments.clone()));
        let Some(Ours::Talk(_) | Ours::Doctor { .. } | Ours::Completions { .. } | Ours::Man) =
            cli.unwrap().command
        else {
            continue;
        };
        // Another server, brought over the network, or a command that goes on: its line is read, above.
        let not_here = |one: &String| ["--server", "--follow"].contains(&one.as_str());
        if arguments.iter().any(not_here) {
            continue;
        }
        arguments.push("--demo".to_owned());
        arguments.sort_by_key(|one| one == "--demo");
        arguments.dedup();
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}: {said}");
        assert!(!said.is_empty(), "{line}");
        ran += 1;
    }
    assert!(ran >= 6, "only {ran} were run");
}

/// A block of text behind a command is what the command prints.
#[test]
fn what_a_command_prints_is_what_the_page_says() {
    let mut compared = 0;
    for page in pages() {
        let blocks = page.blocks();
        for (index, block) in blocks.iter().enumerate() {
            if block.language != "text" {
                continue;
            }
            let line = blocks[index - 1].commands().pop().unwrap();
            let arguments = ours(&line).unwrap();
            assert!(arguments.contains(&"--demo".to_owned()), "{line}");
            let said = String::from_utf8(run(&arguments).stdout).unwrap();
            assert_eq!(said.trim_end(), block.text.trim_end(), "{line}");
            compared += 1;
        }
    }
    assert!(compared >= 1);
}

/// A row of a table that begins with a control command tells its answer in the demo house.
#[test]
fn every_answer_in_a_table_is_given() {
    let mut given = 0;
    for row in page("README.md").rows() {
        let Some(command) = row[0].strip_prefix("`control ") else {
            continue;
        };
        let words = format!("--demo control {}", command.trim_end_matches('`'));
        let output = run(&shlex::split(&words).unwrap());
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(&row[1]), "{}: {said}", row[0]);
        given += 1;
    }
    assert!(given >= 5, "only {given} answers");
}
