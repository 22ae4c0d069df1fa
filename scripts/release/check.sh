#!/usr/bin/env bash
# Checks that a tag may be released: Cargo.toml and the changelog have the tag's version, nothing is "Unreleased" in the
# changelog, Cargo.toml has the repository's address, and no page for users says that nothing is released.
#
#   scripts/release/check.sh TAG ADDRESS
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
tag=${1:?check.sh: it takes a tag and the repository\'s address} address=${2:?check.sh: the address is missing}

# What pages say of a release that is still to come.
UNRELEASED='nothing is released yet|not been released|been no release|(nothing|no packages) to download'
UNRELEASED+='|works from a checkout|in your checkout, once you have updated it|a release will|registry will be'
UNRELEASED+='|(until|once) there is a release'

fail() {
    echo "check.sh: $*" >&2
    exit 1
}
version=$(about version)
[ "$tag" = "v$version" ] || fail "the tag is $tag, and Cargo.toml has version $version"
[ "$address" = "$(about repository)" ] ||
    fail "this repository is $address, but Cargo.toml names $(about repository); correct Cargo.toml and run" \
        "scripts/release/address.sh"
grep -qF "## [$version] - " CHANGELOG.md || fail "CHANGELOG.md has no \"## [$version] - DATE\""
! awk '/^## / { is_unreleased = index($0, "## [Unreleased]"); next } is_unreleased' CHANGELOG.md | grep '^- ' >/dev/null ||
    fail "CHANGELOG.md has entries under \"Unreleased\"; move them to the section of $version"

is_ready=yes
for page in README.md CHANGELOG.md docs/*.md .github/SECURITY.md; do
    [ -e "$page" ] || continue
    # The sentence may be broken over two lines. Lists all of them, so that none needs a second tag.
    while read -r said; do
        echo "check.sh: $page says \"$said\", which is no longer true once this is released" >&2
        is_ready=
    done < <(tr -s '\n ' '  ' <"$page" | grep -oiE "$UNRELEASED")
done
[ -n "$is_ready" ] || exit 1
