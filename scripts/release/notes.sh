#!/usr/bin/env bash
# Prints the release notes: which file is for which computer, and then the changelog's section for this version, with
# absolute links.
#
#   scripts/release/notes.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
name=$(about name) version=$(about version)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

row() {
    echo "| $1 | \`$name-$version-$2.$3\` | \`$name-$version-$2.mcpb\` |"
}
{
    echo "| your computer | programs and documentation | MCP bundle |"
    echo "|---|---|---|"
    row "Windows" x86_64-pc-windows-msvc zip
    row "Mac with Apple silicon (M1 and later)" aarch64-apple-darwin tgz
    row "Mac with an Intel processor" x86_64-apple-darwin tgz
    row "Linux on a PC (x86_64)" x86_64-unknown-linux-musl tgz
    row "Linux on ARM, 64 bits (Raspberry Pi)" aarch64-unknown-linux-musl tgz
    row "Linux on ARM, 32 bits" armv7-unknown-linux-musleabihf tgz
    echo
    echo "A host that takes MCP bundles, such as Claude Desktop on Windows and macOS, opens one with a double click."
    echo "There is no container image to download: \`scripts/container.sh load\` in a checkout makes one."
    echo
    echo "[How to install, update and uninstall it](docs/INSTALL.md)"
    awk -v version="$version" '
        /^## / { is_ours = index($0, "## [" version "]"); next }
        is_ours' CHANGELOG.md
} >"$folder/notes.md"
link_pages "$folder"
cat "$folder/notes.md"
