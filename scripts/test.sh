#!/usr/bin/env bash
# Runs all tests. If Mosquitto is missing, installs it by the package manager. If the user may not install
# packages, unpacks Mosquitto into .tools instead. Installs MCP's reference server from npm. A test whose
# program is missing fails here. A plain `cargo test` skips it.
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
# People review snapshots. A test run never accepts one.
export INSTA_UPDATE=${INSTA_UPDATE:-no}
# Without PROPTEST_CASES, each run tries the same random cases. full.sh tries new ones.
[ -n "${PROPTEST_CASES:-}" ] || export PROPTEST_RNG_SEED=1
# Most tests only wait for a house, a broker or a clock. So run four times as many at once as there are processors.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((4 * $(getconf _NPROCESSORS_ONLN)))}
exec cargo test --locked "$@"
