#!/usr/bin/env python3
"""Acts as an editor and its user: runs a prompt in Codex's app server, and allows all that Codex asks for."""

import json
import os
import subprocess
import sys

pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
codex = subprocess.Popen(["codex", "app-server"], **pipes)


def send(message):
    codex.stdin.write(json.dumps(message) + "\n")


def wait(wanted):
    """Reads messages up to the wanted one, and returns that one. Allows every request on the way."""
    for line in codex.stdout:
        message = json.loads(line)
        if "id" in message and "method" in message:
            print(f"asked: {line.strip()}")
            send({"id": message["id"], "result": {"action": "accept", "content": {"allow": True}}})
        elif wanted(message):
            return message
    sys.exit("the app server has ended")


def call(number, method, params):
    send({"id": number, "method": method, "params": params})
    reply = wait(lambda message: message.get("id") == number)
    return reply["result"] if "result" in reply else sys.exit(str(reply))


call(1, "initialize", {"clientInfo": {"name": "editor", "version": "1"}})
send({"method": "initialized"})
thread = call(2, "thread/start", {"cwd": os.getcwd(), "approvalPolicy": "on-request", "sandbox": "read-only"})["thread"]["id"]
call(3, "turn/start", {"threadId": thread, "input": [{"type": "text", "text": sys.argv[1]}]})
wait(lambda message: message.get("method") == "turn/completed")
codex.stdin.close()
sys.exit(codex.wait(20))
