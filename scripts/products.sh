#!/usr/bin/env bash
# Reads the descriptions of all products in zwave-js's database with the table of words (src/home/products.toml).
# Prints, for each nature and each of its words, the descriptions that the word decided, so that a person can read
# whether they are right. Gets the database, @zwave-js/config, from npm.
#
# products.sh           all words
# products.sh NATURE    only one nature ("valve"), "nothing", or "undecided"
set -euo pipefail
cd "$(dirname "$0")/.."
version=15.29.0
folder=target/zwave-js-config-$version
if [ ! -f "$folder/products.json" ]; then
    mkdir -p "$folder"
    archive=$(cd "$folder" && npm pack --silent "@zwave-js/config@$version")
    tar -xzf "$folder/$archive" -C "$folder" package/config/devices
    python3 scripts/devices/flatten.py "$folder/package/config/devices" >"$folder/products.json"
fi
exec cargo run --locked --quiet --example devices -- --words "$folder/products.json" "$@"
