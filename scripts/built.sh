# Sourced by other scripts. Builds the programs of this package that a script runs, unless a variable
# names other ones.

# Builds the server as a release, with these options for cargo.
server_program() {
    [ -n "${ZWAVE_MCP_BINARY:-}" ] || cargo build --locked --release "$@" >&2 || return
    echo "${ZWAVE_MCP_BINARY:-$PWD/target/release/zwave-mcp-server}"
}

# Builds the simulated house that connects to a broker.
house_program() {
    [ -n "${ZWAVE_HOUSE_BINARY:-}" ] || cargo build --locked --example house >&2 || return
    echo "${ZWAVE_HOUSE_BINARY:-target/debug/examples/house}"
}
