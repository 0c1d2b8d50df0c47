"""Fixtures for tests of the real binary over real sockets. Standard library and pytest only.

    def test_something(server):                       # a fresh server in a fresh data directory
        answer = server.call("POST", "/api/topics", json={"name": "t"})
        assert answer.status == 201 and answer.json["name"] == "t"

    def test_other(start_server):                     # several servers, own settings, restarts
        first = start_server(PYSTREAM_MAX_CONNECTIONS="4")
        first.kill()
        second = start_server(data_dir=first.data_dir)

Every server that still runs at the end of a test gets SIGTERM (its own pid) and must exit with 0.
PYSTREAM_BINARY names the binary; by default the newest of build/release/pystream and build/dev/pystream.
"""
import http.client
import json as json_codec
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 20
STOP_SECONDS = 40


def binary():
    if "PYSTREAM_BINARY" in os.environ:
        return os.environ["PYSTREAM_BINARY"]
    built = [p for p in (ROOT / "build/release/pystream", ROOT / "build/dev/pystream") if p.exists()]
    if not built:
        pytest.exit("no pystream binary: build it, or set PYSTREAM_BINARY", returncode=2)
    return str(max(built, key=lambda p: p.stat().st_mtime))


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body  # headers: http.client.HTTPMessage

    @property
    def json(self):
        return json_codec.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:500]!r}>"


class Client:
    """One keep-alive connection; opened again when the server has closed it after its last answer."""

    def __init__(self, port, host="127.0.0.1", timeout=30):
        self.connection = http.client.HTTPConnection(host, port, timeout=timeout)

    def call(self, method, path, json=None, body=None, headers=None):
        headers = dict(headers or {})
        if json is not None:
            body = json_codec.dumps(json).encode()
            headers.setdefault("Content-Type", "application/json")
        if isinstance(body, str):
            body = body.encode()
        self.connection.request(method, path, body=body, headers=headers)
        response = self.connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def close(self):
        self.connection.close()


class Raw:
    """A bare socket, for everything that an HTTP library would not send."""

    def __init__(self, port, host="127.0.0.1", timeout=10):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def _fill(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def answer(self, head_only=False):
        """The next answer, interim (1xx) ones included; None when the server closed instead."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._fill():
                assert not self.buffer, f"connection closed inside an answer: {self.buffer!r}"
                return None
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        status_line, *lines = head.split(b"\r\n")
        message = http.client.HTTPMessage()
        for line in lines:
            name, value = line.split(b":", 1)
            message[name.decode()] = value.strip().decode("latin-1")
        length = 0 if head_only else int(message.get("Content-Length", 0))
        while len(self.buffer) < length:
            assert self._fill(), "connection closed inside a body"
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Answer(int(status_line.split()[1]), message, body)

    def closed(self):
        """True when the server ends the connection without another byte."""
        return not self.buffer and not self._fill()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Server:
    """A running binary. `env` values go to PYSTREAM_ variables as they are."""

    def __init__(self, data_dir, log_path, env, host="127.0.0.1"):
        self.data_dir, self.log_path, self.host = pathlib.Path(data_dir), pathlib.Path(log_path), host
        settings = {"PYSTREAM_HOST": host, "PYSTREAM_PORT": "0", "PYSTREAM_DATA_DIR": str(data_dir)} | env
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYSTREAM_")}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([binary()], env=clean | settings, stdout=log, stderr=log,
                                            cwd=self.log_path.parent)
        self.killed = self.stopping = False
        self.port = None
        self._client = None

    @property
    def pid(self):
        return self.process.pid

    @property
    def url(self):
        return f"http://{'[' + self.host + ']' if ':' in self.host else self.host}:{self.port}"

    def log_text(self):
        return self.log_path.read_text(errors="replace")

    def log(self, event=None):
        """The JSON lines logged so far, all or those of one event."""
        lines = [json_codec.loads(line) for line in self.log_text().splitlines() if line.startswith("{")]
        return [line for line in lines if event in (None, line["event"])]

    def wait_listening(self):
        deadline = time.monotonic() + START_SECONDS
        while not self.log("listening"):
            assert self.process.poll() is None, f"exit {self.process.returncode}: {self.log_text()}"
            assert time.monotonic() < deadline, f"does not listen: {self.log_text()}"
            time.sleep(0.005)
        self.port = self.log("listening")[0]["port"]
        return self

    def wait_ready(self):
        self.wait_listening()
        deadline = time.monotonic() + START_SECONDS
        while self.call("GET", "/api/health/ready").status != 200:
            assert time.monotonic() < deadline, f"not ready: {self.log_text()}"
            time.sleep(0.005)
        return self

    def client(self, **options):
        return Client(self.port, self.host, **options)

    def raw(self, **options):
        return Raw(self.port, self.host, **options)

    def call(self, method, path, json=None, body=None, headers=None):
        if self._client is None:
            self._client = self.client()
        try:
            return self._client.call(method, path, json, body, headers)
        except (http.client.RemoteDisconnected, ConnectionError):  # an idle connection may go away at any time
            self._client.close()
            if method not in ("GET", "HEAD", "OPTIONS"):
                raise
            return self._client.call(method, path, json, body, headers)

    def metrics(self):
        """Samples of /metrics: 'name{labels}' -> value."""
        lines = self.call("GET", "/metrics").body.decode().splitlines()
        return {k: float(v) for k, v in (line.rsplit(" ", 1) for line in lines if line and line[0] != "#")}

    def kill(self):
        """kill -9: what is not durable now is lost."""
        self.killed = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def begin_stop(self):
        """SIGTERM, without waiting. Once: a second signal would end the process at once."""
        if not self.stopping and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.stopping = True

    def terminate(self):
        """SIGTERM and wait. Returns the exit code."""
        if self._client is not None:
            self._client.close()
        self.begin_stop()
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f"did not stop in {STOP_SECONDS} s: {self.log_text()[-2000:]}")


@pytest.fixture
def start_server(tmp_path):
    """start_server(data_dir=None, ready=True, host="127.0.0.1", **env) -> Server"""
    servers = []

    def start(data_dir=None, ready=True, host="127.0.0.1", **env):
        number = len(servers)
        server = Server(data_dir or tmp_path / f"data-{number}", tmp_path / f"server-{number}.log", env, host)
        servers.append(server)
        return server.wait_ready() if ready else server

    yield start
    codes = {s.log_path.name: s.terminate() for s in servers if not s.killed}
    bad = [f"{name} exit {code}" for name, code in codes.items() if code != 0]
    assert not bad, f"{bad}: {[s.log_text()[-2000:] for s in servers]}"


@pytest.fixture
def server(start_server):
    return start_server()
