#!/usr/bin/env bash
# Runs .ci/run, and checks that take longer, in stages. A stage that passed is not repeated for the same
# files. So after an interruption or a failure, the next run continues where the last one stopped. A stage
# that can't run on this machine exits with 77. The end of the output lists it as LEFT OUT, with its last error.
#
# full.sh          the stages that did not pass yet for these files
# full.sh again    all stages
set -euo pipefail
cd "$(dirname "$0")/.."
# Each build runs once, so incremental data is a waste.
export CARGO_INCREMENTAL=0

logs=$PWD/target/full
mkdir -p "$logs"
# After a commit, or a change that is not committed yet, all stages run again.
fingerprint=$({
    git rev-parse HEAD
    git diff HEAD
    git ls-files --others --exclude-standard -z | xargs -0 -r cat
} | sha256sum | cut -d ' ' -f 1)
passed=$logs/$fingerprint.passed
[ "${1:-}" != again ] || rm -f "$passed"
touch "$passed"
left_out=()

# stage NAME COMMAND...: runs the command, unless the stage passed before.
stage() {
    local name=$1 ended=0
    shift
    if grep -qx "$name" "$passed"; then
        echo "full.sh: $name passed before"
        return
    fi
    echo "full.sh: $name"
    "$@" 2> >(tee "$logs/$name.err" >&2) || ended=$?
    case $ended in
    0) echo "$name" >>"$passed" ;;
    77)
        left_out+=("$name: $(tail -n 1 "$logs/$name.err")")
        echo "full.sh: LEFT OUT: ${left_out[-1]}" >&2
        ;;
    *)
        echo "full.sh: FAILED: $name; the next run begins with this stage" >&2
        exit 1
        ;;
    esac
}

# Packs the MCP bundle with the official tool, and tests it.
bundle() {
    local packed
    packed=$(./scripts/bundle.sh --programs target/installed/bin | tail -n 1) &&
        ZWAVE_TEST_BUNDLE=$packed ./scripts/test.sh --test documentation bundle
}

# Checks the oldest supported Rust, a release for this machine, and the release's container. rustup
# downloads from its own server, which not every machine can reach.
release() {
    local static
    static=$(uname -m)-unknown-linux-musl
    rustup target add "$static" || {
        echo "rustup can't install the standard library for $static" >&2
        return 77
    }
    ./scripts/promised.sh &&
        ./scripts/release/build.sh "$static" &&
        ./scripts/release/finish.sh &&
        ./scripts/container.sh "target/$static/dist"
}

stage ci ./.ci/run
stage features ./scripts/features.sh
stage demo cargo run --locked -- --demo list
stage install cargo install --locked --path . --profile dist --root target/installed --force
stage installed ./target/installed/bin/zwave-mcp-server --demo list
stage bundle bundle
stage faults env ZWAVE_FAULT_CALLS="${ZWAVE_FAULT_CALLS:-1000}" \
    ./scripts/test.sh --test wire faults_random -- --nocapture
stage cases env PROPTEST_CASES="${PROPTEST_CASES:-2000}" \
    ./scripts/test.sh --lib --test pure --test houses --test client
stage clients ./scripts/interop.sh
stage hosts ./scripts/hosts.sh
stage hassil ./scripts/hassil.sh
stage view ./scripts/view.sh
stage brokers ./scripts/brokers.sh
stage load ./scripts/bench.sh load
stage soak ./scripts/soak.sh 600
stage engine ./scripts/engine.sh
stage dependencies ./scripts/deny.sh
stage crate ./scripts/crate.sh
stage workflows ./scripts/workflows.sh
stage targets ./scripts/targets.sh
stage release release

echo "full.sh: $(wc -l <"$passed") stages passed"
for reason in "${left_out[@]}"; do
    echo "full.sh: LEFT OUT: $reason"
done
