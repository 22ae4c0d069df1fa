//! The pages' program in Rust, compiled and run.

use std::error::Error;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use zwave_mcp_server::client::formats::ollama;
use zwave_mcp_server::client::{
    Connection, Host, Limits, Program, Redactor, ToolExecutor, ToolManager, ToolResult,
};

use crate::host::{BINARY, cargo};
use crate::pages::blocks;

/// The page's text, but for the path.
async fn host() -> Result<(Vec<Json>, ToolResult), Box<dyn Error>> {
    // The page: from here
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
    // The page: to here
    Ok((tools, result))
}

/// A program without what a formatter decides.
fn plain(program: &str) -> String {
    program
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect::<String>()
        .replace(",)", ")")
}

#[tokio::test]
async fn the_program_in_rust_runs() {
    let own = include_str!("snippet.rs").split("// The page: from here").nth(1).unwrap();
    let own = plain(own.split("// The page: to here").next().unwrap());
    let blocks = blocks();
    let programs = blocks.iter().filter(|block| block.language == "rust");
    let programs: Vec<_> = programs
        .map(|block| plain(&block.text.replace("\"/path/to/server\"", "BINARY")))
        .collect();
    assert_eq!(programs, [own]);
    let (tools, result) = host().await.unwrap();
    assert_eq!(tools.len(), 2);
    assert!(
        format!("{result:?}").contains("Coffee Machine"),
        "{result:?}"
    );
}

/// The line for a host's own manifest takes this package in its version, and features that it has.
#[test]
fn the_dependency_can_be_taken() {
    let blocks = blocks();
    let name = cargo("name");
    let mut lines = blocks
        .iter()
        .filter(|block| block.language == "toml")
        .filter(|block| block.text.starts_with(name));
    let line = lines.next().unwrap().text.trim();
    assert!(line.starts_with(&format!("{name} = ")), "{line}");
    assert!(line.contains(&format!("version = \"{}\"", cargo("version"))));
    let features = line.split("features = [\"").nth(1).unwrap();
    let feature = features.split('"').next().unwrap();
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains(&format!("\n{feature} = [")), "{feature}");
    assert!(lines.next().is_none());
}
