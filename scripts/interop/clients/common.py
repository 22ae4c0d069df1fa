"""The input of every client here, and the output of its observations."""

import json
import os

_told = json.loads(os.environ["INTEROP"])
COMMAND, ARGUMENTS = _told["server"]["command"], _told["server"]["args"]
LIST, CONTROL, MISTAKE = ((_told[call]["name"], _told[call]["arguments"]) for call in ("list", "control", "mistake"))


def tell(protocol, tools, answers):
    names = ("list", "control", "mistake")
    seen = {name: {"text": text, "error": error} for name, (text, error) in zip(names, answers, strict=True)}
    print(json.dumps({"protocol": protocol, "tools": tools, **seen}))
