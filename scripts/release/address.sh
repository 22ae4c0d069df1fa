#!/usr/bin/env bash
# Writes the repository's address of Cargo.toml into the two files that must carry it: the MCP
# registry's entry, and the README's line that proves to the registry whose crate it is.
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
