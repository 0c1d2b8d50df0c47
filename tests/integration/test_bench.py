"""The benchmark runs and its report is complete. No figure is looked at: this machine may be busy."""
import json
import os
import subprocess

import pytest

from conftest import ROOT, binary
from support_run import create_topic, fetch, produce

LOAD = ROOT / "build/release/tests/pystream_bench"
LATENCIES = {"p50", "p99", "p99_9"}


def bench(out, *arguments):
    command = ["/usr/bin/python3", ROOT / "tests/bench/bench.py", f"--load={LOAD}", f"--binary={binary()}", f"--out={out}", *arguments]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120)


def load(server, **options):
    command = [str(LOAD), f"--port={server.port}", *(f"--{name}={value}" for name, value in options.items())]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_report_is_complete(tmp_path):
    wanted = ["health/c=1", "single/c=16", "batch100/c=16", "keyed/p=100/c=16", "fetch100/middle/c=16"]
    ran = bench(tmp_path, "--seconds=0.1", "--repetitions=2", "--log-mb=1", *(f"--only={name}" for name in wanted))
    assert ran.returncode == 0, ran.stderr
    report = json.loads((tmp_path / "bench.json").read_text())
    assert report["load_requests_per_s"] > 0 and report["machine"]["cpus"] == os.cpu_count()
    cells = {cell["cell"]: cell for cell in report["cells"]}
    assert set(wanted) <= set(cells)
    for name in wanted:
        cell = cells[name]
        assert cell["median"]["requests_per_s"] > 0 and set(cell["latency_us"]) == LATENCIES and len(cell["repetitions"]) == 2
        assert cell["requests_per_sync"] > 0 and cell["requests_per_health"] > 0
        assert name in ran.stdout
    assert cells["batch100/c=16"]["median"]["records_per_s"] > cells["batch100/c=16"]["median"]["requests_per_s"]
    assert not list(tmp_path.glob("data-*")), "data is left behind"
    assert (tmp_path / "bench.svg").exists() or "no plot without python3-matplotlib" in ran.stderr


def test_two_binaries_alternate(tmp_path):
    ran = bench(tmp_path, "--seconds=0.1", "--repetitions=2", "--only=single/c=1*", f"--versus={binary()}")
    assert ran.returncode == 0, ran.stderr
    report = json.loads((tmp_path / "versus.json").read_text())
    assert {cell["subject"] for cell in report["cells"]} == {"binary", "versus"}


@pytest.mark.parametrize("work", ["single", "batch", "keyed", "fetch"])
def test_an_answer_that_is_no_success_fails_the_run(server, work):
    ran = load(server, work=work, target="/api/topics/missing", requests=10)
    assert ran.returncode == 1 and "404" in ran.stderr


def test_a_page_that_is_not_full_fails_the_run(server):
    create_topic(server, "short")
    produce(server, "short", *range(10))
    whole = load(server, work="fetch", target="/api/topics/short", batch=10, requests=5)
    assert whole.returncode == 0 and json.loads(whole.stdout)["records"] == 50, whole.stderr
    ran = load(server, work="fetch", target="/api/topics/short", batch=11, requests=5)
    assert ran.returncode == 1 and "not full" in ran.stderr


def test_a_server_that_goes_away_fails_the_run(start_server):
    server = start_server()
    create_topic(server, "gone")
    running = subprocess.Popen([str(LOAD), f"--port={server.port}", "--work=single", "--target=/api/topics/gone", "--seconds=60"],
                               stderr=subprocess.PIPE, text=True)
    while fetch(server, "gone").json["high_watermark"] == 0:
        assert running.poll() is None
    server.kill()
    assert running.wait(timeout=20) == 1 and running.stderr.read().startswith("pystream_bench: ")
    running.stderr.close()


def test_what_is_counted_is_stored(server):
    create_topic(server, "counted", partitions=3)
    for work, batch in (("single", 1), ("batch", 7), ("keyed", 1)):
        ran = load(server, work=work, target="/api/topics/counted", partitions=3, batch=batch, connections=5, requests=101)
        report = json.loads(ran.stdout)
        assert report["requests"] == 101 and report["records_acknowledged"] == 101 * batch
    parts = server.call("GET", "/api/topics/counted/partitions").json["items"]
    assert sum(part["end"] for part in parts) == 101 * 9
