//! The MCP bundle: its manifest, and the whole of it opened and run as a host does.
//!
//! `ZWAVE_TEST_BUNDLE` names a bundle that the official tool packed; without it the folder that is
//! packed is laid out and zipped here.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use crate::host::{cargo, programs, tools, variables};

fn manifest() -> Json {
    serde_json::from_str(include_str!("../../packaging/manifest.json")).unwrap()
}

/// Makes a bundle, as `scripts/bundle.sh` does but for the official tool.
fn packed(folder: &Path) -> PathBuf {
    let stage = folder.join("stage");
    let done = Command::new("scripts/bundle.sh")
        .arg("--programs")
        .arg(programs().path())
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

/// Unpacks with the rights that the archive keeps, as hosts do.
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
            let rights = std::fs::Permissions::from_mode(mode & 0o777);
            std::fs::set_permissions(&path, rights).unwrap();
        }
    }
}

/// Puts values where a text asks for them: the folder, what the user filled in, and defaults. What
/// has neither stays as it is, as with the official library.
fn substituted(text: &str, folder: &Path, manifest: &Json, filled: &[(&str, &str)]) -> String {
    let mut text = text.replace("${__dirname}", folder.to_str().unwrap());
    for (key, setting) in manifest["user_config"].as_object().unwrap() {
        let filled = filled.iter().find(|(name, _)| name == key);
        let value = match (filled, &setting["default"]) {
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
fn the_bundle_is_opened_and_run_as_a_host_does() {
    let folder = TempDir::new().unwrap();
    let archive = match std::env::var("ZWAVE_TEST_BUNDLE") {
        Ok(path) => Path::new(env!("CARGO_MANIFEST_DIR")).join(path),
        Err(_) => packed(folder.path()),
    };
    let home = folder.path().join("a folder with spaces");
    unpack(&archive, &home);
    let manifest = std::fs::read_to_string(home.join("manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    // The fields of Cargo.toml are filled in.
    assert_eq!(manifest["version"], cargo("version"));
    assert_eq!(manifest["repository"]["url"], cargo("repository"));
    let platform = &manifest["compatibility"]["platforms"][0];
    assert!(["linux", "darwin"].contains(&platform.as_str().unwrap()));
    let server = &manifest["server"];
    assert!(home.join(server["entry_point"].as_str().unwrap()).is_file());
    for (filled, offered) in [
        (&[("demo", "true")][..], 2),
        (&[("demo", "true"), ("read_only", "true")], 1),
        // Nothing filled in, and nobody there: the tools are offered all the same.
        (&[("broker_url", "mqtt://127.0.0.1:1")], 2),
    ] {
        let put = |text: &Json| substituted(text.as_str().unwrap(), &home, &manifest, filled);
        let config = &server["mcp_config"];
        let arguments = config["args"].as_array().unwrap().iter().map(put);
        let environment = config["env"].as_object().unwrap().iter();
        let environment: BTreeMap<_, _> =
            environment.map(|(name, value)| (name.clone(), put(value))).collect();
        let command = PathBuf::from(put(&config["command"]));
        let tools = tools(&command, &arguments.collect::<Vec<_>>(), &environment);
        assert_eq!(tools.len(), offered, "{filled:?}");
        let named = manifest["tools"].as_array().unwrap();
        for (tool, named) in tools.iter().zip(named) {
            assert_eq!(tool["name"], named["name"]);
        }
    }
}

#[test]
fn the_manifest_hands_over_known_settings_and_keeps_the_password_secret() {
    let manifest = manifest();
    assert_eq!(manifest["name"], cargo("name"));
    assert_eq!(manifest["server"]["type"], "binary");
    let settings = manifest["user_config"].as_object().unwrap();
    let environment = manifest["server"]["mcp_config"]["env"].as_object().unwrap();
    let known = variables();
    for (name, value) in environment {
        assert!(known.contains(name), "no setting is called {name}");
        let value = value.as_str().unwrap();
        let key = value.strip_prefix("${user_config.").unwrap();
        let setting = &settings[key.strip_suffix('}').unwrap()];
        // Without one, hosts hand over the place for the value instead of a value.
        assert!(!setting["default"].is_null(), "{key} has no default");
        let secret = name.contains("PASSWORD");
        assert_eq!(setting["sensitive"].as_bool().unwrap_or_default(), secret);
    }
    assert_eq!(
        environment.len(),
        settings.len(),
        "every setting is handed over"
    );
    // A secret is never an argument, where everybody could read it.
    assert_eq!(
        manifest["server"]["mcp_config"]["args"],
        serde_json::json!([])
    );
}
