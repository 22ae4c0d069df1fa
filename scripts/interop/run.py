"""Runs real clients with the server and a house on a real Mosquitto, and prints a table.

run.py FOLDER MOSQUITTO HOUSE SERVER [quick | CLIENT...]: FOLDER has the installed clients. MOSQUITTO, HOUSE and SERVER
are programs. Each CLIENT is the name of a client to run. "quick" runs the first three. Without either, all run. The
checks look not only at the answers, but also at the device's state, at the number of writes, and at how the server's
process ended.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from house import House, version

HERE = Path(__file__).parent
FOLDER, MOSQUITTO, HOUSE, SERVER = (Path(word).resolve() for word in sys.argv[1:5])
CHOSEN = sys.argv[5:]

# The device to control: node 5 of the captured house, a dimmer that confirms commands.
NODE, KEY = 5, "38-0-currentValue"
TOOLS = ["control_zwave_device", "list_zwave_devices"]

# In seconds: how long a client may run, and how long its servers may then take to end.
LONGEST, GONE = 120, 5


# `javascript`, `python` and `inspector` return a client as two functions. One returns the client's version. The other
# carries out a task (the server to start and the calls to make), and returns the client's observations.


def javascript(folder, package, script, node="node"):
    def run(task):
        shutil.copytree(HERE / "clients", FOLDER / folder / "clients", dirs_exist_ok=True)
        return run_process([node, FOLDER / folder / "clients" / script], task)

    return lambda: version(FOLDER / folder, package), run


def python(folder, package, script):
    interpreter = FOLDER / folder / "bin" / "python3"
    return lambda: version(FOLDER / folder, package), lambda task: run_process([interpreter, HERE / "clients" / script], task)


def run_process(command, task):
    """Runs a client that is one program, and returns its observations."""
    environment = {**os.environ, "INTEROP": json.dumps(task), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=LONGEST, check=True)
    # Some libraries print lines of their own. The observations are the last line.
    return json.loads(ended.stdout.splitlines()[-1])


def inspector(era):
    """Runs the official inspector. Each call is a session of its own, and the exit code shows how the call went."""

    def call(task, expected_code, *words):
        config = Path(task["server"]["args"][0]) / "servers.json"
        config.write_text(json.dumps({"mcpServers": {"zwave": task["server"]}}))
        binaries = FOLDER / "more" / "node_modules" / ".bin"
        command = [binaries / "node", binaries / "mcp-inspector", "--cli", "--config", config, "--server", "zwave"]
        command += ["--protocol-era", era, "--format", "json", "--quiet", *words]
        ended = subprocess.run(command, capture_output=True, timeout=LONGEST)
        if ended.returncode != expected_code:
            raise RuntimeError(f"the inspector ended with {ended.returncode}: {(ended.stdout + ended.stderr).decode()}")
        printed = json.loads(ended.stdout)
        return printed.get("result", printed)

    def run(task):
        # The inspector ends with 5 if the answer is an error, and with 6 if some host would reject a tool's schema.
        seen = {"tools": [tool["name"] for tool in call(task, 0, "--method", "tools/list", "--strict")["tools"]]}
        for name, expected_code in (("list", 0), ("control", 0), ("mistake", 5)):
            words = ["--tool-name", task[name]["name"], "--tool-args-json", json.dumps(task[name]["arguments"])]
            result = call(task, expected_code, "--method", "tools/call", *words)
            seen[name] = {"text": result["content"][0]["text"], "error": result.get("isError", False)}
        return {"protocol": {"legacy": "2025-11-25", "modern": "2026-07-28"}[era], **seen}

    return lambda: version(FOLDER / "more", "@modelcontextprotocol/inspector"), run


# The quickest come first.
CLIENTS = {
    "TypeScript SDK 1.x": javascript("sdk", "@modelcontextprotocol/sdk", "typescript-sdk-1.mjs"),
    "TypeScript SDK 2.x": javascript("sdk", "@modelcontextprotocol/client", "typescript-sdk-2.mjs"),
    "Python SDK 1.x": python("mcp-1", "mcp", "mcp-1.py"),
    "Python SDK 2.x": python("mcp-2", "mcp", "mcp-2.py"),
    "MCP Inspector, before 2026": inspector("legacy"),
    "MCP Inspector, 2026": inspector("modern"),
    "LangChain for JavaScript": javascript("more", "@langchain/mcp-adapters", "langchain-js.mjs"),
    "LangChain for Python": python("langchain", "langchain_mcp_adapters", "langchain.py"),
    "FastMCP": python("fastmcp", "fastmcp", "fastmcp-4.py"),
    "Pydantic AI": python("pydantic-ai", "pydantic_ai_slim", "pydantic-ai.py"),
    "OpenAI Agents": python("openai-agents", "openai_agents", "openai-agents.py"),
}
QUICK = list(CLIENTS)[:3]


def try_client(house, run, level):
    """Runs one client. Returns the checks, each with True if it passed, and the protocol version (None if the client
    does not tell it)."""
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records"
        records.mkdir()
        house.ask(f"put {NODE} {KEY} 0")
        writes = house.ask("writes")
        control = {"deviceName": "kitchen dimmer", "action": "dim"}
        task = {
            "server": {
                "command": str(HERE / "host.py"),
                "args": [str(records), str(SERVER), "--broker", f"mqtt://127.0.0.1:{house.port}", "--log-level", "warn"],
            },
            "list": {"name": "list_zwave_devices", "arguments": {}},
            "control": {"name": "control_zwave_device", "arguments": {**control, "level": level}},
            # This call has no level, which is a mistake.
            "mistake": {"name": "control_zwave_device", "arguments": control},
        }
        seen = run(task)
        truth, written = house.ask(f"truth {NODE} {KEY}"), house.ask("writes") - writes
        ends = wait_for_exit_codes(records)
    listed, controlled, mistaken = seen["list"], seen["control"], seen["mistake"]
    checks = {
        "tools": sorted(seen["tools"]) == TOOLS,
        "list": not listed["error"] and "Dimmer" in listed["text"] and "Lamp Corner" in listed["text"],
        "control": not controlled["error"] and f"now on at {level} %" in controlled["text"] and truth == level,
        "mistake": mistaken["error"] and "level" in mistaken["text"] and written == 1,
        "close": bool(ends) and set(ends) == {"0"},
    }
    wrong = [name for name, right in checks.items() if not right]
    if wrong:
        print(f"{wrong}: {seen}; the dimmer is at {truth} after {written} writes; exit codes: {ends}", file=sys.stderr)
    return checks, seen["protocol"]


def wait_for_exit_codes(records):
    """Gives the servers time to end. Returns their exit codes, with "running" for a server that did not end."""
    until = time.monotonic() + GONE
    while True:
        ends = [record.read_text().strip() for record in records.iterdir() if record.suffix != ".json"]
        if (ends and "running" not in ends and "" not in ends) or time.monotonic() > until:
            return ends
        time.sleep(0.02)


def main():
    names = QUICK if CHOSEN == ["quick"] else CHOSEN or list(CLIENTS)
    unknown = [name for name in names if name not in CLIENTS]
    if unknown:
        sys.exit(f'{unknown} are no clients; the clients are {list(CLIENTS)}, and "quick" means the first three')
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder), MOSQUITTO, HOUSE)
        try:
            rows = [row(house, name, level) for level, name in enumerate(names, start=11)]
        finally:
            house.end()
    print("| client | version | protocol | tools | list | control | mistake | close |")
    print("|---|---|---|---|---|---|---|---|")
    for cells in rows:
        print(f"| {' | '.join(cells)} |")
    sys.exit(any("NO" in cells for cells in rows))


def row(house, name, level):
    """Returns a client's row of the table."""
    installed, run = CLIENTS[name]
    start = time.monotonic()
    try:
        checks, protocol = try_client(house, run, level)
    except (subprocess.SubprocessError, RuntimeError, ValueError, KeyError, TypeError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        checks, protocol = dict.fromkeys(("tools", "list", "control", "mistake", "close"), False), None
    took = time.monotonic() - start
    print(f"{name}: {'all right' if all(checks.values()) else 'NOT right'}, {took:.1f} s", file=sys.stderr)
    return [name, installed(), protocol or "not told", *("yes" if right else "NO" for right in checks.values())]


main()
