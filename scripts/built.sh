# Sourced by other scripts. Each function prints the path of a program. An environment variable can name this
# program. Without the variable, the function builds the program from this package.

# Builds the server with the profile of releases.
server_program() {
    [ -n "${ZWAVE_MCP_BINARY:-}" ] || cargo build --locked --profile dist --bin zwave-mcp-server >&2 || return
    echo "${ZWAVE_MCP_BINARY:-$PWD/target/dist/zwave-mcp-server}"
}

# Builds the assistant with the profile of releases, beside its server.
assistant_program() {
    [ -n "${ZWAVE_ASSISTANT_BINARY:-}" ] || cargo build --locked --profile dist --bins >&2 || return
    echo "${ZWAVE_ASSISTANT_BINARY:-$PWD/target/dist/zwave-assistant}"
}

# Builds the simulated house, which connects to a broker.
house_program() {
    [ -n "${ZWAVE_HOUSE_BINARY:-}" ] || cargo build --locked --example house >&2 || return
    echo "${ZWAVE_HOUSE_BINARY:-target/debug/examples/house}"
}
