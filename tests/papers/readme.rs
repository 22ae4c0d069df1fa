//! Every command and snippet in the README: run, or read by what would run it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use clap::{CommandFactory, Parser};
use serde_json::Value as Json;
use zwave_mcp_server::cli::Cli;
use zwave_mcp_server::gateway::Trouble;
use zwave_mcp_server::mcp::wording;

use crate::host::{BINARY, README, accept, tools, variables};

const FULL: &str = include_str!("../../scripts/full.sh");

pub struct Block {
    pub language: String,
    pub text: String,
}

pub fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    for page in [README] {
        let mut open: Option<Block> = None;
        for line in page.lines() {
            match (line.strip_prefix("```"), open.as_mut()) {
                (Some(language), None) => {
                    open = Some(Block {
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => found.extend(open.take()),
                (None, Some(block)) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "a block is not closed");
    }
    found
}

fn lines(language: &str) -> Vec<String> {
    let blocks = blocks();
    let of_language = blocks.iter().filter(|block| block.language == language);
    of_language
        .flat_map(|block| block.text.lines())
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// What the program would be given, for a line that is about it: its arguments.
fn ours(line: &str) -> Option<Vec<String>> {
    // What comes after it goes to a file or another program.
    let line = line
        .split(" > ")
        .next()
        .unwrap()
        .split(" | ")
        .next()
        .unwrap();
    let words = shlex::split(line).unwrap_or_else(|| panic!("no shell reads {line:?}"));
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
fn the_first_command_runs_this_program_though_tests_have_another() {
    let told = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--offline",
            "--no-deps",
            "--format-version=1",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let told: Json = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["packages"][0]["default_run"], "zwave-mcp-server");
}

#[test]
fn the_readme_starts_with_its_two_commands() {
    let first: Vec<_> = lines("sh").into_iter().take(2).collect();
    assert_eq!(
        first,
        ["cargo run --release -- --demo list", "./scripts/test.sh"]
    );
}

#[test]
fn every_block_is_of_a_language_that_is_checked_here() {
    let blocks = blocks();
    assert!(blocks.len() > 15, "{}", blocks.len());
    for block in blocks {
        let known = ["sh", "json", "python", "rust"].contains(&block.language.as_str());
        assert!(known, "nobody checks {:?}", block.language);
    }
}

#[test]
fn every_command_line_is_right() {
    let mut read = 0;
    for line in lines("sh") {
        let words = shlex::split(&line).unwrap();
        if let Some(arguments) = ours(&line) {
            read += 1;
            let mut environment = BTreeMap::new();
            if words[0] == "claude" {
                assert_eq!(words[1..3], ["mcp", "add"], "{line}");
                let pairs = words.windows(2).filter(|pair| pair[0] == "-e");
                let pairs = pairs.map(|pair| pair[1].split_once('=').unwrap());
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
            // Too long for here: run there.
            "cargo" => assert!(
                FULL.contains(words[1].as_str()) && words[1] == "install",
                "{line}"
            ),
            "mkdir" => assert_eq!(words[1], "-p", "{line}"),
            "pip" => assert_eq!(words[1..], ["install", "langchain-mcp-adapters"]),
            script if script.starts_with("./scripts/") => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
                let read = Command::new("bash")
                    .arg("-n")
                    .arg(&script)
                    .status()
                    .unwrap();
                assert!(read.success(), "{line}");
            }
            _ => panic!("nobody checks {line:?}"),
        }
    }
    assert!(read >= 10, "only {read} lines are about the program");
}

/// Those that end by themselves, with the demo house in place of the reader's own.
#[test]
fn every_command_that_ends_does_what_it_is_there_for() {
    let mut run = 0;
    for line in lines("sh") {
        let Some(mut arguments) = ours(&line) else {
            continue;
        };
        let cli = Cli::try_parse_from(std::iter::once("x".to_owned()).chain(arguments.clone()));
        use zwave_mcp_server::cli::Command as Ours;
        let Some(Ours::Talk(_) | Ours::Doctor { .. } | Ours::Completions { .. } | Ours::Man) =
            cli.unwrap().command
        else {
            continue;
        };
        // Another server, brought over the network: its line is read, above.
        if arguments.contains(&"--server".to_owned()) {
            continue;
        }
        arguments.push("--demo".to_owned());
        arguments.sort_by_key(|one| one == "--demo");
        arguments.dedup();
        let output = Command::new(BINARY).args(&arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}: {said}");
        assert!(!said.is_empty(), "{line}");
        run += 1;
    }
    assert!(run >= 6, "only {run} were run");
}

/// Every object with a command in it, wherever it stands.
fn entries<'a>(json: &'a Json, found: &mut Vec<&'a Json>) {
    match json {
        Json::Object(fields) if fields.contains_key("command") => found.push(json),
        Json::Object(fields) => fields.values().for_each(|inner| entries(inner, found)),
        Json::Array(items) => items.iter().for_each(|inner| entries(inner, found)),
        _ => {}
    }
}

/// An entry is right, and a host that spawns it gets the tools.
fn check_entry(entry: &Json) {
    let known = ["type", "transport", "command", "args", "env"];
    let fields = entry.as_object().unwrap();
    assert!(
        fields.keys().all(|key| known.contains(&key.as_str())),
        "{entry}"
    );
    let command = entry["command"].as_str().unwrap();
    assert_eq!(command, "/absolute/path/to/zwave-mcp-server");
    let arguments = entry["args"].as_array().cloned().unwrap_or_default();
    let arguments: Vec<String> = arguments
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    let environment = entry["env"].as_object().unwrap().iter();
    let mut environment: BTreeMap<String, String> = environment
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    accept(&arguments, &environment);
    // The house of the page is not here.
    environment.insert("ZWAVE_DEMO".to_owned(), "1".to_owned());
    let offered = 2 - usize::from(arguments.contains(&"--read-only".to_owned()));
    assert_eq!(
        tools(Path::new(BINARY), &arguments, &environment).len(),
        offered
    );
}

#[test]
fn every_entry_for_a_host_is_right_and_runs() {
    let mut count = 0;
    for block in blocks().iter().filter(|block| block.language == "json") {
        let json: Json = serde_json::from_str(&block.text)
            .unwrap_or_else(|error| panic!("{error}: {}", block.text));
        let top = json.as_object().unwrap();
        assert!(top.contains_key("mcpServers") ^ top.contains_key("servers"));
        let mut found = Vec::new();
        entries(&json, &mut found);
        assert_eq!(found.len(), 1);
        check_entry(found[0]);
        count += 1;
    }
    assert_eq!(count, 5);
}

#[test]
fn the_program_in_python_is_one_and_its_entry_runs() {
    let blocks = blocks();
    let programs = blocks.iter().filter(|block| block.language == "python");
    for program in programs {
        // Python itself reads the program, and the dictionary it hands to LangChain.
        let reader = "import ast, json, sys\n\
             tree = ast.parse(sys.argv[1])\n\
             values = [n.value for n in tree.body if isinstance(n, ast.Assign)]\n\
             print(json.dumps([ast.literal_eval(value) for value in values]))\n";
        let output = Command::new("python3")
            .args(["-c", reader, &program.text])
            .output()
            .expect("python3 must be installed: it reads the README's program");
        assert!(output.status.success(), "{output:?}");
        let json: Json = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = Vec::new();
        entries(&json, &mut found);
        assert_eq!(found.len(), 1);
        check_entry(found[0]);
    }
}

#[test]
fn every_option_and_variable_is_in_the_table_and_every_one_in_the_text_exists() {
    let mut command = Cli::command();
    command.build();
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    let options: Vec<String> = options.map(|one| format!("--{one}")).collect();
    let variables = variables();
    let of_commands = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments);
    let of_commands = of_commands.filter_map(clap::Arg::get_long);
    let of_commands: Vec<String> = of_commands.map(|one| format!("--{one}")).collect();
    let of_cargo = ["--path", "--release"];
    let general = ["--help", "--version"];
    for name in options
        .iter()
        .map(String::as_str)
        .filter(|one| !general.contains(one))
    {
        assert!(
            README.contains(&format!("`{name}")),
            "the README lacks {name}"
        );
    }
    for name in &variables {
        assert!(
            README.contains(&format!("`{name}`")),
            "the README lacks {name}"
        );
    }
    for page in [README] {
        let letters = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
        for word in page.split(|one| !letters(one)) {
            let option = word.starts_with("--") && word.len() > 2 && !word.starts_with("---");
            let variable = (word.starts_with("MQTT_") || word.starts_with("ZWAVE_GU"))
                || (word.starts_with("ZWAVE_") && !word.contains("GATEWAY-"));
            let known = !option && !variable
                || options.iter().any(|one| one == word)
                || variables.contains(word)
                || of_commands.iter().any(|one| one == word)
                || of_cargo.contains(&word);
            assert!(known, "{word} is in a page, and nothing knows it");
        }
    }
}

/// The table for troubles quotes what the program really says.
#[test]
fn every_sentence_of_the_troubleshooting_table_is_said_by_the_program() {
    use std::time::Duration;
    let reviewed = include_str!(
        "../pure/snapshots/pure__wording__what_stands_in_the_way_is_said_as_reviewed.snap"
    );
    let outcomes = include_str!(
        "../pure/snapshots/pure__wording__what_became_of_a_command_is_said_as_reviewed.snap"
    );
    // The snapshots are what the program says: checked elsewhere, and for one of them here.
    let silent = wording::trouble(&Trouble::GatewayOffline {
        gateway: "Mosquitto".to_owned(),
        since: Some(Duration::from_secs(300)),
    });
    assert!(reviewed.contains(&silent));
    let table = README.split("## Troubleshooting").nth(1).unwrap();
    let quotes = table.lines().filter_map(|line| {
        let cell = line.strip_prefix("| \"")?;
        Some(cell.split('"').next().unwrap())
    });
    let quotes: Vec<_> = quotes.collect();
    assert!(quotes.len() >= 18, "{quotes:?}");
    for quote in quotes {
        let said = reviewed.contains(quote) || outcomes.contains(quote);
        assert!(said, "the program never says {quote:?}");
    }
}
