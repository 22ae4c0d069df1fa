"""Runs the programs that people use as hosts, and prints a table. The server and Mosquitto are real, the model is not.

run.py FOLDER MOSQUITTO HOUSE SERVER [HOST...]: FOLDER has the installed hosts. MOSQUITTO, HOUSE and SERVER are
programs. Each HOST is the name of a host to run; without HOST, all run. The checks look at what the house did, not only
at the answers.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
import terminal
from house import House, version
from model import Model
from programs import HOSTS, TOOLS

FOLDER, MOSQUITTO, HOUSE, SERVER = (Path(word).resolve() for word in sys.argv[1:5])
CHOSEN = sys.argv[5:]
PAGE = Path(__file__).parents[2] / "docs/MEASURED.md"
COLUMNS = ["found", "listed", "controlled", "error", "asked", "gone"]

# The words by which the server says why the door was not unlocked, each with the text for the table.
ANSWERS = {word: word for word in ("can't ask", "declined", "dismissed")} | {"without asking anybody": "nobody asked"}

# In seconds: how long a host's command may run, and how long the host's servers may then take to end.
LONGEST, GONE = 120, 5


def find_processes(home):
    """Finds the processes whose command or environment names a home folder. Returns their ids, each with True if the
    process is a server: only a server's command also names the log folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                command = (entry / "cmdline").read_bytes()
                if str(home).encode() in command + (entry / "environ").read_bytes():
                    found[int(entry.name)] = f"{home}/log".encode() in command
        except OSError:
            pass
    return found


def environment(home, folder, model, host_variables):
    """Returns a host's environment variables. Only PATH comes from this process. The model's server is also the
    host's HTTP proxy. It refuses every connection to the internet."""
    binaries = [FOLDER / folder / "node_modules" / ".bin", FOLDER / folder / "bin"]
    proxies = {name: model.url for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
    local = {name: "127.0.0.1,localhost" for name in ("NO_PROXY", "no_proxy")}
    path = ":".join([*map(str, binaries), os.environ["PATH"]])
    plain = {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "DO_NOT_TRACK": "1"}
    return {**plain, **proxies, **local, "PYTHONDONTWRITEBYTECODE": "1", **host_variables}


def try_host(house, name, level, home):
    """Runs one host. Returns the cells of its row, from "protocol" on, and the internet addresses that it tried to
    reach."""
    host, identity, folder, _, found_pattern, expected_answer = HOSTS[name]
    model = Model(
        [
            ("list_zwave_devices", {}),
            ("control_zwave_device", {"deviceName": "kitchen dimmer", "action": "dim", "level": level}),
            ("control_zwave_device", {"deviceName": "Chandelier", "action": "on"}),
            ("control_zwave_device", {"deviceName": "front door", "action": "unlock"}),
        ]
    )
    for node, key, value in ((5, "38-0-currentValue", 0), (12, "98-0-currentMode", 255)):
        house.ask(f"put {node} {key} {value}")
    before = house.ask("writes")
    logs = ["--log-file", str(home / "log"), "--log-level", "info,rmcp=info"]
    options = ["--broker", f"mqtt://127.0.0.1:{house.port}", "--guard", "confirm", *logs]
    variables, find_commands, command, *person = host(home, entry(identity, options), model.url)
    process = {"cwd": home, "env": environment(home, folder, model, variables)}
    try:
        output = "".join(run(find_command, process) for find_command in find_commands)
        found = found_pattern is None or re.search(found_pattern, output)
        if person:
            output += terminal.run_at_terminal(command, *person, model.finished.is_set, LONGEST, **process)
        else:
            output += run(command, process)
        left = wait_for_servers(home)
    finally:
        for number in find_processes(home):
            os.kill(number, signal.SIGKILL)
        model.shutdown()
    written = house.ask("received")[before:]
    # The text of each result, and whether the host marked it as an error (None if the model's interface has no such mark).
    results = [model.returned.get(turn, ("", None)) for turn in range(len(model.calls))]
    (listed, _), (controlled, _), (error, is_marked), (asked, _) = results
    opened = [12, "98-0-targetMode", 0] in written
    answer = next((word for words, word in ANSWERS.items() if words in asked), "")
    answer = "accepted" if opened and "is now unlocked" in asked else answer
    expected_writes = [[5, "38-0-targetValue", level], *([[12, "98-0-targetMode", 0]] if answer == "accepted" else [])]
    right = {
        "found": bool(found),
        "listed": len(model.offered) == len(TOOLS) and "Dimmer" in listed and "Lamp Corner" in listed,
        "controlled": f"now on at {level} %" in controlled and house.ask("truth 5 38-0-currentValue") == level,
        # The unknown device was refused, and only the expected writes were made.
        "error": 'no device "Chandelier"' in error.replace("\\", "")
        and is_marked is not False
        and written == expected_writes,
        "asked": answer == expected_answer,
        "gone": left == [],
    }
    cells = {column: "yes" if right[column] else "NO" for column in COLUMNS}
    if found_pattern is None:
        cells["found"] = "-"
    cells["asked"] = answer if right["asked"] else f"NO: {answer}"
    if not all(right.values()):
        print(f"{output}\n{name}: {results}; the house got {written}; servers still running: {left}", file=sys.stderr)
    return [read_protocol(home), *cells.values()], model.refused


def entry(identity, options):
    """Returns the server's entry for a host, as `doctor` prints it."""
    command = [SERVER, "doctor", "--host", identity, "--json", *options]
    printed = subprocess.run(command, check=True, capture_output=True, timeout=LONGEST)
    return json.loads(printed.stdout)[identity]["text"]


def run(command, process):
    """Runs a command. Returns the command, its output and its exit code as one text."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    ended = subprocess.run(command, timeout=LONGEST, text=True, **pipes, **process)
    return f"$ {command}\n{ended.stdout}\nended with {ended.returncode}\n"


def wait_for_servers(home):
    """Gives a host's servers time to end. Returns the ids of those that still run then."""
    until = time.monotonic() + GONE
    while True:
        left = [number for number, is_server in find_processes(home).items() if is_server]
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.02)


def read_protocol(home):
    """Returns the protocol version that the host and the server last agreed on, from the server's log, or "-"."""
    text = "".join(path.read_text() for path in sorted((home / "log").glob("*")))
    found = re.findall(r'initialized as server peer_info=(?:None|.*?ProtocolVersion\("(.*?)"\))', text)
    # Version 2026-07-28 has no `initialize`. So the log has `peer_info=None`, and the group is empty.
    return (found[-1] or "2026-07-28") if found else "-"


def main():
    unknown = [name for name in CHOSEN if name not in HOSTS]
    if unknown:
        sys.exit(f"{unknown} are no hosts; the hosts are {list(HOSTS)}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder), MOSQUITTO, HOUSE)
        try:
            for level, name in enumerate(CHOSEN or HOSTS, start=11):
                rows.append(row(house, name, level, Path(folder) / re.sub("[^a-z]", "", name.lower())))
        finally:
            house.end()
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    today = date.today().isoformat()
    head = f"| host | version | protocol | {' | '.join(COLUMNS)} | last run |\n{'|---' * (len(COLUMNS) + 4)}|"
    print(head, *(f"{line} {today} |" for line in lines), sep="\n")
    known = PAGE.read_text().splitlines()
    missing = [line for line in lines if not any(row.startswith(line) for row in known)]
    if missing:
        sys.exit("\n".join([f"{PAGE} lacks these lines:", *missing]))


def row(house, name, level, home):
    """Returns a host's row of the table."""
    home.mkdir()
    start = time.monotonic()
    try:
        cells, refused = try_host(house, name, level, home)
    except (subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        cells, refused = ["-", *["NO"] * len(COLUMNS)], []
    right = "NOT right" if any(cell.startswith("NO") for cell in cells) else "all right"
    internet = f", tried to reach {', '.join(sorted(refused))}" if refused else ""
    print(f"{name}: {right}, {time.monotonic() - start:.1f} s{internet}", file=sys.stderr)
    folder, package = HOSTS[name][2:4]
    return [name, version(FOLDER / folder, package), *cells]


main()
