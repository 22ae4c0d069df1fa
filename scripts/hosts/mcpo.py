"""Runs mcpo, which spawns servers for Open WebUI, as the note of the entry says. Calls the tools as Open WebUI does.

mcpo.py FOLDER SERVER: mcpo is installed in FOLDER. Fails if the note names other versions than the installed ones, if
mcpo does not start with the entry, if the house does not do what was called for, or if docs/MEASURED.md lacks the line.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
from house import version

PAGE = Path(__file__).parents[2] / "docs/MEASURED.md"
FOLDER, SERVER = (Path(word).resolve() for word in sys.argv[1:])
# In seconds.
START, CALL = 120, 20


def doctor(*options):
    command = [SERVER, "doctor", "--host", "open-webui", "--demo", *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=CALL).stdout


def post(port, key, path, **arguments):
    """Calls a tool. Returns the status and the text of the answer."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(arguments).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=CALL) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def main():
    note = " ".join(doctor().split())
    command = re.search(r"uvx ((?:--with \S+ )*)mcpo==(\S+) (.*?)\. ", note)
    named = dict(re.findall(r"--with (\S+)==(\S+)", command[1])) | {"mcpo": command[2]}
    installed = {package: version(FOLDER, package) for package in named}
    if named != installed:
        sys.exit(f"the note of the entry names {named}, but {installed} is run")
    address = re.search(r"http://localhost:(\d+)(/\S+)", note)
    with tempfile.TemporaryDirectory() as home, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        entry = json.loads(doctor("--json"))["open-webui"]
        (Path(home) / entry["file"]).write_text(entry["text"])
        key = "secret"
        options = [port if word == address[1] else key if word == "KEY" else word for word in command[3].split()]
        words = [FOLDER / "bin" / "mcpo", "--host", "127.0.0.1", *map(str, options)]
        mcpo = subprocess.Popen(words, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        faults = []
        try:
            faults = check(port, key, address[2], mcpo)
        finally:
            mcpo.kill()
            output = mcpo.communicate()[0]
    if faults:
        sys.exit("\n".join([output, *faults]))
    line = f"| Open WebUI | mcpo | {named['mcpo']} | runs |"
    print(f"{line} {date.today().isoformat()} |")
    if not any(row.startswith(line) for row in PAGE.read_text().splitlines()):
        sys.exit(f"{PAGE} lacks this line")


def check(port, key, path, mcpo):
    """Calls the tools. Returns what is wrong with the answers."""
    end = time.monotonic() + START
    while True:
        try:
            listed = post(port, key, f"{path}/list_zwave_devices")
            break
        except OSError:
            if mcpo.poll() is not None or time.monotonic() > end:
                return ["mcpo does not start with the entry"]
            time.sleep(0.2)
    control = f"{path}/control_zwave_device"
    controlled = post(port, key, control, deviceName="coffee machine", action="on")
    then = post(port, key, f"{path}/list_zwave_devices", filter="coffee machine")
    refused = post(port, key, control, deviceName="chandelier", action="on")
    stranger = post(port, "wrong", control, deviceName="coffee machine", action="off")
    right = {
        "list": (listed, listed[0] == 200 and "Coffee Machine" in listed[1]),
        "control": (controlled, controlled[0] == 200 and "Coffee Machine is now on." in controlled[1]),
        "the list after it": (then, re.search("Coffee Machine: [^,]*, on", then[1])),
        "a mistake": (refused, refused[0] != 200 and "no device" in refused[1]),
        "a wrong key": (stranger, stranger[0] in (401, 403)),
    }
    return [f"{what}: {answer}" for what, (answer, is_right) in right.items() if not is_right]


main()
