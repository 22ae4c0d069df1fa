"""Lets hassil understand the sentences of a folder, and compares its times with ours.

    compare.py FOLDER TIMES

TIMES is the file that `eval FOLDER --times TIMES` writes: for each file and sentence, our time in microseconds, or null
if we don't understand the sentence.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import home_assistant_intents
from hassil import Intents, TextSlotList, recognize_best

# The part of hassil's time that a language may need.
ALLOWED = 0.25

# The domains under which Home Assistant has the kinds.
DOMAINS = {
    "color_light": "light", "dimmer": "light", "switch": "switch", "fan": "fan", "cover": "cover", "shade": "cover",
    "garage": "cover", "lock": "lock", "thermostat": "climate", "contact": "binary_sensor", "motion": "binary_sensor",
    "sensor": "sensor", "scene": "scene",
}


def slot_lists(devices):
    """Returns the names and the rooms of a house as hassil's lists."""
    names = [(entry["name"], entry["name"], {"domain": DOMAINS.get(entry["kind"], "switch")}) for entry in devices]
    rooms = sorted({entry["room"] for entry in devices if entry.get("room")})
    return {
        "name": TextSlotList.from_tuples(names),
        "area": TextSlotList.from_strings(rooms),
        "floor": TextSlotList.from_strings([]),
    }


def time_of(sentence, intents, lists, language):
    """Returns hassil's time in microseconds, the shortest of twenty, or None if it does not understand the sentence."""
    times = []
    for _ in range(20):
        began = time.perf_counter()
        found = recognize_best(sentence, intents, slot_lists=lists, language=language)
        times.append((time.perf_counter() - began) * 1e6)
    return min(times) if found else None


def main(folder, times):
    ours = json.loads(Path(times).read_text(encoding="utf-8"))
    too_slow = []
    print("language | understood by both | hassil | ours | part")
    for path in sorted(Path(folder).glob("*.json")):
        house = json.loads(path.read_text(encoding="utf-8"))
        language = house["language"]
        intents = Intents.from_dict(home_assistant_intents.get_intents(language))
        lists = slot_lists(house["devices"])
        # The first sentence makes hassil parse its templates.
        recognize_best(house["cases"][0]["say"], intents, slot_lists=lists, language=language)
        pairs = []
        for sentence, our_time in ours[path.stem].items():
            if our_time is None:
                continue
            their_time = time_of(sentence, intents, lists, language)
            if their_time is not None:
                pairs.append((their_time, our_time))
        if not pairs:
            sys.exit(f"{language}: there is no sentence that both understand")
        theirs, our = (statistics.median(column) for column in zip(*pairs))
        print(f"{language} | {len(pairs)} | {theirs:.0f} µs | {our:.0f} µs | {our / theirs:.3f}")
        if our > ALLOWED * theirs:
            too_slow.append(language)
    if too_slow:
        sys.exit(f"more than {ALLOWED} of hassil's time: {', '.join(too_slow)}")


main(*sys.argv[1:])
