# Sourced by other scripts: the programs of this package that they play, unless a variable names others.

# The server, built for a release with these options of cargo's.
server_program() {
    [ -n "${ZWAVE_MCP_BINARY:-}" ] || cargo build --locked --release "$@" >&2 || return
    echo "${ZWAVE_MCP_BINARY:-$PWD/target/release/zwave-mcp-server}"
}

# The simulated house on a broker.
house_program() {
    [ -n "${ZWAVE_HOUSE_BINARY:-}" ] || cargo build --locked --example house >&2 || return
    echo "${ZWAVE_HOUSE_BINARY:-target/debug/examples/house}"
}
