#!/usr/bin/env bash
# Checks the workflows, by GitHub's own schema and for what makes one unsafe, and every script that they
# or people run. Brings the linters from PyPI in pinned versions.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/pinned.sh
pins=scripts/release folder=target/tools
python lint
PATH=$PWD/target/tools/lint/bin:$PATH
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
zizmor --offline --persona pedantic .github/workflows
shellcheck --severity=warning .ci/run scripts/*.sh scripts/release/*.sh
