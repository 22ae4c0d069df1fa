#!/usr/bin/env bash
# Everything that .ci/run checks, and what takes longer: the release build with the README's first
# command, and the property tests with many more cases.
set -euo pipefail
cd "$(dirname "$0")/.."
./.ci/run
cargo run --locked --release -- --demo list
PROPTEST_CASES=${PROPTEST_CASES:-20000} ./scripts/test.sh --release --lib --test pure
