#!/usr/bin/env bash
# The server and a simulated house on every broker that can be had: what the gateway keeps, control with
# proof, a gateway that dies and returns, a broker that does, TLS with a password. Then three nodes of
# RabbitMQ as one cluster, killed in turn under a thousand calls. Prints tables; fails where anything is
# not as it should be, or as docs/BROKERS.md says.
#
# brokers.sh            all of it, against the release build
# brokers.sh NAME...    these brokers, by their names in the table
# brokers.sh cluster    the cluster alone
#
# ZWAVE_MCP_BINARY names another server, ZWAVE_HOUSE_BINARY another build of the house. The brokers come
# from Debian, npm, PyPI and crates.io, the latter three in pinned versions, into target/brokers; nothing
# but this machine's own address is listened at. Needs Linux, node 20 and python 3.11 or newer, and the
# right to install packages where RabbitMQ or ejabberd is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/pinned.sh
mosquitto=$(mosquitto_program)
folder=$PWD/target/brokers pins=scripts/brokers
mkdir -p "$folder"

# Packages of Debian's whose services stay off: each broker runs as a process of ours.
debian() {
    local missing=() package
    for package; do
        dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q ' installed$' ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local policy=/usr/sbin/policy-rc.d ours=
    if [ ! -e "$policy" ]; then
        ours=yes
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
    fi
    apt-get -qq update >&2
    DEBIAN_FRONTEND=noninteractive apt-get -qq --yes --no-install-recommends install "${missing[@]}" >&2
    [ -z "$ours" ] || rm "$policy"
}

debian rabbitmq-server ejabberd
if [ "${1:-}" != cluster ]; then
    javascript npm
    python amqtt
    cargo build --quiet --locked --manifest-path "$pins/rumqttd/Cargo.toml" --target-dir "$folder/rumqttd"
fi
server=$(server_program)
house=$(house_program)
export PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" != cluster ]; then
    python3 scripts/brokers/run.py "$folder" "$mosquitto" "$house" "$server" "$@"
fi
if [ $# -eq 0 ] || [ "$1" = cluster ]; then
    python3 scripts/brokers/cluster.py "$folder" "$house" "$server"
fi
