"""The captured house on a real Mosquitto, and the versions of packages, for the scripts that run clients and hosts."""

import json
import socket
import subprocess
from pathlib import Path


def version(folder, package):
    """Returns the version of a package that npm or pip installed in a folder."""
    node = folder / "node_modules" / package / "package.json"
    if node.exists():
        return json.loads(node.read_text())["version"]
    found = list(folder.glob(f"lib/python*/site-packages/{package}-*.dist-info"))
    return found[0].name.removesuffix(".dist-info").rpartition("-")[2] if found else "not installed"


class House:
    """The simulated gateway, on a broker of its own."""

    def __init__(self, folder, mosquitto, house):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        config = folder / "mosquitto.conf"
        config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self.broker = subprocess.Popen([mosquitto, "-c", config], stderr=subprocess.DEVNULL)
        nodes = Path(__file__).parents[2] / "fixtures" / "getNodes_reply.json"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.house = subprocess.Popen([house, str(self.port), nodes], **pipes)
        assert self.house.stdout.readline() == "ready\n"

    def ask(self, question):
        self.house.stdin.write(f"{question}\n")
        return json.loads(self.house.stdout.readline())

    def end(self):
        self.house.stdin.close()
        self.house.wait(10)
        self.broker.terminate()
        self.broker.wait(10)
