#!/usr/bin/env bash
# Checks that the workflows match GitHub's schema and are secure. Lints all shell scripts. Installs the
# linters from PyPI in pinned versions.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/pinned.sh
pins=scripts/release folder=target/tools
install_python_packages lint
PATH=$PWD/target/tools/lint/bin:$PATH
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
zizmor --offline --persona pedantic .github/workflows
shellcheck --severity=warning .ci/run scripts/*.sh scripts/release/*.sh
