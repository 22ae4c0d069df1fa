#!/usr/bin/env bash
# Says a hundred sentences (fixtures/utterances.json) to the captured house. Prints how many were right,
# refused and wrong, and the median time to an answer. A sentence is wrong if the house did something that was
# not said. It is refused if the house only left something undone, or if the answer lacks something. Fails
# with 1 if a model gave no reply or too few sentences were right. Otherwise fails with 3 if any was wrong.
#
# eval.sh               the table, and each wrong sentence
# eval.sh all           also each refused sentence
# eval.sh DIR [all]     instead reads a folder with a file for each language, and says each sentence to the
#                       house in the same file (fixtures/sentences is such a folder)
# eval.sh FILE [all]    instead reads a file of conversations, and says each turn by turn to a fresh house
# eval.sh --at-least N  also fails if fewer than N were right
#
# PROFILE=dev builds faster than the profile of releases, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --locked --quiet --profile "${PROFILE:-dist}" --example eval -- "$@"
