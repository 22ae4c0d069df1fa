#!/usr/bin/env bash
# Runs every test. Brings Mosquitto from the system's packages where it is missing: by its package
# manager, or, without the right to install, unpacked into a folder of its own. Brings MCP's reference
# server from npm. What a plain `cargo test` leaves out where a program is missing fails here.
#
# test.sh                         everything
# test.sh --test SUITE [TEST]     a suite, or a part of it
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/mosquitto.sh
ZWAVE_TEST_MOSQUITTO=$(mosquitto_program)
export ZWAVE_TEST_MOSQUITTO
. scripts/everything.sh
ZWAVE_TEST_EVERYTHING=$(everything_program)
export ZWAVE_TEST_EVERYTHING
command -v python3 >/dev/null || {
    echo "Python 3 is missing; the tests of the documentation need it" >&2
    exit 1
}
export ZWAVE_TEST_ALL=1
# Snapshots are reviewed by people; a run never accepts one.
export INSTA_UPDATE=${INSTA_UPDATE:-no}
# A run without PROPTEST_CASES tries the same made-up cases each time; full.sh tries new ones.
[ -n "${PROPTEST_CASES:-}" ] || export PROPTEST_RNG_SEED=1
# Most tests wait for a house, a broker or a clock: twice as many run at a time as there are processors.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
# Every feature at once: what the default build leaves out is tested in the same build.
exec cargo test --locked --features assistant,view "$@"
