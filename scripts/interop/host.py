#!/usr/bin/env python3
"""Stands between a client and the server: host.py FOLDER PROGRAM ARGUMENTS.

Runs the program, and passes signals on to it. A file in the folder has the program's state: "running", or the exit code
(negative if a signal ended the program).
"""

import os
import signal
import subprocess
import sys

record = os.path.join(sys.argv[1], str(os.getpid()))


def note(state):
    with open(record, "w") as file:
        file.write(str(state))


note("running")
signals = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
# Hold back signals until the handlers are installed.
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
server = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, signals))
for handled in signals:
    signal.signal(handled, lambda number, _: server.send_signal(number))
signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
code = server.wait()
note(code)
sys.exit(code % 256)
