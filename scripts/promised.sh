#!/usr/bin/env bash
# Compiles everything, the tests too, with the oldest Rust that Cargo.toml promises. Brings it by rustup,
# and builds in a folder of its own, so that nothing is built again for the Rust in daily use.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh
promised=$(about rust-version)
rustup toolchain install "$promised" --profile minimal --no-self-update
CARGO_TARGET_DIR=target/promised CARGO_PROFILE_DEV_DEBUG=none CARGO_PROFILE_DEV_OPT_LEVEL=0 \
    cargo "+$promised" check --locked --all-targets --features assistant,view
