#!/usr/bin/env bash
# Tries the server with a simulated house on many brokers. On each broker, tries control with proof, retained
# messages, and TLS with a password. Also kills and restarts the gateway and the broker. Then runs three
# RabbitMQ nodes as one cluster, and kills each node in turn during a thousand calls. Prints tables. Fails if
# the table of the brokers differs from docs/SETTINGS.md, or if anything is wrong in the cluster.
#
# brokers.sh            everything, with the program that is released
# brokers.sh NAME...    only these brokers, by their names in the table
# brokers.sh cluster    only the cluster
#
# ZWAVE_MCP_BINARY can name another server, ZWAVE_HOUSE_BINARY another build of the house. Debian's brokers are
# installed as packages. Those from npm, PyPI and crates.io are installed in target/brokers, in pinned versions.
# All brokers listen only on 127.0.0.1. Needs Linux, node 20 and python 3.11 or newer. If RabbitMQ or ejabberd is
# missing, needs the right to install packages.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/packages.sh
. scripts/pinned.sh
mosquitto=$(mosquitto_program)
folder=$PWD/target/brokers pins=scripts/brokers
mkdir -p "$folder"

# Installs packages without starting their services, because this script starts each broker itself.
install_debian_packages() {
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
    install_packages "${missing[@]}"
    [ -z "$ours" ] || rm "$policy"
}

install_debian_packages rabbitmq-server ejabberd
if [ "${1:-}" != cluster ]; then
    install_npm_packages npm
    install_python_packages amqtt
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
