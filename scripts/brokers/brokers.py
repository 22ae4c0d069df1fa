"""Sets up, starts and kills each broker. All listen only on 127.0.0.1, and each has a folder of its own.

An open broker lets everybody in, at one port. A closed broker requires a user name and a password, and speaks TLS
at a second port.
"""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from programs import free_port, until

HERE = Path(__file__).parent
USER, PASSWORD = "house", "s3cret-Wort"

# The maximum time until a broker listens, in seconds. RabbitMQ needs ten on a busy machine.
START = 120


class Broker:
    """A broker. Each subclass defines its command and its files."""

    user = USER
    # How many clients with a last will break their connections, at most, until the broker publishes a will.
    wills = 1
    # Parts of our server's messages about the broker: for a wrong login, and for a missing one.
    refusals = ["refused the user name or password", "wants a user name and a password"]

    def __init__(self, installed, folder, certificates=None):
        self.installed, self.folder, self.certificates = installed, folder, certificates
        self.port, self.secure = free_port(), free_port()
        self.process = None
        self.prepare()

    @property
    def closed(self):
        return self.certificates is not None

    @property
    def login(self):
        """The user name and password for the plain port, or None if the port requires none."""
        return (self.user, PASSWORD) if self.closed else None

    def prepare(self):
        """Writes the broker's files."""

    def start(self):
        """Starts the broker with the data in its folder, and waits until it listens."""
        self.launch()
        self.wait_until_ready()

    def launch(self):
        with (self.folder / "log").open("ab") as log:
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.environment()}
            run = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True}
            self.process = subprocess.Popen(self.command(), env=environment, cwd=self.folder, **run)

    def wait_until_ready(self):
        ports = [self.port, self.secure] if self.closed else [self.port]
        if until(START, lambda: self.process.poll() is not None or all(map(is_listening, ports))) is None or not all(
            map(is_listening, ports)
        ):
            self.kill()
            raise RuntimeError(f"{self.name} does not start: {(self.folder / 'log').read_text()[-2000:]}")

    def environment(self):
        return {}

    def kill(self):
        """Kills the broker and its child processes, so that it can't close its connections properly."""
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            self.process = None


def is_listening(port):
    """Returns True if a process listens at the port. Does not connect, because some brokers count connections."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_ = line.split()
        if state == "0A" and int(local.rpartition(":")[2], 16) == port:
            return True
    return False


class Mosquitto(Broker):
    name, registry = "Mosquitto", "Debian"

    def prepare(self):
        # By default, Mosquitto switches from root to another user, who has no right to read these files.
        lines = ["user root", "persistence true", f"persistence_location {self.folder}/", "autosave_interval 1"]
        lines += [f"listener {self.port} 127.0.0.1"]
        if self.closed:
            words = self.folder / "passwords"
            words.write_text("")
            subprocess.run(["mosquitto_passwd", "-b", words, USER, PASSWORD], check=True, capture_output=True)
            lines += [f"password_file {words}", f"listener {self.secure} 127.0.0.1"]
            lines += [f"certfile {self.certificates}/broker.pem", f"keyfile {self.certificates}/broker.key"]
        else:
            lines += ["allow_anonymous true"]
        (self.folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def version(self):
        printed = subprocess.run([self.installed.mosquitto, "-h"], capture_output=True, text=True).stdout
        return printed.split()[2]

    def command(self):
        return [self.installed.mosquitto, "-c", self.folder / "mosquitto.conf"]


class RabbitMQ(Broker):
    name, registry = "RabbitMQ", "Debian"
    node, peers = "alone", ()
    # The service by which Erlang's nodes find each other. All brokers written in Erlang share one.
    finder = None

    def prepare(self):
        if not RabbitMQ.finder:
            RabbitMQ.finder = Finder()
        # One port is for AMQP, RabbitMQ's own protocol, the other for the connections between Erlang's nodes.
        self.amqp_port, self.erlang_port = free_port(), free_port()
        lines = [f"listeners.tcp.1 = 127.0.0.1:{self.amqp_port}", f"mqtt.listeners.tcp.1 = 127.0.0.1:{self.port}"]
        lines += [f"default_user = {USER}", f"default_pass = {PASSWORD}", "log.console = true"]
        lines += [f"mqtt.allow_anonymous = {str(not self.closed).lower()}"]
        if self.closed:
            lines += [f"mqtt.listeners.ssl.1 = 127.0.0.1:{self.secure}"]
            named = {"cacertfile": "ca.pem", "certfile": "broker.pem", "keyfile": "broker.key"}
            lines += [f"ssl_options.{key} = {self.certificates}/{file}" for key, file in named.items()]
        else:
            lines += [f"mqtt.default_user = {USER}", f"mqtt.default_pass = {PASSWORD}"]
        if self.peers:
            lines += ["cluster_formation.peer_discovery_backend = classic_config"]
            lines += [f"cluster_formation.classic_config.nodes.{n} = {p}" for n, p in enumerate(self.peers, start=1)]
        (self.folder / "rabbitmq.conf").write_text("\n".join(lines) + "\n")
        (self.folder / "plugins").write_text("[rabbitmq_mqtt].\n")
        # Nodes connect only to nodes with the same cookie. So these nodes leave this machine's other brokers alone.
        cookie = self.folder / ".erlang.cookie"
        cookie.write_text("BROKERS")
        cookie.chmod(0o600)

    def version(self):
        return Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*").__next__().name.rpartition("-")[2]

    def command(self):
        # Debian's script in /usr/sbin would switch to another user before it runs this script.
        return ["/usr/lib/rabbitmq/bin/rabbitmq-server"]

    def environment(self):
        rabbit = {"NODENAME": f"{self.node}@localhost", "NODE_PORT": self.amqp_port, "DIST_PORT": self.erlang_port}
        rabbit |= {"CONFIG_FILE": self.folder / "rabbitmq.conf", "ENABLED_PLUGINS_FILE": self.folder / "plugins"}
        rabbit |= {"CONF_ENV_FILE": self.folder / "none", "PID_FILE": self.folder / "pid"}
        rabbit |= {"MNESIA_BASE": self.folder / "data", "LOG_BASE": self.folder / "logs"}
        rabbit["SERVER_ADDITIONAL_ERL_ARGS"] = "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2"
        erlang = {"HOME": self.folder, "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": self.finder.port}
        variables = {f"RABBITMQ_{key}": value for key, value in rabbit.items()} | erlang
        return {key: str(value) for key, value in variables.items()}


class Finder:
    """Erlang's port mapper (epmd), at a port of our own."""

    def __init__(self):
        self.port = free_port()
        [program] = Path("/usr/lib/erlang").glob("erts-*/bin/epmd")
        command = [program, "-port", str(self.port), "-address", "127.0.0.1"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def end(self):
        self.process.kill()
        self.process.wait()


class Ejabberd(Broker):
    name, registry = "ejabberd", "Debian"
    # ejabberd's user names include a host, and ejabberd requires a login even at the open port.
    user = f"{USER}@localhost"

    def prepare(self):
        RabbitMQ.finder = RabbitMQ.finder or Finder()
        listener = {"port": self.port, "ip": "127.0.0.1", "module": "mod_mqtt"}
        # The defaults are 8, 1,000 and 5,000. ejabberd hangs up on a gateway with a topic deeper than the limit.
        limits = {"max_topic_depth": 20, "match_retained_limit": 100_000, "max_queue": 100_000}
        settings = {"hosts": ["localhost"], "auth_method": ["internal"], "modules": {"mod_mqtt": limits}}
        settings["listen"] = [listener]
        if self.closed:
            pem = self.folder / "broker.pem"
            pem.write_text("".join((self.certificates / f"broker.{part}").read_text() for part in ("key", "pem")))
            settings |= {"certfiles": [str(pem)], "listen": [listener, {**listener, "port": self.secure, "tls": True}]}
        # Every JSON document is YAML.
        (self.folder / "ejabberd.yml").write_text(json.dumps(settings))

    @property
    def login(self):
        return self.user, PASSWORD

    @staticmethod
    def library():
        return next(Path("/usr/lib").glob("*/ejabberd-*/ebin/ejabberd.app")).parents[1]

    def version(self):
        return self.library().name.split("-")[1]

    def environment(self):
        variables = {"HOME": self.folder, "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": RabbitMQ.finder.port}
        variables |= {"EJABBERD_CONFIG_PATH": self.folder / "ejabberd.yml", "EJABBERD_LOG_PATH": self.folder / "ejabberd.log"}
        return {key: str(value) for key, value in {**variables, "ERL_LIBS": self.library().parent}.items()}

    def erlang_command(self, name, *words):
        loopback = ["-kernel", "inet_dist_use_interface", "{127,0,0,1}"]
        return ["erl", "-noinput", "-sname", f"{name}@localhost", *loopback, *words]

    def command(self):
        return self.erlang_command("ejabberd", "-mnesia", "dir", f'"{self.folder}/data"', "-s", "ejabberd")

    def wait_until_ready(self):
        super().wait_until_ready()
        # Create the login. `ejabberdctl register` could do so, too, but runs only as another system user.
        who = f'<<"{USER}">>, <<"localhost">>, <<"{PASSWORD}">>'
        call = f"rpc:call(ejabberd@localhost, ejabberd_auth, try_register, [{who}]), halt()."
        environment = {**os.environ, **self.environment()}
        subprocess.run(self.erlang_command("register", "-eval", call), env=environment, check=True, timeout=START)


class Aedes(Broker):
    name, registry = "aedes", "npm"

    def prepare(self):
        # aedes is a library, and Node looks for a library beside the program that imports it.
        shutil.copy(HERE / "aedes.mjs", self.installed.folder / "npm" / "aedes.mjs")

    def version(self):
        package = self.installed.folder / "npm" / "node_modules" / "aedes" / "package.json"
        return json.loads(package.read_text())["version"]

    def command(self):
        closed = [str(self.secure), self.certificates, USER, PASSWORD] if self.closed else []
        return ["node", self.installed.folder / "npm" / "aedes.mjs", str(self.port), *closed]


class Amqtt(Broker):
    name, registry = "amqtt", "PyPI"
    # amqtt published the last will in seven of nine runs.
    wills = 5

    def prepare(self):
        bind = {"type": "tcp", "bind": f"127.0.0.1:{self.port}"}
        plugins = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": not self.closed}}
        listeners = {"default": bind}
        if self.closed:
            named = {"certfile": f"{self.certificates}/broker.pem", "keyfile": f"{self.certificates}/broker.key"}
            listeners["secure"] = {**bind, "bind": f"127.0.0.1:{self.secure}", "ssl": True, **named}
            words = self.folder / "passwords"
            hashed = "from pwdlib import PasswordHash; import sys; print(PasswordHash.recommended().hash(sys.argv[1]))"
            python = self.installed.folder / "amqtt" / "bin" / "python3"
            run = subprocess.run([python, "-c", hashed, PASSWORD], check=True, capture_output=True, text=True)
            words.write_text(f"{USER}:{run.stdout}")
            plugins = {"amqtt.plugins.authentication.FileAuthPlugin": {"password_file": str(words)}}
        # Every JSON document is YAML.
        settings = {"listeners": listeners, "plugins": plugins}
        (self.folder / "amqtt.yaml").write_text(json.dumps(settings))

    def version(self):
        [found] = (self.installed.folder / "amqtt").glob("lib/python*/site-packages/amqtt-*.dist-info")
        return found.name.removesuffix(".dist-info").rpartition("-")[2]

    def command(self):
        return [self.installed.folder / "amqtt" / "bin" / "amqtt", "-c", self.folder / "amqtt.yaml"]


class Rumqttd(Broker):
    name, registry = "rumqttd", "crates.io"
    # After a wrong and after a missing login, rumqttd hangs up without a reason.
    refusals = ["hangs up", "hangs up"]
    # rumqttd's default limit of 20 kB is too small for any reply with nodes.
    max_payload = 64 * 1024 * 1024

    def prepare(self):
        limits = ["connection_timeout_ms = 60000", f"max_payload_size = {self.max_payload}", "max_inflight_count = 100"]
        if self.closed:
            limits += [f'auth = {{ {USER} = "{PASSWORD}" }}']
        text = ["id = 0", "[router]", "id = 0", "max_connections = 100", "max_outgoing_packet_count = 200"]
        text += ["max_segment_size = 104857600", "max_segment_count = 10"]
        text += self.listener(1, self.port, limits)
        if self.closed:
            files = {"capath": "ca.pem", "certpath": "broker.pem", "keypath": "broker.key"}
            tls = [f'{key} = "{self.certificates}/{file}"' for key, file in files.items()]
            text += [*self.listener(2, self.secure, limits), "[v4.2.tls]", *tls]
        text += ["[console]", f'listen = "127.0.0.1:{free_port()}"']
        (self.folder / "rumqttd.toml").write_text("\n".join(text) + "\n")

    @staticmethod
    def listener(number, port, limits):
        head = [f"[v4.{number}]", f'name = "v4-{number}"', f'listen = "127.0.0.1:{port}"']
        return [*head, "next_connection_delay_ms = 1", f"[v4.{number}.connections]", *limits]

    def version(self):
        locked = (HERE / "rumqttd" / "Cargo.lock").read_text()
        return re.search(r'name = "rumqttd"\nversion = "(.*)"', locked)[1]

    def command(self):
        return [self.installed.folder / "rumqttd" / "debug" / "broker", self.folder / "rumqttd.toml"]


BROKERS = [Mosquitto, RabbitMQ, Ejabberd, Aedes, Amqtt, Rumqttd]
