"""Reads the task of a client, and prints what the client has observed."""

import json
import os

_task = json.loads(os.environ["INTEROP"])
COMMAND, ARGUMENTS = _task["server"]["command"], _task["server"]["args"]
LIST, CONTROL, MISTAKE = ((_task[call]["name"], _task[call]["arguments"]) for call in ("list", "control", "mistake"))


def tell(protocol, tools, answers):
    names = ("list", "control", "mistake")
    seen = {name: {"text": text, "error": error} for name, (text, error) in zip(names, answers, strict=True)}
    print(json.dumps({"protocol": protocol, "tools": tools, **seen}))
