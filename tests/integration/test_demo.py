"""scripts/demo.sh: real files through a topic and back, and a demo that notices when something is wrong."""
import os
import pathlib
import subprocess

import pytest

import conftest
from support_history import read_all

DEMO = conftest.ROOT / "scripts/demo.sh"
NASTY = ['plain words here', 'plain again', '', '   leading blanks', 'tab\tand "quotes" and \\backslash\\', 'ümlaut ünd 日本語 \U0001f600',
         '{"json": [1, 2.50]}', "plain'quote", '\\n is not a line break', 'null', 'x' * 20_000, 'control \x01\x1f characters']

REPEATS = 150


def demo(*arguments, **env):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYSTREAM_")}
    return subprocess.run([str(DEMO), *map(str, arguments)], env=clean | {"PYSTREAM_BINARY": conftest.binary()} | env,
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def records(server, topic):
    return [record for partition in range(3) for record in read_all(server, topic, partition)]


def test_running_server(server, tmp_path):
    """Twice in a row, on a file with everything that can be in a line."""
    path = tmp_path / "nasty.log"
    path.write_text("\n".join(NASTY * REPEATS) + "\n")
    for number in [1, 2]:
        done = demo(path, PYSTREAM_URL=server.url)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "every line is there" in done.stdout and f"{server.url}/docs" in done.stdout
        assert f"{len(NASTY) * REPEATS} records" in done.stdout and "started for this demo" not in done.stdout
        topics = [t["name"] for t in server.call("GET", "/api/topics?prefix=demo-").json["items"]]
        assert len(topics) == number
    assert sorted(r["value"] for r in records(server, topics[0])) == sorted(NASTY * REPEATS)


def test_own_server(tmp_path):
    path = tmp_path / "latin1.log"
    path.write_bytes("one two\nänderung drei\n".encode("latin-1") * 20)
    done = demo(path, PYSTREAM_URL="http://127.0.0.1:1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "started for this demo" in done.stdout and "2 keys" in done.stdout


def test_real_log(server):
    path = pathlib.Path("/var/log/dpkg.log")
    if not path.exists():
        pytest.skip("there is no /var/log/dpkg.log here")
    done = demo(PYSTREAM_URL=server.url)
    assert done.returncode == 0, done.stdout + done.stderr
    topic = server.call("GET", "/api/topics?prefix=demo-").json["items"][0]["name"]
    lines = path.read_text(errors="replace").splitlines()
    assert len(records(server, topic)) <= len(lines) and "every line is there" in done.stdout
    keyed = {r["value"]: r["key"] for r in records(server, topic)}
    status = next(value for value in keyed if " status " in value and len(value.split()) > 4)
    assert keyed[status] == status.split()[4].split(":")[0]


def test_bad_file(tmp_path):
    done = demo(tmp_path / "no-such-file")
    assert done.returncode == 2 and "no-such-file" in done.stderr
    (tmp_path / "empty").write_text("")
    assert demo(tmp_path / "empty").returncode == 1


@pytest.mark.parametrize("spoil", ["loses", "reorders"])
def test_notices(server, tmp_path, spoil):
    """A curl that loses a record, or swaps two, on the way back makes the demo fail."""
    work = {"loses": "sed -i 3d", "reorders": r"sed -i -e '3{h;d}' -e '4{G}'"}[spoil]
    fake = tmp_path / "bin" / "curl"
    fake.parent.mkdir()
    fake.write_text(f"""#!/bin/bash
/usr/bin/curl "$@" || exit
while (($# > 1)); do if [[ $1 == --output ]]; then output=$2; fi; shift; done
case $1 in *offset=0*) {work} "$output" ;; esac
""")
    fake.chmod(0o755)
    path = tmp_path / "some.log"
    path.write_text("".join(f"word{n % 7} line {n}\n" for n in range(100)))
    done = demo(path, PYSTREAM_URL=server.url, PATH=f"{fake.parent}:{os.environ['PATH']}")
    assert done.returncode == 1 and "FAILED" in done.stderr, done.stdout + done.stderr
