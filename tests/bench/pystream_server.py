"""PyStream as the subject of a measurement: a private server on a directory of its own, and what each cell means for it."""
import http.client
import json
import os
import time

from cells import VALUE_BYTES
from processes import BenchError, Process

FILL_BATCH = 100
WALK_RECORDS = 100_000  # fetches at one position of the log walk over so many records


class PyStream:
    """`settings` are added to the PYSTREAM_ variables of the environment."""

    wrapper = ()  # a command that runs the server, as valgrind does

    def __init__(self, label, binary, directory, load, log_bytes, settings=None):
        self.label, self.binary, self.directory, self.load = label, str(binary), directory, load
        self.settings, self.log_records = settings or {}, max(log_bytes // VALUE_BYTES // FILL_BATCH, 30) * FILL_BATCH
        self.topics = 0
        self.log_end = None  # of the topic "log", once it is there
        self.process = None

    def can(self, cell):
        return True

    def start(self):
        """Empty at first, later with the data that is there. Returns the seconds until it was ready."""
        self.directory.mkdir(parents=True, exist_ok=True)
        own = {"PYSTREAM_HOST": "127.0.0.1", "PYSTREAM_PORT": "0", "PYSTREAM_DATA_DIR": str(self.directory / "data")}
        began = time.monotonic()
        self.process = Process([*self.wrapper, self.binary], self.directory / "log", env=os.environ | own | self.settings)
        self.port = self.process.wait_until(lambda: self.logged("listening", "port"), "listening")
        self.process.wait_until(lambda: self.logged("ready", "took_ms") is not None, "ready")
        seconds = time.monotonic() - began
        self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        return seconds

    def stop(self):
        if self.process is not None:
            self.process.stop()

    def logged(self, event, field):
        for line in self.process.log_text().splitlines():
            if f'"event":"{event}"' in line and line.endswith("}"):
                return json.loads(line)[field]
        return None

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        for last in (False, True):  # an idle connection may be gone
            try:
                self.http.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
                answer = self.http.getresponse()
                text = answer.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                self.http.close()
                if last:
                    raise
        if answer.status >= 300:
            raise BenchError(f"{method} {path}: {answer.status} {text[:500]!r}")
        return json.loads(text) if text else None

    def end_offsets(self, topic):
        """The records of all partitions together."""
        total, after = 0, ""
        while True:
            page = self.call("GET", f"/api/topics/{topic}/partitions?limit=1000{after}")
            total += sum(partition["end"] for partition in page["items"])
            if page["next"] is None:
                return total
            after = f"&after={page['next']}"

    def prepare(self, cell):
        """What a cell needs before its first repetition."""
        if cell.kind == "fetch" and self.log_end is None:
            self.call("POST", "/api/topics", {"name": "log"})
            self.load.run(port=self.port, work="batch", target="/api/topics/log", batch=FILL_BATCH, connections=16,
                          requests=self.log_records // FILL_BATCH)
            self.log_end = self.end_offsets("log")
            if self.log_end != self.log_records:
                raise BenchError(f"{self.log_records} records were acknowledged, the log ends at {self.log_end}")

    def run(self, cell, seconds, warmup):
        """One repetition: the load's report, after a look at what is stored."""
        return self.run_for(cell, {"seconds": seconds, "warmup": warmup})

    def run_for(self, cell, length):
        common = {"port": self.port, "server_pid": self.process.pid, "connections": cell.connections, "batch": cell.batch} | length
        if cell.kind == "health":
            return self.load.run(work="get", target="/api/health", **common)
        if cell.kind == "fetch":
            return self.load.run(work="fetch", target="/api/topics/log", **self.walk(cell), **common)
        self.topics += 1
        topic = f"bench-{self.topics}"
        self.call("POST", "/api/topics", {"name": topic, "partitions": cell.partitions})
        report = self.load.run(work=cell.kind, target=f"/api/topics/{topic}", partitions=cell.partitions, value_bytes=VALUE_BYTES,
                               **common)
        stored = self.end_offsets(topic)
        if stored != report["records_acknowledged"]:
            raise BenchError(f"{cell.name}: {report['records_acknowledged']} records were acknowledged, {stored} are stored")
        self.call("DELETE", f"/api/topics/{topic}")
        return report

    def walk(self, cell):
        """A stretch of the log at the cell's position, in steps of whole pages."""
        span = max(min(WALK_RECORDS, self.log_end // 3) // cell.batch, 1) * cell.batch
        start = {"start": 0, "middle": self.log_end // 2, "end": self.log_end - span}[cell.position]
        return {"from": start, "span": span, "step": cell.batch}
