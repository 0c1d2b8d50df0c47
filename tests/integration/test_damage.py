"""Damaged files under a stopped server: torn tails are cut, damage below acknowledged data is reported and never repaired by guessing,
indexes are never trusted. Cases C002, C006, C008, C009. Every byte of the last batches is tried in tests/unit/core/storage."""
import os
import random
import struct

import pytest

from support_run import SEGMENT_BYTES, create_topic, fetch, health, partition_directory, produce, segments

COUNT = 10


def batches(path):
    """[(position, length, base offset)] of a segment, by the layout of docs/formats.md."""
    data, position, out = path.read_bytes(), 0, []
    while position + 84 <= len(data) and data[position] == 0x50:
        length, = struct.unpack_from(">I", data, position + 8)
        base, = struct.unpack_from(">q", data, position + 16)
        out.append((position, length, base))
        position += length
    return out


def value(number):
    return f"value {number} " + "v" * 200 * (1 if number < COUNT else 10)


def fill(server, count=COUNT, **config):
    create_topic(server, "t", config=config)
    for number in range(count):
        assert produce(server, "t", value(number)).status == 201


@pytest.fixture
def killed(start_server):
    """Ten batches of one record; the recovery point is still at 0."""
    server = start_server()
    fill(server)
    server.kill()
    return server.data_dir


@pytest.fixture
def stopped(start_server):
    """The same after an orderly stop: all of it is below the recovery point."""
    server = start_server()
    fill(server)
    assert server.terminate() == 0
    return server.data_dir


def read_each(server, count=COUNT):
    """What a fetch of every single offset gives: the value, or the code of the problem."""
    out = []
    for offset in range(count):
        answer = fetch(server, "t", offset=offset, max_records=1)
        if answer.status == 200 and answer.json["records"]:
            assert answer.json["records"][0]["offset"] == offset
            out.append(answer.json["records"][0]["value"])
        else:
            out.append(answer.json.get("code", "empty"))
    return out


def whole(count=COUNT):
    return [value(number) for number in range(count)]


def goes_on(server, end):
    assert read_each(server, end) == whole(end)
    status = server.call("GET", "/api/topics/t/partitions/0").json
    assert (status["end"], status["high_watermark"], status["problem"]) == (end, end, None)
    assert produce(server, "t", "next").json["results"][0]["offset"] == end
    assert health(server)["status"] == "ok"


TAILS = {
    "a zero": b"\0",
    "4 KiB of zeros": bytes(4096),
    "4 MiB of zeros": bytes(4 << 20),
    "4 KiB of 0xff": b"\xff" * 4096,
    "4 KiB at random": random.Random(2).randbytes(4096),
    "a header's beginning": b"\x50\x02\x00\x01",
}


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_torn_tail(start_server, request, how, tail):
    """C002: cut, without help; the next record gets the old end."""
    data_dir = request.getfixturevalue(how)
    log = segments(data_dir, "t")[0]
    size = log.stat().st_size
    with open(log, "ab") as file:
        file.write(TAILS[tail])
    server = start_server(data_dir=data_dir)
    assert log.stat().st_size == size, "the file was not cut"
    cut = [line for event in ("torn_tail_cut", "zero_tail_cut") for line in server.log(event)]
    assert len(cut) == 1 and cut[0]["path"] == str(log), server.log_text()
    assert (cut[0]["offset"], cut[0]["bytes"]) == (COUNT, len(TAILS[tail]))
    goes_on(server, COUNT)
    server.kill()
    assert read_each(start_server(data_dir=data_dir)) == whole()


def test_last_batch_repeated(start_server, killed):
    """A whole, valid batch with the wrong offset is a torn tail as well: it does not continue the log."""
    log = segments(killed, "t")[0]
    position, length, _ = batches(log)[-1]
    log.write_bytes(log.read_bytes() + log.read_bytes()[position:position + length])
    goes_on(start_server(data_dir=killed), COUNT)


def test_truncations(start_server, killed):
    """C006: cut anywhere in the last record of a log that never said it was durable: up, and one record less."""
    log = segments(killed, "t")[0]
    data, checkpoint = log.read_bytes(), (log.parent / "checkpoint").read_bytes()
    _, length, _ = batches(log)[-1]
    for cut in [1, 2, 4, 40, length - 84, length - 83, length - 10, length - 1, length]:
        log.write_bytes(data[:-cut])
        (log.parent / "checkpoint").write_bytes(checkpoint)
        server = start_server(data_dir=killed)
        assert read_each(server, COUNT - 1) == whole(COUNT - 1), cut
        status = server.call("GET", "/api/topics/t/partitions/0").json
        assert status["end"] == COUNT - 1 and health(server)["status"] == "ok"
        server.kill()


@pytest.mark.parametrize("size", [0, 1, 84])
def test_truncated_to_nothing(start_server, size):
    """C006: an empty file, and one with less than a record."""
    server = start_server()
    create_topic(server, "t")
    server.kill()
    segments(server.data_dir, "t")[0].write_bytes(b"\x50\x02" * (size // 2) + b"\x50" * (size % 2))
    again = start_server(data_dir=server.data_dir)
    assert produce(again, "t", "first").json["results"][0]["offset"] == 0


def test_truncated_below_acknowledged(start_server, stopped):
    """The checkpoint says that ten records were durable: what is missing is damage, not a torn tail. Nothing is cut, nothing is reused."""
    log = segments(stopped, "t")[0]
    data = log.read_bytes()[:-20]
    log.write_bytes(data)
    server = start_server(data_dir=stopped)
    assert read_each(server) == whole()[:-1] + ["corrupt_record"]
    assert produce(server, "t", "next").status == 503
    assert health(server)["status"] == "degraded"
    assert log.read_bytes() == data


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_flipped_byte(start_server, request, how):
    """C008: corrupt_record that names the offset, reading goes on behind it, health says so; nothing is cut, also not by the next start."""
    data_dir = request.getfixturevalue(how)
    log = segments(data_dir, "t")[0]
    position, length, base = batches(log)[4]
    data = bytearray(log.read_bytes())
    data[position + length - 50] ^= 0x10
    log.write_bytes(data)
    for _ in range(2):
        server = start_server(data_dir=data_dir)
        if how == "stopped":  # below the recovery point nobody looks before somebody reads
            read_each(server)
        assert read_each(server) == whole()[:4] + ["corrupt_record"] + whole()[5:]
        problem = fetch(server, "t", offset=base)
        assert problem.status == 500 and problem.json["offset"] == base and problem.json["expected"] == base + 1, problem
        assert str(log) not in problem.body.decode(), "paths are for the log"
        # A page stops in front of the damage, so that nobody steps over it without noticing.
        page = fetch(server, "t", offset=0).json
        assert [r["offset"] for r in page["records"]] == [0, 1, 2, 3] and page["next_offset"] == base
        assert fetch(server, "t", offset=base + 1).json["next_offset"] == COUNT
        assert server.call("GET", f"/api/topics/t/partitions/0/records/{base}").json["code"] == "corrupt_record"
        damages = server.call("GET", "/api/topics/t/partitions/0").json["damages"]
        assert [(d["from"], d["end"], d["file"]) for d in damages] == [(base, base + 1, log.name)], damages
        assert damages[0]["position"] == position
        assert health(server)["status"] == "degraded"
        assert any(str(log) in str(line) for line in server.log() if line["level"] == "ERROR"), server.log_text()
        server.kill()
        assert log.read_bytes()[:len(data)] == bytes(data)


def test_flip_in_the_last_batch_before_a_checkpoint(start_server, killed):
    """Nothing on the disk says that the last batch was acknowledged before its successor: after a crash this is a torn tail."""
    log = segments(killed, "t")[0]
    position, length, _ = batches(log)[-1]
    data = bytearray(log.read_bytes())
    data[position + length - 50] ^= 0x10
    log.write_bytes(data)
    goes_on(start_server(data_dir=killed), COUNT - 1)


MANY = 160


@pytest.fixture
def rolled(start_server):
    """Several sealed segments and an active one."""
    server = start_server()
    fill(server, MANY, segment_bytes=SEGMENT_BYTES)
    assert server.terminate() == 0
    assert len(segments(server.data_dir, "t")) >= 4
    return server.data_dir


INDEX_DAMAGES = {
    "deleted": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "odd": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "random": lambda path: path.write_bytes(random.Random(7).randbytes(path.stat().st_size)),
    "entries only": lambda path: path.write_bytes(path.read_bytes()[:40] + random.Random(7).randbytes(path.stat().st_size - 40)),
    "of another segment": lambda path: path.write_bytes(sorted(path.parent.glob("*.index"))[1].read_bytes()),
}


@pytest.mark.parametrize("damage", INDEX_DAMAGES)
def test_index(start_server, rolled, damage):
    """C009: indexes are derived; any of them may be lost or lie."""
    indexes = sorted(partition_directory(rolled, "t").glob("*.index"))
    assert len(indexes) >= 4
    for path in [indexes[0], indexes[2], indexes[-1]]:
        INDEX_DAMAGES[damage](path)
    server = start_server(data_dir=rolled)
    rng = random.Random(9)
    for offset in [0, MANY - 1, *(rng.randrange(MANY) for _ in range(30))]:
        record = fetch(server, "t", offset=offset, max_records=1).json["records"][0]
        assert (record["offset"], record["value"]) == (offset, value(offset))
    assert health(server)["status"] == "ok"
    assert produce(server, "t", "next").json["results"][0]["offset"] == MANY


def test_index_of_another_log(start_server):
    """C009: a whole, valid index of a segment as long as this one: what it leads to is looked at before it is believed."""
    server = start_server()
    sizes = {"t": (300, 1106), "u": (1106, 300)}  # an index entry of u points between two batches of t
    for topic, (even, odd) in sizes.items():
        create_topic(server, topic, config={"segment_bytes": SEGMENT_BYTES})
        for number in range(MANY):
            assert produce(server, topic, f"{number:03}" + "v" * (odd if number % 2 else even)).status == 201
    assert server.terminate() == 0
    first, second = segments(server.data_dir, "t")[:2]
    assert first.stat().st_size == segments(server.data_dir, "u")[0].stat().st_size
    index, other = (partition_directory(server.data_dir, topic) / f"{0:020}.index" for topic in "tu")
    assert index.read_bytes() != other.read_bytes()
    index.write_bytes(other.read_bytes())
    again = start_server(data_dir=server.data_dir)
    for offset in range(int(second.stem)):
        record = fetch(again, "t", offset=offset, max_records=1).json["records"][0]
        assert (record["offset"], record["value"][:3]) == (offset, f"{offset:03}")
    assert health(again)["status"] == "ok"


def test_sealed_segment_damaged(start_server, rolled):
    """Damage in a sealed segment takes away its own offsets only, and writing goes on or says why not."""
    log = segments(rolled, "t")[1]
    position, length, base = batches(log)[3]
    data = bytearray(log.read_bytes())
    data[position + 100] ^= 1
    log.write_bytes(data)
    server = start_server(data_dir=rolled)
    got = read_each(server, MANY)
    assert got == whole(MANY)[:base] + ["corrupt_record"] + whole(MANY)[base + 1:]
    assert health(server)["status"] == "degraded"


def test_sealed_segment_missing(start_server, rolled):
    """A file that is gone is damage too: its offsets are never out of range, never empty, never skipped in silence."""
    first, second, third = segments(rolled, "t")[:3]
    second.unlink()
    gone = range(int(second.stem), int(third.stem))
    server = start_server(data_dir=rolled)
    got = read_each(server, MANY)
    assert [o for o in range(MANY) if got[o] == "corrupt_record"] == list(gone)
    assert all(got[o] == value(o) for o in range(MANY) if o not in gone)
    assert health(server)["status"] == "degraded"
    assert os.listdir(first.parent).count(second.name) == 0
