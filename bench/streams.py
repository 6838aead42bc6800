#!/usr/bin/env python3
"""How long an appended event takes to reach many open event streams of `logctl serve`, and what they cost.

    bench/streams.py build/release/logctl/logctl                # 2,000 streams
    bench/streams.py build/dev/logctl/logctl --smoke            # every stream gets every event; nothing is judged

The clients are in this process: on two processors they and the service share them.
"""
import argparse
import os
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 60  # seconds for one event to reach all


class Service:
    def __init__(self, logctl, folder):
        self.socket = str(Path(folder) / "store" / "service.sock")
        self.process = subprocess.Popen([logctl, "--store", str(Path(folder) / "store"), "serve"], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def memory_mib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def cpu_ms(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.socket)
        return connection


def read_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)


def open_streams(service, count):
    streams = [service.connect() for _ in range(count)]
    for stream in streams:
        stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for stream in streams:
        read_head(stream)
    return streams


def append(connection, number):
    body = b'{"type":"chat_request","content":"%d"}' % number
    connection.sendall(b"POST /v1/conversations/bench/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def deliver(selector, writer, streams, number):
    """Milliseconds until each stream had the event."""
    begin = time.monotonic()
    append(writer, number)
    waiting, times = set(streams), []
    while waiting and time.monotonic() - begin < PATIENCE:
        for key, _ in selector.select(1):
            if b"event: event" in key.fileobj.recv(65536) and key.fileobj in waiting:
                waiting.remove(key.fileobj)
                times.append((time.monotonic() - begin) * 1000)
    writer.recv(65536)
    if waiting:
        sys.exit(f"{len(waiting)} streams did not get event {number}")
    return times


def measure(logctl, count, events):
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-") as folder, selectors.DefaultSelector() as selector:
        service = Service(logctl, folder)
        try:
            streams, writer = open_streams(service, count), service.connect()
            for stream in streams:
                stream.setblocking(False)
                selector.register(stream, selectors.EVENT_READ)
            deliver(selector, writer, streams, 0)  # the first one opens files
            before, times = service.cpu_ms(), []
            for number in range(1, events + 1):
                times.append(deliver(selector, writer, streams, number))
            cpu = (service.cpu_ms() - before) / events
            print(f"{count} streams: median {statistics.median(sum(times, [])):.1f} ms, last {statistics.median(map(max, times)):.1f} ms, "
                  f"{cpu:.0f} ms of CPU for an event, {service.memory_mib():.0f} MiB")
            for connection in [*streams, writer]:
                connection.close()
        finally:
            service.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logctl")
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--events", type=int, default=20)
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    measure(arguments.logctl, 20 if arguments.smoke else arguments.streams, 3 if arguments.smoke else arguments.events)


main()
