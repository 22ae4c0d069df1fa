//! The Rust program in the pages compiles and runs.

use std::error::Error;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use zwave_mcp_server::client::formats::ollama;
use zwave_mcp_server::client::{
    Connection, Host, Limits, Program, Redactor, ToolExecutor, ToolManager, ToolResult,
};

use crate::host::{BINARY, package_field};
use crate::pages::blocks;

/// Runs the page's program with the path of our own server.
async fn run_program() -> Result<(Vec<Json>, ToolResult), Box<dyn Error>> {
    // The page's program begins here.
    let server = Arc::new(Connection::new(
        Program::new(BINARY, ["--demo"]),
        Host::new("me", "1.0"),
    ));
    server.connect().await?;
    let manager = Arc::new(ToolManager::default());
    manager.add_server(server.clone()).await?;
    let tools = ollama::tools(&manager.tools());
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    let result = executor.call("list_zwave_devices", json!({ "filter": "kitchen" })).await?;
    server.close().await?;
    // The page's program ends here.
    Ok((tools, result))
}

/// Removes whitespace and trailing commas, which depend on the formatter.
fn remove_layout(program: &str) -> String {
    program
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect::<String>()
        .replace(",)", ")")
}

#[tokio::test]
async fn the_rust_program_in_the_pages_compiles_and_runs() {
    let here = include_str!("snippet.rs").split("// The page's program begins here.").nth(1);
    let here = here.unwrap().split("// The page's program ends here.").next().unwrap();
    let here = remove_layout(here);
    let blocks = blocks();
    let programs = blocks.iter().filter(|block| block.language == "rust");
    let programs: Vec<_> = programs
        .map(|block| remove_layout(&block.text.replace("\"/path/to/server\"", "BINARY")))
        .collect();
    assert_eq!(programs, [here]);
    let (tools, result) = run_program().await.unwrap();
    assert_eq!(tools.len(), 2);
    assert!(
        format!("{result:?}").contains("Coffee Machine"),
        "{result:?}"
    );
}

#[test]
fn the_dependency_in_the_pages_has_the_crate_s_version_and_an_existing_feature() {
    let blocks = blocks();
    let name = package_field("name");
    let mut lines = blocks
        .iter()
        .filter(|block| block.language == "toml")
        .filter(|block| block.text.starts_with(name));
    let line = lines.next().unwrap().text.trim();
    assert!(line.starts_with(&format!("{name} = ")), "{line}");
    assert!(line.contains(&format!("version = \"{}\"", package_field("version"))));
    let features = line.split("features = [\"").nth(1).unwrap();
    let feature = features.split('"').next().unwrap();
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains(&format!("\n{feature} = [")), "{feature}");
    assert!(lines.next().is_none());
}
