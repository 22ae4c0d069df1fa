# Sourced by other scripts. Each function builds a program of this package, unless a variable names another
# one, and prints the path of the program.

# The server, as a release. The arguments are options for cargo.
server_program() {
    [ -n "${ZWAVE_MCP_BINARY:-}" ] || cargo build --locked --release "$@" >&2 || return
    echo "${ZWAVE_MCP_BINARY:-$PWD/target/release/zwave-mcp-server}"
}

# The simulated house, which connects to a broker.
house_program() {
    [ -n "${ZWAVE_HOUSE_BINARY:-}" ] || cargo build --locked --example house >&2 || return
    echo "${ZWAVE_HOUSE_BINARY:-target/debug/examples/house}"
}
