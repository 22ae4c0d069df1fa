#!/usr/bin/env bash
# Makes the MCP bundle that a host installs with a double click, in target/bundle: the .mcpb file,
# checked and packed by the official tool, and the server.json that names it with its checksum.
#
#   scripts/bundle.sh                   builds a release and bundles it
#   scripts/bundle.sh --binary FILE     bundles this binary
#   scripts/bundle.sh --stage FOLDER    only lays out what would be packed (needs no node)
set -euo pipefail
cd "$(dirname "$0")/.."

# The official tool, pinned; brought by npm into a folder of ours where it is missing.
MCPB_VERSION=2.1.2

binary= stage=
while [ $# -gt 0 ]; do
    case $1 in
    --binary) binary=$2 && shift 2 ;;
    --stage) stage=$2 && shift 2 ;;
    *) echo "bundle.sh: \"$1\" is not known; it takes --binary FILE and --stage FOLDER" >&2 && exit 2 ;;
    esac
done

case $(uname -s) in
Linux) platform=linux suffix= ;;
Darwin) platform=darwin suffix= ;;
MINGW* | MSYS* | CYGWIN*) platform=win32 suffix=.exe ;;
*) echo "bundle.sh: MCP bundles are for Linux, macOS and Windows" >&2 && exit 1 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
name=zwave-mcp-server
file=$name-$version-$platform-$(uname -m).mcpb

if [ -z "$binary" ]; then
    cargo build --locked --release
    binary=${CARGO_TARGET_DIR:-target}/release/$name$suffix
fi

only_stage=$stage
stage=${stage:-target/bundle/stage}
rm -rf "$stage/server"
mkdir -p "$stage/server"
cp "$binary" "$stage/server/$name$suffix"
chmod 755 "$stage/server/$name$suffix"
cp README.md LICENSE "$stage/"
sed -e "s|^  \"version\": \".*\"|  \"version\": \"$version\"|" \
    -e "s|\"platforms\": \[.*\]|\"platforms\": [\"$platform\"]|" \
    -e "s|server/$name\"|server/$name$suffix\"|" \
    packaging/manifest.json >"$stage/manifest.json"
[ -z "$only_stage" ] || exit 0

command -v npm >/dev/null || {
    echo "bundle.sh: npm is missing; it brings the tool that checks and packs the bundle" >&2
    exit 1
}
mcpb=.tools/mcpb-$MCPB_VERSION/node_modules/.bin/mcpb
[ -x "$mcpb" ] || npm install --silent --no-audit --no-fund --prefix ".tools/mcpb-$MCPB_VERSION" \
    "@anthropic-ai/mcpb@$MCPB_VERSION"
"$mcpb" validate "$stage/manifest.json"
"$mcpb" pack "$stage" "target/bundle/$file"
"$mcpb" info "target/bundle/$file"

# For the registry: the same server.json, with the bundle as a second package.
node - "target/bundle/$file" "$version" <<'NODE'
const fs = require("node:fs");
const [path, version] = process.argv.slice(2);
const bytes = fs.readFileSync(path);
const sum = require("node:crypto").createHash("sha256").update(bytes).digest("hex");
const server = JSON.parse(fs.readFileSync("server.json", "utf8"));
const file = path.split("/").pop();
server.packages.push({
  registryType: "mcpb",
  identifier: `${server.repository.url}/releases/download/v${version}/${file}`,
  version,
  fileSha256: sum,
  transport: { type: "stdio" },
});
fs.writeFileSync("target/bundle/server.json", JSON.stringify(server, null, 2) + "\n");
NODE
echo "target/bundle/$file"
