"""How long a start takes, and the memory of a server that does nothing, beside Redis and NATS."""
import statistics
import time

from cells import Cell
from peers import Nats, Redis
from processes import resident_bytes
from pystream_server import PyStream

SETTLE_SECONDS = 0.3


def empty_starts(binary, load, directory, repetitions):
    """Medians, alternating: seconds until ready and bytes when idle by label, and ours with 256 connections."""
    seconds, idle, connected = {}, {}, []
    for repetition in range(repetitions):
        place = directory / f"start-{repetition}"
        place.mkdir()
        for subject in (PyStream("pystream", binary, place / "pystream", load, 0), Redis("redis", place / "redis", load),
                        Nats("nats", place / "nats", load)):
            try:
                seconds.setdefault(subject.label, []).append(subject.start())
                time.sleep(SETTLE_SECONDS)
                idle.setdefault(subject.label, []).append(resident_bytes(subject.process.pid))
                if subject.label == "pystream":
                    connected.append(subject.run(Cell("health", 256), 0.5, 0.1)["server_resident_bytes"])
            finally:
                subject.stop()
    start_seconds, idle_bytes = ({label: statistics.median(values) for label, values in figure.items()} for figure in (seconds, idle))
    return {"start_seconds": start_seconds, "idle_bytes": idle_bytes, "connected_bytes": statistics.median(connected)}


def full_starts(binary, load, directory, log_bytes):
    """With one log of that size, in the page cache: after kill -9 as soon as it is written, then after a clean stop."""
    server = PyStream("pystream", binary, directory / "full-start", load, log_bytes)
    try:
        server.start()
        server.prepare(Cell("fetch", 1))
        stored = server.call("GET", "/api/topics/log/partitions/0")["bytes"]
        server.process.kill()
        after_kill = server.start()
        server.stop()
        after_stop = server.start()
    finally:
        server.stop()
    return {"log_bytes": stored, "start_after_kill_seconds": after_kill, "start_after_stop_seconds": after_stop}


def measure_starts(binary, load, directory, repetitions, log_bytes):
    return empty_starts(binary, load, directory, repetitions) | full_starts(binary, load, directory, log_bytes)
