//! Reads environment variables: settings, keys, and what they say about folders and the time zone.

use std::path::{Path, PathBuf};

use zwave_mcp_server::cli::settings::Sources;

/// Returns an environment variable without surrounding whitespace, or `None` if it is unset or blank.
pub fn read_variable(name: &str) -> Option<String> {
    let text = std::env::var_os(name)?.to_string_lossy().trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// Returns the key of a web service from the variable `name`, or else from the file with the path in
/// `{name}_FILE`. An error says how to fix the setting, and never contains a key.
pub fn read_key(name: &str) -> Result<Option<String>, String> {
    if let Some(key) = read_variable(name) {
        return Ok(Some(key));
    }
    let Some(path) = read_variable(&format!("{name}_FILE")) else {
        return Ok(None);
    };
    match (Sources::OF_PROCESS.file)(&path) {
        Ok(text) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
        Ok(_) => Err(format!(
            "{name}_FILE is \"{path}\", but that file is empty; put the key into it"
        )),
        Err(error) => Err(format!(
            "{name}_FILE is \"{path}\"; it must be a file that can be read ({error})"
        )),
    }
}

/// Returns the folder for this program's own files, or `None` if no environment variable says where it is.
pub fn state_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME")
        .or_else(|| Some(folder("HOME")?.join(".local").join("state")))
        .or_else(|| folder("LOCALAPPDATA"));
    Some(state?.join("zwave-assistant"))
}

/// The folders in which the data of time zones are looked for.
const ZONE_FOLDERS: [&str; 4] = [
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
];

/// Returns false if the time zone's data are missing, so that every time would be in UTC.
pub fn is_zone_known() -> bool {
    let Some(zone) = read_variable("TZ") else {
        return cfg!(windows) || Path::new("/etc/localtime").exists();
    };
    let name = zone.trim_start_matches(':');
    // "CET-1CEST" is a rule, which needs no file.
    let is_rule = name.contains(|letter: char| letter.is_ascii_digit()) && !name.contains('/');
    let has_file = |folder: &&str| Path::new(folder).join(name).exists();
    cfg!(windows) || name == "UTC" || is_rule || ZONE_FOLDERS.iter().any(has_file)
}
