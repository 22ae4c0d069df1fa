#!/usr/bin/env python3
"""Draws docs/demo.svg: a terminal with commands that list and control the demo house, and their real output.

    scripts/demo.py PROGRAM > docs/demo.svg

PROGRAM is a zwave-mcp-server.
"""
import html
import shlex
import subprocess
import sys

COMMANDS = [
    "list kitchen",
    'control "kitchen ceiling" dim 40',
    "control ceiling on",
    'control "front door" unlock',
    'control "work light" on',
]
COLUMNS, SIZE, LINE, MARGIN = 84, 14, 20, 18


def wrap(line):
    """Wraps a line between words, at the width of the picture."""
    parts = []
    while len(line) > COLUMNS:
        at = line.rfind(" ", 0, COLUMNS)
        parts.append(line[:at])
        line = line[at + 1 :]
    return parts + [line]


def run_commands(program):
    for command in COMMANDS:
        yield "command", f"$ zwave-mcp-server --demo {command}"
        run = subprocess.run([program, "--demo", *shlex.split(command)], capture_output=True, text=True)
        kind = "answer" if run.returncode == 0 else "refusal"
        for line in run.stdout.rstrip().split("\n"):
            for part in wrap(line):
                yield kind, part
        yield "answer", ""


def main():
    shown = list(run_commands(sys.argv[1]))[:-1]
    # At this font size, a character is 8.43 pixels wide.
    width, height = COLUMNS * 8.43 + 2 * MARGIN, len(shown) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">')
    print("<title>The demo house in a terminal: a list, a command, and refusals</title>")
    print(
        "<style>text{font:%dpx ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#d8dee9}"
        ".command{fill:#8fd694}.refusal{fill:#f2b880}</style>" % SIZE
    )
    print('<rect width="100%" height="100%" rx="10" fill="#1d2430"/>')
    for row, (kind, text) in enumerate(shown):
        if text:
            y = MARGIN + row * LINE + SIZE
            # Keep columns aligned in viewers that collapse spaces.
            shown_text = html.escape(text, quote=False).replace(" ", "\u00a0")
            print(f'<text class="{kind}" x="{MARGIN}" y="{y}">{shown_text}</text>')
    print("</svg>")


main()
