#!/usr/bin/env bash
# Writes the repository's address and the registry name derived from it into the MCP registry's entry
# (server.json), and this name into the README's line by which the registry checks the crate's owner.
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
