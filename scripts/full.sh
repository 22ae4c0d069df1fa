#!/usr/bin/env bash
# Everything that .ci/run checks, and what takes longer: each feature built alone, the release build
# with the README's first command, the program installed as the README says, the MCP bundle packed by
# the official tool and run, a thousand calls under random faults, the property tests with many more
# cases, every real client, the hosts that people use, the page in a real browser, every broker that can
# be had and a cluster, a million value updates, ten minutes of a long life, a real model and real speech
# for the host's half, what is in the tree of dependencies, the crate alone, the workflows, other systems
# as far as there is what builds for them, and where Rust's own server can be reached, the oldest Rust, a
# release for this machine and its container.
set -euo pipefail
cd "$(dirname "$0")/.."
# What is built once needs no preparation for being built again, and nobody debugs it.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none
./.ci/run
./scripts/features.sh
cargo run --locked --release -- --demo list
cargo install --locked --path . --root target/installed --force
./target/installed/bin/zwave-mcp-server --demo list
bundle=$(./scripts/bundle.sh --binary target/installed/bin/zwave-mcp-server | tail -n 1)
ZWAVE_TEST_BUNDLE=$bundle ./scripts/test.sh --test documentation bundle
ZWAVE_FAULT_CALLS=${ZWAVE_FAULT_CALLS:-1000} \
    ./scripts/test.sh --test wire faults_random -- --nocapture
PROPTEST_CASES=${PROPTEST_CASES:-2000} ./scripts/test.sh --lib --test pure --test houses --test client
./scripts/interop.sh
./scripts/hosts.sh
./scripts/view.sh
./scripts/brokers.sh
./scripts/bench.sh load
./scripts/soak.sh 600
./scripts/engine.sh
./scripts/deny.sh
./scripts/crate.sh
./scripts/workflows.sh
./scripts/targets.sh
static=$(uname -m)-unknown-linux-musl
# Rust's own server is no package registry, and can't be reached from everywhere.
if rustup target add "$static"; then
    ./scripts/promised.sh
    ./scripts/release/build.sh "$static"
    ./scripts/release/finish.sh
    ./scripts/container.sh "target/$static/release/zwave-mcp-server"
else
    echo "full.sh: LEFT OUT: the oldest Rust, a release for $static and its container" >&2
fi
