#!/usr/bin/env bash
# Checks that everything, including the tests, compiles with the oldest Rust that Cargo.toml promises. rustup
# installs this Rust. The build has a folder of its own, so that the Rust in daily use need not build anything again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh
promised=$(about rust-version)
rustup toolchain install "$promised" --profile minimal --no-self-update
CARGO_TARGET_DIR=target/promised cargo "+$promised" check --locked --all-targets
