#!/usr/bin/env bash
# Tests the page that shows the house, in a real Chromium. The page is in a sandboxed frame, and MCP Apps' own
# library acts as the host. The real server controls a simulated house on a real Mosquitto. The tests check
# the house, not only the page. Screenshots go to target/view/screenshots.
#
# view.sh            every test, with the program that is released
# view.sh quick      one click, in the demo house
# view.sh WORD...    the tests whose names contain all of these words
#
# ZWAVE_MCP_BINARY can name another server, ZWAVE_HOUSE_BINARY another build of the house. Installs pinned
# versions of the libraries from npm into target/view. If Chromium is missing, installs the system's package.
# Needs node 20 or newer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/built.sh
. scripts/mosquitto.sh
. scripts/packages.sh
. scripts/pinned.sh
folder=$PWD/target/view pins=scripts/view
mkdir -p "$folder"

find_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
}

chromium_program() {
    find_chromium && return
    install_packages chromium || {
        echo "Chromium is missing, and this script can't install it here; install it with your package manager" >&2
        return 1
    }
    find_chromium
}

chromium=$(chromium_program)
install_npm_packages browser
server=$(server_program)
mosquitto=none house=none
if [ "${1:-}" != quick ]; then
    mosquitto=$(mosquitto_program)
    house=$(house_program)
fi
# Copy the tests beside the libraries: Node looks for a package beside the file that imports it.
rm -rf "$folder/browser/tests"
mkdir "$folder/browser/tests"
cp scripts/view/*.mjs "$folder/browser/tests/"
exec node "$folder/browser/tests/run.mjs" "$folder" "$chromium" "$server" "$mosquitto" "$house" "$@"
