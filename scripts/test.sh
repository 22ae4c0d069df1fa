#!/usr/bin/env bash
# Runs every test. Brings Mosquitto from the system's packages where it is missing: by its package
# manager, or, without the right to install, unpacked into a folder of its own. Brings MCP's reference
# server from npm.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/mosquitto.sh
ZWAVE_TEST_MOSQUITTO=$(mosquitto_program)
export ZWAVE_TEST_MOSQUITTO
. scripts/everything.sh
ZWAVE_TEST_EVERYTHING=$(everything_program)
export ZWAVE_TEST_EVERYTHING
# Snapshots are reviewed by people; a run never accepts one.
export INSTA_UPDATE=no
exec cargo test --locked "$@"
