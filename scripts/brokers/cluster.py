"""Runs three RabbitMQ nodes as one cluster, with a house on the second node and a server that knows all three. Kills
and restarts each node in turn during control calls.

cluster.py FOLDER HOUSE SERVER. Fails if an answer does not match the house, if a write is doubled or late, or if a
device is not controlled with proof within five seconds after the cluster has recovered.
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

# The minimum number of calls, the seconds between two calls for one device, and the seconds that a killed node is away.
CALLS, PAUSE, AWAY = 1000, 0.2, 10

# Within this many seconds after the cluster has recovered, every device must be controlled with proof.
BACK = 5

# Who is connected to each node, in the words of the table.
USERS = {"one": "the server", "two": "the gateway", "three": "neither"}

# Dimmers that obey and confirm, by their ids in the house. Each has a caller of its own.
DIMMERS = {5: "kitchen dimmer", 7: "office ceiling", 8: "bjorns lamp", 6: "bedroom ceiling"}
LEVEL, TARGET = "38-0-currentValue", "38-0-targetValue"


class Node(RabbitMQ):
    """A node of the cluster."""

    def __init__(self, name, folder, installed):
        folder.mkdir()
        self.node, self.peers = name, [f"{peer}@localhost" for peer in NAMES]
        super().__init__(installed, folder)

    def running_count(self):
        """Returns the number of running nodes in the cluster, according to this node."""
        command = ["/usr/lib/rabbitmq/bin/rabbitmqctl", "cluster_status", "--formatter", "json"]
        run = subprocess.run(command, env={"PATH": "/usr/bin:/bin", **self.environment()}, capture_output=True, text=True)
        return len(json.loads(run.stdout)["running_nodes"]) if run.returncode == 0 else 0


class Caller(threading.Thread):
    """Dims one device again and again, and compares each answer with the house."""

    def __init__(self, server, house, lock, node, device, level):
        super().__init__(daemon=True)
        self.server, self.house, self.lock, self.node, self.device = server, house, lock, node, device
        self.level = level
        self.calls, self.wrong, self.confirmed, self.ending = [], [], [], threading.Event()

    def run(self):
        while not self.ending.is_set():
            self.level = self.level % 98 + 1
            answer = self.server.dim(self.device, self.level)
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

    def check_writes(self, received):
        """Checks the writes that the house received for the device. They must be those of the calls, in the same order,
        each at most once. A confirmed call must have its write. A call must have no write if its answer says that
        nothing was sent."""
        written = [value for node, key, value in received if (node, key) == (self.node, TARGET)]
        for level, answer in self.calls:
            if written[:1] == [level] and "nothing was sent" not in answer.text.lower():
                written.pop(0)
            elif answer.certainty == "confirmed":
                self.wrong.append(f"{answer}, but the next write at the house is {written[:1] or 'missing'}")
        self.wrong.extend(f"{level} % was written, although no call asked for it at that point" for level in written)


class Listener:
    """A bare MQTT client that subscribes to a topic."""

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


def passes(source, target):
    """Publishes a message at the source node. Returns True if the message arrives at the target node."""
    try:
        listener = Listener(target.port, "brokers/probe")
        time.sleep(0.1)
        publish(source.port, "brokers/probe", b"through")
        heard = listener.hears(b"through") or listener.hears(b"through")
        listener.socket.close()
        return heard
    except (OSError, RuntimeError):
        return False


class Cluster:
    def __init__(self, programs, folder):
        self.nodes = [Node(name, folder / name, programs) for name in NAMES]
        self.programs, self.house, self.server = programs, None, None
        # Held while the house is asked a question, because several threads ask at the same time.
        self.lock = threading.Lock()

    def start(self):
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.wait_until_ready()
        assert until(START, lambda: self.nodes[0].running_count() == len(NAMES)), "the nodes do not form a cluster"
        self.house = House(self.programs.house, self.nodes[1].port)
        brokers = [word for node in self.nodes for word in ("--broker", f"mqtt://127.0.0.1:{node.port}")]
        self.server = Server(self.programs.server, *brokers, "--gateway", "House")
        assert until(30, lambda: "Dimmer" in self.server.list().text), self.server.list()

    def has_recovered(self, lost):
        """Returns True if the gateway is connected, and messages from the gateway's node arrive at all nodes but
        `lost`."""
        others = [node for node in self.nodes if node is not lost]
        with self.lock:
            connected = self.house.ask("connected")
        return connected and all(passes(self.nodes[1], node) for node in others)

    def kill_each_node(self):
        """Kills each node in turn during calls. Returns the table's rows, the number of answers of each certainty, the
        number of writes at the house, and what was wrong."""
        callers = self.start_callers()
        rows = [self.kill_and_restart(node, callers) for node in self.nodes]
        wrong = [
            f"node {name}: seconds from the recovery to control of all devices: {back} (maximum {BACK})"
            for name, *_, back in rows
            if back is None or back > BACK
        ]
        self.finish_calls(callers)
        received = self.house.ask("received")
        for caller in callers:
            caller.check_writes(received)
            wrong += caller.wrong
        answers = [answer for caller in callers for _, answer in caller.calls]
        errors = Counter(answer.text for answer in answers if answer.error)
        for text, count in errors.most_common(12):
            print(f"  {count} × {text}", file=sys.stderr)
        wrong += self.check_list(callers)
        return rows, Counter(answer.certainty for answer in answers), len(received), wrong

    def start_callers(self):
        callers = [
            Caller(self.server, self.house, self.lock, node, device, 24 * place)
            for place, (node, device) in enumerate(DIMMERS.items())
        ]
        for caller in callers:
            caller.start()
        return callers

    def kill_and_restart(self, node, callers):
        """Kills a node and starts it again. Returns the table's row: the node's name, who was connected to it, and the
        seconds from the kill to the recovery, from the kill to the node's return, and from the recovery to control of
        all devices."""
        time.sleep(5)
        killed, recovered_at = time.monotonic(), None
        node.kill()
        # The gateway knows only the second node. While that node is away, the gateway can't connect.
        if node is not self.nodes[1]:
            took = until(AWAY, lambda: self.has_recovered(node))
            recovered_at = took and killed + took
        time.sleep(max(killed + AWAY - time.monotonic(), 0))
        node.start()
        returned = time.monotonic()
        took = until(START, lambda: self.has_recovered(None))
        assert took is not None, f"the cluster does not work again after {node.node} returned"
        recovered_at = recovered_at or time.monotonic()
        time.sleep(BACK + 1)
        back = self.seconds_until_all_confirmed(callers, recovered_at)
        row = node.node, USERS[node.node], recovered_at - killed, returned - killed, back
        print(f"{row}", file=sys.stderr, flush=True)
        return row

    @staticmethod
    def finish_calls(callers):
        """Waits until there are enough calls, ends the callers, and gives late writes time to arrive."""
        while sum(len(caller.calls) for caller in callers) < CALLS:
            time.sleep(0.5)
        for caller in callers:
            caller.ending.set()
        for caller in callers:
            caller.join(60)
        time.sleep(10)

    def check_list(self, callers):
        """Checks that the list shows the true level of each caller's device. Returns what is wrong."""
        listed = self.server.list().text
        truths = [(caller.device, self.house.ask(f"truth {caller.node} {LEVEL}")) for caller in callers]
        return [f"{device} is at {truth}: {listed}" for device, truth in truths if f" {truth} %" not in listed]

    @staticmethod
    def seconds_until_all_confirmed(callers, since):
        """Returns the seconds from `since` until every device was controlled with proof, or None if one was not."""
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
    # On SIGTERM, end by an exception, so that the processes started here are ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder, house, server = (Path(word).resolve() for word in sys.argv[1:])
    programs = SimpleNamespace(folder=folder, house=house, server=server)
    with tempfile.TemporaryDirectory() as nodes_folder:
        cluster = Cluster(programs, Path(nodes_folder))
        try:
            cluster.start()
            rows, counts, written, wrong = cluster.kill_each_node()
        finally:
            cluster.end()
            RabbitMQ.finder.end()
    print("| node killed | who used it | the cluster works again | the node is back | the server is back this long after the cluster |")
    print("|---|---|---|---|---|")
    for name, user, recovered, returned, back in rows:
        back = "never" if back is None else f"{back:.1f} s"
        print(f"| {name} | {user} | {recovered:.1f} s | {returned:.1f} s | {back} |")
    summary = ", ".join(f"{count} {certainty}" for certainty, count in counts.most_common())
    print(f"{sum(counts.values())} calls: {summary}; {written} writes at the house")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    sys.exit(bool(wrong))


main()
