#!/usr/bin/env bash
# Compiles the package for each target of a release, and runs what this machine can run: the Windows tests
# under Wine, the ARM programs under qemu, and the static programs for this machine in an empty root folder.
# If a standard library, a compiler or an emulator is missing, the script says so and continues; only what was
# tried can fail. Prints the table of docs/dev/RELEASING.md.
#
#   targets.sh [TARGET...]  does what is possible here, for these targets or all
#   targets.sh prepare      first installs what is missing, if possible: Debian's packages (as root), zig
#                           from PyPI, and standard libraries by rustup
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/pinned.sh
built=${CARGO_TARGET_DIR:-$PWD/target}
logs=$PWD/target/targets
export CARGO_INCREMENTAL=0
export WINEPREFIX=$logs/wine WINEDEBUG=-all
# The targets of a release.
targets=(x86_64-pc-windows-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
    armv7-unknown-linux-musleabihf x86_64-apple-darwin aarch64-apple-darwin)

warn_without() {
    echo "targets.sh: WITHOUT $1" >&2
}

prepare() {
    local package target
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet=2 || warn_without "a list of Debian's packages"
    for package in gcc-mingw-w64-x86-64-win32 wine64 wine qemu-user; do
        apt-get install --quiet=2 --yes --no-install-recommends "$package" || warn_without "$package"
    done
    mkdir -p target/tools
    (install_zig) || warn_without zig
    for target in "${targets[@]}"; do
        rustup target add "$target" || warn_without "the standard library for $target"
    done
    rustup component add rust-src || warn_without "the source of the standard library"
}

find_library() {
    ls -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" 2>/dev/null || true
}

# Succeeds if the target's standard library is not installed, but can be built: the target uses musl, which
# zig provides, and the library's source is installed.
is_built_from_source() {
    case $1 in *-musl*) ;; *) return 1 ;; esac
    [ -z "$(find_library "$1")" ] && [ -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]
}

# Prints what is missing for a target: its standard library, or a C compiler for the crate ring.
print_missing() {
    local compiler=cargo-zigbuild
    case $1 in *windows*) compiler=x86_64-w64-mingw32-gcc ;; esac
    if [ -z "$(find_library "$1")" ] && ! is_built_from_source "$1"; then
        echo "not tried: its standard library is missing; \`rustup target add $1\` installs it"
    elif ! command -v $compiler >/dev/null; then
        echo "not tried: $compiler is missing"
    fi
}

# Succeeds if the script's arguments name this target, or name no target at all.
is_wanted() {
    case "${named:- $1 }" in *" $1 "*) ;; *) return 1 ;; esac
}

print_row() {
    printf '| %s | %s | %s |\n' "$@"
    case "$*" in *"NO, see"*) failed=1 ;; esac
}

# try LOG COMMAND...: runs the command. Prints "yes", or "NO" and the log to look into.
try() {
    local log=$1
    shift
    if "$@" >"$logs/$log" 2>&1; then
        echo yes
    else
        echo "NO, see target/targets/$log"
    fi
}

# Lints everything, and then the client alone.
lint() {
        cargo clippy --locked --target "$1" --all-targets -- -D warnings &&
        cargo clippy --locked --target "$1" --lib --no-default-features --features client -- -D warnings
}

# Adds a library that Wine 8 lacks and later versions have. On Windows, Rust gets random numbers from it.
complete_wine() {
    local library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    wine wineboot --init
    [ ! -e "$library" ] || return 0
    x86_64-w64-mingw32-gcc -shared -o "$library" -x c - -ladvapi32 <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
    return RtlGenRandom(bytes, length);
}
END
}

# Leaves Mosquitto out: a program under Wine can start this system's Mosquitto, but not end it or wait for its end.
run_windows_tests() {
    complete_wine &&
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine ZWAVE_TEST_MOSQUITTO='' INSTA_UPDATE=no \
            cargo test --locked --target x86_64-pc-windows-gnu --no-fail-fast \
            --lib --bins --test pure --test client --test assistant --test stdout_purity --test view
}

windows() {
    local target=x86_64-pc-windows-gnu missing compiles runs
    is_wanted $target || return 0
    missing=$(print_missing $target)
    if [ -n "$missing" ]; then
        print_row $target "$missing" "not tried"
        return
    fi
    compiles="clippy: $(try $target.log lint $target)"
    runs="not tried: wine is missing"
    if command -v wine >/dev/null; then
        runs="tests under $(wine --version | cut -d ' ' -f 1): $(try wine.log run_windows_tests)"
        runs="$runs, $(grep -c '^test .*ok$' "$logs/wine.log") ok"
        runs="$runs, $(grep -c 'left out, because' "$logs/wine.log") of them left out"
    fi
    print_row $target "$compiles" "$runs"
}

# Prints the messages of a host that turns on the demo house's coffee machine.
host_messages() {
    local params='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"0"}'
    local call='"name":"control_zwave_device","arguments":{"deviceName":"coffee machine","action":"on"}'
    printf '{"jsonrpc":"2.0",%s}\n' "\"id\":1,\"method\":\"initialize\",\"params\":{$params}" \
        '"method":"notifications/initialized"' "\"id\":2,\"method\":\"tools/call\",\"params\":{$call}"
}

# check_programs FOLDER COMMAND...: runs the server, then the assistant, each by COMMAND (an emulator, or
# chroot and its folder). Checks that the server obeys and the assistant starts. The assistant can't start the
# server itself. In an empty root folder, it can't find the server, because there is no /proc. Under an
# emulator, the kernel would have to run the server, which is for another processor.
check_programs() {
    local folder=$1
    shift
    host_messages | "$@" "$folder/zwave-mcp-server" --demo | tee /dev/stderr |
        grep -q '"Coffee Machine is now on\."' &&
        "$@" "$folder/zwave-assistant" --version
}

# Checks the programs in a root folder that has nothing else, not even a loader.
check_in_empty_root() {
    local empty ended=0
    empty=$(mktemp -d)
    cp "$1"/zwave-mcp-server "$1"/zwave-assistant "$empty/"
    check_programs '' chroot "$empty" || ended=$?
    rm -rf "$empty"
    return $ended
}

# linux TARGET [EMULATOR]: links the programs, and runs them in the emulator or, without EMULATOR, in an
# empty root folder.
linux() {
    local target=$1 emulator=${2:-} missing compiles runs="not tried"
    is_wanted "$target" || return 0
    missing=$(print_missing "$target")
    if [ -n "$missing" ]; then
        print_row "$target" "$missing" "$runs"
        return
    fi
    local build=(cargo-zigbuild zigbuild --locked --target "$target" --bins)
    if is_built_from_source "$target"; then
        build=(env RUSTC_BOOTSTRAP=1 RUSTFLAGS="-C link-self-contained=no"
            "${build[@]}" "-Zbuild-std=std,panic_abort")
    fi
    compiles="linked: $(try "$target.log" "${build[@]}")"
    if [ "$compiles" = "linked: yes" ] && [ -n "$emulator" ]; then
        runs="not tried: $emulator is missing"
        if command -v "$emulator" >/dev/null; then
            runs="under qemu: $(try "$target-run.log" check_programs "$built/$target/debug" "$emulator")"
        fi
    elif [ "$compiles" = "linked: yes" ]; then
        runs="not tried: chroot needs root"
        if [ "$(id -u)" = 0 ]; then
            runs="in an empty root: $(try "$target-run.log" check_in_empty_root "$built/$target/debug")"
        fi
    fi
    print_row "$target" "$compiles" "$runs"
}

mac() {
    local compiles
    is_wanted "$1" || return 0
    compiles=$(print_missing "$1")
    [ -n "$compiles" ] || compiles="clippy: $(try "$1.log" cargo-zigbuild clippy --locked --target "$1" \
        --all-targets -- -D warnings)"
    print_row "$1" "$compiles" "not tried: Apple's linker and system are missing"
}

if [ "${1:-}" = prepare ]; then
    prepare >&2
    shift
fi
named=${*:+ $* }
mkdir -p "$logs"
PATH=$PWD/target/tools/zig/bin:$PATH
failed=0
cargo fetch --locked --quiet || warn_without "a download of crates; cargo uses those that it has"
print_row target compiles runs
print_row --- --- ---
windows
linux x86_64-unknown-linux-musl
linux aarch64-unknown-linux-musl qemu-aarch64
linux armv7-unknown-linux-musleabihf qemu-arm
mac x86_64-apple-darwin
mac aarch64-apple-darwin
[ "$failed" = 0 ] || exit 1
