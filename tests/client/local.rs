//! The tools that come with the client, and the requirements on a host's own tools.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;
use serde_json::{Value as Json, json};
use zwave_mcp_server::client::local::{clock, volume};
use zwave_mcp_server::client::{
    Limits, LocalTool, Redactor, ToolExecutor, ToolManager, ToolResult,
};

/// Calls a tool. An error becomes the result that a model would get.
async fn run(tool: LocalTool, arguments: Json) -> ToolResult {
    let manager = Arc::new(ToolManager::default());
    let name = tool.tool.name.clone();
    manager.add_local(tool);
    let executor = ToolExecutor::new(manager, Limits::default(), Redactor::default());
    executor.call(&name, arguments).await.unwrap_or_else(ToolResult::from)
}

#[test]
fn a_tool_without_a_description_or_a_valid_schema_cannot_be_created() {
    let create = |name: &str, description: &str, schema: Json| {
        LocalTool::new(name, description, schema, |_| async { Ok(String::new()) })
    };
    let error_of = |name: &str, description: &str, schema: Json| {
        create(name, description, schema).unwrap_err().to_string()
    };
    let valid = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    assert!(create("t", "A tool.", valid.clone()).is_ok());
    for (name, description) in [("", "A tool."), ("t", "")] {
        let error = error_of(name, description, valid.clone());
        assert!(
            error.contains("it needs a name and a description"),
            "{error}"
        );
    }
    let schema_with = |keyword: &str, value: Json| {
        let mut schema = json!({ "type": "object", "properties": {} });
        schema[keyword] = value;
        schema
    };
    for (schema, why) in [
        (json!(true), "its schema must be a JSON object"),
        (json!({}), "its schema must have \"type\": \"object\""),
        (schema_with("properties", json!([])), "must be an object"),
        (
            schema_with("properties", json!({ "a": { "type": "text" } })),
            "\"a\" must have one of the types string, number",
        ),
        (
            schema_with("required", json!(["b"])),
            "its schema requires \"b\", which is not in \"properties\"",
        ),
    ] {
        let error = error_of("t", "A tool.", schema);
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn the_clock_tells_the_date_the_time_and_the_zone() {
    let clock_in = |zone: Option<&str>| {
        let now = clock::Now {
            time: DateTime::parse_from_rfc3339("2026-11-22T01:09:33+01:00").unwrap(),
            zone: zone.map(str::to_owned),
        };
        clock::tool(move || now.clone()).unwrap()
    };
    let answer = run(clock_in(Some("Europe/Berlin")), json!({})).await;
    assert_eq!(
        answer.as_text(),
        "Sunday, 22 November 2026, 01:09:33 (Europe/Berlin, UTC+01:00)"
    );
    let answer = run(clock_in(None), json!({})).await;
    assert_eq!(
        answer.as_text(),
        "Sunday, 22 November 2026, 01:09:33 (UTC+01:00)"
    );
    let answer = run(
        clock::tool(clock::Now::from_system_clock).unwrap(),
        json!({}),
    )
    .await;
    assert!(answer.as_text().contains("UTC"), "{answer:?}");
}

/// Writes a script that stands in for a system command.
#[cfg(unix)]
fn write_command(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    std::fs::write(
        &path,
        format!("#!/bin/sh\ncd '{}'\n{script}\n", folder.display()),
    )
    .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

async fn call_volume(folder: &Path, arguments: Json) -> ToolResult {
    run(volume::tool(Some(folder.to_owned())).unwrap(), arguments).await
}

#[cfg(unix)]
#[tokio::test]
async fn the_volume_is_read_and_set_through_each_system_command() {
    for (name, output) in [
        ("wpctl", "Volume: 0.$level"),
        (
            "pactl",
            "Volume: front-left: 26214 /  $level% / -23.88 dB, front-right: 1 / 1% / 0 dB",
        ),
        (
            "amixer",
            "  Limits: Playback 0 - 65536\\n  Front Left: Playback 26214 [$level%] [on]",
        ),
        ("osascript", "$level"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        // Sets the level to 40 if an argument contains 40, and otherwise prints the level.
        let script = format!(
            "echo \"$*\" >> calls\nlevel=$(cat level)\n\
             case \"$*\" in *40*) echo 40 > level;; *) printf '%b\\n' \"{output}\";; esac"
        );
        write_command(dir.path(), name, &script);
        std::fs::write(dir.path().join("level"), "25").unwrap();
        let answer = call_volume(dir.path(), json!({})).await;
        assert_eq!(answer.as_text(), "The volume is 25 %.", "{name}");
        let set = call_volume(dir.path(), json!({ "level": 40 })).await;
        assert_eq!(set.as_text(), "The volume is 40 %.", "{name}");
        // The volume was read, set, and read again.
        let calls = std::fs::read_to_string(dir.path().join("calls")).unwrap();
        assert_eq!(calls.lines().count(), 3, "{calls}");
    }
}

#[tokio::test]
async fn if_no_volume_command_is_installed_the_error_names_the_possible_commands() {
    let dir = tempfile::tempdir().unwrap();
    let result = call_volume(dir.path(), json!({ "level": 40 })).await;
    assert!(result.is_error);
    assert_eq!(
        result.as_text(),
        "This machine has no command for the volume; one of wpctl, pactl, amixer, osascript is \
         needed."
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_failing_volume_command_reports_why_and_the_next_command_is_tried() {
    let dir = tempfile::tempdir().unwrap();
    write_command(
        dir.path(),
        "wpctl",
        "echo 'Could not connect to PipeWire' >&2; exit 1",
    );
    let result = call_volume(dir.path(), json!({})).await;
    assert!(result.is_error);
    assert_eq!(
        result.as_text(),
        "The volume can't be reached (wpctl: Could not connect to PipeWire)."
    );
    write_command(dir.path(), "amixer", "echo '[33%]'");
    assert_eq!(
        call_volume(dir.path(), json!({})).await.as_text(),
        "The volume is 33 %."
    );
}

#[tokio::test]
async fn a_volume_out_of_range_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let result = call_volume(dir.path(), json!({ "level": 400 })).await;
    assert!(
        result.as_text().contains("level must be at most 100, not 400"),
        "{result:?}"
    );
}
