"""The programs that the checks run: the real server, the simulated house, and a client with a last will like a
gateway's."""

import itertools
import json
import queue
import select
import socket
import subprocess
import threading
import time
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"

# The maximum time for an answer. This is longer than the server's own limit.
LONGEST = 60


def free_port():
    """Returns a port of this machine at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def until(seconds, holds, every=0.05):
    """Waits until a condition holds. Returns the seconds that passed, or None after the time limit."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if holds():
            return time.monotonic() - start
        time.sleep(every)
    return None


class House:
    """The simulated gateway with its devices."""

    def __init__(self, program, port, nodes=FIXTURES / "getNodes_reply.json", **settings):
        words = [f"{name}={value}" for name, value in settings.items()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.process = subprocess.Popen([program, str(port), nodes, *words], **pipes)
        ready, _, _ = select.select([self.process.stdout], [], [], LONGEST)
        if not ready or self.process.stdout.readline() != "ready\n":
            self.crash()
            raise RuntimeError("the house does not reach its broker")

    def ask(self, question):
        self.process.stdin.write(f"{question}\n")
        return json.loads(self.process.stdout.readline())

    def crash(self):
        """Kills the process. Only the broken connection tells the broker that the house is gone."""
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(LONGEST)


class Answer:
    """A tool's answer."""

    def __init__(self, message):
        # A protocol error has no result. It would raise a KeyError here, which fails the check.
        result = message["result"]
        self.text = result["content"][0]["text"]
        self.error = result.get("isError", False)
        self.certainty = result.get("_meta", {}).get("zwave-mcp-server/certainty")

    def __repr__(self):
        return f"{self.certainty}: {self.text}"


class Server:
    """The real binary, started and called as a host does. Many calls may run at the same time."""

    def __init__(self, program, *options, **environment):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        words = [program, "--log-level", "error", *options]
        self.process = subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL, **pipes)
        self.lock, self.waiting, self.last = threading.Lock(), {}, 0
        # The requests and notifications that the server sent.
        self.notified = []
        threading.Thread(target=self.listen, daemon=True).start()
        info = {"name": "brokers", "version": "0"}
        self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        self.write({"method": "notifications/initialized"})

    def listen(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self.notified.append(message)
            else:
                with self.lock:
                    waiting = self.waiting.pop(message["id"])
                waiting.put(message)

    def write(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def request(self, method, **params):
        answer = queue.SimpleQueue()
        with self.lock:
            self.last += 1
            number = self.last
            self.waiting[number] = answer
        self.write({"id": number, "method": method, "params": params})
        return answer.get(timeout=LONGEST)

    def call(self, tool, **arguments):
        return Answer(self.request("tools/call", name=tool, arguments=arguments))

    def list(self, words=""):
        return self.call("list_zwave_devices", filter=words)

    def dim(self, name, level):
        return self.call("control_zwave_device", deviceName=name, action="dim", level=level)

    def held(self):
        """Returns the resident memory in MiB, and the numbers of open descriptors and threads."""
        process = Path("/proc") / str(self.process.pid)
        fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        resident = int(fields["VmRSS"].split()[0]) / 1024
        return resident, len(list((process / "fd").iterdir())), int(fields["Threads"])

    def end(self):
        """Closes the server's stdin, and returns its exit code."""
        self.process.stdin.close()
        return self.process.wait(LONGEST)


class Will:
    """A client with a retained last will, like zwave-js-ui. If the connection breaks, the broker publishes the will."""

    numbers = itertools.count()

    def __init__(self, port, topic, payload, login=()):
        text = lambda word: len(word.encode()).to_bytes(2, "big") + word.encode()
        # MQTT 3.1.1, section 3.1: a clean session, and a retained will with QoS 1.
        flags = 0b1110_1110 if login else 0b0010_1110
        # Each client has an id of its own, because a broker disconnects the older of two clients with the same id.
        words = [f"will-{next(Will.numbers)}", topic, payload, *login]
        rest = text("MQTT") + bytes([4, flags, 0, 60]) + b"".join(map(text, words))
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.socket.sendall(bytes([0x10, len(rest)]) + rest)
        greeting = self.socket.recv(4)
        if greeting[:1] != b"\x20" or greeting[3:] != b"\0":
            raise RuntimeError(f"the broker refuses a client with a will: {greeting}")

    def break_connection(self):
        self.socket.close()
