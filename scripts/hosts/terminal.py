"""Acts as a person at a terminal."""

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time

# The control sequences by which a program asks for the cursor's position and the terminal's kind, with the answers.
ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;22c"}
SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])")


def letters(shown):
    """Returns what a terminal shows, without spaces. A program may move the cursor instead of printing spaces."""
    return re.sub(r"\s", "", SEQUENCE.sub("", shown.decode(errors="replace")))


def run_at_terminal(command, pairs, finished, longest, **process):
    """Runs a command in a terminal. Each pair is a text, and the keys to press when the text has appeared. Closes the
    terminal when all keys are pressed and `finished()` is true, but at the latest after `longest` seconds or when the
    command has ended. Returns what the terminal showed, without spaces."""
    ours, theirs = os.openpty()
    # A terminal of 50 lines and 160 columns.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    process["env"] = {**process["env"], "TERM": "xterm-256color"}
    host = subprocess.Popen(["setsid", "--ctty", *command], stdin=theirs, stdout=theirs, stderr=theirs, **process)
    os.close(theirs)
    until, shown, at, pairs = time.monotonic() + longest, b"", 0, list(pairs)
    try:
        while (pairs or not finished()) and time.monotonic() < until:
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            got = os.read(ours, 65536)
            shown += got
            for question, answer in ANSWERS.items():
                if question in got:
                    os.write(ours, answer)
            if pairs and letters(pairs[0][0].encode()) in letters(shown[at:]):
                # A program may draw its question a moment before it accepts keys.
                time.sleep(0.5)
                os.write(ours, pairs.pop(0)[1])
                at = len(shown)
    except OSError:
        pass
    finally:
        os.close(ours)
    try:
        host.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        host.kill()
    return letters(shown)
