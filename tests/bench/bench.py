"""The benchmark: ./scripts/bench.sh runs this. docs/benchmark.md says what comes out."""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import cells
import instructions
import plot
import tables
import targets
from measure import measure
from processes import ROOT, BenchError, Load
from pystream_server import PyStream
from starts import measure_starts

LOAD_RATE_MIN = 150_000  # requests/s that the load must reach against a server that costs nothing


def parse_arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench.sh", description="Measures PyStream. docs/benchmark.md says how to read it.")
    parser.add_argument("--quick", action="store_true", help="short and rough: 3 repetitions of 0.5 s, a log of 64 MB")
    parser.add_argument("--seconds", type=float, help="of each repetition (3)")
    parser.add_argument("--repetitions", type=int, help="of each cell, alternating (5)")
    parser.add_argument("--only", action="append", help="cells whose name has this in it or matches it; may be repeated")
    parser.add_argument("--list", action="store_true", help="the names of all cells, and nothing else")
    parser.add_argument("--log-mb", type=int, help="size of the log that is fetched from (1000)")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/release/pystream", help="the server")
    parser.add_argument("--versus", type=pathlib.Path, help="another server to alternate with")
    parser.add_argument("--peers", action="store_true", help="Redis, Postgres and NATS, alternating with ours, and the targets")
    parser.add_argument("--instructions", action="store_true", help="instructions per request, counted by callgrind")
    parser.add_argument("--load", type=pathlib.Path, default=ROOT / "build/release/tests/pystream_bench", help="the load generator")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench", help="where reports go, and data meanwhile")
    options = parser.parse_args()
    options.seconds = options.seconds or (0.5 if options.quick else 3)
    options.repetitions = options.repetitions or (3 if options.quick else 5)
    options.log_mb = options.log_mb or (64 if options.quick else 1000)
    return options


def machine(directory):
    mount = subprocess.run(["df", "--output=fstype,source", str(directory)], capture_output=True, text=True, check=False)
    return {"cpus": os.cpu_count(), "kernel": platform.release(), "load_average_before": os.getloadavg(),
            "file_system": mount.stdout.split("\n")[1].split() if mount.returncode == 0 else None}


@contextlib.contextmanager
def data_directory(out):
    """On the disk that holds `out`, and gone afterwards."""
    out.mkdir(parents=True, exist_ok=True)
    path = pathlib.Path(tempfile.mkdtemp(prefix="data-", dir=out))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def calibrate(load, seconds):
    """What the load reaches against a server that costs next to nothing."""
    with load.trivial_server() as port:
        report = load.run(port=port, work="get", target="/", connections=64, seconds=min(seconds, 1), warmup=0.1)
    if report["requests_per_s"] < LOAD_RATE_MIN:
        print(f"note: the load alone reaches {report['requests_per_s']:,.0f} requests/s now, below {LOAD_RATE_MIN:,}: "
              "the machine is busy or slow", file=sys.stderr)
    return report["requests_per_s"]


def pairs_of(measurements):
    by_cell = {}
    for m in measurements:
        by_cell.setdefault(m.cell, {})[m.subject] = m
    return [(both["binary"], both["versus"]) for both in by_cell.values()]


def write_report(options, name, report):
    path = options.out / f"{name}.json"
    path.write_text(json.dumps(report, indent=1) + "\n")
    return path


def finish(options, name, report, measurements, *texts):
    report["cells"] = [m.as_json() for m in measurements]
    files = [str(write_report(options, name, report))]
    if plot.draw(report, options.out / f"{name}.svg"):
        files.append(str(options.out / f"{name}.svg"))
    print("\n\n".join([*texts, f"{tables.references(measurements)}\nload alone, c=64:           {report['load_requests_per_s']:,.0f}/s",
                       "\n".join(files)]))


def run(options, load, directory, report):
    chosen = cells.selected(options.only)
    if not chosen:
        raise BenchError("no cell has such a name; --list shows them")
    binaries = {"binary": options.binary} | ({"versus": options.versus} if options.versus else {})

    def subjects(place, _):
        return [PyStream(label, path.resolve(), place / label, load, options.log_mb * 1_000_000) for label, path in binaries.items()]

    found = measure(subjects, cells.by_series(chosen), load, directory, options.seconds, options.repetitions)
    if options.versus:
        finish(options, "versus", report, found, tables.versus(pairs_of(found)))
    else:
        finish(options, "bench", report, found, tables.results(found))


def run_peers(options, load, directory, report):
    binary = options.binary.resolve()
    interval = targets.takes_interval(binary, directory, load)
    report["starts"] = measure_starts(binary, load, directory, options.repetitions, options.log_mb * 1_000_000)
    subjects = targets.make_subjects(binary, load, options.log_mb * 1_000_000, interval)
    found = measure(subjects, targets.SERIES, load, directory, options.seconds, options.repetitions)
    reached, text = targets.table({(m.subject, m.cell): m for m in found}, report["starts"], interval)
    report["targets"] = [vars(target) | {"reached": target.verdict()} for target in reached]
    finish(options, "peers", report, found, tables.results(found, subject_column=True), text)


def run_instructions(options, load, directory, report):
    binary = options.binary.resolve()
    bare_beast = options.load.resolve().parent / "bare_beast"
    found = instructions.measure(binary, bare_beast, load, directory, options.out)
    target, text = instructions.table(found)
    report |= {"instructions": found, "targets": [vars(target) | {"reached": target.verdict()}]}
    path = write_report(options, "instructions", report)
    print(f"{text}\n\n{path}")


def main():
    options = parse_arguments()
    if options.list:
        print("\n".join(cell.name for cell in cells.all_cells()))
        return 0
    try:
        load = Load(options.load)
        with data_directory(options.out) as directory:
            report = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                      "machine": machine(directory), "binary": str(options.binary), "versus": str(options.versus or ""),
                      "settings": {k: v for k, v in sorted(os.environ.items()) if k.startswith("PYSTREAM_")},
                      "seconds": options.seconds, "repetitions": options.repetitions,
                      "load_requests_per_s": calibrate(load, options.seconds)}
            kind = run_peers if options.peers else run_instructions if options.instructions else run
            kind(options, load, directory, report)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
