#!/usr/bin/env bash
# Measures the release build beside its budgets, on houses of 21, 200 and 4,000 nodes, and beside a
# bare MQTT client that does the same writes. Wants the machine for itself, for some minutes.
#
# bench.sh          the table of figures
# bench.sh control  its rows of control alone
# bench.sh readings its rows of a gateway without events alone
# bench.sh many     twenty houses of 200 nodes under one prefix, and ten under prefixes of their own
# bench.sh calls    memory after a hundred thousand lists and twenty thousand pings alone
# bench.sh load     memory before and after a million value updates and a hundred reconnects; fails
#                   where it is not flat. A number after it is for fewer: thousands of updates
#
# ZWAVE_MCP_BINARY names another server to measure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
ZWAVE_TEST_MOSQUITTO=$(mosquitto_program)
export ZWAVE_TEST_MOSQUITTO
ZWAVE_MCP_BINARY=$(server_program)
export ZWAVE_MCP_BINARY
echo "$(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo unknown) before it starts"
# The profile is the program's that measures; in its folder the release build is not overwritten.
exec cargo bench --locked --profile dev --bench bench -- "$@"
