#!/usr/bin/env bash
# Runs real clients with the server and a simulated house on a real Mosquitto. Each client lists the tools and
# the house, controls a device, gets an error for a mistake, and closes the connection. Asks the house whether
# the device did as it was told. Prints a table. Fails if anything is wrong.
#
# Also runs MCP's conformance suite. Fails if a scenario ends otherwise than the list in
# scripts/interop/conformance says.
#
# interop.sh              every client and the suite, with the program that is released
# interop.sh quick        the three quickest clients
# interop.sh conformance  the suite
# interop.sh NAME...      only these clients, by their names in the table
#
# ZWAVE_MCP_BINARY can name another server, ZWAVE_HOUSE_BINARY another build of the house. Installs pinned versions
# of the clients from npm and PyPI into target/interop. Needs node 20 and python 3.11 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/pinned.sh
mosquitto=$(mosquitto_program)
folder=$PWD/target/interop pins=scripts/interop
mkdir -p "$folder"

server=$(server_program)
if [ "${1:-conformance}" = conformance ]; then
    install_npm_packages conformance
    python3 scripts/interop/conformance.py "$folder" "$server"
fi
[ "${1:-}" != conformance ] || exit 0
install_npm_packages sdk
install_python_packages mcp-1
if [ "${1:-}" != quick ]; then
    install_npm_packages more
    for client in mcp-2 fastmcp langchain pydantic-ai openai-agents; do
        install_python_packages "$client"
    done
fi
house=$(house_program)
exec python3 scripts/interop/run.py "$folder" "$mosquitto" "$house" "$server" "$@"
