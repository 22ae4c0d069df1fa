#!/usr/bin/env bash
# Tries devices and products of a folder: serves each node document of its nodes/, and compares what is listed
# and written with expect.json, and each product of its products.json with what its category says
# (tests/houses/catalog). Prints what is not true, and totals for each kind of fault and each category. Fails
# with 3 if anything is not true.
#
# devices.sh DIR             all (fixtures/catalog is such a folder)
# devices.sh DIR FILE        only this document
# devices.sh DIR CATEGORY    only these products; "devices" or "products" for all of either
#
# PROFILE=dev builds faster than the profile of releases, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --quiet --profile "${PROFILE:-dist}" --example devices -- "$@"
