"""Clients that work on a server until it dies, and note what they were promised."""
import http.client
import json
import random
import threading
import time

from conftest import Client
from support_history import Record, Share, shares_by_key

LOST = (OSError, http.client.HTTPException)  # how a dead server looks
LOAD_SECONDS_MAX = 60


class ServerGone(Exception):
    """A request got no answer."""


class Draining(Exception):
    """A request was refused because the server shuts down: nothing of it happened."""


class Worker:
    """One client on a thread of its own. step() is one piece of work."""

    def __init__(self, name, port, seed):
        self.name, self.rng = name, random.Random(f"{seed} {name}")
        self.client = Client(port)
        self.dying = threading.Event()  # what fails from now on has an unknown outcome
        self.steps = 0

    def call(self, *args, **kwargs):
        try:
            answer = self.client.call(*args, **kwargs)
        except LOST as lost:
            raise ServerGone(f"{self.name}: {lost!r}") from lost
        if answer.status == 503 and answer.json["code"] == "draining":
            assert answer.json["outcome"] == "none"
            raise Draining(self.name)
        if answer.status >= 500 and self.dying.is_set():
            raise ServerGone(f"{self.name}: {answer}")
        return answer


class Producer(Worker):
    def __init__(self, name, port, seed, history):
        super().__init__(name, port, seed)
        self.history, self.path = history, f"/api/topics/{history.topic}"

    def record(self, **fields):
        self.steps += 1
        return Record(f"{self.name}-{self.steps}", **fields)

    def some(self, count, keyed):
        return [self.record(key=f"key-{self.rng.randrange(30)}" if keyed else None) for _ in range(count)]

    def produce(self, path, shares, body, content_type):
        self.history.send(shares)
        try:
            answer = self.call("POST", path, body=body, headers={"Content-Type": content_type})
        except ServerGone:
            self.history.leave_open(shares)
            raise
        except Draining:
            self.history.refuse(shares)
            raise
        assert answer.status == 201, answer
        assert answer.json["durability"] == "sync"
        self.history.acknowledge(shares, answer.json["results"])

    def partition(self):
        return self.rng.randrange(self.history.partitions)


class SingleProducer(Producer):
    """One record a request: raw bytes, JSON to a partition, or without key and partition."""

    def step(self):
        form = self.rng.randrange(3)
        partition = self.partition()
        if form == 0:
            record = self.record(key=f"raw-{self.rng.randrange(5)}", raw=True)
            path = f"{self.path}/partitions/{partition}/records?key={record.key}"
            self.produce(path, [Share(partition, [record], [0])], record.value, "text/plain")
        elif form == 1:
            record = self.record()
            body = json.dumps({"records": [record.line]})
            self.produce(f"{self.path}/partitions/{partition}/records", [Share(partition, [record], [0])], body, "application/json")
        else:
            record = self.record()
            self.produce(f"{self.path}/records", [Share(None, [record], [0])], json.dumps({"records": [record.line]}),
                         "application/json")


class BatchProducer(Producer):
    """Up to 60 keyed records a request, over all partitions."""

    def step(self):
        records = self.some(self.rng.choice([1, 2, 5, 20, 60]), keyed=True)
        body = json.dumps({"records": [record.line for record in records]})
        self.produce(f"{self.path}/records", shares_by_key(records, self.history.partitions), body, "application/json")


class LinesProducer(Producer):
    """NDJSON, by key or to one partition."""

    def step(self):
        keyed = self.rng.random() < 0.5
        records = self.some(self.rng.randrange(1, 40), keyed)
        body = "".join(json.dumps(record.line) + "\n" for record in records)
        if keyed:
            self.produce(f"{self.path}/records", shares_by_key(records, self.history.partitions), body, "application/x-ndjson")
        else:
            partition = self.partition()
            self.produce(f"{self.path}/partitions/{partition}/records",
                         [Share(partition, records, list(range(len(records))))], body, "application/x-ndjson")


class Reader(Worker):
    """Reads at random places and waits at the ends: what it saw must stay."""

    def __init__(self, name, port, seed, history):
        super().__init__(name, port, seed)
        self.history = history

    def step(self):
        partition = self.rng.randrange(self.history.partitions)
        path = f"/api/topics/{self.history.topic}/partitions/{partition}/records"
        end = self.history.acknowledged_end(partition)
        if self.rng.random() < 0.5:
            where = f"offset={end}&wait_ms=50"
        else:
            where = f"offset={self.rng.randrange(end + 1)}&max_records={self.rng.randrange(1, 200)}"
        answer = self.call("GET", f"{path}?{where}")
        assert answer.status == 200, answer
        for record in answer.json["records"]:
            self.history.saw(partition, record)
        self.steps += 1


class Committer(Worker):
    """Commits all partitions of a group in one request, always forward. After a crash the group has the acknowledged offsets, or those
    of the one request that got no answer, all of them."""

    def __init__(self, name, port, seed, history, committed):
        super().__init__(name, port, seed)
        self.history, self.committed = history, committed  # committed: group -> [offsets that may be stored]

    def step(self):
        self.steps += 1
        known = self.committed.setdefault(self.name, [None])[-1] or [0] * self.history.partitions
        offsets = [self.rng.randint(low, max(low, self.history.acknowledged_end(p))) for p, low in enumerate(known)]
        if self.steps % 5 == 0:
            self.must_be_refused(known)
        self.committed[self.name].append(offsets)
        answer = self.commit(offsets)
        assert answer.status == 200, answer
        self.committed[self.name] = [offsets]

    def commit(self, offsets):
        lines = [{"topic": self.history.topic, "partition": p, "offset": o} for p, o in enumerate(offsets)]
        return self.call("POST", f"/api/groups/{self.name}/offsets", json={"offsets": lines})

    def must_be_refused(self, known):
        """Past the end, or back without a reset, in one partition only: nothing of the request may be stored."""
        answer = self.commit([*known[:-1], known[-1] + 10**9])
        assert answer.status == 422, answer
        if known[-1] > 0 and self.committed[self.name] != [None]:
            answer = self.commit([*known[:-1], known[-1] - 1])
            assert (answer.status, answer.json["code"]) == (409, "offset_regression"), answer


def check_commits(client, history, committed):
    for group, possible in committed.items():
        lines = client.call("GET", f"/api/groups/{group}/offsets?topic={history.topic}").json["offsets"]
        stored = [line["offset"] for line in sorted(lines, key=lambda line: line["partition"])]
        expected = [[None] * history.partitions if offsets is None else offsets for offsets in possible]
        assert stored in expected, f"group {group} has {stored}, possible is {expected}"
        committed[group] = [None if stored[0] is None else stored]


class Admin(Worker):
    """Creates topics, writes one record into each, deletes them, and takes names again."""

    def __init__(self, name, port, seed, topics):
        super().__init__(name, port, seed)
        self.topics = topics  # name -> list of possible states: None (no topic), or [id or None if unknown, records: list of possible]

    def step(self):
        self.steps += 1
        name = f"{self.name}-{self.rng.randrange(4)}"
        state = self.topics.setdefault(name, [None])
        if state == [None]:
            self.create(name)
        else:
            self.delete(name)

    def create(self, name):
        self.topics[name] = [None, (None, [()])]
        answer = self.call("POST", "/api/topics", json={"name": name, "partitions": self.rng.randrange(1, 4)})
        assert answer.status == 201, answer
        identity = answer.json["id"]
        value = f"{name} {self.rng.random()}"
        self.topics[name] = [(identity, [(), (value,)])]
        if self.rng.random() < 0.5:
            self.topics[name] = [(identity, [()])]
            return
        answer = self.call("POST", f"/api/topics/{name}/partitions/0/records", json={"records": [{"value": value}]})
        assert answer.status == 201 and answer.json["results"][0]["offset"] == 0, answer
        self.topics[name] = [(identity, [(value,)])]

    def delete(self, name):
        self.topics[name] = [None, *self.topics[name]]
        answer = self.call("DELETE", f"/api/topics/{name}")
        assert answer.status == 204, answer
        self.topics[name] = [None]
        assert self.call("GET", f"/api/topics/{name}").status == 404


def check_topics(client, topics):
    listed = {t["name"]: t["id"] for t in client.call("GET", "/api/topics?limit=1000").json["items"]}
    for name, possible in topics.items():
        if name not in listed:
            assert None in possible, f"{name} is gone; possible is {possible}"
            topics[name] = [None]
            continue
        page = client.call("GET", f"/api/topics/{name}/partitions/0/records").json["records"]
        values = tuple(record["value"] for record in page)
        fitting = [s for s in possible if s is not None and s[0] in (None, listed[name]) and values in s[1]]
        assert fitting, f"{name} has id {listed[name]} and {values}; possible is {possible}"
        topics[name] = [(listed[name], [values])]


class Load:
    """Runs workers side by side. `with Load([...]) as load: ...; load.expect_death(); server.kill()`."""

    def __init__(self, workers):
        self.workers, self.errors = workers, []
        self.dying = threading.Event()
        self.deadline = time.monotonic() + LOAD_SECONDS_MAX
        for worker in workers:
            worker.dying = self.dying
        self.threads = [threading.Thread(target=self._run, args=[worker], name=worker.name) for worker in workers]

    def _run(self, worker):
        try:
            while not self.errors and time.monotonic() < self.deadline:
                worker.step()
        except (ServerGone, Draining) as gone:
            if not self.dying.is_set():
                self.errors.append(gone)
        except Exception as error:  # shown by the test, not by the thread
            self.errors.append(error)
        finally:
            worker.client.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def expect_death(self):
        self.dying.set()

    def __exit__(self, *failed):
        if failed[0]:
            self.deadline = 0
        for thread in self.threads:
            thread.join(LOAD_SECONDS_MAX)
        assert not any(thread.is_alive() for thread in self.threads)
        if self.errors and not failed[0]:
            raise self.errors[0]
