# Sourced by other scripts. everything_program prints the path of MCP's reference server. If the server is
# missing, npm installs it into target/.

EVERYTHING=2026.8.31

everything_program() {
    local home=$PWD/target/server-everything-$EVERYTHING
    local program=$home/node_modules/.bin/mcp-server-everything
    if [ ! -x "$program" ]; then
        if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
            echo "Node.js (20 or newer) with npm is missing; the tests of the client need it for" \
                "@modelcontextprotocol/server-everything" >&2
            return 1
        fi
        mkdir -p "$home"
        npm install --prefix "$home" --no-fund --no-audit --no-save --loglevel=error \
            "@modelcontextprotocol/server-everything@$EVERYTHING" >&2
    fi
    echo "$program"
}
