#!/usr/bin/env bash
# Lints the package and builds its documentation, with each feature alone. A warning is an error.
# `cargo test --test documentation features` counts the crates that each feature needs.
set -euo pipefail
cd "$(dirname "$0")/.."
for feature in client server assistant view; do
    echo "feature $feature"
    cargo clippy --locked --lib --bins --no-default-features --features "$feature" -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --lib --no-deps --no-default-features \
        --features "$feature"
done
