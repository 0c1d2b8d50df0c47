"""Instructions per request, counted by callgrind: exact enough to compare two versions of the code on a busy machine. Each workload runs twice
on a fresh server, with N and with 3 N requests; start, stop and everything else that is the same in both cancels out."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tables
from cells import Cell
from processes import BenchError, Process
from pystream_server import PyStream
from targets import Target

CONNECTIONS = 16
LOG_BYTES = 300_000  # that the fetches read; small, since filling it is counted too and only then cancels out
SINGLE = Cell("single", CONNECTIONS)
WORK = [  # and N
    (SINGLE, 2000),
    (Cell("health", CONNECTIONS), 2000),
    (Cell("batch", CONNECTIONS, batch=100), 500),
    (Cell("fetch", CONNECTIONS, batch=100, position="middle"), 500),
]
BARE = "bare Beast POST"


def stripped(binary, directory):
    """Debian's valgrind 3.19 cannot read the debug information of clang 19."""
    copy = directory / (pathlib.Path(binary).name + "-stripped")
    subprocess.run(["llvm-objcopy-19", "--strip-debug", str(binary), str(copy)], check=True)
    return copy


def callgrind(binary, out):
    return ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", str(binary)]


def total_of(out):
    found = re.search(r"^totals: (\d+)", out.read_text(), re.M)
    if not found:
        raise BenchError(f"callgrind wrote no total to {out}")
    return int(found.group(1))


class BareBeast:
    """The reference, with the part of PyStream's interface that is needed here."""

    def __init__(self, binary, directory, load):
        self.binary, self.directory, self.load = binary, directory, load

    def start(self, command):
        self.directory.mkdir(parents=True)
        self.process = Process(command, self.directory / "log", env=os.environ.copy())
        self.port = self.process.wait_until(lambda: re.match(r"(\d+)\n", self.process.log_text()), "listening").group(1)

    def run(self, requests):
        self.load.run(port=self.port, work="post", target="/", connections=CONNECTIONS, requests=requests)


class Counted(PyStream):
    def count(self, cell, requests):
        self.prepare(cell)
        self.run_for(cell, {"requests": requests})


def count_once(make, use, requests, out):
    """Instructions of a whole life of a server that takes so many requests."""
    server = make(out)
    try:
        use(server, requests)
    finally:
        server.process.stop()
    return total_of(out)


def per_request(make, use, count, keep_as):
    few, many = keep_as.with_suffix(".few"), keep_as.with_suffix(".out")
    before = count_once(make, use, count, few)
    after = count_once(make, use, 3 * count, many)
    few.unlink()
    return (after - before) / (2 * count)


def measure(binary, bare_beast, load, directory, out):
    """name -> instructions per request; the profiles stay in `out` as callgrind-NAME.out."""
    for tool in ("valgrind", "llvm-objcopy-19"):
        if shutil.which(tool) is None:
            raise BenchError(f"{tool} is not installed: scripts/install.sh bench")
    server, reference = stripped(binary, directory), stripped(bare_beast, directory)
    found, places = {}, iter(range(100))

    def start_bare(profile):
        bare = BareBeast(reference, directory / f"bare-{next(places)}", load)
        bare.start(callgrind(reference, profile))
        return bare

    def start_ours(profile):
        ours = Counted("pystream", server, directory / f"server-{next(places)}", load, LOG_BYTES)
        ours.wrapper = callgrind(server, profile)[:-1]
        ours.start()
        return ours

    def show(name):
        print(f"  {name:24} {found[name]:12,.0f} instructions", file=sys.stderr, flush=True)

    found[BARE] = per_request(start_bare, BareBeast.run, 2000, out / "callgrind-bare-beast")
    show(BARE)
    for cell, count in WORK:
        name = cell.series
        found[name] = per_request(start_ours, lambda s, n, c=cell: s.count(c, n), count, out / f"callgrind-{name.replace('/', '-')}")
        show(name)
    return found


def table(found):
    rows = [[name, f"{value:,.0f}", f"{value / found[BARE]:.2f}"] for name, value in found.items()]
    target = Target("P4", "instructions of a durable single produce / bare Beast POST", found[SINGLE.series] / found[BARE], 1.6, 1.25, True)
    return target, "\n\n".join([
        tables.format_table(["request", "instructions", "x bare Beast"], rows),
        tables.format_table(["target", "measured", "bar", "goal", "reached"], [target.row()]),
    ])
