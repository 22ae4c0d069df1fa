#!/usr/bin/env bash
# Says a hundred sentences (fixtures/utterances.json) to the captured house and prints a table of what
# the house did: right, refused (nothing, or only a part), wrong (something that was not said), and the
# median time from a sentence to its answer. Fails with 3 where anything was wrong, and otherwise where
# a model gave no reply, or fewer were right than there should be.
#
# eval.sh               the table
# eval.sh all           also each sentence that was not done
# eval.sh DIR [all]     the sentences of a folder instead, each said to the house of its file
#                       (fixtures/sentences has some), by language
# eval.sh --at-least N  fails where fewer than N were right
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --quiet --features assistant,simulator --example eval -- "$@"
