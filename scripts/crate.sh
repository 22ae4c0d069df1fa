#!/usr/bin/env bash
# What crates.io would get: packed and built as `cargo publish` does, and tested by itself, without the
# repository around it.
#
#   scripts/crate.sh             only tries
#   scripts/crate.sh publish     publishes, unless this version is there already
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh
name=$(about name) version=$(about version)
if [ "${1:-}" = publish ]; then
    if cargo info --quiet --registry crates-io "$name@$version" >/dev/null 2>&1; then
        echo "crates.io has $name $version already"
        exit 0
    fi
    exec cargo publish --locked
fi
target=${CARGO_TARGET_DIR:-$PWD/target}
# A checkout of a change that is not committed yet is packed too.
cargo publish --locked --dry-run --allow-dirty --target-dir "$target"
cargo test --locked --manifest-path "$target/package/$name-$version/Cargo.toml" \
    --target-dir "$target"
