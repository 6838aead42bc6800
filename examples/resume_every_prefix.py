"""The example's agent, killed after every event: run again from there, it comes to the same end.

Usage: resume_every_prefix.py AGENT_LOOP LOGCTL
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

AGENT, LOGCTL = sys.argv[1:3]


def run(*command, given=None):
    return subprocess.run(command, input=given, check=True, capture_output=True, text=True).stdout


def logctl(store, *command, given=None):
    return run(LOGCTL, "--store", store, *command, given=given)


def messages(store):
    """What the user, the model and the tools have said in the end."""
    events = [json.loads(line) for line in logctl(store, "cat", "deploy").splitlines()]
    return [(event["type"], event.get("id"), event.get("content"), event.get("message")) for event in events
            if event["type"] in ("chat_request", "chat_response", "tool_call_request", "tool_call_response")]


def is_one_append(events, length):
    """Whether the event after this prefix was appended together with its last one: the calls of one message."""
    after = events[length:length + 1]
    return any(json.loads(event)["type"] == json.loads(events[length - 1])["type"] == "tool_call_request"
               for event in after)


def main(folder):
    whole = str(folder / "whole")
    run(AGENT, whole)
    events = logctl(whole, "cat", "deploy", "--raw").splitlines()
    expected = messages(whole)
    for length in range(2, len(events) + 1):
        if is_one_append(events, length):
            continue
        store = str(folder / f"prefix-{length}")
        logctl(store, "append", "deploy", given="\n".join(events[:length]) + "\n")
        run(AGENT, store, "resume")
        if messages(store) != expected:
            sys.exit(f"after event {length}: {messages(store)}\nexpected: {expected}")
        logctl(store, "sanitize", "--check")
        if json.loads(logctl(store, "pending", "--json"))["pending"]:
            sys.exit(f"after event {length}: something waits")
    print(f"resumed after each of {len(events)} events")


with tempfile.TemporaryDirectory() as scratch:
    main(Path(scratch))
