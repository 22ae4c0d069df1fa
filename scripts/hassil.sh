#!/usr/bin/env bash
# Compares the time to understand a sentence with that of hassil, which understands sentences in Home Assistant. Fails
# if a language needs more than a quarter of hassil's time: the median over the sentences that both understand.
#
#   scripts/hassil.sh [DIR]
#
# DIR is a folder of sentence files (fixtures/sentences). Installs pinned versions of hassil and its sentences from PyPI
# into target/hassil.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/pinned.sh
folder=$PWD/target/hassil pins=scripts/hassil
sentences=${1:-fixtures/sentences}
mkdir -p "$folder"
install_python_packages hassil
cargo run --locked --quiet --profile dist --example eval -- "$sentences" --times "$folder/times.json" >/dev/null
exec "$folder/hassil/bin/python" scripts/hassil/compare.py "$sentences" "$folder/times.json"
