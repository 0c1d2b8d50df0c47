"""Bad requests, each with the problem it gets: problem+json with the right code and place, and nothing changed."""
import json

import pytest

RECORDS = "/api/topics/t/records"
ONE = "/api/topics/t/partitions/0/records"
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}

# method, path, headers, body, status, code, pointer of the first error
BAD = [
    ("GET", "/api/nothing", {}, None, 404, "not_found", None),
    ("GET", "/api/topics/t/", {}, None, 404, "not_found", None),
    ("PUT", "/api/topics", JSON, b"{}", 405, "method_not_allowed", None),
    ("GET", "/api/topics?limit=%zz", {}, None, 400, "malformed", None),
    ("GET", "/api/topics?limit=0", {}, None, 422, "invalid_field", "limit"),
    ("GET", "/api/topics?limit=1&limit=1", {}, None, 422, "unknown_field", "limit"),
    ("GET", "/api/topics?sort=name", {}, None, 422, "unknown_field", "sort"),
    ("GET", "/api/topics/a%2Fb", {}, None, 422, "invalid_field", "topic"),
    ("GET", "/api/topics/" + "x" * 250, {}, None, 422, "invalid_field", "topic"),
    ("GET", "/api/topics/t", {"Accept": "application/xml"}, None, 406, "not_acceptable", None),
    ("POST", "/api/topics", JSON, b'{"name":"u","partitions":18446744073709551617}', 422, "invalid_field", "/partitions"),
    ("POST", "/api/topics", JSON, b'{"name":"u","partitions":1e1}', 422, "invalid_field", "/partitions"),
    ("POST", "/api/topics", JSON, b'{"name":"u","name":"v"}', 422, "invalid_field", "/name"),
    ("POST", "/api/topics", JSON, b'{"name":"__u"}', 403, "internal_topic", None),
    ("POST", "/api/topics", JSON, b'{"name":"t"}', 409, "topic_exists", None),
    ("POST", "/api/topics", TEXT, b'{"name":"u"}', 415, "unsupported_media_type", None),
    ("POST", "/api/topics/none/records", JSON, b'{"records":[{"value":1}]}', 404, "topic_not_found", None),
    ("POST", "/api/topics/__offsets/records", JSON, b'{"records":[{"value":1}]}', 403, "internal_topic", None),
    ("POST", RECORDS, {}, b"x", 415, "unsupported_media_type", None),
    ("POST", RECORDS, {"Content-Type": "application/x-www-form-urlencoded"}, b"x", 415, "unsupported_media_type", None),
    ("POST", RECORDS, JSON | {"Content-Encoding": "gzip"}, b"x", 415, "unsupported_media_type", None),
    ("POST", RECORDS, JSON, b"", 400, "malformed", None),
    ("POST", RECORDS, JSON, b"null", 422, "invalid_field", ""),
    ("POST", RECORDS, JSON, b"[]", 422, "invalid_field", ""),
    ("POST", RECORDS, JSON, b'{"records":[]}', 422, "invalid_field", "/records"),
    ("POST", RECORDS, JSON, b'{"records":[{"value":1},{"vlaue":2}]}', 422, "unknown_field", "/records/1/vlaue"),
    ("POST", RECORDS, JSON, b'{"records":[{"value":1},{"value":null}]}', 422, "invalid_field", "/records/1/value"),
    ("POST", RECORDS, JSON, b'{"records":[{"value_base64":"AA="}]}', 422, "invalid_field", "/records/0/value_base64"),
    ("POST", RECORDS, JSON, b'{"records":[{"value":"\xff"}]}', 400, "malformed", None),
    ("POST", RECORDS, JSON, b'{"records":[{"value":' + b"[" * 100 + b"]" * 100 + b"}]}", 400, "malformed", None),
    ("POST", RECORDS, JSON, b'{"records":[{"value":"' + b"x" * 2000000 + b'"}]}', 413, "record_too_large", "/records/0"),
    ("POST", ONE + "?expected_offset=7", JSON, b'{"records":[{"value":1}]}', 412, "offset_mismatch", None),
    ("POST", "/api/topics/t/partitions/9/records", JSON, b'{"records":[{"value":1}]}', 404, "partition_not_found", None),
    ("GET", ONE + "?offset=1", {}, None, 416, "offset_out_of_range", None),
    ("GET", ONE + "?offset=9007199254740992", {}, None, 422, "invalid_field", "offset"),
    ("GET", ONE + "/0", {}, None, 416, "offset_out_of_range", None),
    ("GET", "/api/groups/g", {}, None, 404, "group_not_found", None),
    ("POST", "/api/groups/g/offsets", JSON, b'{"offsets":[{"topic":"t","partition":0,"offset":1}]}', 422, "invalid_field", "/offsets/0/offset"),
    ("POST", "/api/groups/g/offsets", JSON, b'{"member_id":"m","offsets":[{"topic":"t","partition":0,"offset":0}]}', 422, "unknown_field", "/member_id"),
]


def test_every_bad_request_gets_its_problem_and_changes_nothing(server):
    assert server.call("POST", "/api/topics", json={"name": "t"}).status == 201
    before = server.call("GET", "/api/topics").json, server.call("GET", "/api/topics/t/partitions").json
    for method, path, headers, body, status, code, pointer in BAD:
        answer = server.call(method, path, body=body, headers={"X-Request-Id": "bad-1"} | headers)
        place = (method, path[:80], (body or b"")[:60], answer)
        assert answer.status == status, place
        assert answer.headers["Content-Type"] == "application/problem+json", place
        problem = answer.json
        assert (problem["status"], problem["code"], problem["outcome"], problem["request_id"]) == (status, code, "none", "bad-1"), place
        assert problem["title"] and problem["detail"] and problem["type"] and isinstance(problem["retryable"], bool), place
        if pointer is not None:
            assert problem["errors"][0]["pointer"] == pointer, place
    assert (server.call("GET", "/api/topics").json, server.call("GET", "/api/topics/t/partitions").json) == before
    assert server.call("GET", "/api/groups").json == {"items": [], "next": None}


@pytest.mark.parametrize("path, sizes", [("/api/topics", (1 << 20) + 1), (RECORDS, (16 << 20) + 1), ("/api/health", 1)])
def test_c058_a_body_above_the_limit_is_refused_before_it_is_sent(server, path, sizes):
    method = "GET" if path == "/api/health" else "POST"
    with server.raw() as raw:
        raw.send(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {sizes}\r\n\r\n")
        answer = raw.answer()
        assert (answer.status, answer.json["code"]) == (413, "body_too_large")


def test_a_partial_list_of_errors_names_ten_places(server):
    server.call("POST", "/api/topics", json={"name": "t"})
    answer = server.call("POST", RECORDS, json={"records": [{"v": 1}] * 50})
    assert answer.status == 422 and len(answer.json["errors"]) == 10
    assert answer.json["errors"][0] == {"pointer": "/records/0/v", "detail": answer.json["errors"][0]["detail"]}


def test_hostile_names_do_not_break_the_answer(server):
    for path in ["/api/topics?%FF%00=1", "/api/topics?" + "a" * 3000 + "=1", "/api/topics?%22%5C=1"]:
        answer = server.call("GET", path)
        assert answer.status == 422 and json.loads(answer.body.decode("utf-8"))["code"] == "unknown_field"
    answer = server.call("POST", "/api/topics", body=json.dumps({"name": "t", "x" * 5000: 1, '"\\\u0001': 2}).encode(), headers=JSON)
    assert answer.status == 422 and len(answer.body) < 3000
