#!/usr/bin/env bash
# Packs and builds the crates as `cargo publish` does, and tests ours without the rest of the repository.
#
#   scripts/crate.sh             only checks; needs cargo 1.90 or newer, as older ones pack only one crate at once
#   scripts/crate.sh publish     publishes this version, unless crates.io has it already
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh
name=$(about name) version=$(about version)
# Ours needs the rules, so they are published first.
rules=zwave-home
if [ "${1:-}" = publish ]; then
    for package in "$rules" "$name"; do
        if cargo info --quiet --registry crates-io "$package@$version" >/dev/null 2>&1; then
            echo "crates.io has $package $version already"
        else
            cargo publish --locked --package "$package"
        fi
    done
    exit 0
fi
target=${CARGO_TARGET_DIR:-$PWD/target}
# --allow-dirty also packs changes that are not committed yet.
cargo publish --locked --dry-run --allow-dirty --package "$rules" --package "$name" --target-dir "$target"
cargo test --manifest-path "$target/package/$name-$version/Cargo.toml" --target-dir "$target" \
    --config "patch.crates-io.$rules.path=\"$target/package/$rules-$version\""
