#!/usr/bin/env bash
# Unpacks the archive that build.sh has made for a target, and runs its programs: both tell their version, and the
# server lists the demo house. If the target is another processor than this machine's, runs nothing, and says so.
#
#   scripts/release/try.sh TARGET [FOLDER]
#
# FOLDER has the archive; without it, target/archives.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
target=${1:?try.sh: it takes a target, such as aarch64-apple-darwin} archives=${2:-target/archives}
name=$(about name) version=$(about version)

host=$(rustc -vV | sed -n 's/^host: //p')
if [ "${target%%-*}" != "${host%%-*}" ]; then
    echo "try.sh: programs for ${target%%-*} are not run on this machine, which is ${host%%-*}"
    exit 0
fi
unpacked=$(mktemp -d)
trap 'rm -r "$unpacked"' EXIT
suffix=
case $target in
*-windows-*)
    suffix=.exe
    run_python -m zipfile -e "$archives/$name-$version-$target.zip" "$unpacked"
    ;;
*) tar -xzf "$archives/$name-$version-$target.tgz" -C "$unpacked" ;;
esac
programs=$unpacked/$name-$version-$target
for program in "$name" zwave-assistant; do
    told=$("$programs/$program$suffix" --version | tr -d '\r')
    [ "$told" = "$program $version" ] || { echo "try.sh: $program says \"$told\" and not $version" >&2 && exit 1; }
done
house=$("$programs/$name$suffix" list --demo)
case $house in
*"Coffee Machine"*) echo "try.sh: both programs for $target run, and the server lists the demo house" ;;
*) echo "try.sh: $name does not list the demo house: $house" >&2 && exit 1 ;;
esac
