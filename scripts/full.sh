#!/usr/bin/env bash
# Everything that .ci/run checks, and what takes longer: the release build with the README's first
# command, a thousand calls under random faults, and the property tests with many more cases.
set -euo pipefail
cd "$(dirname "$0")/.."
./.ci/run
cargo run --locked --release -- --demo list
ZWAVE_FAULT_CALLS=${ZWAVE_FAULT_CALLS:-1000} \
    ./scripts/test.sh --test wire faults_random -- --nocapture
PROPTEST_CASES=${PROPTEST_CASES:-20000} ./scripts/test.sh --release --lib --test pure
