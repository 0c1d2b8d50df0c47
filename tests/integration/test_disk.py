"""Disks that fill up, calls that fail, descriptors that run out. Cases C016, C018, C019, C078."""
import pytest

from support_fault import SYNC_CALLS, Ballast, failing, small_disk, tree, wait_until
from support_run import create_topic, fetch, health, partition_directory, produce, segments, wrap_binary

BIG = "x" * 50_000  # does not fit into the rest of a page
NOTE = "n" * 4000   # a commit that does not either


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", 8) as directory:
        yield directory


def commit(server, offset, note=NOTE):
    line = {"topic": "t", "partition": 0, "offset": offset, "metadata": note}
    return server.call("POST", "/api/groups/g/offsets", json={"offsets": [line]})


def committed(server):
    return [line["offset"] for line in server.call("GET", "/api/groups/g/offsets").json["offsets"]]


def values(server, topic="t", partition=0):
    answer = fetch(server, topic, partition, offset=0, max_bytes=16 << 20)
    assert answer.status == 200, answer
    return [record["value"] for record in answer.json["records"]]


def refused(answer, status, code, outcome):
    assert (answer.status, answer.json["code"], answer.json["outcome"]) == (status, code, outcome), answer
    return True


def test_full_and_free_again(start_server, disk):
    """C018, C078: 507, nothing changed, health says why; with room again all goes on without a restart."""
    server, ballast = start_server(data_dir=disk / "data"), Ballast(disk)
    create_topic(server, "t")
    assert produce(server, "t", "a", "b").status == 201 and commit(server, 1).status == 200
    ballast.fill()
    for _ in range(3):
        refused(produce(server, "t", BIG), 507, "disk_full", "none")
        refused(commit(server, 2), 507, "disk_full", "none")
    refused(server.call("POST", "/api/topics", json={"name": "u", "partitions": 8}), 507, "disk_full", "none")
    assert values(server) == ["a", "b"] and committed(server) == [1]
    assert server.call("GET", "/api/topics/u").status == 404
    assert health(server)["status"] == "degraded" and "disk is full" in health(server)["reasons"][0]
    assert server.call("GET", "/api/health/live").status == 200

    ballast.free()
    answer = produce(server, "t", BIG)
    assert answer.status == 201 and answer.json["results"][0]["offset"] == 2, answer
    assert commit(server, 2).status == 200 and committed(server) == [2]
    create_topic(server, "u", partitions=8)
    wait_until("health is ok again", lambda: health(server) == {"status": "ok", "service": "pystream"})
    server.kill()
    again = start_server(data_dir=disk / "data")
    assert values(again) == ["a", "b", BIG] and committed(again) == [2] and health(again)["status"] == "ok"


def test_health_recovers_without_a_write(start_server, disk):
    """C078: nobody has to write for the server to notice that there is room again."""
    server, ballast = start_server(data_dir=disk / "data"), Ballast(disk)
    create_topic(server, "t")
    ballast.fill()
    refused(produce(server, "t", BIG), 507, "disk_full", "none")
    assert health(server)["status"] == "degraded"
    ballast.free()
    wait_until("health is ok again", lambda: health(server)["status"] == "ok")


def test_full_while_a_torn_tail_waits(start_server, disk):
    """C019: no room at the start. Nothing is taken for clean, and with room again the torn tail is still repaired."""
    server, ballast = start_server(data_dir=disk / "data"), Ballast(disk)
    create_topic(server, "t")
    assert produce(server, "t", "a", "b").status == 201
    server.kill()
    with open(segments(server.data_dir, "t")[0], "ab") as log:
        log.write(b"\x50\x02 the beginning of a batch that never was")
    ballast.fill()
    start_server(data_dir=server.data_dir, ready=False).kill()  # however far it came
    starved = start_server(data_dir=server.data_dir, ready=False)
    wait_until("it starts or gives up", lambda: starved.process.poll() is not None or starved.log("ready"))
    starved.killed = starved.process.poll() is not None
    assert not starved.killed or starved.process.returncode > 0
    if not starved.killed:
        starved.kill()
    ballast.free()
    again = start_server(data_dir=server.data_dir)
    assert values(again) == ["a", "b"] and produce(again, "t", "c").json["results"][0]["offset"] == 2
    assert health(again)["status"] == "ok"


@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EROFS"])
def test_write_refused_for_now(start_server, error):
    """C016, C018: the write itself is refused, so nothing happened; the log goes on as soon as writes work."""
    server = start_server()
    create_topic(server, "t", partitions=2)
    assert produce(server, "t", "a").status == 201
    log = segments(server.data_dir, "t")[0]
    with failing(server.pid, "pwrite64", error, log):
        expected = (503, "read_only", "none") if error == "EROFS" else (507, "disk_full", "none")
        refused(produce(server, "t", "b"), *expected)
        refused(produce(server, "t", "c"), *expected)
        assert produce(server, "t", "other", partition=1).status == 201, "one bad file fails its own waiters only"
        assert values(server) == ["a"]
    assert produce(server, "t", "d").json["results"][0]["offset"] == 1
    wait_until("health is ok again", lambda: health(server)["status"] == "ok")
    server.kill()
    assert values(start_server(data_dir=server.data_dir)) == ["a", "d"]


@pytest.mark.parametrize("calls, error", [("fdatasync", "EIO"), ("fdatasync", "ENOSPC"), ("pwrite64", "EIO")])
def test_partition_fails(start_server, calls, error):
    """A sync that failed proves nothing, however it fails and whatever succeeds later: the partition takes no writes until the log is
    opened again. Never a 2xx for the record; what is older can be read."""
    server = start_server()
    create_topic(server, "t", partitions=2)
    assert produce(server, "t", "a").status == 201
    with failing(server.pid, calls, error, segments(server.data_dir, "t")[0]):
        refused(produce(server, "t", "b"), 503, "partition_failed", "unknown")
        assert produce(server, "t", "other", partition=1).status == 201
    refused(produce(server, "t", "c"), 503, "partition_failed", "none")
    assert values(server) == ["a"] and values(server, partition=1) == ["other"]
    assert health(server)["status"] == "degraded" and "take no writes" in health(server)["reasons"][0]
    assert server.call("GET", "/api/cluster").json["failed"] == [{"topic": "t", "partition": 0}]
    server.kill()

    again = start_server(data_dir=server.data_dir)
    assert values(again) in (["a"], ["a", "b"]), "outcome unknown: there or not, but nothing else"
    assert values(again, partition=1) == ["other"]
    end = len(values(again))
    assert produce(again, "t", "d").json["results"][0]["offset"] == end
    assert health(again)["status"] == "ok"


def test_commit_fails(start_server):
    """C018: a commit whose sync fails is not answered with 2xx, and the old value stays until a restart tells."""
    server = start_server()
    create_topic(server, "t")
    assert produce(server, "t", "a", "b").status == 201 and commit(server, 1).status == 200
    with failing(server.pid, "fdatasync", "EIO"):
        refused(commit(server, 2), 503, "partition_failed", "unknown")
    assert committed(server) == [1] and commit(server, 2).status == 503
    server.kill()
    again = start_server(data_dir=server.data_dir)
    assert committed(again) in ([1], [2])
    assert commit(again, 2).status == 200 and committed(again) == [2]


def names(server):
    return {topic["name"] for topic in server.call("GET", "/api/topics?prefix=t").json["items"]}


def test_metadata_write_fails(start_server):
    """The temporary file cannot be synced: the change surely did not happen, and works later."""
    server = start_server()
    create_topic(server, "t")
    before = (server.data_dir / "cluster.meta").read_bytes()
    with failing(server.pid, SYNC_CALLS, "EIO", server.data_dir / "cluster.meta.tmp"):
        for method, path, body in [("POST", "/api/topics", {"name": "t2"}), ("DELETE", "/api/topics/t", None)]:
            answer = server.call(method, path, json=body)
            assert answer.status >= 500 and answer.json["outcome"] == "none", answer
    assert (server.data_dir / "cluster.meta").read_bytes() == before and names(server) == {"t"}
    assert not (server.data_dir / "cluster.meta.tmp").exists()
    create_topic(server, "t2")
    server.kill()
    assert names(start_server(data_dir=server.data_dir)) == {"t", "t2"}


def test_metadata_outcome_unknown(start_server):
    """The rename happened and its sync failed: unknown. No further change is based on it before a restart has read what is there."""
    server = start_server()
    create_topic(server, "t")
    assert produce(server, "t", "a").status == 201
    with failing(server.pid, "fsync", "EIO", server.data_dir):
        answer = server.call("POST", "/api/topics", json={"name": "t2"})
        assert answer.status >= 500 and answer.json["outcome"] == "unknown", answer
    answer = server.call("POST", "/api/topics", json={"name": "t3"})
    assert answer.status >= 500 and answer.json["outcome"] == "none", answer
    assert health(server)["status"] == "degraded"
    assert values(server) == ["a"] and produce(server, "t", "b").status == 201
    server.kill()
    again = start_server(data_dir=server.data_dir)
    assert names(again) in ({"t"}, {"t", "t2"}) and values(again) == ["a", "b"] and health(again)["status"] == "ok"
    if "t2" not in names(again):
        create_topic(again, "t2")
    assert produce(again, "t2", "c").json["results"][0]["offset"] == 0


def test_few_descriptors(start_server, monkeypatch, tmp_path):
    """EMFILE refuses what needs a descriptor, and nothing else; given back, all works again."""
    wrap_binary(monkeypatch, tmp_path, "ulimit -n 64; exec {binary}")
    server = start_server()
    create_topic(server, "t")
    assert produce(server, "t", "a").status == 201
    answers = [server.call("POST", "/api/topics", json={"name": f"many-{n}", "partitions": 10}) for n in range(8)]
    assert answers[-1].status == 503 and answers[-1].json["code"] == "too_many_open_files", answers
    assert produce(server, "t", "b").status == 201 and values(server) == ["a", "b"]
    crowd = [server.client(timeout=2) for _ in range(80)]
    for each in crowd:
        each.connection.connect()  # waits in the backlog where the server has no descriptor for it
    assert server.call("GET", "/api/health/live").status == 200
    for each in crowd:
        each.close()
    for topic in server.call("GET", "/api/topics?prefix=many").json["items"]:
        assert server.call("DELETE", f"/api/topics/{topic['name']}").status == 204
    wait_until("new connections are served", lambda: server.client().call("GET", "/api/health/ready").status == 200)
    wait_until("topics can be made", lambda: server.call("POST", "/api/topics", json={"name": "u"}).status in (201, 409))
    assert produce(server, "u", "c").status == 201


def test_second_server_is_refused(start_server):
    server = start_server()
    create_topic(server, "t")
    second = start_server(data_dir=server.data_dir, ready=False)
    assert second.process.wait(10) == 1
    second.killed = True  # it has ended by itself
    assert "another process" in second.log_text() or "locked" in second.log_text(), second.log_text()
    assert str(server.data_dir) in second.log_text()
    assert produce(server, "t", "a").status == 201


DAMAGES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "garbled": lambda path: path.write_bytes(b"\0" * 200),
    "newer": lambda path: path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":9')),
}


@pytest.fixture(params=DAMAGES)
def damage(request):
    return DAMAGES[request.param]


@pytest.fixture
def stopped(start_server):
    """A data directory with one topic and two records."""
    server = start_server()
    create_topic(server, "t")
    assert produce(server, "t", "a", "b").status == 201
    assert server.terminate() == 0
    return server.data_dir


def test_damaged_cluster_meta(start_server, stopped, damage):
    """It decides about everything: without it nothing starts, and nothing is written."""
    damage(stopped / "cluster.meta")
    before = tree(stopped)
    server = start_server(data_dir=stopped, ready=False)
    assert server.process.wait(10) == 1
    server.killed = True
    assert "cluster.meta" in server.log_text().splitlines()[-1], server.log_text()
    assert tree(stopped) == before


def test_damaged_broker_meta(start_server, stopped, damage):
    """A disk that is not mounted looks like this: the broker is unavailable and its root is left alone."""
    root = stopped / "broker-000001"
    damage(root / "broker.meta")
    before = tree(root)
    server = start_server(data_dir=stopped, ready=False).wait_listening()
    wait_until("it has looked at its root", lambda: server.log("engine started"))
    answer = fetch(server, "t", offset=0)
    assert answer.status == 503 and answer.json["code"] == "partition_unavailable", answer
    assert produce(server, "t", "c").status == 503
    assert server.call("POST", "/api/topics", json={"name": "u"}).json["code"] == "brokers_unavailable"
    assert commit(server, 1).status == 503, "a commit that cannot be stored"
    report = server.call("GET", "/api/health")
    assert report.status == 503 and "broker.meta" in report.body.decode(), report
    broker = server.call("GET", "/api/cluster").json["brokers"][0]
    assert not broker["available"] and "broker.meta" in broker["problem"]
    assert server.call("GET", "/api/health/live").status == 200
    assert tree(root) == before


def test_damaged_topic_meta(start_server, stopped, damage):
    """Whose records lie there is not known for sure: they are not served, the reason is shown, the files are left alone."""
    topic = stopped / "broker-000001" / "topics" / "t"
    damage(topic / "topic.meta")
    before = tree(topic)
    server = start_server(data_dir=stopped)
    answer = fetch(server, "t", offset=0)
    assert answer.status == 503 and answer.json["code"] == "partition_unavailable", answer
    assert produce(server, "t", "c").status == 503
    assert health(server)["status"] == "degraded"
    assert "topic.meta" in server.call("GET", "/api/topics/t/partitions/0").json["problem"]
    create_topic(server, "u")
    assert produce(server, "u", "works").status == 201
    assert tree(topic) == before


def test_directory_of_another_topic(start_server, stopped):
    """A valid topic.meta with another id: its records are never served under this name."""
    path = stopped / "broker-000001" / "topics" / "t" / "topic.meta"
    text = path.read_text()
    identity = text.split('"topic_id":"')[1][:32]
    path.write_text(text.replace(identity, identity[::-1]))
    server = start_server(data_dir=stopped)
    assert fetch(server, "t", offset=0).status == 503 and produce(server, "t", "c").status == 503
    assert health(server)["status"] == "degraded"


def test_stray_files(start_server, stopped):
    """C088: what is not ours is ignored and left alone; our own unfinished files are ignored or cleaned, never taken for topics."""
    root = stopped / "broker-000001"
    strays = [root / "topics" / ".DS_Store", root / "topics" / "x.tmp.123", root / "stray", stopped / "lost+found" / "file",
              root / "topics" / "lost+found" / "file", root / "topics" / "t" / ".DS_Store",
              partition_directory(stopped, "t") / "notes.txt"]
    own = [stopped / "cluster.meta.tmp", root / "broker.meta.tmp", root / "topics" / "t" / "topic.meta.tmp",
           partition_directory(stopped, "t") / "checkpoint.tmp", root / "topics" / "half-made" / "topic.meta.tmp",
           root / ".deleted-0123456789abcdef0123456789abcdef" / "partition-000000" / f"{0:020}.log"]
    for path in strays + own:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("not what it looks like")
    for _ in range(2):
        server = start_server(data_dir=stopped)
        assert names(server) == {"t"} and values(server)[:2] == ["a", "b"]
        assert health(server)["status"] == "ok", health(server)
        assert produce(server, "t", "c").status == 201
        assert all(path.read_text() == "not what it looks like" for path in strays)
        assert server.terminate() == 0
    server = start_server(data_dir=stopped)
    create_topic(server, "half-made")
    assert produce(server, "half-made", "first").json["results"][0]["offset"] == 0
    assert values(server, "half-made") == ["first"]
