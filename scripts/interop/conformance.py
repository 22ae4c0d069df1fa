"""Runs MCP's conformance suite against the server with the demo house, and compares the results with a list.

conformance.py FOLDER SERVER: FOLDER has the installed packages. SERVER is the server's program. The suite speaks only
HTTP, so a proxy stands between it and the server. Fails if a scenario is missing or new, or if it has another number
of passed or failed checks than in conformance/expected.txt.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PACKAGES = Path(sys.argv[1]).resolve() / "conformance" / "node_modules"
SERVER = Path(sys.argv[2]).resolve()
LIST = Path(__file__).parent / "conformance" / "expected.txt"

# In seconds: how long the proxy may take to start, and how long the suite may run.
STARTED, LONGEST = 60, 300

# A line of the suite's summary, such as "✓ ping: 1 passed, 0 failed".
RESULT = re.compile(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed")


def expected():
    """Reads the list: for each scenario, the numbers of checks that pass and that fail."""
    lines = [line.split() for line in LIST.read_text().splitlines() if not line.startswith("#")]
    return {name: (int(passed), int(failed)) for name, passed, failed, *_ in lines}


def wait_for_port(port):
    until = time.monotonic() + STARTED
    while time.monotonic() < until:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    sys.exit("the HTTP proxy does not start")


def run_suite():
    """Runs all scenarios. Returns the result of each, and what the suite printed."""
    environment = {**os.environ, "PATH": f"{PACKAGES / '.bin'}:{os.environ['PATH']}"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PACKAGES / ".bin" / "mcp-proxy", "--host", "127.0.0.1", "--port", str(port), "--server", "stream"]
    command += ["--", SERVER, "--demo", "--log-level", "warn"]
    proxy = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        with tempfile.TemporaryDirectory() as folder:
            suite = [PACKAGES / ".bin" / "conformance", "server", "--url", f"http://127.0.0.1:{port}/mcp"]
            suite += ["--suite", "all", "--output-dir", folder]
            ended = subprocess.run(suite, env=environment, capture_output=True, text=True, timeout=LONGEST)
    finally:
        proxy.terminate()
        proxy.wait(10)
    printed = ended.stdout + ended.stderr
    matches = [RESULT.match(line) for line in printed.splitlines()]
    return {match[1]: (int(match[2]), int(match[3])) for match in matches if match}, printed


wanted, (results, printed) = expected(), run_suite()
wrong = {name for name in wanted | results if wanted.get(name) != results.get(name)}
for name in sorted(wrong):
    print(f"conformance: {name} has {results.get(name)} checks passed and failed; expected {wanted.get(name)}", file=sys.stderr)
if wrong:
    print(printed, file=sys.stderr)
    sys.exit(1)
passed = sum(1 for passed, failed in results.values() if passed and not failed)
print(f"conformance: all {len(results)} scenarios end as expected; {passed} pass")
