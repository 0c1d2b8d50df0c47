"""Start, exit codes, addresses, signals (cases C073, C075, C078)."""
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time

import pytest

from conftest import Client, binary

RECORDS = "/api/topics/t/records"


def run(*arguments, cwd, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYSTREAM_")}
    return subprocess.run([binary(), *arguments], cwd=cwd, env=clean | env, capture_output=True, text=True, timeout=10)


@pytest.mark.parametrize("value", ["tcp://10.0.0.1:9092", "", "abc", "70000", "-1", "8080x", " 8080", "08080"])
def test_a_bad_port_names_variable_and_value(tmp_path, value):  # C073
    out = run(cwd=tmp_path, PYSTREAM_PORT=value)
    assert out.returncode == 2 and "PYSTREAM_PORT" in out.stderr and value in out.stderr
    assert not (tmp_path / "data").exists()


def test_all_bad_settings_are_reported_at_once(tmp_path):
    out = run("--log-level=LOUD", cwd=tmp_path, PYSTREAM_PORT="x", PYSTREAM_MAX_BODY_BYTES="y")
    assert out.returncode == 2
    assert len(out.stderr.strip().splitlines()) == 3 and all(line.startswith("pystream: ") for line in out.stderr.splitlines())


def test_help_and_version(tmp_path):
    assert "--port" in run("--help", cwd=tmp_path).stdout
    assert run("--version", cwd=tmp_path).stdout.strip()


def test_a_taken_port_is_one_clear_line(server, tmp_path):
    out = run(cwd=tmp_path, PYSTREAM_PORT=str(server.port))
    assert out.returncode == 1
    human = [line for line in out.stderr.splitlines() if not line.startswith("{")]
    assert len(human) == 1 and f"127.0.0.1:{server.port}" in human[0] and "in use" in human[0]


def test_a_used_data_directory_is_refused(server, tmp_path):
    out = run(cwd=tmp_path, PYSTREAM_PORT="0", PYSTREAM_DATA_DIR=str(server.data_dir))
    human = [line for line in out.stderr.splitlines() if not line.startswith("{")]
    assert out.returncode == 1 and len(human) == 1 and human[0].startswith("pystream: cannot start: ")
    assert server.call("GET", "/api/health").status == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "0.0.0.0", "::"])
def test_every_form_of_this_machine(start_server, host):  # C075
    if ":" in host and not pathlib.Path("/proc/net/if_inet6").exists():
        pytest.skip("no IPv6 here")
    server = start_server(host=host, ready=False, PYSTREAM_INSECURE="true").wait_listening()
    reachable = {"0.0.0.0": ["127.0.0.1"], "::": ["::1", "127.0.0.1"]}.get(host) or \
        {entry[4][0] for entry in socket.getaddrinfo(host.strip("[]"), server.port, type=socket.SOCK_STREAM)}
    for address in reachable:
        assert Client(server.port, address).call("GET", "/api/health/live").status == 200


def test_beyond_loopback_needs_a_word(tmp_path):
    out = run(cwd=tmp_path, PYSTREAM_HOST="0.0.0.0", PYSTREAM_PORT="0")
    assert out.returncode == 2 and "INSECURE" in out.stderr


def test_sigterm_finishes_what_is_under_way_and_wakes_waiting_readers(start_server):
    server = start_server()
    server.call("POST", "/api/topics", json={"name": "t"})
    with server.raw() as waiting, server.raw() as half, server.raw() as idle:
        idle.send("GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n").answer()
        waiting.send("GET /api/topics/t/partitions/0/records?wait_ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n")
        half.send(f"POST {RECORDS} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhe")
        time.sleep(0.3)
        begun = time.monotonic()
        server.begin_stop()
        assert idle.closed()
        woken = waiting.answer()
        assert woken.status in (200, 503) and woken.headers["Connection"] == "close"
        refused = half.send("llo").answer()
        assert refused.status == 503 and refused.json["code"] == "draining" and refused.headers["Connection"] == "close"
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=2)
    assert server.terminate() == 0
    assert time.monotonic() - begun < 3


def test_readiness_falls_first_on_a_kept_connection(start_server):
    server = start_server()
    with server.raw() as raw:
        raw.send("GET /api/health/ready HTTP/1.1\r\n")
        time.sleep(0.2)
        server.begin_stop()
        time.sleep(0.1)
        assert raw.send("Host: a\r\n\r\n").answer().status == 503
    assert server.terminate() == 0


def test_a_client_that_never_finishes_is_cut_within_the_grace(start_server):
    server = start_server(PYSTREAM_SHUTDOWN_GRACE_MILLIS="1500")
    with server.raw() as raw:
        raw.send("GET / HTTP/1.1\r\nHo")
        time.sleep(0.2)
        begun = time.monotonic()
        assert server.terminate() == 0
        assert 0.8 < time.monotonic() - begun < 2


def test_a_second_signal_ends_at_once(start_server):
    server = start_server()
    with server.raw() as raw:
        raw.send("GET / HTTP/1.1\r\nHo")
        time.sleep(0.2)
        server.begin_stop()
        time.sleep(0.3)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(2) != 0 and time.monotonic() - begun < 1
    server.killed = True


def test_hang_up_is_ignored(server):
    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert server.call("GET", "/api/health").status == 200


def test_acknowledged_records_survive_a_stop_under_load(start_server):
    server = start_server()
    server.call("POST", "/api/topics", json={"name": "t"})
    client, stored = server.client(), 0
    for n in range(300):
        if n == 150:
            server.begin_stop()
        try:
            if client.call("POST", RECORDS, body=str(n), headers={"Content-Type": "text/plain"}).status != 201:
                break
        except OSError:
            break
        stored = n + 1
    assert stored >= 150 and server.terminate() == 0
    again = start_server(data_dir=server.data_dir)
    assert again.call("GET", "/api/topics/t/partitions/0").json["end"] >= stored


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_descriptors_used_up(start_server, tmp_path):
    server = start_server()
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (64, 64))
    held = [server.raw() for _ in range(100)]
    cpu_before = cpu_seconds(server.pid)
    time.sleep(1)
    assert cpu_seconds(server.pid) - cpu_before < 0.3, "accepting spins"
    assert len(server.log("accept failed")) == 1
    for raw in held:
        raw.close()
    deadline = time.monotonic() + 5
    while True:
        try:
            if server.call("GET", "/api/health").status == 200:
                break
        except OSError:
            pass
        assert time.monotonic() < deadline
