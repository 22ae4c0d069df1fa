//! Completions and the manual page, as a person uses them.

use std::process::Command;

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
        "{script}\nCOMP_WORDS=({words})\nCOMP_CWORD={last}\n_zwave__mcp__server zwave-mcp-server \
         \"${{COMP_WORDS[{last}]}}\" {previous}\necho \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
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
