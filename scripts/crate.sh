#!/usr/bin/env bash
# Packs and builds the crate as `cargo publish` does, and tests it without the rest of the repository.
#
#   scripts/crate.sh             only checks
#   scripts/crate.sh publish     publishes this version, unless crates.io has it already
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
# --allow-dirty also packs changes that are not committed yet.
cargo publish --locked --dry-run --allow-dirty --target-dir "$target"
cargo test --locked --manifest-path "$target/package/$name-$version/Cargo.toml" \
    --target-dir "$target"
