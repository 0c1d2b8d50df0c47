"""Write, sync, answer: in that order, as strace sees the real binary. Cases C001, C086.

The same check must fail the control build (target pystream_control), which answers first; PYSTREAM_CONTROL_BINARY names it.
Where processes may not be traced these tests fail; PYSTREAM_TEST_SKIP_STRACE=1 leaves them out on purpose.
"""
import os
import pathlib
import threading

import pytest

import conftest
import support_trace
from support_run import SEGMENT_BYTES, create_topic, partition_directory, segments, wrap_binary

PARALLEL = 50


@pytest.fixture(autouse=True)
def strace_works():
    if os.environ.get("PYSTREAM_TEST_SKIP_STRACE") == "1":
        pytest.skip("PYSTREAM_TEST_SKIP_STRACE=1: the order of write, sync and answer is NOT checked")
    why = support_trace.why_unusable()
    if why:
        pytest.fail(f"strace cannot be used, so the order of write, sync and answer cannot be checked: {why}")


@pytest.fixture
def traced(start_server, monkeypatch, tmp_path):
    """traced() -> (server, finish); finish() stops the server and gives the events."""

    def start(binary=None, data_dir=None, sync_delay_ms=20):
        trace = tmp_path / "trace"
        trace.unlink(missing_ok=True)
        wrap_binary(monkeypatch, tmp_path, support_trace.command(trace, sync_delay_ms), binary)
        server = start_server(data_dir=data_dir)

        def finish():
            assert server.terminate() == 0
            return support_trace.parse(support_trace.read_finished(trace, server.pid))

        return server, finish

    return start


def call(client, identity, method, path, expected=(200, 201, 204), **options):
    answer = client.call(method, path, headers={"X-Request-Id": identity}, **options)
    assert answer.status in expected, answer
    return answer


def produce_in_parallel(server, topic, partitions, padding=0):
    """50 clients, one record each, all at once; the record holds the request's id."""
    gate, failures = threading.Barrier(PARALLEL), []

    def one(number):
        identity = f"record-{number:04}"
        client = server.client()
        try:
            gate.wait()
            call(client, identity, "POST", f"/api/topics/{topic}/partitions/{number % partitions}/records",
                 json={"records": [{"value": identity + "x" * padding}]})
        except BaseException as failure:
            failures.append(failure)
        client.close()

    threads = [threading.Thread(target=one, args=[number]) for number in range(PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures, failures


def read_along(server, topic, partitions):
    """One reader a partition, which waits at the end and so gets every record as soon as it may. Returns the threads."""

    def one(partition):
        client, offset = server.client(), 0
        for _ in range(PARALLEL):
            page = call(client, f"reader-{partition}", "GET",
                        f"/api/topics/{topic}/partitions/{partition}/records?offset={offset}&wait_ms=2000").json
            if not page["records"]:
                break
            offset = page["next_offset"]
        client.close()

    threads = [threading.Thread(target=one, args=[partition]) for partition in range(partitions)]
    for thread in threads:
        thread.start()
    return threads


def check(events, root, **answered):
    faults, answers = support_trace.violations(events, root)
    assert {kind: answers[kind] for kind in answered} == answered
    assert not faults, "\n".join(faults)


def must_notice(events, root, what, unwanted):
    """The check is worth something: without these calls the same trace has faults."""
    less = [(begins, call) for begins, call in events if not unwanted(call)]
    assert len(less) < len(events), f"nothing to take away: {what}"
    assert support_trace.violations(less, root)[0], f"not noticed: {what}"


def syncs_segment(call):
    return call.name in ("fdatasync", "syncfs") and not call.path.endswith((".tmp", ".meta"))


def syncs_directory(call):
    return call.name == "fsync" and not call.path.endswith((".tmp", ".log"))


def test_records(traced):
    """C001: no produce is answered, and no record shown to a reader, before the sync that covers its bytes."""
    server, finish = traced()
    create_topic(server, "t", partitions=3)
    readers = read_along(server, "t", 3)
    produce_in_parallel(server, "t", 3)
    for reader in readers:
        reader.join(60)
    events = finish()
    check(events, server.data_dir, record=PARALLEL, reader=PARALLEL)
    must_notice(events, server.data_dir, "segments are not synced", syncs_segment)


def test_control_build_is_caught(traced):
    """The check can fail: a server that answers first is found out."""
    control = os.environ.get("PYSTREAM_CONTROL_BINARY") or str(pathlib.Path(conftest.binary()).with_name("pystream_control"))
    assert os.access(control, os.X_OK), f"no control build at {control}: ninja pystream_control, or PYSTREAM_CONTROL_BINARY"
    server, finish = traced(binary=control, sync_delay_ms=200)
    create_topic(server, "t", partitions=3)
    readers = read_along(server, "t", 3)
    produce_in_parallel(server, "t", 3)
    for reader in readers:
        reader.join(60)
    faults, answers = support_trace.violations(finish(), server.data_dir)
    assert answers["record"] == answers["reader"] == PARALLEL
    early = [fault for fault in faults if fault.endswith("was synced")]
    assert any(fault.startswith("record-") for fault in early) and any(fault.startswith("shown") for fault in early), faults


def test_segment_roll(traced):
    """C086: a new segment's directory entry is on the disk before the first acknowledgment in it."""
    server, finish = traced()
    create_topic(server, "t", config={"segment_bytes": SEGMENT_BYTES})
    produce_in_parallel(server, "t", 1, padding=6000)
    assert len(segments(server.data_dir, "t")) > 3
    events = finish()
    check(events, server.data_dir, record=PARALLEL)
    partition = str(partition_directory(server.data_dir, "t"))
    must_notice(events, server.data_dir, "the directory is not synced when a segment begins",
                lambda call: syncs_directory(call) and call.path == partition)


def test_metadata(traced):
    """C086: temporary file, sync, rename, directory sync, answer; new directories and first segments as well."""
    server, finish = traced(sync_delay_ms=0)
    client = server.client()
    call(client, "alone-create-1", "POST", "/api/topics", json={"name": "first", "partitions": 3})
    call(client, "alone-create-2", "POST", "/api/topics", json={"name": "second"})
    call(client, "alone-produce", "POST", "/api/topics/first/records", json={"records": [{"value": "v"}, {"value": "w"}]})
    call(client, "alone-commit", "POST", "/api/groups/g/offsets",
         json={"offsets": [{"topic": "first", "partition": 0, "offset": 1}]})
    call(client, "alone-config", "PATCH", "/api/topics/first", json={"config": {"segment_bytes": SEGMENT_BYTES}})
    call(client, "alone-grow", "PATCH", "/api/topics/second", json={"partitions": 4})
    call(client, "alone-delete-group", "DELETE", "/api/groups/g")
    call(client, "alone-delete", "DELETE", "/api/topics/first")
    events = finish()
    check(events, server.data_dir, alone=8)
    renamed = {call.strings[1].rsplit("/", 1)[-1] for begins, call in events if begins and call.name in support_trace.RENAMES}
    assert {"cluster.meta", "broker.meta", "topic.meta"} <= renamed, renamed
    must_notice(events, server.data_dir, "directories are not synced", syncs_directory)
    must_notice(events, server.data_dir, "the entry of cluster.meta is not synced",
                lambda call: syncs_directory(call) and call.path == str(server.data_dir))
    for name in ["cluster.meta.tmp", "topic.meta.tmp", "checkpoint.tmp"]:
        must_notice(events, server.data_dir, f"{name} is not synced", lambda call, end=f"/{name}": call.name == "fsync" and call.path.endswith(end))
    for name in ["topics", "topics/first", "topics/second"]:
        must_notice(events, server.data_dir, f"the entries in {name} are not synced",
                    lambda call, end=f"/broker-000001/{name}": syncs_directory(call) and call.path.endswith(end))
    must_notice(events, server.data_dir, "commits are not synced", syncs_segment)


def test_recovered_bytes_are_written_again(traced, start_server, monkeypatch):
    """Bytes above the recovery point may be in the page cache only: they are written and synced again before anyone reads them."""
    first = start_server()
    create_topic(first, "t")
    client = first.client()
    for number in range(5):
        call(client, f"record-{number:04}", "POST", "/api/topics/t/records", json={"records": [{"value": f"record-{number:04}"}]})
    first.kill()
    server, finish = traced(data_dir=first.data_dir)
    answer = call(server.client(), "alone-read", "GET", "/api/topics/t/partitions/0/records?offset=0")
    assert [r["value"] for r in answer.json["records"]] == [f"record-{number:04}" for number in range(5)]
    events = finish()
    check(events, server.data_dir, alone=1)
    must_notice(events, server.data_dir, "what was written again is not synced", syncs_segment)
    read_at = next(i for i, (begins, c) in enumerate(events) if begins and "alone-read" in c.arguments and "HTTP/1.1 200" in c.arguments)
    written = [i for i, (begins, c) in enumerate(events)
               if not begins and c.name in support_trace.WRITES and all(f"record-{n:04}" in c.arguments for n in range(5))]
    assert written and written[0] < read_at, "what recovery found was not written again"
