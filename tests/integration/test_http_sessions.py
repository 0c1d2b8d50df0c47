"""Connections against the real server: framing attacks, limits, Expect, budgets, deadlines, pipelining (cases C053, C058, C066, C078)."""
import os
import socket
import subprocess
import threading
import time

import pytest

GET = "GET /api/health HTTP/1.1\r\nHost: a\r\n"


def post(target, body, fields=""):
    body = body if isinstance(body, bytes) else body.encode()
    head = f"POST {target} HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
    return head.encode() + body


@pytest.fixture
def topic(server):
    assert server.call("POST", "/api/topics", json={"name": "t"}).status == 201
    return "/api/topics/t/records"


def end_of(server):
    return server.call("GET", "/api/topics/t/partitions/0").json["end"]


def open_connections(server):
    return server.metrics()["pystream_connections_open"]


AMBIGUOUS = {
    "both lengths": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
    "two lengths": "Content-Length: 4\r\nContent-Length: 4\r\n",
    "length list": "Content-Length: 4, 4\r\n",
    "signed length": "Content-Length: +4\r\n",
    "hexadecimal length": "Content-Length: 0x4\r\n",
    "two codings": "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "coding list": "Transfer-Encoding: identity, chunked\r\n",
    "other coding": "Transfer-Encoding: gzip\r\n",
    "coding with parameter": "Transfer-Encoding: chunked;q=1\r\n",
    "hidden coding": "Transfer-Encoding : chunked\r\nContent-Length: 4\r\n",
    "folded coding": "X: y\r\n Transfer-Encoding: chunked\r\n",
    "coding behind a bare feed": "X: y\nTransfer-Encoding: chunked\r\n",
    "coding behind a bare return": "X: y\rTransfer-Encoding: chunked\r\n",
    "control character": "X: \x01\r\n",
    "second host": "Host: b\r\n",
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_ambiguous_framing_is_refused_and_nothing_behind_it_is_served(server, topic, name):
    attack = f"POST {topic} HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n{AMBIGUOUS[name]}\r\n"
    with server.raw() as raw:
        raw.send(attack.encode() + b"4\r\nabcd\r\n0\r\n\r\n" + post(topic, "smuggled"))
        answer = raw.answer()
        assert answer.status == 400 and answer.headers["Connection"] == "close"
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json["code"] == "bad_request" and answer.json["outcome"] == "none" and answer.json["detail"]
        assert answer.json["request_id"] == answer.headers["X-Request-Id"]
        assert raw.closed()
    assert end_of(server) == 0


def test_malformed_requests_never_harm_the_next_connection(server):
    for attack in (b"\0" * 100, b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                   b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
                   GET.encode() + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"):
        with server.raw() as raw:
            raw.send(attack).finish_sending()
            answer = raw.answer()
            assert answer is None or answer.status in (400, 413, 505), attack
            assert raw.closed()
        assert server.call("GET", "/api/health").status == 200


def test_a_request_is_read_the_same_at_every_split_point(server, topic):
    request = (f"POST {topic}?key=k HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\n"
               "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n").encode()
    with server.raw() as raw:
        raw.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for split in range(1, len(request)):
            raw.send(request[:split])
            time.sleep(0.0005)
            answer = raw.send(request[split:]).answer()
            assert answer.status == 201 and answer.json["results"][0]["offset"] == split - 1
    records = server.call("GET", "/api/topics/t/partitions/0/records?max_records=1000&values=base64").json["records"]
    assert [r["value_base64"] for r in records] == ["aGVsbG8="] * (len(request) - 1)


def test_pipelined_requests_are_answered_in_order(server, topic):
    with server.raw() as raw:
        raw.send(b"".join(post(topic, str(n)) for n in range(200)))
        assert [raw.answer().json["results"][0]["offset"] for _ in range(200)] == list(range(200))


def test_a_client_that_stops_sending_still_gets_every_answer(server, topic):
    with server.raw() as raw:
        wait = "GET /api/topics/t/partitions/0/records?wait_ms=300 HTTP/1.1\r\nHost: a\r\n\r\n"
        raw.send(wait.encode() + post(topic, "x")).finish_sending()
        assert raw.answer().json["records"] == []
        assert raw.answer().status == 201
        assert raw.closed()


def test_a_long_poll_ends_when_its_client_goes_away(server, topic):
    def waiting():
        return server.metrics()["pystream_waiting_readers"]

    poll = "GET /api/topics/t/partitions/0/records?wait_ms=60000 HTTP/1.1\r\nHost: a\r\n\r\n"
    gone = [server.raw().send(poll) for _ in range(20)]
    with server.raw() as half:
        half.send(poll).finish_sending()
        deadline = time.monotonic() + 5
        while waiting() != 21:
            assert time.monotonic() < deadline
        for raw in gone:
            raw.close()
        while waiting() != 1:
            assert time.monotonic() < deadline + 5, f"{waiting()} still wait"
            time.sleep(0.05)
        server.call("POST", topic, body="x", headers={"Content-Type": "text/plain"})
        answer = half.answer()
        while answer.status == 100:  # how the server found out that this one still reads
            answer = half.answer()
        assert len(answer.json["records"]) == 1


def test_head_and_options(server):
    with server.raw() as raw:
        get = raw.send(GET + "\r\n").answer()
        head = raw.send(GET.replace("GET", "HEAD") + "\r\n").answer(head_only=True)
        assert head.status == 200 and head.headers["Content-Length"] == str(len(get.body))
        options = raw.send(GET.replace("GET", "OPTIONS") + "\r\n").answer()
        assert options.status in (200, 204) and "GET" in options.headers["Allow"]


def test_http_1_0_and_absolute_form(server):
    with server.raw() as raw:
        assert raw.send("GET /api/health HTTP/1.0\r\n\r\n").answer().headers["Connection"] == "close"
        assert raw.closed()
    with server.raw() as raw:
        assert raw.send("GET http://a:1/api/health HTTP/1.1\r\nHost: a:1\r\n\r\n").answer().status == 200


def test_request_ids_are_echoed_or_made(server):
    assert server.call("GET", "/api/health", headers={"X-Request-Id": "mine-1"}).headers["X-Request-Id"] == "mine-1"
    made = {server.call("GET", "/api/nowhere").headers["X-Request-Id"] for _ in range(3)}
    assert len(made) == 3


def test_expect_continue_with_curl_starts_at_once(server, topic, tmp_path):  # C053
    body = tmp_path / "body"
    body.write_bytes(b"x" * 900_000)
    begun = time.monotonic()
    out = subprocess.run(["curl", "-sv", "-H", "Expect: 100-continue", "-H", "Content-Type: application/octet-stream",
                          "--data-binary", f"@{body}", server.url + topic], capture_output=True, text=True, timeout=30)
    assert time.monotonic() - begun < 0.9, "curl waited for its own fallback of a second"
    assert out.stderr.count("100 Continue") == 1 and "201 Created" in out.stderr


def test_expect_continue_is_not_sent_before_a_refusal(server, topic):
    for fields, status in (("Expect: 100-continue\r\nContent-Length: 16777217\r\n", 413), ("Expect: x\r\nContent-Length: 4\r\n", 417)):
        with server.raw() as raw:
            assert raw.send(f"POST {topic} HTTP/1.1\r\nHost: a\r\n{fields}\r\n").answer().status == status
            assert raw.closed()


def test_body_limit(start_server):  # C058
    server = start_server(PYSTREAM_MAX_BODY_BYTES="100000", PYSTREAM_MAX_BATCH_BYTES="100000", PYSTREAM_MAX_RECORD_BYTES="100000")
    server.call("POST", "/api/topics", json={"name": "t"})
    topic = "/api/topics/t/records"
    json = b'{"records":[{"value":"' + b"x" * 50_000 + b'"}]' + b" " * 49_974 + b"}"
    assert len(json) == 100_000
    assert server.call("POST", topic, body=json, headers={"Content-Type": "application/json"}).status == 201
    with server.raw() as raw:  # refused by its length, before a byte of it
        answer = raw.send(f"POST {topic} HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n").answer()
        assert answer.status == 413 and answer.json["code"] == "body_too_large" and raw.closed()
    with server.raw() as raw:  # chunked: in the middle
        raw.send(f"POST {topic} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(7):
            raw.send(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
        assert raw.answer().status == 413 and raw.closed()
    assert server.call("GET", "/api/topics/t/partitions/0").json["end"] == 1


def test_large_heads(server):  # C058
    for request, status in ((f"GET /{'x' * 9000} HTTP/1.1\r\nHost: a\r\n\r\n", 414), (GET + f"X: {'x' * 9000}\r\n\r\n", 431),
                            (GET + "X: y\r\n" * 200 + "\r\n", 431)):
        with server.raw() as raw:
            answer = raw.send(request).answer()
            assert answer.status == status and answer.headers["Content-Type"] == "application/problem+json" and raw.closed()


def test_health_answers_while_every_connection_is_taken(start_server):  # C078
    server = start_server(PYSTREAM_MAX_CONNECTIONS="4")
    server._client.close()
    held = [server.raw() for _ in range(4)]
    for raw in held:
        assert raw.send(GET + "\r\n").answer().status == 200
    with server.raw() as raw:
        answer = raw.send("GET /api/topics HTTP/1.1\r\nHost: a\r\n\r\n").answer()
        assert answer.status == 503 and answer.json["code"] == "too_many_connections" and int(answer.headers["Retry-After"]) >= 1
        assert raw.closed()
    begun = time.monotonic()
    with server.raw() as raw:
        assert raw.send(GET + "\r\n").answer().status == 200
    assert time.monotonic() - begun < 0.2
    held.pop().close()
    deadline = time.monotonic() + 5
    while server.call("GET", "/api/topics").status != 200:
        assert time.monotonic() < deadline


def test_byte_budget_refuses_and_recovers(start_server):
    server = start_server(PYSTREAM_MAX_BODY_BYTES="1000000", PYSTREAM_MAX_INFLIGHT_BYTES="1000000",
                          PYSTREAM_MAX_RECORD_BYTES="100000", PYSTREAM_MAX_BATCH_BYTES="1000000")
    server.call("POST", "/api/topics", json={"name": "t"})
    with server.raw() as holder, server.raw() as refused:
        holder.send("POST /api/topics/t/records HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
        time.sleep(0.3)
        answer = refused.send(post("/api/topics/t/records", "x")).answer()
        assert answer.status == 503 and answer.json["code"] == "server_busy" and answer.json["retryable"] is True
        assert answer.headers["Retry-After"] == "1" and answer.headers["Connection"] == "close"
        assert server.call("GET", "/api/health").status == 200
        assert server.metrics()["pystream_http_bytes_in_flight"] == 1_000_000
    deadline = time.monotonic() + 5
    while server.call("POST", "/api/topics/t/records", body="x", headers={"Content-Type": "text/plain"}).status != 201:
        assert time.monotonic() < deadline


def test_vanishing_clients_leave_nothing_behind(server, topic):
    def descriptors():
        return len(os.listdir(f"/proc/{server.pid}/fd"))

    before = descriptors()
    request = post(topic, "hello")
    for n in range(500):
        with server.raw() as raw:
            if n % 2:
                raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close resets
            raw.send(request[:n % len(request)])
    deadline = time.monotonic() + 10
    while descriptors() > before + 1:
        assert time.monotonic() < deadline, f"{before} descriptors before, {descriptors()} now"
        time.sleep(0.05)


def test_a_slow_reader_does_not_hold_others_up(server, topic):
    value = "x" * 500_000
    for _ in range(8):
        assert server.call("POST", topic, body=value, headers={"Content-Type": "text/plain"}).status == 201
    slow = [server.raw() for _ in range(20)]
    for raw in slow:
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.send("GET /api/topics/t/partitions/0/records?max_bytes=4000000 HTTP/1.1\r\nHost: a\r\n\r\n")
    begun = time.monotonic()
    for _ in range(20):
        assert server.call("GET", "/api/health").status == 200
    assert time.monotonic() - begun < 1
    for raw in slow:
        raw.close()


def test_many_connections_at_once(server, topic):
    failures = []

    def work(number):
        client = server.client()
        for n in range(20):
            answer = client.call("POST", topic, body=f"{number}-{n}", headers={"Content-Type": "text/plain"})
            if answer.status != 201:
                failures.append(answer)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and end_of(server) == 1000
