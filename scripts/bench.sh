#!/usr/bin/env bash
# Measures the release build against its budgets, with houses of 21, 200 and 4,000 nodes, and against a
# bare MQTT client that makes the same writes. Takes some minutes on an otherwise idle machine.
#
# bench.sh          the table of figures
# bench.sh control  only the rows about control
# bench.sh readings only the rows about a gateway without events
# bench.sh many     twenty houses of 200 nodes under one prefix, and ten under prefixes of their own
# bench.sh calls    only the memory after a hundred thousand lists and twenty thousand pings
# bench.sh load     the memory before and after a million value updates and a hundred reconnects; fails if
#                   it grew. An argument sets another number of updates, in thousands
#
# ZWAVE_MCP_BINARY is another server to measure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
ZWAVE_TEST_MOSQUITTO=$(mosquitto_program)
export ZWAVE_TEST_MOSQUITTO
ZWAVE_MCP_BINARY=$(server_program)
export ZWAVE_MCP_BINARY
echo "$(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo unknown) before it starts"
# The measuring program has a profile of its own, so that building it does not replace the release build.
exec cargo bench --locked --profile dev --bench bench -- "$@"
