#!/usr/bin/env bash
# Builds each feature of the package alone, without a warning: the program and its documentation, or,
# of `client`, the library that a host takes. What they bring along is counted by
# `cargo test --test documentation features`.
set -euo pipefail
cd "$(dirname "$0")/.."
for feature in client server simulator assistant view; do
    echo "feature $feature"
    cargo clippy --locked --lib --bins --no-default-features --features "$feature" -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --lib --no-deps --no-default-features \
        --features "$feature"
done
