"""Runs a house and the server on every broker, and prints a table.

run.py FOLDER MOSQUITTO HOUSE SERVER [BROKER...]: FOLDER has the installed brokers. MOSQUITTO, HOUSE and SERVER are
programs. Each BROKER is the name of a broker to run. Without names, all brokers run. The checks look at what the house
did, not only at the answers. Fails if a row is not in docs/SETTINGS.md.
"""

import gzip
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import SimpleNamespace

from brokers import BROKERS, PASSWORD, RabbitMQ
from programs import FIXTURES, House, Server, Will, until

PAGE = Path(__file__).parents[2] / "docs/SETTINGS.md"
COLUMNS = ["found", "control", "doctor", "live", "offline", "return", "restart", "not retained", "200 nodes"]
COLUMNS += ["TLS, password"]

# The device to control: node 5 of the captured house, a dimmer that confirms commands.
NODE, KEY, NAME = 5, "38-0-currentValue", "kitchen dimmer"
STATUS = "zwave/_CLIENTS/ZWAVE_GATEWAY-House/status"

# The maximum time until the server knows the house, for the first time or again. Usually it takes a tenth of this.
PATIENCE = 20


class Case:
    """One broker, and the steps that are tried with it. A step returns a pair: the word for the table (True is "yes",
    False is "NO"), and the seconds that the step took, or None."""

    def __init__(self, broker, programs, folder):
        self.broker, self.programs, self.folder = broker, programs, folder
        self.level, self.house, self.server, self.options = 10, None, None, []
        self.ends = []
        # How many times the gateway gets a request: some brokers deliver a message once for each matching subscription.
        self.copies = 1

    def start_house(self, *nodes, **settings):
        if self.broker.login:
            settings |= dict(zip(("user", "password"), self.broker.login))
        self.house = House(self.programs.house, self.broker.port, *nodes, **settings)
        self.ends.append(self.house)

    def start_server(self, *options, **environment):
        url = f"mqtt://127.0.0.1:{self.broker.port}"
        if self.broker.login:
            environment |= dict(zip(("MQTT_USERNAME", "MQTT_PASSWORD"), self.broker.login))
        server = Server(self.programs.server, "--broker", url, *self.options, *options, **environment)
        self.ends.append(server)
        return server

    def wait_until_known(self, server, word="Dimmer"):
        return until(PATIENCE, lambda: word in server.list().text)

    def dim(self, server=None):
        """Dims the device to the next level. Returns True if the server has proof of this level. If so, checks that the
        device really has the level, and that the house received the write `copies` times."""
        # A broker that starts slowly may need more attempts than there are levels.
        self.level = self.level % 98 + 1
        before = self.house.ask("writes")
        answer = (server or self.server).dim(NAME, self.level)
        truth, written = self.house.ask(f"truth {NODE} {KEY}"), self.house.ask("writes") - before
        if answer.certainty == "confirmed":
            assert truth == self.level and written == self.copies, (answer, truth, written)
            assert f"now on at {self.level} %" in answer.text, answer
            return True
        assert written <= self.copies, (answer, written)
        self.said = answer
        return False

    def found(self):
        """The server finds the house, if necessary with the option --gateway."""
        self.server = self.start_server()
        took = self.wait_until_known(self.server)
        if took is not None:
            return "yes", took
        self.server.end()
        self.options = ["--gateway", "House"]
        self.server = self.start_server()
        took = self.wait_until_known(self.server)
        return took is not None and "with `--gateway`", took

    def control(self):
        """Control works. Counts how many times the gateway carries out one request."""
        before = self.house.ask("writes")
        self.server.dim(NAME, 33)
        time.sleep(0.5)
        self.copies = max(self.house.ask("writes") - before, 1)
        if self.copies > 2 or self.house.ask(f"truth {NODE} {KEY}") != 33:
            return False, None
        return until(PATIENCE, self.dim) is not None and ("yes" if self.copies == 1 else "twice"), None

    def doctor(self):
        """The doctor mentions exactly what the broker can't do."""
        url = f"mqtt://127.0.0.1:{self.broker.port}"
        login = dict(zip(("MQTT_USERNAME", "MQTT_PASSWORD"), self.broker.login or ()))
        command = [self.programs.server, "doctor", "--json", "--broker", url, *self.options]
        report = json.loads(subprocess.run(command, env=login, capture_output=True, text=True).stdout)
        self.said = report
        hints = str(report["hints"])
        wants_name, has_copies = "Like RabbitMQ" in hints, "reaches zwave-js-ui twice" in hints
        if not report["ok"] or wants_name != bool(self.options) or has_copies != (self.copies == 2):
            return False, None
        return "says so" if wants_name or has_copies else "all is well", None

    def live(self):
        """If somebody operates the device by hand, the list soon shows it."""
        self.house.ask(f"put {NODE} {KEY} 77")
        took = until(PATIENCE, lambda: "77 %" in self.server.list("kitchen dimmer").text)
        return took is not None and took < 2, took

    def offline(self):
        """If the gateway dies, the running server learns this, and so does a server that starts later."""
        offline = lambda server: "offline" in server.dim(NAME, 1).text
        self.house.crash()
        for _ in range(self.broker.wills):
            Will(self.broker.port, STATUS, '{"value":false}', self.broker.login or ()).break_connection()
            took = until(PATIENCE / 4, lambda: offline(self.server))
            if took is not None:
                break
        late = self.start_server()
        knows = until(PATIENCE / 4, lambda: offline(late))
        answer = late.dim(NAME, 1)
        late.end()
        assert took is not None, self.server.dim(NAME, 1)
        assert answer.error and answer.certainty == "failed", answer
        return "yes" if knows is not None else "connected clients only", took

    def back(self):
        self.start_house()
        took = until(PATIENCE, self.dim)
        return took is not None, took

    def restart(self):
        """If the broker dies and returns, no command is carried out late, and everything works again."""
        self.broker.kill()
        until(5, lambda: "broker" in self.server.list("").text)
        answer = self.server.dim(NAME, 5)
        assert answer.certainty == "failed" and "Nothing was sent" in answer.text, answer
        self.broker.start()
        took = until(PATIENCE, self.dim)
        assert [NODE, "38-0-targetValue", 5] not in self.house.ask("received")
        return took is not None, took

    def not_retained(self):
        self.start_house(prefix="quiet", name="zwave-js-ui", retain="no")
        self.options = []
        server = self.start_server("--prefix", "quiet")
        took = self.wait_until_known(server)
        return took is not None and until(PATIENCE, lambda: self.dim(server)) is not None, took

    def large(self):
        nodes = self.folder / "200.json"
        nodes.write_bytes(gzip.decompress((FIXTURES / "getNodes_reply_big200.json.gz").read_bytes()))
        self.start_house(nodes, prefix="large", name="zwave-js-ui")
        server = self.start_server("--prefix", "large")
        took = self.wait_until_known(server, "203 devices")
        self.said = server.list().text[:200]
        return took is not None, took

    def login(self):
        """With TLS, only a client with the password gets in."""
        self.start_house(name="zwave-js-ui")
        user, (refused, missing) = self.broker.user, self.broker.refusals
        secure = ["--broker", f"mqtts://127.0.0.1:{self.broker.secure}", "--ca-file", self.broker.certificates / "ca.pem"]

        def serve_until_says(word, **environment):
            server = Server(self.programs.server, *secure, **environment)
            self.ends.append(server)
            took = until(PATIENCE, lambda: word in server.list().text)
            assert took is not None, server.list()
            return server

        serve_until_says(missing)
        serve_until_says(refused, MQTT_USERNAME=user, MQTT_PASSWORD="wrong")
        self.server = serve_until_says("Dimmer", MQTT_USERNAME=user, MQTT_PASSWORD=PASSWORD)
        right, _ = self.control()
        return right and ("yes" if refused != missing else "refused without a word"), None

    def end(self):
        for program in reversed(self.ends):
            program.process.kill()
            program.process.wait()
        self.broker.kill()


def cell(name, case, step):
    """Runs a step, and returns the word for the table. Prints this word on stderr, and how long the step took."""
    try:
        right, took = step()
    except Exception as error:
        traceback.print_exc(limit=3)
        right, took = False, None
        case.said = error
    word = right if isinstance(right, str) else "yes" if right else "NO"
    more = f", {took:.1f} s" if took is not None else "" if right else f": {getattr(case, 'said', '')}"
    print(f"  {name}: {word}{more}", file=sys.stderr, flush=True)
    return word


def row(kind, programs, certificates):
    print(kind.name, file=sys.stderr)
    cells = dict.fromkeys(COLUMNS, "NO")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for part, keys in (("open", None), ("closed", certificates)):
            broker_folder = folder / part
            broker_folder.mkdir()
            case = Case(kind(programs, broker_folder, keys), programs, folder)
            try:
                case.broker.start()
                if keys:
                    steps = [("TLS, password", case.login)]
                else:
                    case.start_house()
                    names = COLUMNS[:-1]
                    steps = [case.found, case.control, case.doctor, case.live, case.offline, case.back, case.restart]
                    steps = zip(names, [*steps, case.not_retained, case.large])
                for name, step in steps:
                    cells[name] = cell(name, case, step)
            except RuntimeError as error:
                print(f"  {error}", file=sys.stderr)
            finally:
                case.end()
        version = kind.version(case.broker)
    return f"| {kind.name} | {version} | {kind.registry} | {' | '.join(cells[name] for name in COLUMNS)} |"


def create_certificates(folder):
    """Creates a certificate authority, and a certificate for 127.0.0.1 that the authority has signed."""

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
    openssl(*new, "-subj", "/CN=An authority", "-keyout", "ca.key", "-out", "ca.pem")
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    signed += ["-addext", "basicConstraints=critical,CA:FALSE", "-subj", "/CN=localhost"]
    openssl(*new, *signed, "-keyout", "broker.key", "-out", "broker.pem")


def main():
    # On SIGTERM, end by an exception, so that the processes started here are ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    words = sys.argv[1:]
    folder, mosquitto, house, server = (Path(word).resolve() for word in words[:4])
    programs = SimpleNamespace(folder=folder, mosquitto=mosquitto, house=house, server=server)
    chosen = [kind for kind in BROKERS if kind.name in words[4:] or not words[4:]]
    unknown = set(words[4:]) - {kind.name for kind in chosen}
    if unknown:
        sys.exit(f"{sorted(unknown)} are no brokers; the brokers are {[kind.name for kind in BROKERS]}")
    try:
        with tempfile.TemporaryDirectory() as certificates:
            create_certificates(certificates)
            rows = [row(kind, programs, Path(certificates)) for kind in chosen]
    finally:
        if RabbitMQ.finder:
            RabbitMQ.finder.end()
    print(f"| broker | version | from | {' | '.join(COLUMNS)} |")
    print("|---" * (3 + len(COLUMNS)) + "|")
    print("\n".join(rows))
    page = PAGE.read_text() if PAGE.exists() else ""
    differing = [row for row in rows if row not in page]
    if differing:
        print(f"docs/SETTINGS.md lacks {len(differing)} of these {len(rows)} rows", file=sys.stderr)
    sys.exit(bool(differing))


main()
