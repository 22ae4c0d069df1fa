//! Completions and the manual page, used as a person does.

use std::process::Command;

use crate::host::BINARY;

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(BINARY).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The words that bash offers for the last of these.
fn completed(words: &[&str]) -> String {
    let script = printed(&["completions", "bash"]);
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
    assert_eq!(completed(&["zwave-mcp-server", "--read"]), "--read-only");
    assert_eq!(completed(&["zwave-mcp-server", "compl"]), "completions");
    assert_eq!(completed(&["zwave-mcp-server", "list", "--js"]), "--json");
}

#[test]
fn bash_completes_what_an_option_or_action_may_be() {
    let guards = completed(&["zwave-mcp-server", "--guard", "\"\""]);
    assert_eq!(guards, "deny confirm allow");
    let action = completed(&["zwave-mcp-server", "control", "lamp", "unl"]);
    assert_eq!(action, "unlock");
}

#[test]
fn an_unknown_shell_is_told_which_ones_there_are() {
    let output = Command::new(BINARY).args(["completions", "tcsh"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("bash") && text.contains("zsh"), "{text}");
}

#[test]
fn the_manual_page_is_one() {
    let page = printed(&["man"]);
    for part in [
        ".TH zwave-mcp-server 1",
        ".SH NAME",
        ".SH COMMANDS",
        ".SH \"EXIT STATUS\"",
    ] {
        assert!(page.contains(part), "{part} is missing: {page}");
    }
}
