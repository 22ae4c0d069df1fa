#!/usr/bin/env bash
# Writes the licence texts of all crates in the programs for a target. If cargo-about is missing, builds it from
# crates.io into target/tools. Reads the crates only, and no server of licences.
#
#   scripts/release/licenses.sh TARGET FILE
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?licenses.sh: it takes a target} file=${2:?licenses.sh: it takes a file to write}
export PATH=$PATH:$PWD/target/tools/bin
command -v cargo-about >/dev/null ||
    cargo install cargo-about --locked --version 0.9.3 --features cli --root target/tools
cargo about generate --locked --fail --target "$target" \
    --config packaging/licenses/about.toml packaging/licenses/about.hbs --output-file "$file"
