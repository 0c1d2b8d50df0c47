"""The OpenAPI document: linted, and held against the running server with generated requests."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMATHESIS = ROOT / ".venv/bin/schemathesis"

# No 5xx, no undocumented status or content type, no answer that its schema refuses, no bad request that is accepted.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "negative_data_rejection", "unsupported_method", "allow_header_conformance"]


def run(*command):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"REDOCLY_TELEMETRY": "off", "COLUMNS": "160", "PYTHONPATH": "tests/e2e",
                                            "SCHEMATHESIS_HOOKS": "schemathesis_hooks"})
    assert done.returncode == 0, done.stdout[-20000:]
    return done.stdout


def test_document_is_linted():
    run("node", "tests/e2e/lint_openapi.mjs", "api/openapi.json")


def test_served_document_is_the_file(server):
    answer = server.call("GET", "/openapi.json")
    assert answer.body == (ROOT / "api/openapi.json").read_bytes()


@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="PyPI could not be reached (scripts/venv.sh)")
def test_generated_requests_get_documented_answers(start_server, tmp_path):
    server = start_server()
    examples = 200 if os.environ.get("TEST_FULL") == "1" else 25
    out = run(SCHEMATHESIS, "run", f"{server.url}/openapi.json", "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing",
              "--max-examples", examples, "--seed", 1, "--request-timeout", 65, "--no-color", "--continue-on-failure",
              "--report", "junit", "--report-junit-path", tmp_path / "schemathesis.xml")
    assert "Tested:" in out
    assert server.call("GET", "/api/health/live").status == 200
