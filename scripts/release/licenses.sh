#!/usr/bin/env bash
# Writes the licence texts of everything in the programs for a target: the crates, Rust's standard library and, if it
# is linked statically, musl. If cargo-about is missing, builds it from crates.io into target/tools. Reads the crates and
# the toolchain only, and no server of licences.
#
#   scripts/release/licenses.sh TARGET FILE
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:?licenses.sh: it takes a target} file=${2:?licenses.sh: it takes a file to write}
export PATH=$PATH:$PWD/target/tools/bin
command -v cargo-about >/dev/null ||
    cargo install cargo-about --locked --version 0.9.3 --features cli --root target/tools
cargo about generate --locked --fail --target "$target" \
    --config packaging/licenses/about.toml packaging/licenses/about.hbs --output-file "$file"

library=$(rustc --print sysroot)/share/doc/rust/COPYRIGHT-library.html
[ -e "$library" ] || { echo "licenses.sh: there is no $library; use a toolchain from rustup" >&2 && exit 1; }
{
    sed '/^<\/html>$/d' "$file"
    sed -n '/^<body>$/,/^<\/body>$/{//!p;}' "$library"
    case $target in
    *-musl*)
        echo "<h1>Copyright notices for musl</h1>"
        sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e '1s/^/<pre>/' -e '$s|$|</pre>|' packaging/licenses/musl.txt
        ;;
    esac
    echo "</html>"
} >"$file.new"
mv "$file.new" "$file"
