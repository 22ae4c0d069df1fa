#!/usr/bin/env bash
# The programs that people use as hosts, against the server and a simulated house on a real Mosquitto,
# each with a stand-in for its model on this machine: each finds the server, lists the house, controls a
# device (checked at the house), shows an error, and leaves no server behind; what it makes of
# `--guard confirm` is seen at the lock. Prints a table; fails where anything is not as it should be, or
# as docs/HOSTS.md says.
#
# hosts.sh          every host, against the release build
# hosts.sh NAME...  these, by their names in the table
#
# ZWAVE_MCP_BINARY names another server. The hosts come from npm and PyPI, in pinned versions, into
# target/hosts (2 GB); needs npm and python 3.13 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/pinned.sh
mosquitto=$(mosquitto_program)
folder=$PWD/target/hosts pins=scripts/hosts
mkdir -p "$folder"

# Several are for a newer Python than most systems' own.
newest_python() {
    local candidate
    for candidate in python3.14 python3.13 "$HOME"/.pyenv/versions/3.1[34]*/bin/python3 python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "python 3.13 or newer is missing" >&2
    # full.sh leaves out what can't run.
    return 77
}

javascript programs
interpreter=$(newest_python)
for host in llm fast-agent mistral-vibe; do
    python "$host" "$interpreter"
done
server=$(server_program)
house=$(house_program)
play=(python3 scripts/hosts/run.py "$folder" "$mosquitto" "$house" "$server" "$@")
# Without a way to the internet where that can be had, not only with a proxy that refuses it.
if [ "$(id -u)" = 0 ] && unshare --net ip link set lo up 2>/dev/null; then
    play=(unshare --net sh -c 'ip link set lo up && exec "$@"' - "${play[@]}")
fi
PYTHONDONTWRITEBYTECODE=1 exec "${play[@]}"
