"""Settings, start and stop of the binary. Cases C073, C075."""
import os
import signal
import socket
import subprocess
import time

import pytest

import conftest
from support_run import create_topic, produce


def run(*arguments, cwd, env=None, seconds=10):
    """Runs the binary to its end. (exit code, everything it said)"""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYSTREAM_")}
    done = subprocess.run([conftest.binary(), *arguments], cwd=cwd, env=clean | (env or {}), capture_output=True, text=True,
                          timeout=seconds)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("value", ["tcp://10.0.0.1:9092", "", "abc", "70000", "-1", "8080x", " 8080", "08080", "1e3", "8080 "])
def test_bad_port(tmp_path, value):
    """C073: refused at once, by name and value; never cut down to something that fits."""
    began = time.monotonic()
    code, text = run(cwd=tmp_path, env={"PYSTREAM_PORT": value})
    assert code == 2 and time.monotonic() - began < 2
    assert "PYSTREAM_PORT" in text and value in text and "65535" in text, text
    assert ("enableServiceLinks" in text) == value.startswith("tcp://"), text
    assert not (tmp_path / "data").exists(), "nothing is touched before all settings are good"


def test_all_bad_values_at_once(tmp_path):
    (tmp_path / ".env").write_text("PYSTREAM_SEGMENT_BYTES=64k\n")
    code, text = run("--worker-threads=0", "--durability=maybe", "--no-such-option=1", cwd=tmp_path,
                     env={"PYSTREAM_PORT": "x", "PYSTREAM_HOST": "0.0.0.0", "PYSTREAM_BROKERS": "3"})
    assert code == 2
    for name, value in [("PYSTREAM_PORT", "x"), ("--worker-threads", "0"), ("--durability", "maybe"), ("--no-such-option", "1"),
                        ("PYSTREAM_HOST", "0.0.0.0"), ("PYSTREAM_BROKERS", "3"), ("PYSTREAM_SEGMENT_BYTES", "64k")]:
        assert any(name in line and value in line for line in text.splitlines()), (name, text)


def test_unknown_variable_warns(start_server):
    server = start_server(PYSTREAM_MAX_CONECTIONS="5")
    warnings = [line["reason"] for line in server.log("setting ignored")]
    assert len(warnings) == 1 and "PYSTREAM_MAX_CONECTIONS" in warnings[0] and "PYSTREAM_MAX_CONNECTIONS" in warnings[0]


def test_help_and_version(tmp_path):
    code, text = run("--help", cwd=tmp_path)
    assert code == 0 and "--data-dir" in text and "PYSTREAM_" in text
    code, text = run("--version", cwd=tmp_path)
    assert code == 0 and text.startswith("pystream ") and text.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_precedence(tmp_path, start_server, monkeypatch):
    """C073: option, then environment, then .env; the start log says where each value comes from."""
    (tmp_path / ".env").write_text("PYSTREAM_APP_NAME=from-file\nPYSTREAM_WORKER_THREADS=3\nPYSTREAM_MAX_CONNECTIONS=77\nOTHER=1\n")
    script = tmp_path / "with-option"
    script.write_text(f'#!/bin/sh\nexec {conftest.binary()} --worker-threads=5\n')
    script.chmod(0o755)
    monkeypatch.setenv("PYSTREAM_BINARY", str(script))
    server = start_server(PYSTREAM_APP_NAME="from-environment", PYSTREAM_WORKER_THREADS="4")
    shown = {line["name"]: (line["value"], line["from"]) for line in server.log("setting")}

    def of(name):
        return next(value for key, value in shown.items() if key.lower().replace("-", "_").endswith(name))

    assert of("app_name")[0] == "from-environment" and of("worker_threads")[0] == "5" and of("max_connections")[0] == "77", shown
    assert len({of("app_name")[1], of("worker_threads")[1], of("max_connections")[1]}) == 3, shown
    assert server.call("GET", "/api/health").json["service"] == "from-environment"


def test_port_in_use(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, text = run(cwd=tmp_path, env={"PYSTREAM_PORT": str(port)})
    assert code == 1 and f"127.0.0.1:{port}" in text and "in use" in text, text


def test_data_dir_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    code, text = run(cwd=tmp_path, env={"PYSTREAM_PORT": "0", "PYSTREAM_DATA_DIR": str(tmp_path / "file")})
    assert code == 1 and str(tmp_path / "file") in text.splitlines()[-1], text


def has_ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("host, connect", [("::1", "::1"), ("[::1]", "::1"), ("::", "::1"), ("::", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"),
                                           ("localhost", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")])
def test_hosts(start_server, host, connect):
    """C075: every form of address works."""
    if ":" in host and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    insecure = {"PYSTREAM_INSECURE": "true"} if host in ("::", "0.0.0.0") else {}
    server = start_server(PYSTREAM_HOST=host, host=connect, ready=False, **insecure)
    server.wait_ready()
    create_topic(server, "t")
    assert produce(server, "t", "a").status == 201


def test_beyond_loopback_needs_consent(tmp_path):
    for host in ["0.0.0.0", "::", "10.1.2.3"]:
        code, text = run(cwd=tmp_path, env={"PYSTREAM_HOST": host, "PYSTREAM_PORT": "0"})
        assert code == 2 and "INSECURE" in text and host in text, text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals(start_server, number):
    """SIGTERM and SIGINT both end in order."""
    server = start_server()
    create_topic(server, "t")
    client = server.client()
    assert client.call("GET", "/api/health/ready").status == 200
    client.close()
    server.process.send_signal(number)
    assert server.process.wait(conftest.STOP_SECONDS) == 0
    events = [line["event"] for line in server.log()]
    assert events.index("stopping") < events.index("engine stopped") < events.index("stopped"), events
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", server.port), timeout=2)


def test_waiting_reader_does_not_hold_the_stop(start_server):
    """A long poll under way is answered, not cut and not waited for."""
    server = start_server()
    create_topic(server, "t")
    with server.raw() as reader:
        reader.send("GET /api/topics/t/partitions/0/records?offset=0&wait_ms=30000 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.2)
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        answer = reader.answer()
        assert answer.status == 200 and answer.json["records"] == [] and answer.json["next_offset"] == 0, answer
        assert reader.closed()
    assert server.process.wait(10) == 0 and time.monotonic() - began < 5
