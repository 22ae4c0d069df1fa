"""A long life of one server: a house that is operated and renamed, a broker and a gateway that die and return, calls
that are right and calls that are wrong, subscriptions that come and go.

soak.py SECONDS MOSQUITTO HOUSE SERVER. It fails where an answer is not what the house is, where a write is doubled or
late, and where memory, descriptors or threads have grown.
"""

import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "brokers"))
from brokers import Mosquitto
from programs import House, Server, until

# What the memory may have grown by, in MiB: what an allocator keeps for itself. Descriptors and threads not at all.
GROWN = 3

# The dimmers of the captured house that obey and confirm, and what else is operated by hand.
DIMMERS = {5: ("Kitchen", "Dimmer"), 7: ("Office", "Ceiling")}
LEVEL, TARGET = "38-0-currentValue", "38-0-targetValue"

# Something dies this often, in rounds, and returns after so many seconds.
ROUNDS, AWAY = 40, 1

# How long the house may take to be itself again, and a change by hand to be listed.
BACK, LISTED = 20, 5

# Before it is measured what it holds, it has done everything for a while; and at last it rests.
WARM, REST = 60, 15


class Untrue(Exception):
    """An answer that is not what the house is."""


class Life:
    def __init__(self, broker, programs):
        self.broker, self.random = broker, random.Random(1)
        broker.start()
        self.house = House(programs.house, broker.port)
        self.server = Server(programs.server, "--broker", f"mqtt://127.0.0.1:{broker.port}")
        self.names = dict(DIMMERS)
        # What was wanted of each device, and whether that became certain.
        self.wanted, self.level = [], 0
        self.counts = Counter()
        self.holds("the house is known", lambda: "Dimmer" in self.server.list().text, BACK)
        # Names that say nothing of what a thing is: "kitchen dimmer" would go on to be understood.
        for node in self.names:
            self.name(node)

    def holds(self, what, holds, seconds=LISTED):
        if until(seconds, holds) is None:
            raise Untrue(f"not in {seconds} s: {what}; {self.server.list()}")

    def control(self):
        """A level that is proven is the house's, and was written once."""
        node = self.random.choice(list(self.names))
        # Never one that was wanted a moment ago: that write would look like the one before, twice.
        self.level = level = self.level % 98 + 1
        room, name = self.names[node]
        answer = self.server.dim(f"{room} {name}", level)
        self.wanted.append(([node, TARGET, level], answer.certainty))
        self.counts[f"control: {answer.certainty}"] += 1
        if answer.certainty == "confirmed":
            truth = self.house.ask(f"truth {node} {LEVEL}")
            if truth != level or f"now on at {level} %" not in answer.text or name not in answer.text:
                raise Untrue(f"{answer}, and the house is at {truth}")
        elif not answer.error:
            raise Untrue(f"{answer}, of a device that confirms")
        return answer

    def by_hand(self):
        """Many values, and the list tells the last of them."""
        node = self.random.choice(list(self.names))
        for _ in range(20):
            level = self.random.randrange(1, 99)
            self.house.ask(f"put {node} {LEVEL} {level}")
            self.counts["values by hand"] += 1
        room, name = self.names[node]
        line = f"- {name}: dimmer, on {level} %"
        self.holds(line, lambda: line in self.server.list(f"{room} {name}").text)

    def rename(self):
        """The new name is listed, and the old one is unknown."""
        node = self.random.choice(list(self.names))
        room, old = self.names[node]
        new = self.name(node)
        before = self.house.ask("writes")
        said = self.server.dim(f"{room} {old}", 50)
        if not said.error or self.house.ask("writes") != before:
            raise Untrue(f"to the old name {old}, when it is {new}: {said}")

    def name(self, node):
        """Gives a device a new name."""
        room, _ = self.names[node]
        new = f"{self.random.choice(['Heron', 'Swift', 'Wren', 'Robin'])} {self.random.randrange(1000, 10000)}"
        self.house.ask(f"rename {node} {room} {new}")
        self.names[node] = (room, new)
        self.counts["renames"] += 1
        self.holds(f"{new} is listed", lambda: f"- {new}: " in self.server.list().text)
        return new

    def mistake(self):
        """What can't be done is not done."""
        before = self.house.ask("writes")
        for name, action in [("chandelier", "on"), ("multisensor", "on"), ("front door", "unlock"), ("thermostat", "dim")]:
            said = self.server.call("control_zwave_device", deviceName=name, action=action)
            if not said.error:
                raise Untrue(f"{name} {action}: {said}")
            self.counts["mistakes"] += 1
        if self.house.ask("writes") != before:
            raise Untrue(f"a mistake was written: {self.house.ask('received')[before:]}")

    def resources(self):
        """A subscription tells of what changes, and none of what is left."""
        every = "zwave://devices"
        self.server.request("resources/subscribe", uri=every)
        self.server.notified.clear()
        node = self.random.choice(list(self.names))
        level = 1 + (self.house.ask(f"truth {node} {LEVEL}") + self.random.randrange(1, 90)) % 98
        self.house.ask(f"put {node} {LEVEL} {level}")
        told = lambda: any(one["method"] == "notifications/resources/updated" for one in self.server.notified)
        self.holds("a subscriber is told", told)
        listed = self.server.request("resources/list")["result"]["resources"]
        for one in self.random.sample(listed, 3):
            self.server.request("resources/read", uri=one["uri"])
        self.server.request("resources/unsubscribe", uri=every)
        self.counts["subscriptions"] += 1

    def outage(self):
        """The broker, the gateway or both of them die; what is asked of them then fails, and is not done late."""
        which = self.random.choice(["broker", "gateway", "both"])
        if which != "broker":
            self.house.ask("kill")
        if which != "gateway":
            self.broker.kill()
        self.control()
        time.sleep(AWAY)
        answer = self.control()
        if answer.certainty == "confirmed":
            raise Untrue(f"{answer}, while there is no {which}")
        if which != "gateway":
            self.broker.start()
        if which != "broker":
            self.house.ask("restart")
        self.holds(f"back after an outage of the {which}", lambda: self.control().certainty == "confirmed", BACK)
        # Each ping after a start tells a value again, which may be the one before.
        self.holds("every device is reached", self.reached, BACK)
        self.counts[f"outages: {which}"] += 1

    def reached(self):
        lines = [f"- {name}: dimmer, on {self.house.ask(f'truth {node} {LEVEL}')} %" for node, (_, name) in self.names.items()]
        said = self.server.list().text
        return all(line in said for line in lines)

    def ledger(self):
        """Each write was wanted, in this order, once; what is certain was written, and what was not sent was not."""
        written = iter(self.house.ask("received"))
        write = next(written, None)
        for wanted, certainty in self.wanted:
            if write == wanted and certainty != "failed":
                write = next(written, None)
            elif certainty == "confirmed":
                raise Untrue(f"{wanted} was confirmed, and {write} was written")
        if write is not None:
            raise Untrue(f"{write} was written, and not wanted then")

    def live(self, seconds):
        until_then, round_ = time.monotonic() + seconds, 0
        steps = [self.control] * 8 + [self.by_hand] * 3 + [self.rename, self.mistake, self.resources]
        while time.monotonic() < until_then:
            self.random.choice(steps)()
            round_ += 1
            if round_ % ROUNDS == 0:
                self.outage()
        # Whatever may come late has come.
        time.sleep(REST)
        self.ledger()

    def held(self, when):
        resident, descriptors, threads = self.server.held()
        print(f"{when}: {resident:.2f} MiB resident, {descriptors} descriptors, {threads} threads", flush=True)
        return resident, descriptors, threads

    def end(self):
        for process in (self.server.process, self.house.process):
            process.kill()
            process.wait()
        self.broker.kill()


def main():
    # Whoever ends this ends what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seconds, mosquitto, house, server = int(sys.argv[1]), *map(Path, sys.argv[2:])
    programs = SimpleNamespace(mosquitto=mosquitto.resolve(), house=house.resolve(), server=server.resolve())
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Mosquitto(programs, Path(folder)), programs)
        try:
            life.live(min(WARM, seconds / 4))
            before = life.held("at the start")
            life.counts.clear()
            life.live(seconds)
            after = life.held(f"after {seconds} s")
            code = life.server.end()
        except Untrue as error:
            sys.exit(f"false: {error}")
        finally:
            life.end()
    print(", ".join(f"{count} {what}" for what, count in sorted(life.counts.items())))
    grown = [now - then for now, then in zip(after, before)]
    if grown[0] > GROWN or grown[1] > 0 or grown[2] > 0:
        sys.exit(f"it has grown: {grown[0]:.2f} MiB, {grown[1]} descriptors, {grown[2]} threads")
    if code != 0:
        sys.exit(f"the server ended with {code}")
    print("nothing was false, and nothing has grown")


main()
