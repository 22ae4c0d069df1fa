"""Runs one server for a long time. Meanwhile, devices are operated by hand and renamed, the broker and the gateway die
and return, the gateway tells things late, the server stands still, its connection becomes half open, and it gets valid
calls, invalid calls and subscriptions. A person is asked on a topic before a door is unlocked, and another sets timers.

soak.py SECONDS MOSQUITTO HOUSE SERVER ASSISTANT. Fails if an answer does not match the house, if a write is doubled or late, or
if the server's memory, descriptors or threads have grown.
"""

import itertools
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "brokers"))
from brokers import Mosquitto
from link import Link
from people import TOPIC, Phone, Voice
from programs import House, Server, until

# How much the memory may grow, in MiB. An allocator keeps some freed memory. Descriptors and threads may not grow.
MAX_GROWTH = 3

# The dimmers of the captured house that confirm writes: node, room and name.
DIMMERS = {5: ("Kitchen", "Dimmer"), 7: ("Office", "Ceiling")}
LEVEL, TARGET = "38-0-currentValue", "38-0-targetValue"

# The lock that people are asked about, the value by which it is locked, and the values for unlocked and locked.
LOCK, MODE, UNLOCKED, LOCKED = 12, "98-0-targetMode", 0, 255

# The switch that is switched later.
SWITCH, SWITCH_NAME, SWITCH_TARGET = 2, "Switch One", "37-0-targetValue"

# The number of steps between two outages, and the length of an outage in seconds.
OUTAGE_INTERVAL, OUTAGE_TIME = 40, 1

# The number of steps between two questions to a person, and between two timers.
QUESTION_INTERVAL, TIMER_INTERVAL = 60, 7

# In seconds: how long the process stands still, less and more than it waits for a reply, and how long a connection is
# half open, less and more than the server takes to notice.
PAUSES, SILENCES = (2, 12), (4, 13)

# In seconds: the age from which a list does not take what it knows for current without a sign of life.
LIST_AGE = 3

# In seconds: the maximum time until the server knows the house at the start or after an outage, and until it
# lists a change.
RECOVERY_LIMIT, LIST_LIMIT = 20, 5

# In seconds: the maximum duration of the exercise before the first measurement, and the pause before each
# measurement.
WARM_UP_TIME, REST_TIME = 60, 15


class Untrue(Exception):
    """An answer that does not match the house."""


class Soak:
    """A broker, a simulated house and a server. Each step raises Untrue if an answer does not match the house."""

    def __init__(self, broker, programs):
        self.broker, self.random = broker, random.Random(1)
        broker.start()
        self.house = House(programs.house, broker.port)
        self.link = Link(broker.port)
        options = ["--guard=confirm", f"--confirm-topic={TOPIC}", "--broker", f"mqtt://127.0.0.1:{self.link.port}"]
        self.server = Server(programs.server, *options)
        self.phone = Phone(broker.port)
        self.voice = Voice(programs.assistant, broker.port, SWITCH, SWITCH_TARGET)
        self.faults = itertools.cycle([self.outage, self.pause, self.half_open, self.cut_off])
        self.names = dict(DIMMERS)
        # For each call, the write that it requested and the certainty of the answer.
        self.wanted = []
        self.level = 0
        self.counts = Counter()
        self.expect("the house is known", lambda: "Dimmer" in self.server.list().text, RECOVERY_LIMIT)
        # Replace names such as "Dimmer", because "kitchen dimmer" would still find a renamed dimmer by its kind.
        for node in self.names:
            self.give_new_name(node)

    def expect(self, what, holds, seconds=LIST_LIMIT):
        """Waits until a condition holds. Raises Untrue if this takes too long."""
        if until(seconds, holds) is None:
            raise Untrue(f"this did not happen within {seconds} s: {what}; the list is {self.server.list()}")

    def control(self):
        """Dims a device. If this is confirmed, the device must have the level. Any other answer must be an error."""
        node = self.random.choice(list(self.names))
        # Two calls in a row never have the same level, so that `check_writes` can tell their writes apart.
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
            raise Untrue(f"{answer}, although this device confirms its writes")
        return answer

    def question(self):
        """Unlocks the door, for which a person is asked, and locks it again. Without a yes, nothing is written."""
        self.phone.answer = self.random.choice([True, True, False])
        answer = self.server.call("control_zwave_device", deviceName="front door", action="unlock")
        self.wanted.append(([LOCK, MODE, UNLOCKED], answer.certainty))
        self.counts[f"questions: {answer.certainty}, {'yes' if self.phone.answer else 'no'}"] += 1
        if answer.certainty == "confirmed" and not self.phone.answer:
            raise Untrue(f"{answer}, and the person said no")
        answer = self.server.call("control_zwave_device", deviceName="front door", action="lock")
        self.wanted.append(([LOCK, MODE, LOCKED], answer.certainty))

    def later(self):
        """Sets a timer. Each is done once, when it is due, or not at all."""
        if self.voice.order(SWITCH_NAME, self.random.randrange(2, 12)):
            self.counts["timers"] += 1

    def by_hand(self):
        """Changes a level many times by hand. The list must show the last level."""
        node = self.random.choice(list(self.names))
        for _ in range(20):
            level = self.random.randrange(1, 99)
            self.house.ask(f"put {node} {LEVEL} {level}")
            self.counts["values by hand"] += 1
        room, name = self.names[node]
        line = f"- {name}: dimmer, on {level} %"
        self.expect(f'the line "{line}" is listed', lambda: line in self.server.list(f"{room} {name}").text)

    def rename(self):
        """Renames a device. The new name must be listed, and the old name unknown."""
        node = self.random.choice(list(self.names))
        room, old = self.names[node]
        new = self.give_new_name(node)
        before = self.writes()
        answer = self.server.dim(f"{room} {old}", 50)
        if not answer.error or self.writes() != before:
            raise Untrue(f"a call with the name {old}, which is now {new}, must fail and write nothing: {answer}")

    def give_new_name(self, node):
        room, _ = self.names[node]
        new = f"{self.random.choice(['Heron', 'Swift', 'Wren', 'Robin'])} {self.random.randrange(1000, 10000)}"
        self.house.ask(f"rename {node} {room} {new}")
        self.names[node] = (room, new)
        self.counts["renames"] += 1
        self.expect(f"{new} is listed", lambda: f"- {new}: " in self.server.list().text)
        return new

    def mistake(self):
        """Makes invalid calls. Each must fail, and nothing may be written."""
        before = self.writes()
        for name, action in [("chandelier", "on"), ("multisensor", "on"), ("all locks", "unlock"), ("thermostat", "dim")]:
            answer = self.server.call("control_zwave_device", deviceName=name, action=action)
            if not answer.error:
                raise Untrue(f'the invalid call "{name} {action}" did not fail: {answer}')
            self.counts["mistakes"] += 1
        if self.writes() != before:
            raise Untrue(f"an invalid call caused writes: {self.writes()[len(before):]}")

    def resources(self):
        """Subscribes to the house, and changes a value by hand. The server must report the change."""
        house = "zwave://devices"
        self.server.request("resources/subscribe", uri=house)
        self.server.notified.clear()
        node = self.random.choice(list(self.names))
        level = 1 + (self.house.ask(f"truth {node} {LEVEL}") + self.random.randrange(1, 90)) % 98
        self.house.ask(f"put {node} {LEVEL} {level}")
        is_notified = lambda: any(sent["method"] == "notifications/resources/updated" for sent in self.server.notified)
        self.expect("a subscriber is told", is_notified)
        listed = self.server.request("resources/list")["result"]["resources"]
        for resource in self.random.sample(listed, 3):
            self.server.request("resources/read", uri=resource["uri"])
        self.server.request("resources/unsubscribe", uri=house)
        self.counts["subscriptions"] += 1

    def outage(self):
        """Kills the broker, the gateway or both, and starts them again. A call during the outage must not be
        confirmed."""
        which = self.random.choice(["broker", "gateway", "both"])
        if which != "broker":
            self.house.ask("kill")
        if which != "gateway":
            self.broker.kill()
        self.control()
        time.sleep(OUTAGE_TIME)
        answer = self.control()
        if answer.certainty == "confirmed":
            raise Untrue(f"{answer}, during an outage ({which})")
        if which != "gateway":
            self.broker.start()
        if which != "broker":
            self.house.ask("restart")
        self.recover(which)

    def recover(self, fault):
        """Waits until a call is confirmed and the list is true again. When a node answers a restarted gateway's ping, the
        gateway publishes the node's cached values, even old ones."""
        self.expect(f"a call is confirmed after an outage ({fault})", lambda: self.control().certainty == "confirmed", RECOVERY_LIMIT)
        self.expect(f"the list is true again ({fault})", self.is_list_true, RECOVERY_LIMIT)
        self.counts[f"outages: {fault}"] += 1

    def pause(self):
        """Stops the process during a call. The call must be answered when the process goes on."""
        with ThreadPoolExecutor(1) as threads:
            call = threads.submit(self.control)
            time.sleep(self.random.random() / 50)
            self.server.process.send_signal(signal.SIGSTOP)
            time.sleep(self.random.choice(PAUSES))
            self.server.process.send_signal(signal.SIGCONT)
            call.result(RECOVERY_LIMIT)
        self.recover("paused")

    def half_open(self):
        """Breaks the connection without a sign. A list must say so, and a call must not be confirmed until there is a new
        connection."""
        self.link.break_silently()
        time.sleep(LIST_AGE)
        listed = self.server.list()
        if "does not answer" not in listed.text:
            raise Untrue(f"{listed}, through a connection that is half open")
        answer = self.control()
        if answer.certainty == "confirmed":
            raise Untrue(f"{answer}, through a connection that is half open")
        time.sleep(self.random.choice(SILENCES))
        self.link.mend()
        self.recover("half open")

    def cut_off(self):
        """Cuts the gateway off from the broker, and changes a value by hand. The gateway tells it late, and the list of
        changes must not have it as a change of that moment."""
        self.house.ask("cut-off")
        before = max((change["number"] for change in self.changes()), default=0)
        node = self.random.choice(list(self.names))
        # A report near the level of the next call counts as unconfirmed, and is not a change until it comes again.
        near = {self.level % 98 + 1 + offset for offset in (-1, 0, 1)} | {self.house.ask(f"truth {node} {LEVEL}")}
        level = self.random.choice([level for level in range(1, 99) if level not in near])
        self.house.ask(f"put {node} {LEVEL} {level}")
        answer = self.control()
        if answer.certainty == "confirmed":
            raise Untrue(f"{answer}, while the gateway is cut off")
        time.sleep(OUTAGE_TIME)
        self.house.ask("reconnect")
        self.expect("the list is true after a late event", self.is_list_true, RECOVERY_LIMIT)
        _, name = self.names[node]
        is_late = lambda change: change["number"] > before and change["name"] == name and change["after"] == f"on {level} %"
        listed = lambda: [change for change in self.changes() if is_late(change)]
        self.expect(f"the late change of {name} to {level} % is listed", listed)
        if "notBefore" not in listed()[0]:
            raise Untrue(f"the late change of {name} to {level} % is listed as {listed()[0]}")
        self.recover("cut off")

    def changes(self):
        """Returns the changes that the server has seen, the latest first."""
        read = self.server.request("resources/read", uri="zwave://changes")
        return json.loads(read["result"]["contents"][0]["text"])["changes"]

    def is_list_true(self):
        lines = [f"- {name}: dimmer, on {self.house.ask(f'truth {node} {LEVEL}')} %" for node, (_, name) in self.names.items()]
        listed = self.server.list().text
        return all(line in listed for line in lines)

    def writes(self):
        """Returns the writes that the house received, without those of timers."""
        return [write for write in self.house.ask("received") if write[0] != SWITCH]

    def check_writes(self):
        """Checks the writes that the house received. They must be in the order of the calls, at most one for each call.
        A confirmed call must have its write, and a failed call must have none."""
        written = iter(self.writes())
        write = next(written, None)
        for wanted, certainty in self.wanted:
            if write == wanted and certainty != "failed":
                write = next(written, None)
            elif certainty == "confirmed":
                raise Untrue(f"{wanted} was confirmed, but {write} was written instead")
        if write is not None:
            raise Untrue(f"{write} was written, but no call requested it at this point")

    def exercise(self, seconds):
        end, steps_done = time.monotonic() + seconds, 0
        steps = [self.control] * 8 + [self.by_hand] * 3 + [self.rename, self.mistake, self.resources]
        while time.monotonic() < end:
            self.random.choice(steps)()
            steps_done += 1
            if fault := self.voice.fault(self.house.ask("received")):
                raise Untrue(fault)
            if steps_done % QUESTION_INTERVAL == 0:
                self.question()
            if steps_done % TIMER_INTERVAL == 0:
                self.later()
            if steps_done % OUTAGE_INTERVAL == 0:
                next(self.faults)()
        # After this pause, every late write has arrived.
        time.sleep(REST_TIME)
        self.check_writes()
        self.counts["timers done"] = self.voice.seen
        if 2 * self.voice.seen < len(self.voice.orders):
            raise Untrue(f"only {self.voice.seen} of {len(self.voice.orders)} timers were done")

    def measure(self, when):
        resident, descriptors, threads = self.server.held()
        print(f"{when}: {resident:.2f} MiB resident, {descriptors} descriptors, {threads} threads", flush=True)
        return resident, descriptors, threads

    def end(self):
        self.phone.end()
        self.voice.end()
        for process in (self.server.process, self.house.process):
            process.kill()
            process.wait()
        self.link.end()
        self.broker.kill()


def main():
    # On SIGTERM, exit by an exception, so that `finally` ends the started processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seconds, *paths = int(sys.argv[1]), *map(Path, sys.argv[2:])
    names = ["mosquitto", "house", "server", "assistant"]
    programs = SimpleNamespace(**{name: path.resolve() for name, path in zip(names, paths, strict=True)})
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Mosquitto(programs, Path(folder)), programs)
        try:
            soak.exercise(min(WARM_UP_TIME, seconds / 4))
            before = soak.measure("at the start")
            soak.counts.clear()
            soak.exercise(seconds)
            after = soak.measure(f"after {seconds} s")
            code = soak.server.end()
        except Untrue as error:
            sys.exit(f"the soak test failed: {error}")
        finally:
            soak.end()
    print(", ".join(f"{count} {what}" for what, count in sorted(soak.counts.items())))
    grown = [now - then for now, then in zip(after, before)]
    if grown[0] > MAX_GROWTH or grown[1] > 0 or grown[2] > 0:
        sys.exit(f"the server has grown: {grown[0]:.2f} MiB, {grown[1]} descriptors, {grown[2]} threads")
    if code != 0:
        sys.exit(f"the server ended with {code}")
    print("every answer and write was right, and the server has not grown beyond the limits")


main()
