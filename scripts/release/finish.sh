#!/usr/bin/env bash
# Completes target/archives, which already contains one archive for each target. Adds the MCP bundles, the MCP
# registry's entry, a list of the programs' components (SBOM), and the checksums of all files. Writes the release
# notes to target/notes.txt. If cargo-cyclonedx is missing, builds it from crates.io into target/tools.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
name=$(about name) version=$(about version) archives=target/archives

unpacked=$(mktemp -d)
trap 'rm -r "$unpacked"' EXIT
for archive in "$archives/$name-$version-"*.tgz "$archives/$name-$version-"*.zip; do
    [ -e "$archive" ] || continue
    folder=$(basename "${archive%.*}")
    case $archive in
    *.zip) python3 -m zipfile -e "$archive" "$unpacked" ;;
    *) tar -xzf "$archive" -C "$unpacked" ;;
    esac
    ./scripts/bundle.sh --target "${folder#"$name-$version-"}" --programs "$unpacked/$folder"
    mv "target/bundle/$folder.mcpb" "$archives/"
done
./scripts/release/entry.sh "$archives"

export PATH=$PATH:$PWD/target/tools/bin
command -v cargo-cyclonedx >/dev/null ||
    cargo install cargo-cyclonedx --locked --version 0.5.9 --root target/tools
cargo cyclonedx --format json --spec-version 1.5 --override-filename sbom
mv sbom.json "$archives/sbom.cdx.json"
# The workspace's other packages get one each, too.
rm -f src/home/sbom.json tests/simulator/sbom.json

./scripts/release/notes.sh >target/notes.txt
cd "$archives"
rm -f SHA256SUMS
sha256sum -- * >SHA256SUMS
