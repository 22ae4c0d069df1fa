#!/usr/bin/env bash
# Builds for the other systems that archives are made for, and runs there what can be run here: the
# Windows program and its tests under Wine, the ARM ones under qemu, the static one in an empty root.
# Where a standard library, a compiler or an emulator is missing it says so and goes on; only what was
# tried can fail. Prints the table of docs/TARGETS.md.
#
# targets.sh              what can be done with what is there
# targets.sh --prepare    first brings what is missing: a root of Debian unstable with Rust's source, in
#                         target/targets/root, and zig from PyPI. Needs root, debootstrap and 4 GB.
#
# ZWAVE_TARGETS_ROOT names another such root.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
root=${ZWAVE_TARGETS_ROOT:-$here/target/targets/root}
zig=$here/target/targets/zig
built=$here/target/targets/built
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
crates=${CARGO_HOME:-$HOME/.cargo}/registry

# Runs a command in the root, with this folder and cargo's crates where they are here.
in_root() {
    # shellcheck disable=SC2016 # The inner shell's words.
    unshare --mount --propagation private sh -c '
        root=$1 here=$2 crates=$3; shift 3
        mkdir -p "$root$here" "$root/root/.cargo/registry"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --bind "$here" "$root$here"
        mount --bind "$crates" "$root/root/.cargo/registry"
        exec chroot "$root" "$@"' sh "$root" "$here" "$crates" \
        env -i -C "$here" HOME=/root LANG=C.UTF-8 RUSTC_BOOTSTRAP=1 CARGO_NET_OFFLINE=true \
        PATH="$zig/bin:$zig/ziglang:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
        CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none CARGO_TARGET_DIR="$built" \
        CARGO_ZIGBUILD_ZIG_PATH="$zig/ziglang/zig" XDG_CACHE_HOME="$here/target/targets/cache" \
        WINEPREFIX="$here/target/targets/wine" WINEDEBUG=-all XDG_RUNTIME_DIR=/tmp "$@"
}

prepare() {
    local programs=(cargo gcc gcc-mingw-w64-x86-64-win32 libc6-dev qemu-user rust-clippy rust-src rustc
        wine wine64)
    mkdir -p "$root"
    [ -x "$root/usr/bin/apt-get" ] ||
        debootstrap --variant=minbase sid "$root" http://deb.debian.org/debian
    # No service is to start in there.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    mkdir -p "$crates"
    in_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${programs[@]}"
    [ -x "$zig/ziglang/zig" ] ||
        python3 -m pip install --quiet --target "$zig" ziglang==0.17.1 cargo-zigbuild==0.24.0
    # The crates of the standard library itself, which Debian's copy would take from its own folder.
    local library=$here/target/targets/library
    rm -rf "$library"
    cp -rL "$root/usr/lib/rustlib/src/rust/library" "$library"
    rm -rf "$library/.cargo"
    RUSTC_BOOTSTRAP=1 cargo fetch --locked --manifest-path "$library/sysroot/Cargo.toml"
}

# Where the standard library of a target comes from: rustup, the root's source, or nowhere.
library_of() {
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; then
        echo rustup
    elif [ "$(id -u)" = 0 ] && [ -d "$root/usr/lib/rustlib/src/rust/library/std" ]; then
        echo source
    fi
}

# A cargo command for a target, with a log of its own. The first word is the command, the second the
# target.
cargo_for() {
    local command=$1 target=$2 words=()
    shift 2
    case $target in
    *-musl* | *-apple-*) words=(cargo-zigbuild "${command/#build/zigbuild}") ;;
    *) words=(cargo "$command") ;;
    esac
    words+=(--locked --target "$target" "$@")
    log=$here/target/targets/$target-$command.log
    if [ "$(library_of "$target")" = rustup ]; then
        CARGO_TARGET_DIR=$built PATH=$zig/bin:$zig/ziglang:$PATH "${words[@]}" >"$log" 2>&1
    else
        # What follows `--` is not cargo's.
        local own=() rest=()
        while [ ${#words[@]} -gt 0 ] && [ "${words[0]}" != -- ]; do
            own+=("${words[0]}")
            words=("${words[@]:1}")
        done
        rest=("${words[@]}")
        in_root "${own[@]}" -Z build-std "${rest[@]}" >"$log" 2>&1
    fi
}

# Whether a program is there: for the root's libraries in the root, or else here.
there() {
    if [ "$(library_of "$1")" = source ]; then
        in_root sh -c "command -v $2" >/dev/null
    else
        PATH=$zig/bin:$zig/ziglang:$PATH command -v "$2" >/dev/null
    fi
}

row() {
    printf '| %s | %s | %s |\n' "$@"
    case "$*" in *"NO, see"*) failed=1 ;; esac
}

# "yes", or "NO" and where it stands why.
tried() {
    if "$@"; then
        echo yes
    else
        echo "NO, see target/targets/$(basename "$log")"
    fi
}

# What is missing for a target, if anything is: its standard library, or what compiles ring's C.
missing() {
    local compiler=cargo-zigbuild
    case $1 in *windows*) compiler=x86_64-w64-mingw32-gcc ;; esac
    if [ -z "$(library_of "$1")" ]; then
        echo "not tried: no standard library for it here"
    elif ! there "$1" "$compiler"; then
        echo "not tried: $compiler is missing"
    fi
}

# Everything without a warning: with the assistant, without, and the client alone.
without_warnings() {
    cargo_for clippy "$1" --all-targets -- -D warnings &&
        cargo_for clippy "$1" --all-targets --features assistant -- -D warnings &&
        cargo_for clippy "$1" --lib --no-default-features --features client -- -D warnings
}

# The tests that need no other program of unix. Those of panics and of documentation run cargo.
windows_tests() {
    log=$here/target/targets/wine.log
    in_root env CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine cargo test --locked -Z build-std \
        --target x86_64-pc-windows-gnu --lib --test pure --test client --test stdout_purity \
        --no-fail-fast -- --skip panics:: >"$log" 2>&1
}

# The programs of a target: they list the demo house, and obey. The words are what starts a program.
programs_work() {
    local target=$1 suffix=$2 listed done_ asked
    shift 2
    log=$here/target/targets/$target-run.log
    listed=$("$@" "$folder/zwave-mcp-server$suffix" --demo list 2>"$log") || return
    done_=$("$@" "$folder/zwave-mcp-server$suffix" --demo control "coffee machine" on 2>>"$log") || return
    asked=$("$@" "$folder/zwave-assistant$suffix" ask --demo "turn on the coffee machine" 2>>"$log") ||
        return
    printf '%s\n' "$listed" "$done_" "$asked" >>"$log"
    case $listed in "13 devices"*) ;; *) return 1 ;; esac
    case $done_ in "Coffee Machine is now on."*) ;; *) return 1 ;; esac
    case $asked in "Coffee Machine is now on."*) ;; *) return 1 ;; esac
}

# In a root that has the programs and nothing else, not even a loader.
in_an_empty_root() {
    local empty
    empty=$(mktemp -d)
    cp "$folder"/zwave-mcp-server "$folder"/zwave-assistant "$empty/"
    folder='' programs_work "$1" "" chroot "$empty"
    local ended=$?
    rm -rf "$empty"
    return $ended
}

windows() {
    local target=x86_64-pc-windows-gnu why compiles runs
    why=$(missing $target)
    if [ -n "$why" ]; then
        row "$target" "$why" "not tried"
        return
    fi
    compiles=$(log='' && tried without_warnings $target)
    runs="not tried: wine is missing"
    if [ "$(library_of $target)" = source ] && there $target wine; then
        runs=$(tried windows_tests)
        runs="tests under Wine: $runs, $(grep -c '^test .* ok$' target/targets/wine.log) passed"
    fi
    row "$target" "$compiles" "$runs"
}

# linux TARGET EMULATOR
linux() {
    local target=$1 emulator=$2 why compiles runs
    local folder=$built/$target/debug
    why=$(missing "$target")
    if [ -n "$why" ]; then
        row "$target" "$why" "not tried"
        return
    fi
    compiles=$(tried cargo_for build "$target" --bins --features assistant)
    if [ "$compiles" != yes ]; then
        runs="not tried"
    elif [ -z "$emulator" ]; then
        runs="not tried: chroot needs root"
        [ "$(id -u)" != 0 ] || runs="in an empty root: $(tried in_an_empty_root "$target")"
    elif ! there "$target" "$emulator"; then
        runs="not tried: $emulator is missing"
    elif [ "$(library_of "$target")" = source ]; then
        runs="under qemu: $(tried programs_work "$target" "" in_root "$emulator")"
    else
        runs="under qemu: $(tried programs_work "$target" "" "$emulator")"
    fi
    row "$target" "$compiles" "$runs"
}

mac() {
    local why
    why=$(missing "$1")
    row "$1" "${why:-$(tried cargo_for check "$1" --bins --features assistant)}" \
        "not tried: Apple's linker and system are missing"
}

case ${1:-} in
"") ;;
--prepare) prepare ;;
*)
    echo "usage: targets.sh [--prepare]" >&2
    exit 2
    ;;
esac
mkdir -p target/targets
failed=0
cargo fetch --locked --quiet || echo "crates can't be fetched; those at hand have to do" >&2
row target "compiles and links" runs
row --- --- ---
windows
linux x86_64-unknown-linux-musl ""
linux aarch64-unknown-linux-musl qemu-aarch64
linux armv7-unknown-linux-musleabihf qemu-arm
mac x86_64-apple-darwin
mac aarch64-apple-darwin
[ "$failed" = 0 ] || exit 1
[ -d "$root" ] || echo "scripts/targets.sh --prepare brings what is missing." >&2
