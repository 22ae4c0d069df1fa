#!/usr/bin/env bash
# Builds the MCP bundle that a host installs with a double click: a .mcpb file in target/bundle. The official tool
# checks it. It is packed here, because the official tool writes the time of packing into it.
#
#   scripts/bundle.sh                   builds a release and bundles it
#   scripts/bundle.sh --programs FOLDER bundles the two programs in FOLDER
#   scripts/bundle.sh --target TARGET   with --programs: their Rust target, if it is not this machine's
#   scripts/bundle.sh --licenses FILE   the page with the texts of all licences; without it, LICENSES.html in the folder
#                                       of the programs, or else one that is made in target/bundle by cargo-about, which
#                                       is built first if it is missing
#   scripts/bundle.sh --stage FOLDER    only prepares the folder to pack (does not need Node.js)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh

# The version of the official tool. If the tool is missing, npm installs it into .tools/.
MCPB_VERSION=2.1.2

programs= stage= target= licenses=
while [ $# -gt 0 ]; do
    case $1 in
    --programs) programs=$2 && shift 2 ;;
    --licenses) licenses=$2 && shift 2 ;;
    --stage) stage=$2 && shift 2 ;;
    --target) target=$2 && shift 2 ;;
    *) echo "bundle.sh: \"$1\" is not known; the options are --programs, --target, --licenses and --stage" >&2 && exit 2 ;;
    esac
done

target=${target:-$(rustc -vV | sed -n 's/^host: //p')}
case $target in
*-linux-*) platform=linux suffix= system="Linux on ${target%%-*}" ;;
aarch64-*-darwin) platform=darwin suffix= system="Macs with Apple silicon" ;;
*-darwin) platform=darwin suffix= system="Macs with an Intel processor" ;;
*-windows-*) platform=win32 suffix=.exe system=Windows ;;
*) echo "bundle.sh: MCP bundles are for Linux, macOS and Windows, not for $target" >&2 && exit 1 ;;
esac
version=$(about version)
name=$(about name)
file=$name-$version-$target.mcpb

if [ -z "$programs" ]; then
    cargo build --locked --profile dist --bins
    programs=${CARGO_TARGET_DIR:-target}/dist
fi
if [ -z "$licenses" ] && [ -e "$programs/LICENSES.html" ]; then
    licenses=$programs/LICENSES.html
elif [ -z "$licenses" ]; then
    licenses=target/bundle/LICENSES.html
    mkdir -p target/bundle
    ./scripts/release/licenses.sh "$target" "$licenses" >&2
fi
[ -e "$licenses" ] || { echo "bundle.sh: there is no file $licenses with the licences" >&2 && exit 1; }

only_stage=$stage
stage=${stage:-target/bundle/stage}
rm -rf "$stage/server" "$stage/share"
mkdir -p "$stage/server" "$stage/share"
for program in "$name$suffix" "zwave-assistant$suffix"; do
    install -m 755 "$programs/$program" "$stage/server/$program"
done
cp README.md LICENSE packaging/icon.png "$stage/"
cp "$licenses" "$stage/LICENSES.html"
if [ -d "$programs/man" ]; then
    # These programs come from a release's archive, which already contains the files for the share folder.
    cp -r "$programs/man" "$programs/completions" "$programs/systemd" "$programs/mosquitto.acl" "$stage/share/"
else
    ./scripts/release/share.sh "$programs" "$stage/share" >&2
fi
sed -e "s|@version@|$version|" \
    -e "s|@repository@|$(about repository)|" \
    -e "s|@platform@|$platform|" \
    -e "s|@system@|$system|" \
    -e "s|server/$name\"|server/$name$suffix\"|" \
    packaging/manifest.json >"$stage/manifest.json"
[ -z "$only_stage" ] || exit 0
link_pages "$stage"

command -v npm >/dev/null || {
    echo "bundle.sh: npm is missing; it brings the tool that checks and packs the bundle" >&2
    exit 1
}
mcpb=.tools/mcpb-$MCPB_VERSION/node_modules/.bin/mcpb
[ -x "$mcpb" ] || npm install --silent --no-audit --no-fund --prefix ".tools/mcpb-$MCPB_VERSION" \
    "@anthropic-ai/mcpb@$MCPB_VERSION"
"$mcpb" validate "$stage/manifest.json"
pack "$stage" "target/bundle/$file"
"$mcpb" info "target/bundle/$file"
echo "target/bundle/$file"
