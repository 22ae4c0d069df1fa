# Sourced by other scripts. Each function prints the path of a program of this package. It builds the
# program first, unless a variable names another one.

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
