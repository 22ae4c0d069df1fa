#!/usr/bin/env bash
# Derives our name in the MCP registry from the repository's address in Cargo.toml. Writes the name and the
# address into server.json. Writes the name into README.md, too, where the registry looks for it to check that
# the crate is ours.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
address=$(about repository) name=$(registry_name)
replace() {
    sed -e "$1" "$2" >"$2.new"
    mv "$2.new" "$2"
}
replace "s|^mcp-name: .*|mcp-name: $name|" README.md
replace "s|^  \"name\": \".*\"|  \"name\": \"$name\"|; s|^    \"url\": \".*\"|    \"url\": \"$address\"|" server.json
