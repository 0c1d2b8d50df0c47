"""What the tests here share: rounds and seeds from the environment, wrapped binaries, files of a partition."""
import os
import pathlib
import random
import shlex
import stat

import conftest

SEGMENT_BYTES = 65536  # the smallest that is allowed, so that logs roll while a test looks


def rounds(usual):
    """How often a test that loops does so: PYSTREAM_TEST_ROUNDS, or five times as often in a full run."""
    if "PYSTREAM_TEST_ROUNDS" in os.environ:
        return int(os.environ["PYSTREAM_TEST_ROUNDS"])
    return usual * (5 if os.environ.get("TEST_FULL") == "1" else 1)


def seed():
    """Printed by the test that uses it; PYSTREAM_TEST_SEED plays it again."""
    value = os.environ.get("PYSTREAM_TEST_SEED") or str(random.SystemRandom().randrange(10**9))
    print(f"PYSTREAM_TEST_SEED={value}")
    return value


def wrap_binary(monkeypatch, tmp_path, line, binary=None):
    """Servers are started through a line of sh, in which {binary} stands for the command. The process keeps its pid if the line execs."""
    script = tmp_path / "wrapped-pystream"
    command = shlex.quote(binary or conftest.binary())
    script.write_text("#!/bin/sh\n" + line.replace("{binary}", f'{command} "$@"') + "\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PYSTREAM_BINARY", str(script))


def partition_directory(data_dir, topic, partition=0):
    return pathlib.Path(data_dir) / "broker-000001" / "topics" / topic / f"partition-{partition:06}"


def segments(data_dir, topic, partition=0):
    return sorted(partition_directory(data_dir, topic, partition).glob("*.log"))


def create_topic(server, name, **fields):
    answer = server.call("POST", "/api/topics", json={"name": name} | fields)
    assert answer.status == 201, answer
    return answer.json


def produce(server, topic, *values, partition=0):
    records = [{"value": value} for value in values]
    return server.call("POST", f"/api/topics/{topic}/partitions/{partition}/records", json={"records": records})


def fetch(server, topic, partition=0, **query):
    text = "&".join(f"{name}={value}" for name, value in query.items())
    return server.call("GET", f"/api/topics/{topic}/partitions/{partition}/records?{text}")


def health(server):
    return server.call("GET", "/api/health").json
