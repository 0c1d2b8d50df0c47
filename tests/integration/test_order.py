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
from support_run import SEGMENT_BYTES, create_topic, segments, wrap_binary

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
    """traced(binary=None, data_dir=None) -> (server, finish); finish() stops the server and gives the events."""

    def start(binary=None, data_dir=None, delay=True):
        trace = tmp_path / "trace"
        trace.unlink(missing_ok=True)
        wrap_binary(monkeypatch, tmp_path, support_trace.command(trace, delay), binary)
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


def test_records(traced):
    """C001: no produce is answered before the sync that covers its bytes."""
    server, finish = traced()
    create_topic(server, "t", partitions=3)
    produce_in_parallel(server, "t", 3)
    faults, answers = support_trace.violations(finish(), server.data_dir)
    assert answers["record"] == PARALLEL
    assert not faults, "\n".join(faults)


def test_control_build_is_caught(traced):
    """The check can fail: a server that answers first is found out."""
    control = os.environ.get("PYSTREAM_CONTROL_BINARY") or str(pathlib.Path(conftest.binary()).with_name("pystream_control"))
    assert os.access(control, os.X_OK), f"no control build at {control}: ninja pystream_control, or PYSTREAM_CONTROL_BINARY"
    server, finish = traced(binary=control)
    create_topic(server, "t", partitions=3)
    produce_in_parallel(server, "t", 3)
    faults, answers = support_trace.violations(finish(), server.data_dir)
    assert answers["record"] == PARALLEL
    early = [fault for fault in faults if fault.endswith("was synced") and fault.startswith("record-")]
    assert len(early) > PARALLEL // 2, faults


def test_segment_roll(traced):
    """C086: a new segment's directory entry is on the disk before the first acknowledgment in it."""
    server, finish = traced()
    create_topic(server, "t", config={"segment_bytes": SEGMENT_BYTES})
    produce_in_parallel(server, "t", 1, padding=6000)
    assert len(segments(server.data_dir, "t")) > 3
    faults, answers = support_trace.violations(finish(), server.data_dir)
    assert answers["record"] == PARALLEL
    assert not faults, "\n".join(faults)


def test_metadata(traced):
    """C086: temporary file, sync, rename, directory sync, answer; new directories and first segments as well."""
    server, finish = traced(delay=False)
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
    faults, answers = support_trace.violations(events, server.data_dir)
    assert answers["alone"] == 8
    assert not faults, "\n".join(faults)
    renamed = {call.strings[1].rsplit("/", 1)[-1] for begins, call in events if begins and call.name in support_trace.RENAMES}
    assert {"cluster.meta", "broker.meta", "topic.meta"} <= renamed, renamed


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
    faults, answers = support_trace.violations(events, server.data_dir)
    assert answers["alone"] == 1 and not faults, faults
    read_at = next(i for i, (begins, c) in enumerate(events) if begins and "alone-read" in c.arguments and "HTTP/1.1 200" in c.arguments)
    written = [i for i, (begins, c) in enumerate(events)
               if not begins and c.name in support_trace.WRITES and all(f"record-{n:04}" in c.arguments for n in range(5))]
    assert written and written[0] < read_at, "what recovery found was not written again"
