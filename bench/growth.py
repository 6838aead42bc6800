#!/usr/bin/env python3
"""What commands cost as a store grows: per event, in memory, and written to the disk.

    bench/growth.py build/release/logctl/logctl --dir /var/tmp            # 10^4 to 10^7 events, 10^2 to 10^6 conversations
    bench/growth.py build/release/logctl/logctl --dir /var/tmp --large    # 10 GB in ten conversations
    bench/growth.py build/release/logctl/logctl --smoke                   # tiny; nothing is judged

Conversations take turns, as agents do: consecutive turns of one are as far from each other in the log as there are
conversations. Each command is a process of its own. The unit of time is processor time, which other programs on the
machine do not take; of commands that look at one conversation it is elapsed time, with the start of the program.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EVENTS_OF_TURN = 5
LAST = "c0000000"  # any conversation will do
SIZES = [(10**4, 10**2), (10**6, 10**2), (10**6, 10**5), (10**7, 10**2), (10**7, 10**5), (10**7, 10**6)]
PROSE = "The build fails in the second step, because a header is not found there. "
WHOLE = [  # name, arguments
    ("export", ["export", "--all", "--format", "jsonl"]),
    ("verify", ["verify"]),
    ("reindex", ["reindex"]),
    ("sanitize", ["sanitize"]),
    ("redact", ["redact", "--values-stdin", "--dry-run"]),
]
PARTS = [
    ("sanitize again", ["sanitize"]),
    ("scavenge", ["scavenge"]),
    ("ls --limit 100", ["ls", "--limit", "100"]),
    ("last turn", ["show", LAST, "--last-turns", "1"]),
]


class Ran:
    def __init__(self, command, given=b""):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stdin.write(given)
        process.stdin.close()
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command}: {process.returncode}, {errors.decode(errors='replace')}")
        self.elapsed = time.monotonic() - begin
        self.used = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1000
        self.written = usage.ru_oublock * 512


def turn(conversation, number, answer):
    """The JSON lines of one turn."""
    head = f'{{"conversation":"c{conversation:07}","timestamp":"2026-03-18T13:{number // 60 % 60:02}:{number % 60:02}Z",'
    call = f"call_{conversation}_{number}"
    bodies = ('"type":"turn_start"}',
              f'"type":"chat_request","content":"{PROSE * 2}What of step {number}?"}}',
              f'"type":"tool_call_request","id":"{call}","name":"run","arguments":{{"command":"make step-{number}"}}}}',
              f'"type":"tool_call_response","id":"{call}","content":"{answer}","is_error":false}}',
              f'"type":"chat_response","message":"{PROSE * 3}"}}')
    return "".join(f"{head}{body}\n" for body in bodies)


def write_lines(path, events, conversations, answer):
    turns = events // EVENTS_OF_TURN
    with path.open("w", encoding="ascii", buffering=1 << 20) as file:
        for number in range(turns):
            file.write(turn(number % conversations, number // conversations, answer))
    return turns * EVENTS_OF_TURN


def folder_bytes(folder):
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def measure(logctl, folder, events, conversations, answer):
    """Rows of name, figure and memory."""
    lines, store = folder / "growth.jsonl", folder / "growth-store"
    shutil.rmtree(store, ignore_errors=True)
    events = write_lines(lines, events, conversations, answer)
    size = lines.stat().st_size
    command = [logctl, "--store", str(store), "-q"]
    imported = Ran([*command, "import", "jsonl", str(lines), "--detect", "none"])
    lines.unlink()
    rows = [("import", f"{imported.used / events * 1e6:.2f} us", imported.megabytes)]
    rows.append(("written, of the JSON", f"{imported.written / size:.2f}", None))
    for name, words in WHOLE:
        ran = Ran([*command, *words], b"nowhere-to-be-found-93\n")
        rows.append((name, f"{ran.used / events * 1e6:.2f} us", ran.megabytes))
    for name, words in PARTS:
        ran = Ran([*command, *words])
        rows.append((name, f"{ran.elapsed * 1e3:.0f} ms", ran.megabytes))
    rows.append(("on disk, of the JSON", f"{folder_bytes(store) / size:.2f}", None))
    shutil.rmtree(store)
    return size, rows


def power(number):
    return f"10^{len(str(number)) - 1}" if set(str(number)[1:]) == {"0"} and str(number)[0] == "1" else f"{number:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logctl")
    parser.add_argument("--dir", help="on the disk to measure; takes three times the size of the largest store")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    sizes, answer = SIZES, "ok"
    if arguments.large:
        sizes, answer = [(2_500_000, 10)], PROSE * 250
    if arguments.smoke:
        sizes = [(100, 10)]
    columns = []
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-", dir=arguments.dir) as folder:
        for events, conversations in sizes:
            size, rows = measure(arguments.logctl, Path(folder), events, conversations, answer)
            title = f"{power(events)} events, {power(conversations)} conversations, {size / 1e6:,.0f} MB"
            print(f"{title}: done", file=sys.stderr, flush=True)
            columns.append((title, rows))
    print("| | " + " | ".join(title for title, _ in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for cells in zip(*(rows for _, rows in columns)):
        figures = [figure + ("" if memory is None else f", {memory:.0f} MB") for _, figure, memory in cells]
        print(f"| {cells[0][0]} | " + " | ".join(figures) + " |")


if __name__ == "__main__":
    main()
