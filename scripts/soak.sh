#!/usr/bin/env bash
# Runs the real binaries for a long time, with a simulated house on a real Mosquitto. Changes values and names,
# makes valid and invalid calls, has a person asked on a topic, sets timers by sentences, subscribes, kills and restarts the broker and the gateway, cuts the gateway off from
# the broker, stops the server's process, and leaves its connection half open. Prints the memory, descriptors and
# threads at the start and at the end. Fails if the memory grew by more than 3 MiB, if there are more descriptors or
# threads, if an answer did not match the house, or if a write was doubled or late.
#
# soak.sh            an hour
# soak.sh SECONDS    this long
#
# ZWAVE_MCP_BINARY can name another server, ZWAVE_ASSISTANT_BINARY another assistant beside its server,
# ZWAVE_HOUSE_BINARY another build of the house. Needs Linux
# (because of /proc) and python 3.11 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
command -v mosquitto_sub >/dev/null || install_packages mosquitto-clients
mosquitto=$(mosquitto_program)
server=$(server_program)
assistant=$(assistant_program)
house=$(house_program)
PYTHONDONTWRITEBYTECODE=1 exec python3 scripts/soak/soak.py "${1:-3600}" "$mosquitto" "$house" "$server" "$assistant"
