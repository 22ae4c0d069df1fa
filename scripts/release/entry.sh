#!/usr/bin/env bash
# Writes the entry for the MCP registry into a folder: a copy of server.json, with an icon and with one more
# package for each MCP bundle in the folder.
#
#   scripts/release/entry.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
exec node - "${1:?entry.sh: it takes the folder with the bundles}" <<'NODE'
const fs = require("node:fs");
const { createHash } = require("node:crypto");
const folder = process.argv[2];
const server = JSON.parse(fs.readFileSync("server.json", "utf8"));
server.icons = [
  {
    src: `${server.repository.url}/raw/v${server.version}/packaging/icon.png`,
    mimeType: "image/png",
    sizes: ["512x512"],
  },
];
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".mcpb")).sort()) {
  server.packages.push({
    registryType: "mcpb",
    identifier: `${server.repository.url}/releases/download/v${server.version}/${file}`,
    version: server.version,
    fileSha256: createHash("sha256").update(fs.readFileSync(`${folder}/${file}`)).digest("hex"),
    transport: { type: "stdio" },
  });
}
fs.writeFileSync(`${folder}/server.json`, JSON.stringify(server, null, 2) + "\n");
NODE
