#!/usr/bin/env bash
# Builds the container image with podman or docker, and uses it as people do. If neither works, installs podman where
# apt-get may. Checks that the image is small, and that real clients control a simulated house through it. If the
# broker is out of reach, the container must report the true cause. Leaves podman's image store alone, except with
# `load`.
#
#   scripts/container.sh [PROGRAMS]       uses the static programs in the folder PROGRAMS, or builds them
#   scripts/container.sh load [PROGRAMS]  builds the image in the user's store, and checks nothing
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/about.sh
. scripts/mosquitto.sh
. scripts/packages.sh

load=
[ "${1:-}" != load ] || { load=yes && shift; }
name=$(about name)
home=$PWD/target/container
mkdir -p "$home/root/etc/ssl/certs"
find_engine() {
    local candidate
    for candidate in podman docker; do
        if "$candidate" info >/dev/null 2>&1; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}
engine=$(find_engine) || {
    install_packages podman runc || true
    engine=$(find_engine) || {
        echo "container.sh: neither podman nor docker works here (Debian: apt-get install podman runc)" >&2
        exit 1
    }
}
programs=${1:-}
if [ -z "$programs" ]; then
    case $(uname -m) in
    x86_64 | amd64) target=x86_64-unknown-linux-musl ;;
    aarch64 | arm64) target=aarch64-unknown-linux-musl ;;
    armv7l) target=armv7-unknown-linux-musleabihf ;;
    *) echo "container.sh: no static programs are known for $(uname -m); give their folder as PROGRAMS" >&2 && exit 1 ;;
    esac
    ./scripts/release/build.sh "$target"
    programs=${CARGO_TARGET_DIR:-target}/$target/dist
fi

binary=$programs/$name
install -m 755 "$binary" "$programs/zwave-assistant" "$home/root/"
mkdir -p "$home/root/share"
./scripts/release/share.sh "$programs" "$home/root/share"
cp LICENSE "$programs/LICENSES.html" "$home/root/share/"
# The places of Debian, Fedora, OpenSUSE and Alpine.
authorities=
for candidate in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
    [ -n "$authorities" ] || [ ! -r "$candidate" ] || authorities=$candidate
done
[ -n "$authorities" ] || {
    echo "container.sh: the machine has no file of certificate authorities; install ca-certificates" >&2
    exit 1
}
install -m 644 "$authorities" "$home/root/etc/ssl/certs/ca-certificates.crt"
echo "zwave:x:65532:65532::/:/zwave-mcp-server" >"$home/root/etc/passwd"
echo "zwave:x:65532:" >"$home/root/etc/group"

engine=("$engine") build=(build --quiet)
if [ "${engine[0]}" = podman ]; then
    build+=(--isolation chroot)
    if [ -z "$load" ]; then
        # These settings work even if this machine is a container itself.
        engine+=(--root "$home/store" --runroot "$home/run" --storage-driver vfs --cgroup-manager cgroupfs)
        ! command -v runc >/dev/null || engine+=(--runtime runc)
    fi
fi
"${engine[@]}" "${build[@]}" --tag "localhost/$name" \
    --label "org.opencontainers.image.source=$(about repository)" \
    --label "org.opencontainers.image.version=$(about version)" \
    --label "org.opencontainers.image.licenses=$(about license)" \
    --file packaging/Containerfile "$home"
[ -z "$load" ] || exit 0

fail() {
    echo "container.sh: $*" >&2
    exit 1
}
bytes=$("${engine[@]}" image inspect --format '{{.Size}}' "localhost/$name")
[ "$bytes" -le 20000000 ] || fail "the image has $bytes bytes, but at most 20 MB are promised"

# The command that people write into a host's configuration. It denies the container everything that the server
# does not need.
run=("${engine[@]}" run --rm --interactive --network host --read-only --cap-drop all
    --security-opt no-new-privileges --ulimit nofile=1024:1024 --ulimit nproc=1024:1024)
server=$home/server
printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "${run[@]}" "localhost/$name")" >"$server"
chmod +x "$server"
[[ $("$server" --demo list kitchen) == *"Coffee Machine"* ]] || fail "the demo house is not listed"
[[ $("${run[@]}" --entrypoint /zwave-assistant "localhost/$name" ask --demo "turn on the coffee machine") \
    == *"Coffee Machine is on."* ]] || fail "the assistant does nothing in the demo house"

# The clients start the server in the container. It reaches the broker, because it uses this machine's network.
ZWAVE_MCP_BINARY=$server ./scripts/interop.sh "Python SDK 1.x" "TypeScript SDK 1.x"

# Runs the image's simulated gateway, and a command to a device of this gateway.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$home/mosquitto.conf"
"$(mosquitto_program)" -c "$home/mosquitto.conf" 2>/dev/null &
broker=$!
trap 'kill $broker' EXIT
broker_option=(--env "MQTT_BROKER_URL=mqtt://127.0.0.1:$port")
"${run[@]}" --detach --name simulate "${broker_option[@]}" "localhost/$name" simulate >/dev/null
trap '"${engine[@]}" rm --force simulate >/dev/null; kill $broker' EXIT
for _ in $(seq 20); do
    output=$("${run[@]}" "${broker_option[@]}" "localhost/$name" control "coffee machine" on 2>&1) && break
    sleep 0.5
done
[[ $output == *"Coffee Machine is now on."* ]] || fail "the command to the simulated house fails: $output"

# expect_failure PATTERN COMMAND...: checks that the command fails, and that its message matches the pattern.
expect_failure() {
    local pattern=$1 output
    shift
    output=$("$@" 2>&1) && fail "$* does not fail: $output"
    [[ $output == *$pattern* ]] || fail "the output of $* lacks \"$pattern\": $output"
}
expect_failure "connection refused" "$server" list --broker mqtt://127.0.0.1:1
expect_failure "look*up" "$server" list --broker mqtt://no-such-house.invalid
expect_failure "look*up" "$server" doctor --broker mqtt://no-such-house.invalid
# This also shows that the image has certificate authorities: if they were missing, the doctor would report that
# first.
expect_failure "does not speak TLS" "$server" doctor --broker "mqtts://127.0.0.1:$port"
# No machine has the address 192.0.2.1 (RFC 5737), so this name server does not answer.
silent=("${run[@]}" --dns 192.0.2.1 "localhost/$name")
expect_failure "look*up" "${silent[@]}" list --broker mqtt://house.test
expect_failure "look*up" "${silent[@]}" doctor --broker mqtt://house.test

# Run the server in a root folder that has nothing else: no /proc, /etc/hosts or resolver. Only root may do this.
if [ "$(id -u)" = 0 ]; then
    bare=$home/bare
    rm -rf "$bare" && mkdir "$bare"
    cp "$binary" "$bare/zwave-mcp-server"
    [[ $(chroot "$bare" /zwave-mcp-server --demo list kitchen) == *"Coffee Machine"* ]] ||
        fail "nothing is listed in an empty root folder"
    chroot "$bare" /zwave-mcp-server list --broker "mqtt://127.0.0.1:$port" >/dev/null ||
        fail "the house is not reached from an empty root folder"
    expect_failure "look*up" chroot "$bare" /zwave-mcp-server list --broker mqtt://house.test
    expect_failure "no trusted certificates" chroot "$bare" /zwave-mcp-server doctor --broker "mqtts://127.0.0.1:$port"
fi
echo "localhost/$name: $bytes bytes"
