"""kill -9 under load, again and again: nothing that was acknowledged is lost, moved, doubled or half there.

Cases C039 (single broker), C083, C088. PYSTREAM_TEST_ROUNDS sets the number of rounds, PYSTREAM_TEST_SEED plays one again.
"""
import time

from support_history import History, Record, Share
from support_run import create_topic, rounds
from support_scene import TOPIC, create_scene


def kill_while_starting(start_server, scene, data_dir):
    """A crash while recovery is at work, which then starts over."""
    again = start_server(data_dir=data_dir, ready=False)
    time.sleep(scene.rng.uniform(0.005, 0.08))
    again.kill()


def test_kill_under_load(start_server):
    server = start_server()
    scene = create_scene(server)
    for number in range(rounds(20)):
        with scene.load(server, number) as load:
            time.sleep(scene.rng.uniform(0.02, 0.9))
            load.expect_death()
            server.kill()
        scene.crashes += 1
        if scene.rng.random() < 0.3:
            kill_while_starting(start_server, scene, server.data_dir)
        server = start_server(data_dir=server.data_dir)
        scene.check(server)
    status = server.call("GET", f"/api/topics/{TOPIC}/partitions").json["items"]
    print(f"{scene.records} records in {sum(len(p['segments']) for p in status)} segments; {scene.history}")
    assert scene.history.answered_requests > 100 and all(len(p["segments"]) > 1 for p in status), status
    leftovers = [p for p in server.data_dir.rglob("*.tmp")]
    assert len(leftovers) < 5, f"temporary files build up: {leftovers}"


def test_stop_under_load(start_server):
    """SIGTERM: what was answered with 2xx is there, what was refused is not, and the exit code is 0."""
    server = start_server(PYSTREAM_SHUTDOWN_GRACE_MILLIS="10000")
    scene = create_scene(server)
    for number in range(rounds(3)):
        with scene.load(server, number) as load:
            time.sleep(scene.rng.uniform(0.1, 0.6))
            load.expect_death()
            began = time.monotonic()
            assert server.terminate() == 0, server.log_text()[-2000:]
            took = time.monotonic() - began
        assert took < 10, f"the stop took {took} s"
        assert server.log("stopped"), server.log_text()[-2000:]
        server = start_server(data_dir=server.data_dir, PYSTREAM_SHUTDOWN_GRACE_MILLIS="10000")
        scene.check(server)
        assert not server.log("torn_tail_cut"), "an orderly stop leaves no torn tail"


def test_kill_leaves_a_lone_record(start_server):
    """The smallest case: one record, one answer, one kill."""
    server = start_server()
    create_topic(server, TOPIC)
    history = History(TOPIC, 1)
    for number in range(rounds(5)):
        share = Share(0, [Record(f"lone-{number}")], [0])
        history.send([share])
        answer = server.call("POST", f"/api/topics/{TOPIC}/records", json={"records": [share.records[0].line]})
        server.kill()
        assert answer.status == 201
        history.acknowledge([share], answer.json["results"])
        server = start_server(data_dir=server.data_dir)
        assert history.check(server.client()) == number + 1
