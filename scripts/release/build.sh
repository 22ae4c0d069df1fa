#!/usr/bin/env bash
# Builds both programs for a target, and packs them with their documentation, manual pages and completions
# into an archive in target/archives, named as `cargo binstall` expects. For a musl target, zig is the C compiler
# and linker, and the programs are linked statically, so that they run on every Linux distribution. Neither the
# programs nor the archive depend on where and when they are made.
#
#   scripts/release/build.sh TARGET [PROGRAMS [FOLDER]]
#
# PROGRAMS is a folder that has both programs, and the licence texts of their crates. If it is given, nothing is
# built. FOLDER replaces target/archives.
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

programs=${2:-}
if [ -z "$programs" ]; then
    if ! rustup target add "$target" >&2; then
        echo "build.sh: rustup can't install the standard library for $target" >&2
        exit 1
    fi
    [ $build != zigbuild ] || install_zig
    # No path of this machine stays in the programs.
    flags="--remap-path-prefix=$PWD=/source --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    # On Windows, link the C runtime statically, too. With musl, this is the default.
    case $target in *-windows-msvc) flags+=" -C target-feature=+crt-static" ;; esac
    export RUSTFLAGS=$flags
    cargo "$build" --locked --profile dist --target "$target" --bins
    programs=${CARGO_TARGET_DIR:-target}/$target/dist
    ./scripts/release/licenses.sh "$target" "$programs/LICENSES.html" >&2
fi

archives=${3:-$PWD/target/archives}
folder=$name-$(about version)-$target
rm -rf "${archives:?}/$folder"*
mkdir -p "$archives/$folder"
for program in "$name$suffix" "zwave-assistant$suffix"; do
    install -m 755 "$programs/$program" "$archives/$folder/$program"
done
cp -R README.md CHANGELOG.md LICENSE docs "$programs/LICENSES.html" "$archives/$folder/"
link_pages "$archives/$folder"
./scripts/release/share.sh "$programs" "$archives/$folder" >&2
format=tgz
[ -z "$suffix" ] || format=zip
pack "$archives/$folder" "$archives/$folder.$format"
echo "$archives/$folder.$format"
rm -r "${archives:?}/$folder"
