"""Where settings come from, on the real binary. Case C073; exit codes, addresses and signals are in test_start_and_stop.py."""
import os
import subprocess
import time

import pytest

import conftest
from support_run import wrap_binary


def run(*arguments, cwd, env=None):
    """Runs the binary to its end. (exit code, everything it said)"""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYSTREAM_")}
    done = subprocess.run([conftest.binary(), *arguments], cwd=cwd, env=clean | (env or {}), capture_output=True, text=True, timeout=10)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("value", ["tcp://10.0.0.1:9092", "abc", "70000"])
def test_bad_value_says_what_is_allowed(tmp_path, value):
    """C073: at once, with what would be right; what a Kubernetes Service injects is recognised."""
    began = time.monotonic()
    code, text = run(cwd=tmp_path, env={"PYSTREAM_PORT": value})
    assert code == 2 and time.monotonic() - began < 2
    assert "PYSTREAM_PORT" in text and value in text and "65535" in text, text
    assert ("enableServiceLinks" in text) == value.startswith("tcp://"), text


def test_all_bad_values_from_everywhere(tmp_path):
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


def test_precedence(tmp_path, start_server, monkeypatch):
    """C073: option, then environment, then .env; the start log says where each value comes from."""
    (tmp_path / ".env").write_text("PYSTREAM_APP_NAME=from-file\nPYSTREAM_WORKER_THREADS=3\nPYSTREAM_MAX_CONNECTIONS=77\nOTHER=1\n")
    wrap_binary(monkeypatch, tmp_path, "exec {binary} --worker-threads=5")
    server = start_server(PYSTREAM_APP_NAME="from-environment", PYSTREAM_WORKER_THREADS="4")
    shown = {line["name"]: (line["value"], line["from"]) for line in server.log("setting")}
    assert shown["APP_NAME"] == ("from-environment", "environment")
    assert shown["WORKER_THREADS"][0] == "5" and shown["MAX_CONNECTIONS"][0] == "77"
    assert len({shown[name][1] for name in ("APP_NAME", "WORKER_THREADS", "MAX_CONNECTIONS")}) == 3, shown
    assert server.call("GET", "/api/health").json["service"] == "from-environment"


def test_data_dir_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    code, text = run(cwd=tmp_path, env={"PYSTREAM_PORT": "0", "PYSTREAM_DATA_DIR": str(tmp_path / "file")})
    assert code == 1 and str(tmp_path / "file") in text.splitlines()[-1], text
