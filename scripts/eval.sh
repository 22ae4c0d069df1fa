#!/usr/bin/env bash
# Says a hundred sentences (fixtures/utterances.json) to the captured house. Prints how many were right, how
# many refused (the house did nothing, or only a part), how many wrong (the house did something that was not
# said), and the median time from a sentence to its answer. Fails with 3 if any was wrong, and with another
# code if a model gave no reply or too few were right.
#
# eval.sh               the table
# eval.sh all           also lists each sentence that was not carried out
# eval.sh DIR [all]     takes the sentences from a folder, by language, and says each to the house of its
#                       file (fixtures/sentences is such a folder)
# eval.sh --at-least N  fails if fewer than N were right
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --quiet --features assistant,simulator --example eval -- "$@"
