"""A link between a client and a broker that can become half open: it carries nothing more, and neither end notices."""

import socket
import threading


class Link:
    """A TCP proxy for a broker's port."""

    def __init__(self, broker_port):
        self.broker_port = broker_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_open = threading.Event()
        self.is_open.set()
        self.lock, self.sockets = threading.Lock(), set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.broker_port), timeout=5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            with self.lock:
                self.sockets |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        try:
            while data := source.recv(65536):
                self.is_open.wait()
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            self.close(end)

    def close(self, end):
        with self.lock:
            self.sockets.discard(end)
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()

    def break_silently(self):
        self.is_open.clear()

    def mend(self):
        """Lets new connections through. The old ones end, and what they held is lost."""
        with self.lock:
            ends = list(self.sockets)
        for end in ends:
            self.close(end)
        self.is_open.set()

    def end(self):
        self.listener.close()
        self.mend()
