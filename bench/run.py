#!/usr/bin/env python3
"""Runs the benchmark programs row by row, the engines of a row interleaved, and prints medians and ratios.

    bench/run.py build/release/bench                   # about five minutes
    bench/run.py build/release/bench --write           # and puts the tables into bench/README.md
    bench/run.py build/release/bench --rows 'sync, 1'  # some rows
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = {"append_bench": "Appending", "replay_bench": "Reading everything", "lookup_bench": "Looking up",
            "open_bench": "Opening", "import_bench": "Bringing in JSON",
            "histories_bench": "Importing histories",
            "sessions_bench": "Sessions where they are", "secrets_bench": "Looking for secrets",
            "sql_bench": "In a database"}
README = Path(__file__).with_name("README.md")
OURS = "turnlog"


def run(program, folder, *flags):
    """The program's results; they come by file, because errors and progress go to its output."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, f"--store_dir={folder}", f"--benchmark_out={out.name}",
                        "--benchmark_out_format=json", *flags], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return json.load(out)["benchmarks"]


def names(program):
    listing = subprocess.run([program, "--benchmark_list_tests=true"], check=True, capture_output=True, text=True)
    return listing.stdout.splitlines()


def row_and_engine(name):
    row, engine = name.split("/")[:2]
    return row, engine


def smoke(program):
    """Every benchmark of the program comes to its end and sees what it should."""
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-") as folder:
        results = run(program, folder, "--scale=1", "--benchmark_min_time=0.001")
    problems = [f"{r['name']}: {r['error_message']}" for r in results if r.get("error_occurred")]
    problems += sorted(set(names(program)) - {r["name"] for r in results})
    print("\n".join(problems) or f"{len(results)} benchmarks ran")
    return 1 if problems or not results else 0


class Cell:
    """Medians of one engine in one row."""

    def __init__(self, runs):
        self.failed = next((r["error_message"] for r in runs if r.get("error_occurred")), None)
        if self.failed:
            return
        self.rate, self.bytes, self.p50, self.p99 = (
            statistics.median(r[key] for r in runs) if key in runs[0] else None
            for key in ("items_per_second", "bytes_per_second", "p50_us", "p99_us"))
        seconds = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[runs[0]["time_unit"]]
        self.time = statistics.median(r["real_time"] for r in runs) * seconds

    def text(self):
        if self.rate is None:
            parts = [scaled(self.time, (1, "s"), (1e-3, "ms"), (1e-6, "us"))]
        else:
            parts = [scaled(self.rate, (1e6, "M/s"), (1e3, "k/s"), (1, "/s"))]
        if self.p50 is not None:
            parts.append(f"{self.p50:.0f} / {self.p99:.0f} us")
        elif self.bytes is not None:
            parts.append(scaled(self.bytes, (1e9, "GB/s"), (1e6, "MB/s")))
        return ", ".join(parts)

    def times_faster(self, other):
        return self.rate / other.rate if self.rate is not None else other.time / self.time


def scaled(value, *units):
    size, unit = next((u for u in units if value >= u[0]), units[-1])
    return f"{float(f'{value / size:.3g}'):g} {unit}"


def measure(programs, folder, options):
    """{title: {row: {engine: Cell}}}, printing each row when it is done."""
    tables = {}
    for program in programs:
        rows = {}
        for row, engine in map(row_and_engine, names(program)):
            rows.setdefault(row, []).append(engine)
        for row in (r for r in rows if re.search(options.rows, r)):
            try:
                results = run(program, folder, f"--benchmark_filter=^{row}/", f"--benchmark_min_time={options.min_time}",
                              f"--benchmark_repetitions={options.repetitions}",
                              "--benchmark_enable_random_interleaving=true")
            except subprocess.CalledProcessError as failure:  # the rows that were measured before are not lost
                print(f"{row}: not measured: {failure.stderr.decode(errors='replace')[-500:]}", flush=True)
                continue
            engines = {}
            for result in results:
                if result["run_type"] == "iteration":
                    engines.setdefault(row_and_engine(result["name"])[1], []).append(result)
            cells = {engine: Cell(engines[engine]) for engine in rows[row]}
            tables.setdefault(PROGRAMS[program.name], {})[row] = cells
            print(f"{row}: {'; '.join(f'{engine} {cell_text(engine, cells)}' for engine in cells)}", flush=True)
    return tables


def cell_text(engine, cells):
    if engine not in cells:
        return ""
    cell = cells[engine]
    if cell.failed:
        return f"failed: {cell.failed}"
    if engine == OURS or OURS not in cells or cells[OURS].failed:
        return cell.text()
    return f"{cell.text()} (**{cells[OURS].times_faster(cell):.2f}**)"


def markdown(tables):
    lines = []
    for title, rows in tables.items():
        engines = list(dict.fromkeys(engine for cells in rows.values() for engine in cells))
        lines += [f"### {title}", "", f"| | {' | '.join(engines)} |", f"| --- |{' --- |' * len(engines)}"]
        lines += [f"| {row} | {' | '.join(cell_text(e, cells) for e in engines)} |" for row, cells in rows.items()]
        lines.append("")
    return "\n".join(lines)


def machine(folder):
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    inside = [m for m in mounts if os.path.realpath(folder).startswith(m[1])]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} processors, {memory:.0f} GiB of memory, {max(inside, key=lambda m: len(m[1]))[2]}"


def sync_time(tables):
    """What the disk takes, as the least of all logs sees it."""
    for row, cells in tables.get(PROGRAMS["append_bench"], {}).items():
        raw = cells.get("raw file")
        if row.startswith("sync, 1 writer, each") and raw and not raw.failed:
            return f"; write and `fdatasync` of one small event take {raw.p50:.0f} us"
    return ""


def write_readme(text):
    begin, end = "<!-- tables -->\n", "<!-- /tables -->"
    readme = README.read_text()
    head, rest = readme.split(begin)
    README.write_text(head + begin + text + rest[rest.index(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path, help="folder with the programs")
    parser.add_argument("--store_dir", default=tempfile.gettempdir(), help="on the disk that is to be measured")
    parser.add_argument("--rows", default="", help="regular expression")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--min_time", type=float, default=0.3, help="seconds per run")
    parser.add_argument("--write", action="store_true", help="the tables into README.md")
    parser.add_argument("--smoke", action="store_true", help="of the program given: only whether all of it runs")
    options = parser.parse_args()
    if options.smoke:
        return smoke(options.programs)
    with tempfile.TemporaryDirectory(prefix="turnlog-bench-", dir=options.store_dir) as folder:
        tables = measure([options.programs / name for name in PROGRAMS], folder, options)
        text = (f"    bench/run.py {' '.join(sys.argv[1:])}\n\n{machine(folder)}{sync_time(tables)}. "
                f"Medians of {options.repetitions} interleaved runs of {options.min_time:g} s.\n\n{markdown(tables)}")
    print(f"\n{text}")
    if options.write:
        write_readme(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
