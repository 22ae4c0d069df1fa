//! The pages contain entries for hosts. Each of these entries is valid, and starts the server.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::NamedTempFile;

use crate::host::{BINARY, assert_accepted, list_tools};
use crate::pages::{Block, blocks};

/// Collects every object that has a command, at any depth.
fn find_entries<'a>(json: &'a Json, found: &mut Vec<&'a Json>) {
    match json {
        Json::Object(fields) if fields.contains_key("command") => found.push(json),
        Json::Object(fields) => fields.values().for_each(|inner| find_entries(inner, found)),
        Json::Array(items) => items.iter().for_each(|inner| find_entries(inner, found)),
        _ => {}
    }
}

/// Checks that a document has one entry with known fields, and that the entry's arguments start a server that
/// offers the tools.
fn check_entry(document: &Json) {
    let mut found = Vec::new();
    find_entries(document, &mut found);
    let [entry] = found[..] else {
        panic!("{} entries in {document}", found.len())
    };
    let known = [
        "type",
        "name",
        "transport",
        "command",
        "args",
        "env",
        "environment",
        "tools",
    ];
    let fields = entry.as_object().unwrap();
    assert!(
        fields.keys().all(|key| known.contains(&key.as_str())),
        "{entry}"
    );
    // OpenCode has the program and its arguments in one list.
    let command = entry["command"].as_array().cloned();
    let command = command.unwrap_or_else(|| vec![entry["command"].clone()]);
    let arguments = entry["args"].as_array().cloned().unwrap_or_default();
    let words = command.iter().chain(&arguments);
    let mut words: Vec<String> = words.map(|word| word.as_str().unwrap().to_owned()).collect();
    let variables = [&entry["env"], &entry["environment"]];
    let variables = variables.iter().find_map(|field| field.as_object());
    let password_file = NamedTempFile::new().unwrap();
    std::fs::write(password_file.path(), "password").unwrap();
    if words[0] == "ssh" {
        // The program is on another computer, and so is its password file. SSH would not pass on variables.
        assert!(variables.is_none(), "{entry}");
        assert_eq!(words[2], "pi");
        words.drain(..3);
        assert!(words[0].starts_with("/home/pi/") && words[0].ends_with("/zwave-mcp-server"));
        for word in words.iter_mut().filter(|word| word.ends_with("/mqtt-password")) {
            password_file.path().to_str().unwrap().clone_into(word);
        }
    } else {
        assert_eq!(words[0], "/absolute/path/to/zwave-mcp-server");
        assert!(variables.is_some(), "{entry}");
    }
    let arguments = words.split_off(1);
    let environment = variables.into_iter().flatten();
    let mut environment: BTreeMap<String, String> = environment
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    assert_accepted(&arguments, &environment);
    // Use the demo house instead of the broker in the page's entry.
    environment.insert("ZWAVE_DEMO".to_owned(), "1".to_owned());
    let tools = list_tools(Path::new(BINARY), &arguments, &environment);
    let tool_count = 2 - usize::from(arguments.contains(&"--read-only".to_owned()));
    assert_eq!(tools.len(), tool_count);
}

#[test]
fn every_entry_for_a_host_is_valid_and_starts_the_server() {
    let mut count = 0;
    let is_entry = |block: &&Block| {
        // The block in docs/ASSISTANT.md is the assistant's output, which the assistant's suite checks.
        let is_toml_entry = block.page == "docs/HOSTS.md" && block.language == "toml";
        (block.language == "json" || is_toml_entry) && block.page != "docs/ASSISTANT.md"
    };
    let tables = [
        "mcpServers",
        "servers",
        "mcp",
        "context_servers",
        "mcp_servers",
    ];
    for block in blocks().iter().filter(is_entry) {
        let json: Result<Json, String> = match block.language.as_str() {
            "toml" => toml::from_str(&block.text).map_err(|error| error.to_string()),
            _ => serde_json::from_str(&block.text).map_err(|error| error.to_string()),
        };
        let json = json.unwrap_or_else(|error| panic!("{}: {error}: {}", block.page, block.text));
        let top = json.as_object().unwrap();
        let known = tables.iter().filter(|table| top.contains_key(**table));
        assert_eq!(known.count(), 1, "{json}");
        check_entry(&json);
        count += 1;
    }
    assert!(count >= 10, "only {count} entries");
}

#[test]
fn the_python_program_is_valid_and_its_entry_starts_the_server() {
    needs!(python);
    let blocks = blocks();
    let programs = blocks.iter().filter(|block| block.language == "python");
    for program in programs {
        // Python itself parses the program, and the dictionary that the program passes to LangChain.
        let reader = "import ast, json, sys\n\
             tree = ast.parse(sys.argv[1])\n\
             values = [n.value for n in tree.body if isinstance(n, ast.Assign)]\n\
             print(json.dumps([ast.literal_eval(value) for value in values]))\n";
        let output = Command::new("python3").args(["-c", reader, &program.text]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        check_entry(&serde_json::from_slice(&output.stdout).unwrap());
    }
}
