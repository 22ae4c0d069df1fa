//! Unit tests of `src/bin/zwave-assistant/options.rs`.

use super::*;
use clap::CommandFactory;

#[test]
fn command_line_definition_is_valid() {
    AssistantCli::command().debug_assert();
}
