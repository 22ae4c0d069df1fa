//! Shell completions and the manual page, generated from the definition of the command line.

use clap::{Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use super::exit;
use crate::home::intent::Action;

/// The hint that an argument is the name of a device. clap_complete has no such hint, so `completions` replaces its
/// completion of a user's name.
pub(super) const DEVICE: ValueHint = ValueHint::Username;

/// Returns a program's completions for a shell. Those of the server ask the house for the names of its devices.
pub fn completions(mut command: Command, shell: Shell) -> Vec<u8> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name.as_str(), &mut script);
    // The bash script contains the program's name in two places. In one of them, clap_complete writes each dash
    // of the name as `__subcmd__` instead of `__`, and the script then offers nothing after a subcommand (seen
    // with 4.6.11).
    let misspelled = name.replace('-', "__subcmd__");
    let script = String::from_utf8_lossy(&script);
    let script = script.replace(&misspelled, &name.replace('-', "__"));
    match shell {
        _ if name != env!("CARGO_PKG_NAME") => script,
        Shell::Bash => script + include_str!("completions/devices.bash"),
        // The first line of the script stays the first.
        Shell::Zsh => script
            .replacen('\n', include_str!("completions/devices.zsh"), 1)
            .replace(":_users'", ":_zwave_mcp_server_devices'"),
        Shell::Fish => {
            let actions = Action::ALL.map(Action::name).join(" ");
            script + &include_str!("completions/devices.fish").replace("{actions}", &actions)
        }
        _ => script,
    }
    .into()
}

/// Returns one manual page for a program and all of its commands.
pub fn manual(command: Command) -> Vec<u8> {
    // For an option that `-h` doesn't show, clap_mangen would omit the help.
    let mut command = command.mut_args(|argument| argument.hide_short_help(false));
    command.build();
    let page = Man::new(command.clone()).manual("User Commands");
    let mut text = Vec::new();
    // Writing into memory does not fail.
    let written = page
        .render_title(&mut text)
        .and_then(|()| page.render_name_section(&mut text))
        .and_then(|()| page.render_synopsis_section(&mut text))
        .and_then(|()| page.render_description_section(&mut text))
        .and_then(|()| page.render_options_section(&mut text))
        .and_then(|()| commands(&command).to_writer(&mut text))
        .and_then(|()| exit_status().to_writer(&mut text));
    drop(written);
    text
}

/// Lists every command with its arguments. clap_mangen would refer to a separate page for each command.
fn commands(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for command in command.get_subcommands() {
        roff.control("TP", []);
        let mut head = vec![bold(command.get_name())];
        let arguments = command
            .get_arguments()
            .filter(|argument| !argument.is_global_set() && argument.get_id() != "help");
        let arguments: Vec<_> = arguments.collect();
        for argument in arguments.iter().filter(|argument| argument.is_positional()) {
            head.extend([roman(" "), italic(argument.to_string())]);
        }
        roff.text(head);
        let about = command.get_about().map(ToString::to_string);
        roff.text([roman(about.unwrap_or_default())]);
        for argument in arguments {
            let help = argument.get_help().map(ToString::to_string);
            roff.control("RS", []);
            roff.control("TP", []);
            roff.text([bold(argument.to_string())]);
            roff.text([roman(help.unwrap_or_default())]);
            roff.control("RE", []);
        }
    }
    roff
}

fn exit_status() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in exit::MEANINGS {
        roff.control("TP", []);
        roff.text([bold(code)]);
        roff.text([roman(meaning)]);
    }
    roff
}
