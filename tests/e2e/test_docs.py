"""The API viewer in a real browser: it renders, nothing is fetched from outside, and "try it out" appends a record."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_try_it_out_creates_a_topic_and_produces_a_record(server):
    screenshot = ROOT / "build/test/docs.png"
    screenshot.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["node", "tests/e2e/docs.mjs", server.url, "orders", screenshot], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    assert (seen["created"], seen["produced"]) == ("201", "201")
    assert seen["problems"] == []
    assert all(url.startswith((server.url, "data:", "blob:" + server.url)) for url in seen["requests"]), seen["requests"]
    assert f"{server.url}/openapi.json" in seen["requests"]
    assert server.call("GET", "/api/topics/orders/partitions/0/records?offset=0").json["records"] != []


def test_viewer_files_are_served_compressed_and_plain(server):
    for name, mark in [("swagger-ui-bundle.js", b"SwaggerUI"), ("swagger-ui.css", b".swagger-ui"), ("LICENSE.txt", b"Apache License")]:
        plain = server.call("GET", f"/docs/{name}")
        assert plain.status == 200 and mark in plain.body and "Content-Encoding" not in plain.headers
        packed = server.call("GET", f"/docs/{name}", headers={"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip" and len(packed.body) < len(plain.body)
    assert server.call("GET", "/docs/no-such-file.js").status == 404


def test_content_security_policy_allows_nothing_from_outside(server):
    policy = server.call("GET", "/docs").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy
