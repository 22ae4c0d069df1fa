"""Runs three RabbitMQ nodes as one cluster, with a house on the second node and a server that knows all three. Kills
and restarts each node in turn during control calls.

cluster.py FOLDER HOUSE SERVER. Fails if an answer does not match the house, if a write is doubled or late, or if, five
seconds after the cluster has recovered, some device has not been controlled with proof again.
"""

import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from brokers import START, RabbitMQ
from programs import House, Server, Will, until

NAMES = ["one", "two", "three"]

# The minimum number of calls, the pause between two of them, and how long a node stays away.
CALLS, PAUSE, AWAY = 1000, 0.2, 10

# Within this many seconds after the cluster has recovered, every device must be controlled with proof again.
BACK = 5

# Dimmers that obey and confirm. Each has a caller of its own.
DIMMERS = {5: "kitchen dimmer", 7: "office ceiling", 8: "bjorns lamp", 6: "bedroom ceiling"}
LEVEL, TARGET = "38-0-currentValue", "38-0-targetValue"


class Node(RabbitMQ):
    """A node of the cluster."""

    def __init__(self, name, folder, installed):
        folder.mkdir()
        self.node, self.peers = name, [f"{peer}@localhost" for peer in NAMES]
        super().__init__(installed, folder)

    def running_count(self):
        """The number of nodes in the cluster, according to this node."""
        command = ["/usr/lib/rabbitmq/bin/rabbitmqctl", "cluster_status", "--formatter", "json"]
        told = subprocess.run(command, env={"PATH": "/usr/bin:/bin", **self.environment()}, capture_output=True, text=True)
        return len(json.loads(told.stdout)["running_nodes"]) if told.returncode == 0 else 0


class Caller(threading.Thread):
    """Dims one device again and again, and compares each answer with the house."""

    def __init__(self, server, house, lock, node, name, level):
        super().__init__(daemon=True)
        self.server, self.house, self.lock, self.node, self.name_ = server, house, lock, node, name
        self.level = level
        self.calls, self.wrong, self.confirmed, self.ending = [], [], [], threading.Event()

    def run(self):
        while not self.ending.is_set():
            self.level = self.level % 98 + 1
            answer = self.server.dim(self.name_, self.level)
            self.calls.append((self.level, answer))
            if answer.certainty == "confirmed":
                self.confirmed.append(time.monotonic())
                with self.lock:
                    truth = self.house.ask(f"truth {self.node} {LEVEL}")
                if truth != self.level or f"now on at {self.level} %" not in answer.text:
                    self.wrong.append(f"{answer}, and the house is at {truth}")
            elif not answer.error:
                self.wrong.append(f"{answer}, although this device confirms every write")
            self.ending.wait(PAUSE)

    def ledger(self, received):
        """Checks that the house received no writes but those called for, each at most once and in the order of the
        calls; that every confirmed one arrived; and that none arrived whose answer says that nothing was sent."""
        written = [value for node, key, value in received if (node, key) == (self.node, TARGET)]
        for level, answer in self.calls:
            if written[:1] == [level] and "nothing was sent" not in answer.text.lower():
                written.pop(0)
            elif answer.certainty == "confirmed":
                self.wrong.append(f"{answer}, and {written[:1]} was written")
        self.wrong.extend(f"{level} % was written, although no call asked for it at that point" for level in written)


class Listener:
    """A bare client that subscribes to a topic."""

    def __init__(self, port, topic):
        self.socket = Will(port, "brokers/ended", "").socket
        words = topic.encode()
        # A SUBSCRIBE packet with QoS 0 (MQTT 3.1.1, section 3.8).
        rest = bytes([0, 1, 0, len(words)]) + words + b"\0"
        self.socket.sendall(bytes([0x82, len(rest)]) + rest)
        self.socket.settimeout(1)

    def hears(self, word):
        try:
            return word in self.socket.recv(65536)
        except (socket.timeout, OSError):
            return False


def publish(port, topic, word):
    client = Will(port, "brokers/ended", "").socket
    rest = len(topic).to_bytes(2, "big") + topic.encode() + word
    client.sendall(bytes([0x30, len(rest)]) + rest + b"\xe0\0")
    client.close()


def passes(one, other):
    """Returns True if a message that is published at one node arrives at the other."""
    try:
        listener = Listener(other.port, "brokers/probe")
        time.sleep(0.1)
        publish(one.port, "brokers/probe", b"through")
        heard = listener.hears(b"through") or listener.hears(b"through")
        listener.socket.close()
        return heard
    except (OSError, RuntimeError):
        return False


class Cluster:
    def __init__(self, programs, folder):
        self.nodes = [Node(name, folder / name, programs) for name in NAMES]
        self.programs, self.house, self.server = programs, None, None

    def start(self):
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.ready()
        assert until(START, lambda: self.nodes[0].running_count() == len(NAMES)), "the nodes do not form a cluster"
        self.house = House(self.programs.house, self.nodes[1].port)
        brokers = [word for node in self.nodes for word in ("--broker", f"mqtt://127.0.0.1:{node.port}")]
        self.server = Server(self.programs.server, *brokers, "--gateway", "House")
        assert until(30, lambda: "Dimmer" in self.server.list().text), self.server.list()

    def recovered(self, lost):
        """Returns True if the gateway is connected, and its messages arrive at every node that runs."""
        others = [node for node in self.nodes if node is not lost]
        with self.lock:
            connected = self.house.ask("connected")
        return connected and all(passes(self.nodes[1], node) for node in others)

    def play(self):
        """Kills each node in turn during calls. Returns the table's rows, and what was wrong."""
        self.lock = threading.Lock()
        callers = [
            Caller(self.server, self.house, self.lock, node, name, 24 * place)
            for place, (node, name) in enumerate(DIMMERS.items())
        ]
        for caller in callers:
            caller.start()
        rows, wrong = [], []
        for node in self.nodes:
            time.sleep(5)
            killed = time.monotonic()
            node.kill()
            # While the gateway's own node is away, the cluster can't recover, because nobody can reach the gateway.
            recovers_early = node is not self.nodes[1]
            took = until(AWAY, lambda: recovers_early and self.recovered(node))
            recovered_at = took and killed + took
            rest = killed + AWAY - time.monotonic()
            time.sleep(max(rest, 0))
            node.start()
            returned = time.monotonic()
            took = until(START, lambda: self.recovered(None))
            assert took is not None, f"the cluster does not work again after {node.node} returned"
            recovered_at = recovered_at or time.monotonic()
            time.sleep(BACK + 1)
            back = self.seconds_until_all_confirmed(callers, recovered_at)
            if back is None or back > BACK:
                wrong.append(f"after {node.node} was killed, the devices were controlled again {back} s after the cluster")
            whose = {0: "the server's", 1: "the gateway's", 2: "neither's"}[self.nodes.index(node)]
            rows.append((node.node, whose, recovered_at - killed, returned - killed, back))
            print(f"{rows[-1]}", file=sys.stderr, flush=True)
        while sum(len(caller.calls) for caller in callers) < CALLS:
            time.sleep(0.5)
        for caller in callers:
            caller.ending.set()
        for caller in callers:
            caller.join(60)
        # By now, everything that could arrive late has arrived.
        time.sleep(10)
        received = self.house.ask("received")
        for caller in callers:
            caller.ledger(received)
            wrong += caller.wrong
        counts = Counter(answer.certainty for caller in callers for _, answer in caller.calls)
        said = Counter(answer.text for caller in callers for _, answer in caller.calls if answer.error)
        for text, count in said.most_common(12):
            print(f"  {count} × {text}", file=sys.stderr)
        listed = self.server.list().text
        for caller in callers:
            truth = self.house.ask(f"truth {caller.node} {LEVEL}")
            if f" {truth} %" not in listed:
                wrong.append(f"{caller.name_} is at {truth}: {listed}")
        return rows, counts, len(received), wrong

    @staticmethod
    def seconds_until_all_confirmed(callers, since):
        """Returns the seconds after `since` until every device had been controlled with proof, or None if one
        never was."""
        firsts = [next((at for at in caller.confirmed if at >= since), None) for caller in callers]
        return None if None in firsts else max(firsts) - since

    def end(self):
        for program in (self.server, self.house):
            if program:
                program.process.kill()
                program.process.wait()
        for node in self.nodes:
            node.kill()


def main():
    # If this program is ended, it ends the processes it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder, house, server = (Path(word).resolve() for word in sys.argv[1:])
    programs = SimpleNamespace(folder=folder, house=house, server=server)
    with tempfile.TemporaryDirectory() as own:
        cluster = Cluster(programs, Path(own))
        try:
            cluster.start()
            rows, counts, written, wrong = cluster.play()
        finally:
            cluster.end()
            RabbitMQ.finder.end()
    print("| node killed | who used it | the cluster works again | the node is back | the server, after the cluster |")
    print("|---|---|---|---|---|")
    for node, whose, recovered, returned, back in rows:
        back = "never" if back is None else f"{back:.1f} s"
        print(f"| {node} | {whose} | {recovered:.1f} s | {returned:.1f} s | {back} |")
    told = ", ".join(f"{count} {certainty}" for certainty, count in counts.most_common())
    print(f"{sum(counts.values())} calls: {told}; {written} writes at the house")
    for one in wrong:
        print(one, file=sys.stderr)
    sys.exit(bool(wrong))


main()
