#!/usr/bin/env bash
# Builds each feature of the package alone, without warnings, and its documentation. For `client`, which a
# host uses as a library, only the library is built. `cargo test --test documentation features` counts
# the crates that each feature needs.
set -euo pipefail
cd "$(dirname "$0")/.."
for feature in client server simulator assistant view; do
    echo "feature $feature"
    cargo clippy --locked --lib --bins --no-default-features --features "$feature" -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --lib --no-deps --no-default-features \
        --features "$feature"
done
