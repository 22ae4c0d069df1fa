#!/usr/bin/env bash
# Measures the program that is released (profile `dist`) with houses of 21, 200 and 4,000 nodes. Compares the
# figures with budgets, and the time of commands with that of a bare MQTT client. Takes some minutes on an
# otherwise idle machine.
#
# bench.sh           the table of figures
# bench.sh control   only the rows about control
# bench.sh processor only the processor's time of a list and of a decision
# bench.sh readings  only the rows about a gateway without events
# bench.sh many      up to twenty houses of 200 nodes under one prefix, then up to ten with one prefix each
# bench.sh calls     the memory before and after 100,000 lists, and before and after 20,000 pings
# bench.sh load      checks that memory, descriptors and threads do not grow during a million value updates and
#                    a hundred reconnects. `load N` makes N thousand updates and N / 10 reconnects
#
# ZWAVE_MCP_BINARY can name another server to measure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
ZWAVE_TEST_MOSQUITTO=$(mosquitto_program)
export ZWAVE_TEST_MOSQUITTO
ZWAVE_MCP_BINARY=$(server_program)
export ZWAVE_MCP_BINARY
echo "$(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || echo unknown) before the measurement"
exec cargo bench --locked --bench bench -- "$@"
