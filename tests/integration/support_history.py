"""What a topic was sent and what it answered, and so what it must hold after any crash.

Acknowledged records stand at their offset for ever. The records of a request that got no answer are all there or none, and what
one look after a restart decides about them stays so. What any reader saw at an offset never changes.
"""
import dataclasses
import hashlib
import threading


def route(key, partitions):
    """The rule of docs, computed independently of the server."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % partitions


def value_of(identity, raw):
    """The value is derived from the id, so that whoever reads it can tell whether it is whole."""
    number = int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "big")
    length = number % 300 if number % 16 else 4000 + number % 12000
    padding = (identity * (length // len(identity) + 1))[:length]
    return f"{identity}\n{padding}" if raw else {"id": identity, "padding": padding}


def identity_of(value):
    return value["id"] if isinstance(value, dict) else value.split("\n", 1)[0]


@dataclasses.dataclass(frozen=True)
class Record:
    identity: str
    key: str | None = None
    raw: bool = False

    @property
    def value(self):
        return value_of(self.identity, self.raw)

    @property
    def line(self):
        return {"value": self.value} | ({} if self.key is None else {"key": self.key})


@dataclasses.dataclass
class Share:
    """What one partition gets of a request: one batch. `partition` is None where the server chooses (a single record without key)."""
    partition: int | None
    records: list
    indices: list  # of the records in the request


def shares_by_key(records, partitions):
    shares = {}
    for index, record in enumerate(records):
        share = shares.setdefault(route(record.key, partitions), Share(None, [], []))
        share.records.append(record)
        share.indices.append(index)
    for partition, share in shares.items():
        share.partition = partition
    return list(shares.values())


class History:
    def __init__(self, topic, partitions):
        self.topic, self.partitions = topic, partitions
        self.lock = threading.Lock()
        self.sent = {}         # id -> Record
        self.placed = {}       # id -> (partition, offset): acknowledged, or found after a restart
        self.seen = {}         # (partition, offset) -> (id, timestamp): acknowledged or read by anyone
        self.unanswered = []   # shares
        self.gone = set()      # ids that were not there after a restart
        self.landed = set()    # ids of requests without an answer that were there all the same
        self.answered_requests = 0

    def send(self, shares):
        with self.lock:
            for share in shares:
                for record in share.records:
                    assert record.identity not in self.sent, "the test uses an id twice"
                    self.sent[record.identity] = record

    def leave_open(self, shares):
        with self.lock:
            self.unanswered.extend(shares)

    def refuse(self, shares):
        with self.lock:
            self.gone.update(record.identity for share in shares for record in share.records)

    def acknowledge(self, shares, results):
        assert len(results) == sum(len(share.records) for share in shares), results
        with self.lock:
            self.answered_requests += 1
            for share in shares:
                places = [results[index] for index in share.indices]
                first = places[0]["offset"]
                for step, (record, place) in enumerate(zip(share.records, places)):
                    assert share.partition in (None, place["partition"]), f"{record} went to {place}"
                    assert place["offset"] == first + step, f"a batch in pieces: {places}"
                    self.placed[record.identity] = (place["partition"], place["offset"])
                    self._note(place["partition"], place["offset"], record.identity, place["timestamp"])

    def saw(self, partition, record):
        """A reader got this record."""
        identity = identity_of(record["value"])
        with self.lock:
            sent = self.sent.get(identity)
            assert sent is not None, f"nobody sent {record}"
            assert sent.value == record["value"] and sent.key == record["key"], f"{sent} came back as {record}"
            self._note(partition, record["offset"], identity, record["timestamp"])
            return identity

    def _note(self, partition, offset, identity, timestamp):
        before = self.seen.setdefault((partition, offset), (identity, timestamp))
        assert before == (identity, timestamp), f"offset {offset} of partition {partition} was {before}, is {identity, timestamp}"

    def acknowledged_end(self, partition):
        with self.lock:
            return 1 + max((offset for p, offset in self.placed.values() if p == partition), default=-1)

    def check(self, client):
        """Everything that must hold now, with nobody writing. Returns the number of records."""
        found = {}
        for partition in range(self.partitions):
            for identity, offset in self._check_partition(client, partition):
                assert identity not in found, f"{identity} is there twice: {found[identity]} and {partition, offset}"
                found[identity] = (partition, offset)
        lost = {i: place for i, place in self.placed.items() if found.get(i) != place}
        assert not lost, f"acknowledged and not at their offsets: {lost}, but {[found.get(i) for i in lost]}"
        vanished = {place: what for place, what in self.seen.items() if found.get(what[0]) != place}
        assert not vanished, f"seen by a reader and then changed: {vanished}"
        assert not self.gone & found.keys(), f"absent after an earlier restart and back again: {self.gone & found.keys()}"
        self._settle(found)
        return len(found)

    def __str__(self):
        return (f"{self.answered_requests} requests answered; of those without an answer {len(self.landed)} records are there, "
                f"{len(self.gone)} are not")

    def _check_partition(self, client, partition):
        records = read_all(client, self.topic, partition)
        assert [r["offset"] for r in records] == list(range(len(records)))
        status = client.call("GET", f"/api/topics/{self.topic}/partitions/{partition}").json
        assert (status["start"], status["end"], status["high_watermark"]) == (0, len(records), len(records)), status
        assert not status["damages"] and status["problem"] is None, status
        stamps = [r["timestamp"] for r in records]
        assert stamps == sorted(stamps)
        return [(self.saw(partition, record), record["offset"]) for record in records]

    def _settle(self, found):
        """Requests without an answer: all or none of a batch, in order; from now on that is what happened."""
        for share in self.unanswered:
            places = [found[r.identity] for r in share.records if r.identity in found]
            assert len(places) in (0, len(share.records)), f"half a batch: {share} at {places}"
            if places:
                partition, first = places[0]
                assert share.partition in (None, partition)
                assert places == [(partition, first + step) for step in range(len(places))], f"a batch in pieces: {places}"
                self.landed.update(r.identity for r in share.records)
                self.placed.update(zip((r.identity for r in share.records), places))
            else:
                self.gone.update(r.identity for r in share.records)
        self.unanswered = []
        assert found.keys() == self.placed.keys(), f"{found.keys() ^ self.placed.keys()}"


def read_all(client, topic, partition, page=2000):
    """Every record of a partition, page by page."""
    records, offset = [], 0
    path = f"/api/topics/{topic}/partitions/{partition}/records"
    for _ in range(100_000):
        answer = client.call("GET", f"{path}?offset={offset}&max_records={page}")
        assert answer.status == 200, answer
        got = answer.json
        records.extend(got["records"])
        assert got["next_offset"] == offset + len(got["records"]), got
        if not got["records"]:
            assert offset == got["high_watermark"], got
            return records
        offset = got["next_offset"]
    raise AssertionError("a read that never ends")
