#!/usr/bin/env bash
# One long life of the real binary, with a simulated house on a real Mosquitto: values, renames, calls
# right and wrong, subscriptions, and broker and gateway dying and returning. Prints its memory,
# descriptors and threads at start and end, and fails where they have grown (memory by more than
# 3 MiB, the others at all), or where an answer was not what the house is.
#
# soak.sh            an hour
# soak.sh SECONDS    as long as that, with up to a minute before it is first measured
#
# ZWAVE_MCP_BINARY names another server, ZWAVE_HOUSE_BINARY another build of the house. Needs Linux,
# for /proc, and python 3.11 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
mosquitto=$(mosquitto_program)
server=$(server_program)
house=$(house_program)
PYTHONDONTWRITEBYTECODE=1 exec python3 scripts/soak/soak.py "${1:-3600}" "$mosquitto" "$house" "$server"
