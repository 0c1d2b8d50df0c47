"""A whole scene for tests of crashes: clients of every kind on one server, and the check of all that they were promised."""
import random

from support_history import History
from support_load import Admin, BatchProducer, Committer, LinesProducer, Load, Reader, SingleProducer, check_commits, check_topics
from support_run import SEGMENT_BYTES, create_topic, seed

TOPIC, PARTITIONS = "events", 3


class Scene:
    """One data directory, everything that its servers ever promised, and the checks."""

    def __init__(self, number):
        self.seed = number
        self.rng = random.Random(number)
        self.history = History(TOPIC, PARTITIONS)
        self.committed, self.topics, self.epochs = {}, {}, {}
        self.records = self.crashes = 0

    def workers(self, port, round_number):
        def seeded(kind, name, *args):
            return kind(f"{name}-{round_number}", port, self.seed, *args)
        out = [seeded(kind, f"{kind.__name__.lower()}{i}", self.history)
               for kind, count in [(SingleProducer, 2), (BatchProducer, 2), (LinesProducer, 1), (Reader, 2)] for i in range(count)]
        for name in ["group-a", "group-b"]:
            out.append(Committer(name, port, f"{self.seed} {round_number}", self.history, self.committed))
        out.append(Admin("made", port, f"{self.seed} {round_number}", self.topics))
        return out

    def check(self, server):
        client = server.client()
        self.records = self.history.check(client)
        check_commits(client, self.history, self.committed)
        check_topics(client, self.topics)
        cluster = client.call("GET", "/api/cluster").json
        assert not cluster["failed"] and not cluster["leaderless"], cluster
        # Directories of creations that no answer confirmed are kept aside, at most one for each crash.
        assert len(cluster["unassigned"]) <= self.crashes and not any(path.endswith(f"/{TOPIC}") for path in cluster["unassigned"]), cluster
        assert client.call("GET", "/api/health").json == {"status": "ok", "service": "pystream"}
        for partition in range(PARTITIONS):
            status = client.call("GET", f"/api/topics/{TOPIC}/partitions/{partition}").json
            assert status["epoch"] >= self.epochs.get(partition, 1), "an epoch went back"
            self.epochs[partition] = status["epoch"]
        client.close()

    def load(self, server, round_number):
        return Load(self.workers(server.port, round_number))


def create_scene(server):
    """A scene and its topic, with the smallest segments there are."""
    scene = Scene(seed())
    create_topic(server, TOPIC, partitions=PARTITIONS, config={"segment_bytes": SEGMENT_BYTES})
    return scene
