#!/usr/bin/env bash
# Builds the program for a target and packs it as `cargo binstall` looks for it, into target/dist.
# Linux is linked statically with musl, so that it runs on every distribution; zig is the linker and
# the C compiler there, whatever machine this is.
#
#   scripts/release/build.sh TARGET [BINARY [FOLDER]]
#
# With a BINARY it builds nothing; FOLDER is another than target/dist.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/about.sh
. scripts/pinned.sh

target=${1:?build.sh: it takes a target, such as aarch64-unknown-linux-musl}
name=$(about name)
suffix= build=build
case $target in
*-windows-*) suffix=.exe ;;
*-linux-musl*) build=zigbuild ;;
esac

binary=${2:-}
if [ -z "$binary" ]; then
    if ! rustup target add "$target" >&2; then
        echo "build.sh: rustup can't bring the standard library for $target" >&2
        exit 1
    fi
    [ $build != zigbuild ] || zig
    # Windows without its redistributable; musl is static by itself.
    case $target in *-windows-msvc) export RUSTFLAGS="-C target-feature=+crt-static" ;; esac
    cargo "$build" --locked --release --target "$target" --bin "$name"
    binary=${CARGO_TARGET_DIR:-target}/$target/release/$name$suffix
fi

dist=${3:-$PWD/target/dist}
folder=$name-$(about version)-$target
rm -rf "${dist:?}/$folder"*
mkdir -p "$dist/$folder"
cp "$binary" "$dist/$folder/$name$suffix"
chmod 755 "$dist/$folder/$name$suffix"
cp README.md CHANGELOG.md LICENSE "$dist/$folder/"
cd "$dist"
if [ -z "$suffix" ]; then
    tar -czf "$folder.tgz" "$folder"
    echo "$dist/$folder.tgz"
else
    # Of the programs that write one, Python is on every system.
    "$(command -v python3 || command -v python)" -m zipfile -c "$folder.zip" "$folder"
    echo "$dist/$folder.zip"
fi
rm -r "$folder"
