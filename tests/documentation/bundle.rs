//! The MCP bundle: its manifest, and the bundle itself, unpacked and run as a host would.
//!
//! `ZWAVE_TEST_BUNDLE` is the path of a bundle that the official tool packed. If the variable is not set, a test
//! packs a bundle itself.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::host::{copy_programs, list_tools, package_field, variables};

fn manifest() -> Json {
    serde_json::from_str(include_str!("../../packaging/manifest.json")).unwrap()
}

/// Prepares a bundle's files with `scripts/bundle.sh`, and packs them without the official tool.
fn pack_bundle(folder: &Path) -> PathBuf {
    let stage = folder.join("stage");
    let done = Command::new("scripts/bundle.sh")
        .arg("--programs")
        .arg(copy_programs().path())
        .arg("--stage")
        .arg(&stage)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let path = folder.join("bundle.mcpb");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, mode) in [
        ("manifest.json", 0o644),
        ("README.md", 0o644),
        ("LICENSE", 0o644),
        ("icon.png", 0o644),
        ("server/zwave-mcp-server", 0o755),
        ("server/zwave-assistant", 0o755),
        ("share/man/zwave-mcp-server.1", 0o644),
        ("share/man/zwave-assistant.1", 0o644),
        ("share/completions/zwave-mcp-server.bash", 0o644),
        ("share/completions/zwave-assistant.bash", 0o644),
    ] {
        let options = SimpleFileOptions::default().unix_permissions(mode);
        archive.start_file(name, options).unwrap();
        archive.write_all(&std::fs::read(stage.join(name)).unwrap()).unwrap();
    }
    archive.finish().unwrap();
    path
}

/// Unpacks an archive as hosts do, and gives the files the permissions that the archive records.
fn unpack(archive: &Path, folder: &Path) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(archive).unwrap()).unwrap();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let path = folder.join(file.enclosed_name().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        std::fs::write(&path, bytes).unwrap();
        if let Some(mode) = file.unix_mode() {
            use std::os::unix::fs::PermissionsExt;
            let permissions = std::fs::Permissions::from_mode(mode & 0o777);
            std::fs::set_permissions(&path, permissions).unwrap();
        }
    }
}

/// Replaces the placeholders for the bundle's folder and for the settings. A setting without a value gets its
/// default. If it has no default either, its placeholder stays, as with the official library.
fn substitute(text: &str, folder: &Path, manifest: &Json, settings: &[(&str, &str)]) -> String {
    let mut text = text.replace("${__dirname}", folder.to_str().unwrap());
    for (key, setting) in manifest["user_config"].as_object().unwrap() {
        let given = settings.iter().find(|(name, _)| name == key);
        let value = match (given, &setting["default"]) {
            (Some((_, value)), _) => (*value).to_owned(),
            (None, Json::String(default)) => default.clone(),
            (None, Json::Null) => continue,
            (None, default) => default.to_string(),
        };
        text = text.replace(&format!("${{user_config.{key}}}"), &value);
    }
    text
}

#[test]
fn the_bundle_runs_as_a_host_would_run_it() {
    let folder = TempDir::new().unwrap();
    let archive = match std::env::var("ZWAVE_TEST_BUNDLE") {
        Ok(path) => Path::new(env!("CARGO_MANIFEST_DIR")).join(path),
        Err(_) => pack_bundle(folder.path()),
    };
    let home = folder.path().join("a folder with spaces");
    unpack(&archive, &home);
    let manifest = std::fs::read_to_string(home.join("manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["version"], package_field("version"));
    assert_eq!(manifest["repository"]["url"], package_field("repository"));
    let processor = std::env::consts::ARCH;
    let about = manifest["long_description"].as_str().unwrap();
    let names_processor = about.contains(processor) || about.contains("Macs with");
    assert!(names_processor && !about.contains('@'), "{about}");
    let platform = &manifest["compatibility"]["platforms"][0];
    assert!(["linux", "darwin"].contains(&platform.as_str().unwrap()));
    let server = &manifest["server"];
    assert!(home.join(server["entry_point"].as_str().unwrap()).is_file());
    for (settings, tool_count) in [
        (&[("demo", "true")][..], 2),
        (&[("demo", "true"), ("read_only", "true")], 1),
        // The server offers its tools even if it can't reach a broker.
        (&[("broker_url", "mqtt://127.0.0.1:1")], 2),
    ] {
        let fill = |text: &Json| substitute(text.as_str().unwrap(), &home, &manifest, settings);
        let config = &server["mcp_config"];
        let arguments: Vec<_> = config["args"].as_array().unwrap().iter().map(fill).collect();
        let environment: BTreeMap<_, _> = config["env"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.clone(), fill(value)))
            .collect();
        let command = PathBuf::from(fill(&config["command"]));
        let tools = list_tools(&command, &arguments, &environment);
        assert_eq!(tools.len(), tool_count, "{settings:?}");
        let listed_tools = manifest["tools"].as_array().unwrap();
        for (tool, listed) in tools.iter().zip(listed_tools) {
            assert_eq!(tool["name"], listed["name"]);
        }
    }
}

#[test]
fn the_manifest_passes_on_known_settings_and_keeps_the_password_secret() {
    let manifest = manifest();
    assert_eq!(manifest["name"], package_field("name"));
    assert_eq!(manifest["server"]["type"], "binary");
    let settings = manifest["user_config"].as_object().unwrap();
    let environment = manifest["server"]["mcp_config"]["env"].as_object().unwrap();
    let known = variables();
    for (name, value) in environment {
        assert!(known.contains(name), "no setting is called {name}");
        let value = value.as_str().unwrap();
        let key = value.strip_prefix("${user_config.").unwrap();
        let setting = &settings[key.strip_suffix('}').unwrap()];
        // For a setting with neither a value nor a default, hosts pass on the placeholder itself.
        assert!(!setting["default"].is_null(), "{key} has no default");
        let is_secret = name.contains("PASSWORD");
        assert_eq!(
            setting["sensitive"].as_bool().unwrap_or_default(),
            is_secret
        );
    }
    assert_eq!(
        environment.len(),
        settings.len(),
        "the manifest must pass on every setting"
    );
    // Settings must not be arguments, because everybody can read a process's arguments.
    assert_eq!(
        manifest["server"]["mcp_config"]["args"],
        serde_json::json!([])
    );
}
