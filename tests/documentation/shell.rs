//! Completions and the manual page, as a person uses them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::host::BINARY;

/// Runs the server with these arguments, and returns what it prints.
fn run(arguments: &[&str]) -> String {
    let output = Command::new(BINARY).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns bash's completions of the last word. Calls the completion function as bash does, with three arguments:
/// the command, the word to complete, and the previous word.
fn complete(words: &[&str]) -> String {
    let script = run(&["completions", "bash"]);
    let last = words.len() - 1;
    let previous = words[last - 1];
    let words = words.join(" ");
    let line = format!(
        "{script}\nCOMP_WORDS=({words})\nCOMP_CWORD={last}\n$(complete -p zwave-mcp-server | \
         grep -o '_zwave[a-z_]*') zwave-mcp-server \"${{COMP_WORDS[{last}]}}\" {previous}\necho \"${{COMPREPLY[@]}}\""
    );
    let mut command = Command::new("bash");
    command.args(["-c", &line]).env("PATH", path_with_program());
    let output = command.env("MQTT_BROKER_URL", "mqtt://127.0.0.1:1").output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn bash_completes_options_and_commands() {
    assert_eq!(complete(&["zwave-mcp-server", "--read"]), "--read-only");
    assert_eq!(complete(&["zwave-mcp-server", "compl"]), "completions");
    assert_eq!(complete(&["zwave-mcp-server", "list", "--js"]), "--json");
}

#[test]
fn bash_completes_actions_and_the_values_of_options() {
    let guards = complete(&["zwave-mcp-server", "--guard", "\"\""]);
    assert_eq!(guards, "deny confirm allow");
    let action = complete(&["zwave-mcp-server", "control", "lamp", "unl"]);
    assert_eq!(action, "unlock");
}

#[test]
fn bash_completes_hosts() {
    let hosts = complete(&["zwave-mcp-server", "doctor", "--host", "cl"]);
    assert_eq!(hosts, "claude-desktop claude-code cline");
}

/// Returns a `PATH` that begins with the folder of the server's program.
fn path_with_program() -> String {
    let folder = Path::new(BINARY).parent().unwrap().display();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

#[test]
fn bash_completes_devices_by_their_names() {
    for command in ["control", "list"] {
        let words = ["zwave-mcp-server", command, "--demo", "kitchen\\ ce"];
        assert_eq!(complete(&words), "Kitchen Ceiling");
    }
    // A name is given already.
    let words = ["zwave-mcp-server", "control", "--demo", "hall", "kitc"];
    assert_eq!(complete(&words), "");
}

#[test]
fn without_a_broker_bash_completes_no_device_and_says_nothing() {
    let started = Instant::now();
    assert_eq!(complete(&["zwave-mcp-server", "control", "kitc"]), "");
    assert!(started.elapsed() < Duration::from_secs(2));
}

/// Runs a script in a shell, with the completions of that shell in the file `$COMPLETIONS`. Returns the output; `None`
/// if the shell is not installed.
fn run_in(shell: &str, script: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("_zwave-mcp-server");
    std::fs::write(&file, run(&["completions", shell])).unwrap();
    let mut command = Command::new(shell);
    command
        .args(["-c", script])
        .env("PATH", path_with_program())
        .env("COMPLETIONS", file);
    let output = command.env("MQTT_BROKER_URL", "mqtt://127.0.0.1:1").output().ok()?;
    assert!(output.stderr.is_empty(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn fish_completes_devices_actions_and_hosts() {
    let complete = |line: &str| {
        run_in(
            "fish",
            &format!("source $COMPLETIONS; complete -C '{line}'"),
        )
    };
    let Some(devices) = complete("zwave-mcp-server control --demo Kitchen") else {
        return;
    };
    assert!(devices.contains("Kitchen Ceiling\n"), "{devices}");
    let actions = complete("zwave-mcp-server control lamp unl").unwrap();
    assert_eq!(actions, "unlock\n");
    let hosts = complete("zwave-mcp-server doctor --host claude-d").unwrap();
    assert_eq!(hosts.trim(), "claude-desktop");
}

#[test]
fn zsh_can_read_its_completions_and_asks_the_house_for_devices() {
    // Without a terminal, zsh completes nothing, so `compadd` prints what it would offer.
    let script = "autoload -U compinit; compinit -D -u; source $COMPLETIONS
                  BUFFER='zwave-mcp-server control --demo '
                  compadd() { print -l -- $devices }
                  _zwave_mcp_server_devices";
    let Some(devices) = run_in("zsh", script) else {
        return;
    };
    assert!(
        devices.lines().any(|line| line == "Kitchen Ceiling"),
        "{devices}"
    );
    let script = run(&["completions", "zsh"]);
    assert!(
        script.starts_with("#compdef zwave-mcp-server\n"),
        "{script}"
    );
    assert_eq!(
        script.matches(":_zwave_mcp_server_devices'").count(),
        2,
        "{script}"
    );
}

#[test]
fn the_error_for_an_unknown_shell_lists_the_known_ones() {
    let output = Command::new(BINARY).args(["completions", "tcsh"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("bash") && text.contains("zsh"), "{text}");
}

#[test]
fn the_manual_page_has_its_sections() {
    let page = run(&["man"]);
    for part in [
        ".TH zwave-mcp-server 1",
        ".SH NAME",
        ".SH COMMANDS",
        ".SH \"EXIT STATUS\"",
    ] {
        assert!(page.contains(part), "{part} is missing: {page}");
    }
}
