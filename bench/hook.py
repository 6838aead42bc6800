#!/usr/bin/env python3
"""What `logctl hook` costs an agent's tool for an event with nothing to ask, beside a running service.

    bench/hook.py build/release/logctl/logctl           # medians of 50 runs of each event
    bench/hook.py build/release/logctl/logctl --smoke   # each event once; nothing is judged

Each run is a process, as the tools start it. Elapsed time counts what other programs take of the processors:
`chrt -f 10 bench/hook.py ...` (as root) keeps them away. Processor time does not.
"""
import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 30  # milliseconds, elapsed
EVENTS = {
    "nothing to record": {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/x"}},
    "a prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "go on"},
    "a notification": {"hook_event_name": "Notification", "message": "waits for input"},
    "the end of a turn": {"hook_event_name": "Stop"},
}


def children_seconds():
    """Of processor time, of the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_once(command, event):
    """Elapsed and processor time in milliseconds."""
    before, begin = children_seconds(), time.monotonic()
    done = subprocess.run(command, input=event, capture_output=True, check=False)
    elapsed, used = time.monotonic() - begin, children_seconds() - before
    if done.returncode != 0 or done.stdout:
        sys.exit(f"a hook with nothing to ask gave {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    return elapsed * 1000, used * 1000


def measure(logctl, runs):
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-") as folder:
        store = str(Path(folder) / "store")
        with subprocess.Popen([logctl, "--store", store, "serve"], stdout=subprocess.PIPE, text=True) as service:
            try:
                service.stdout.readline()
                return {name: [run_once([logctl, "--store", store, "hook", "claude-code"],
                                        json.dumps({"session_id": "bench", "cwd": "/", **event}).encode())
                               for _ in range(runs)]
                        for name, event in EVENTS.items()}
            finally:
                service.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logctl")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    measured = measure(arguments.logctl, 1 if arguments.smoke else arguments.runs)
    slow = False
    for name, times in measured.items():
        elapsed, used = (statistics.median(column) for column in zip(*times))
        slow = slow or elapsed > LIMIT
        print(f"{name:20} {elapsed:6.1f} ms elapsed, {used:6.1f} ms of processor time")
    if slow and not arguments.smoke:
        sys.exit(f"more than {LIMIT} ms")


if __name__ == "__main__":
    main()
