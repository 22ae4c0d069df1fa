#!/usr/bin/env bash
# Fills a folder with the files that accompany the programs: manual pages, completions for five shells, the
# systemd service for `zwave-assistant listen`, and the access list for Mosquitto.
#
#   scripts/release/share.sh PROGRAMS FOLDER
#
# PROGRAMS is the folder with both programs, which print the pages and completions. If the programs don't run
# on this machine, builds programs that do, and uses these instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
programs=${1:?share.sh: it takes the folder with the programs} folder=${2:?share.sh: it takes a folder to write into}

if ! "$programs/$(about name)" --version >/dev/null 2>&1; then
    cargo build --locked --bins
    programs=${CARGO_TARGET_DIR:-target}/debug
fi
mkdir -p "$folder/man" "$folder/completions" "$folder/systemd"
cp packaging/zwave-assistant.service "$folder/systemd/"
cp packaging/mosquitto.acl "$folder/"
for name in "$(about name)" zwave-assistant; do
    program=$programs/$name
    [ -x "$program" ] || program=$program.exe
    "$program" man >"$folder/man/$name.1"
    "$program" completions bash >"$folder/completions/$name.bash"
    "$program" completions zsh >"$folder/completions/_$name"
    "$program" completions fish >"$folder/completions/$name.fish"
    "$program" completions powershell >"$folder/completions/$name.ps1"
    "$program" completions elvish >"$folder/completions/$name.elv"
done
