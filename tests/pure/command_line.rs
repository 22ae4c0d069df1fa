//! The command line, its completions and its manual page.

use clap::{CommandFactory, Parser, ValueEnum};
use clap_complete::Shell;
use zwave_mcp_server::cli::packaging::{completions, manual};
use zwave_mcp_server::cli::{Cli, Command, Talk};

#[test]
fn the_command_line_definition_is_valid() {
    Cli::command().debug_assert();
}

#[test]
fn all_arguments_after_the_server_option_are_the_command_of_that_server() {
    let typed = "zwave-mcp-server call echo {} --server npx -y x --json".split(' ');
    let Some(Command::Talk(talk)) = Cli::try_parse_from(typed).unwrap().command else {
        panic!("no call")
    };
    assert!(matches!(talk, Talk::Call { json: false, .. }));
    assert_eq!(talk.server(), ["npx", "-y", "x", "--json"]);
}

#[test]
fn options_passed_on_as_arguments_are_parsed_to_the_same_options() {
    let typed = "zwave-mcp-server list --demo --broker mqtt://h --broker=mqtt://i,mqtts://j \
                 --gateway a --gateway b --reply-timeout=2s --expose=Kitchen/* --hide=kind:lock \
                 --hide=Attic --guarded=Barn/Auger --unguarded=Gate --ca-file=ca.pem \
                 --client-cert=me.pem --client-key=me.key --log-file=logs --log-days=3 --read-only";
    let options = Cli::try_parse_from(typed.split(' ')).unwrap().options;
    let mut passed = vec!["zwave-mcp-server".to_owned()];
    passed.extend(options.arguments());
    let parsed = Cli::try_parse_from(passed).unwrap().options;
    assert_eq!(format!("{options:?}"), format!("{parsed:?}"));
}

#[test]
fn every_option_and_command_is_in_the_completions_and_the_manual() {
    let mut command = Cli::command();
    command.build();
    let options: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long())
        .map(str::to_owned)
        .collect();
    let commands: Vec<String> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .map(str::to_owned)
        .collect();
    assert!(options.len() > 10 && commands.len() > 4);
    let manual = String::from_utf8(manual(Cli::command())).unwrap().replace("\\-", "-");
    for name in options.iter().chain(&commands) {
        assert!(manual.contains(name.as_str()), "the manual lacks {name}");
    }
    let arguments = command.get_arguments();
    for argument in arguments.filter(|argument| argument.get_long() != Some("help")) {
        let help = argument.get_help().map(ToString::to_string).unwrap();
        // roff escapes apostrophes.
        let start = help.split(['[', '\'']).next().unwrap().trim();
        assert!(manual.contains(start), "the manual lacks {start:?}");
    }
    for shell in Shell::value_variants() {
        let script = String::from_utf8(completions(Cli::command(), *shell)).unwrap();
        for name in options.iter().chain(&commands) {
            assert!(script.contains(name.as_str()), "{shell} lacks {name}");
        }
    }
}
