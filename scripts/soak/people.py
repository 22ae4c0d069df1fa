"""The people of the house: one who is asked on a phone before a door opens, and one who sets timers by voice."""

import bisect
import json
import queue
import subprocess
import threading
import time

# The topic for questions.
TOPIC = "house/ask"

# In seconds: how far apart timers are due, so that the order of their writes is known.
APART = 1

# In seconds: how early a timer may be seen, since clocks are read one after the other, and how late it may be done.
EARLY, LATE = 0.2, 62


class Phone:
    """Shows the questions on the topic, and answers them as it is told to: True, False or None for no answer."""

    def __init__(self, port):
        self.port, self.answer, self.states = port, None, queue.SimpleQueue()
        words = ["mosquitto_sub", "-p", str(port), "-t", TOPIC]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.show, daemon=True).start()

    def show(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "state" in message:
                self.states.put(message["state"])
            elif self.answer is not None:
                answer = json.dumps({"id": message["id"], "allow": self.answer})
                words = ["mosquitto_pub", "-p", str(self.port), "-t", f"{TOPIC}/answer", "-m", answer]
                subprocess.run(words, check=False, stderr=subprocess.DEVNULL)

    def end(self):
        self.process.kill()
        self.process.wait()


class Voice:
    """Says sentences to `zwave-assistant listen`, and keeps the orders for later."""

    def __init__(self, program, port, node, key):
        self.node, self.key = node, key
        # For each order for later: when it is due, and the value to write, the earliest first.
        self.orders = []
        # The number of orders and of writes that were checked, and when.
        self.next, self.seen, self.checked = 0, 0, time.monotonic()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        environment = {"MQTT_BROKER_URL": f"mqtt://127.0.0.1:{port}", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
        self.process = subprocess.Popen([program, "listen"], env=environment, text=True, bufsize=1, **pipes)
        self.answers = queue.SimpleQueue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.answers.put(line.strip())

    def order(self, name, seconds):
        """Sets a timer that switches the device on or off. Returns False if another timer is due at nearly that time."""
        due = time.monotonic() + seconds
        if any(abs(due - other) < APART for other, _ in self.orders):
            return False
        on = len(self.orders) % 2 == 0
        self.process.stdin.write(f"turn {'on' if on else 'off'} the {name} in {seconds} seconds\n")
        bisect.insort(self.orders, (due, on))
        return True

    def fault(self, received):
        """Returns what is wrong with the writes that the house has received since the last check, if anything is: each
        must be that of an order, in their sequence, once, not before it is due and not long after."""
        written = [value for node, key, value in received if (node, key) == (self.node, self.key)]
        new, now, checked = written[self.seen :], time.monotonic(), self.checked
        self.seen, self.checked = len(written), now
        for value in new:
            while self.next < len(self.orders) and self.orders[self.next][1] != value:
                self.next += 1
            if self.next == len(self.orders):
                return f"{value} was written to node {self.node}, and no order for later is left that wants it"
            due, _ = self.orders[self.next]
            self.next += 1
            if now < due - EARLY:
                return f"{value} was written to node {self.node} {due - now:.1f} s early"
            if checked > due + LATE:
                return f"{value} was written to node {self.node} more than {checked - due:.1f} s late"
        return None

    def end(self):
        self.process.kill()
        self.process.wait()
