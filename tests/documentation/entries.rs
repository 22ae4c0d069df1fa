//! Every entry for a host in the pages: right, and spawned as the host does.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::host::{BINARY, accept, tools};
use crate::pages::{Block, blocks};

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
    let mut words = command.iter().chain(&arguments);
    let program = words.next().unwrap();
    assert_eq!(program, "/absolute/path/to/zwave-mcp-server");
    let arguments: Vec<String> = words.map(|one| one.as_str().unwrap().to_owned()).collect();
    let environment = [&entry["env"], &entry["environment"]]
        .iter()
        .find_map(|one| one.as_object())
        .unwrap()
        .iter();
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
    // That page's is what the assistant prints, and held against it by its own suite.
    let entry = |block: &&Block| {
        let hosts = block.page == "docs/HOSTS.md" && block.language == "toml";
        (block.language == "json" || hosts) && block.page != "docs/ASSISTANT.md"
    };
    let tables = [
        "mcpServers",
        "servers",
        "mcp",
        "context_servers",
        "mcp_servers",
    ];
    for block in blocks().iter().filter(entry) {
        let json: Result<Json, String> = match block.language.as_str() {
            "toml" => toml::from_str(&block.text).map_err(|error| error.to_string()),
            _ => serde_json::from_str(&block.text).map_err(|error| error.to_string()),
        };
        let json = json.unwrap_or_else(|error| panic!("{}: {error}: {}", block.page, block.text));
        let top = json.as_object().unwrap();
        let named = tables.iter().filter(|table| top.contains_key(**table));
        assert_eq!(named.count(), 1, "{json}");
        let mut found = Vec::new();
        entries(&json, &mut found);
        assert_eq!(found.len(), 1);
        check_entry(found[0]);
        count += 1;
    }
    assert!(count >= 10, "only {count} entries");
}

#[test]
fn the_program_in_python_is_one_and_its_entry_runs() {
    needs!(python);
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
            .expect("python3 must be installed: it reads the program for LangChain");
        assert!(output.status.success(), "{output:?}");
        let json: Json = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = Vec::new();
        entries(&json, &mut found);
        assert_eq!(found.len(), 1);
        check_entry(found[0]);
    }
}
