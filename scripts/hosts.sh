#!/usr/bin/env bash
# Runs the programs that people use as hosts, with the server and a simulated house on a real Mosquitto. A
# stand-in on this machine replaces the model. Checks that each host finds the server, lists the house,
# controls a device, gets an error for a mistake, and leaves no server running. Asks the house whether the
# device did as it was told. Each host also tries to unlock a door. This shows what the host does with the
# question that `--guard confirm` asks. Prints a table. Fails if the table differs from docs/MEASURED.md.
#
# Also compares the entries of hosts that can't be run here with those that another program writes, and runs mcpo
# with the entry for Open WebUI. Fails if an entry differs.
#
# hosts.sh          every host and entry, with the program that is released
# hosts.sh formats  only the entries of hosts that can't be run here
# hosts.sh NAME...  only these hosts, by their names in the table
#
# ZWAVE_MCP_BINARY can name another server. Installs pinned versions of the hosts from npm and PyPI into
# target/hosts (2 GB). To see whether a host has changed, raise its version there. Needs npm and python 3.13 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/pinned.sh
mosquitto=$(mosquitto_program)
folder=$PWD/target/hosts pins=scripts/hosts
mkdir -p "$folder"

# Several hosts need a newer Python than most systems have.
newest_python() {
    local candidate
    for candidate in python3.14 python3.13 "$HOME"/.pyenv/versions/3.1[34]*/bin/python3 python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "python 3.13 or newer is missing" >&2
    # full.sh leaves out a stage that ends with this code.
    return 77
}

interpreter=$(newest_python)
server=$(server_program)
if [ "${1:-formats}" = formats ]; then
    install_npm_packages formats
    install_python_packages mcpo "$interpreter"
    node scripts/hosts/formats.mjs "$folder/formats" "$server"
    PYTHONDONTWRITEBYTECODE=1 "$interpreter" scripts/hosts/mcpo.py "$folder/mcpo" "$server"
fi
[ "${1:-}" != formats ] || exit 0
install_npm_packages programs
for host in llm fast-agent mistral-vibe; do
    install_python_packages "$host" "$interpreter"
done
house=$(house_program)
command=(python3 scripts/hosts/run.py "$folder" "$mosquitto" "$house" "$server" "$@")
# Cut the internet off if the system allows that. Otherwise only a proxy refuses connections to the internet.
if [ "$(id -u)" = 0 ] && unshare --net ip link set lo up 2>/dev/null; then
    command=(unshare --net sh -c 'ip link set lo up && exec "$@"' - "${command[@]}")
fi
PYTHONDONTWRITEBYTECODE=1 exec "${command[@]}"
