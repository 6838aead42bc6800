#!/usr/bin/env python3
"""What `logctl serve` gives its clients: how long an appended event takes to reach many open event streams, what these
cost, and how fast a conversation comes as JSON lines.

    bench/service.py build/release/logctl/logctl                # 2,000 streams
    bench/service.py build/dev/logctl/logctl --smoke            # everything comes to its end; nothing is judged

The clients are in this process: on two processors they and the service share them. What writers wait for through a
service is in append_bench, what clients of the library read in replay_bench.
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


def append_lines(service, conversation, lines):
    body = "\n".join(lines).encode()
    with service.connect() as connection:
        connection.sendall(b"POST /v1/conversations/%s/events?durability=buffered HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                           b"Content-Length: %d\r\n\r\n%s" % (conversation, len(body), body))
        if not connection.recv(4096).startswith(b"HTTP/1.1 200"):
            sys.exit("the service refuses the events")
        while connection.recv(1 << 20):
            pass


def read_lines(service, conversation):
    """Bytes and seconds of all events of a conversation."""
    buffer, total, end = bytearray(1 << 20), 0, b""
    with service.connect() as connection:
        begin = time.monotonic()
        connection.sendall(b"GET /v1/conversations/%s/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % conversation)
        while got := connection.recv_into(buffer):
            total, end = total + got, bytes(buffer[max(got - 5, 0):got])
    if end != b"0\r\n\r\n":
        sys.exit("the answer has no end")
    return total, time.monotonic() - begin


def measure_lines(logctl, megabytes):
    texts = {b"small": "x" * 120, b"mixed": "a line of the output of a tool\\n" * 100}
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-") as folder:
        service = Service(logctl, folder)
        try:
            for conversation, text in texts.items():
                line = '{"type":"chat_response","timestamp":"2026-03-18T13:19:00.8Z","message":"%s"}' % text
                for _ in range(megabytes):
                    append_lines(service, conversation, [line] * (1_000_000 // len(line)))
                rates = []
                for _ in range(5):
                    total, seconds = read_lines(service, conversation)
                    rates.append(total / seconds / 1e6)
                print(f"events of {len(line)} bytes as JSON lines, {total / 1e6:.0f} MB: median {statistics.median(rates):.0f} MB/s")
        finally:
            service.stop()


def measure_streams(logctl, count, events):
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
    measure_streams(arguments.logctl, 20 if arguments.smoke else arguments.streams, 3 if arguments.smoke else arguments.events)
    measure_lines(arguments.logctl, 1 if arguments.smoke else 200)


if __name__ == "__main__":
    main()
