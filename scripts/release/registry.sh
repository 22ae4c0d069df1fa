#!/usr/bin/env bash
# Publishes target/archives/server.json in the MCP registry. Downloads a pinned version of the registry's own
# program. Works only in this repository's GitHub workflow, because the login is the identity of that workflow.
set -euo pipefail
cd "$(dirname "$0")/../.."
PUBLISHER=1.7.9
SHA256=ab128162b0616090b47cf245afe0a23f3ef08936fdce19074f5ba0a4469281ac
mkdir -p target/tools
cd target/tools
curl --fail --silent --show-error --location --output publisher.tgz \
    "https://github.com/modelcontextprotocol/registry/releases/download/v$PUBLISHER/mcp-publisher_linux_amd64.tar.gz"
echo "$SHA256  publisher.tgz" | sha256sum --check
tar -xzf publisher.tgz mcp-publisher
cd ../archives
../tools/mcp-publisher validate server.json
../tools/mcp-publisher login github-oidc
../tools/mcp-publisher publish server.json
