#!/usr/bin/env bash
# Checks the dependencies' licenses, versions and sources against deny.toml. `deny.sh advisories` instead checks
# them for security advisories, which come from GitHub. If cargo-deny is missing, builds it in target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:$PWD/target/tools/bin
command -v cargo-deny >/dev/null ||
    cargo install cargo-deny --version 0.20.2 --locked --root target/tools
# Check the number of crates that docs/MEASURED.md states.
crates=$(cargo tree --locked --target x86_64-unknown-linux-gnu --edges normal --prefix none |
    sed 's/ (\*)$//; s/ (proc-macro)$//' | sort -u | tail -n +2 | wc -l)
grep -q "The build has $crates crates" docs/MEASURED.md || {
    echo "the build has $crates crates; docs/MEASURED.md says something else" >&2
    exit 1
}
[ $# -gt 0 ] || set -- licenses bans sources
exec cargo deny --locked check "$@"
