"""How we compare with Redis, NATS and Postgres, and with ourselves: each target is a ratio inside one run, with a bar that must hold and a
goal that we are after."""
import dataclasses

import tables
from cells import CONNECTIONS, Cell
from measure import ratio
from peers import Nats, Postgres, Redis
from processes import BenchError
from pystream_server import PyStream

SINGLE = [Cell("single", c) for c in CONNECTIONS]
BATCH = [Cell("batch", c, batch=100) for c in CONNECTIONS]
FETCH = [Cell("fetch", 16, batch=100, position="middle")]
KEYED = [Cell("keyed", 256, partitions) for partitions in (1, 100, 1000)]
SERIES = [SINGLE, BATCH, FETCH, KEYED]


@dataclasses.dataclass(frozen=True)
class Target:
    number: str
    what: str
    value: float
    bar: float
    goal: float
    less_is_better: bool = False
    unit: str = ""

    def reaches(self, wanted):
        return self.value <= wanted if self.less_is_better else self.value >= wanted

    def verdict(self):
        return "goal" if self.reaches(self.goal) else "bar" if self.reaches(self.bar) else "MISSED"

    def row(self):
        return [f"{self.number:4} {self.what}", f"{self.value:.2f}{self.unit}", f"{self.bar:g}", f"{self.goal:g}", self.verdict()]


def make_subjects(binary, load, log_bytes, interval):
    """Who takes part in a series; those that are not durable have it in their name."""
    def make(place, cells):
        ours = [PyStream("pystream", binary, place / "pystream", load, log_bytes)]
        if cells is KEYED:
            return ours
        redis = Redis("redis", place / "redis", load)
        if cells is FETCH:
            return [*ours, redis]
        others = [redis, Postgres("postgres", place / "postgres", load), Redis("redis-unsynced", place / "everysec", load, "everysec")]
        if cells is BATCH:
            return [*ours, *others]
        unsynced = [PyStream("pystream-unsynced", binary, place / "interval", load, log_bytes, INTERVAL)] if interval else []
        return [*ours, *others, Nats("nats-unsynced", place / "nats", load), *unsynced]
    return make


INTERVAL = {"PYSTREAM_DURABILITY": "interval"}


def takes_interval(binary, directory, load):
    """Whether this server knows DURABILITY=interval."""
    server = PyStream("interval", binary, directory / "interval", load, 0, INTERVAL)
    try:
        server.start()
    except BenchError as refused:
        if "DURABILITY" not in str(refused):
            raise
        return False
    finally:
        server.stop()
    return True


def throughput_targets(found):
    """found: (subject, cell) -> Measurement"""
    def rate(ours, theirs, cell):
        return ratio(found[ours, cell], found[theirs, cell], "records_per_s")
    for cell, bar in zip(SINGLE, (.8, .75, .85, 1.0)):
        yield Target("P1", f"single durable / Redis always, c={cell.connections}", rate("pystream", "redis", cell), bar, 1.2)
    for cell, bar in zip(BATCH, (1.4, 1.8, 1.8, 1.8)):
        yield Target("P2", f"batch of 100 / Redis always, pipelines of 100, c={cell.connections}", rate("pystream", "redis", cell), bar, 2.5)
    for cell, bar in zip(SINGLE[2:], (.6, 1.0)):
        yield Target("P3", f"single durable / NATS not synced, c={cell.connections}", rate("pystream", "nats-unsynced", cell), bar, 1.3)
    if ("pystream-unsynced", SINGLE[3]) in found:
        yield Target("P5", "durable / DURABILITY=interval, c=256", rate("pystream", "pystream-unsynced", SINGLE[3]), .75, .95)
    yield Target("P6", "fetch of 100 as JSON / XRANGE, c=16", rate("pystream", "redis", FETCH[0]), 1.0, 1.5)
    one = found["pystream", KEYED[0]]
    for cell, bar, goal in ((KEYED[1], .7, .95), (KEYED[2], .5, .85)):
        yield Target("P7", f"{cell.partitions} partitions / one, c=256", ratio(found["pystream", cell], one, "records_per_s"), bar, goal)


def latency_targets(found):
    ours, theirs = found["pystream", SINGLE[2]], found["redis", SINGLE[2]]
    yield Target("P12", "p50 of single durable / Redis always, c=64", ratio(ours, theirs, "p50"), 1.2, .8, True)
    yield Target("P12", "p99 of single durable / Redis always, c=64", ratio(ours, theirs, "p99"), 2.5, 1.2, True)


def start_targets(figures):
    ours, mb, log_bytes = figures["idle_bytes"]["pystream"], 2**20, figures["log_bytes"]
    yield Target("P10", "memory of an idle server", ours / mb, 16, 8, True, " MB")
    yield Target("P10", "more at 256 connections", (figures["connected_bytes"] - ours) / mb, 6, 2, True, " MB")
    yield Target("P11", "start to ready, empty", figures["start_seconds"]["pystream"] * 1000, 50, 15, True, " ms")
    yield Target("P11", f"start after a clean stop, {log_bytes / 1e9:.1f} GB", figures["start_after_stop_seconds"] * 1000, 1000, 100, True, " ms")
    yield Target("P11", f"start after kill -9, {log_bytes / 1e9:.1f} GB", log_bytes / 1e9 / figures["start_after_kill_seconds"], 1, 4, False, " GB/s")


def table(found, figures, interval):
    targets = [*throughput_targets(found), *latency_targets(found), *start_targets(figures)]
    text = tables.format_table(["target", "measured", "bar", "goal", "reached"], [target.row() for target in targets])
    peers = ", ".join(f"{label} {figures['start_seconds'][label] * 1000:.0f} ms and {size / 2**20:.0f} MB"
                      for label, size in figures["idle_bytes"].items())
    notes = [f"Start, and memory when idle: {peers}."]
    if not interval:
        notes.append("P5 is left out: this server does not take PYSTREAM_DURABILITY=interval.")
    return targets, "\n".join([text, *notes])
