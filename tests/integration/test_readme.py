"""README's tour: every sh block runs, in order, against one fresh server, and every line of the text block behind it is in the output.
`…` in a text block stands for anything."""
import re
import subprocess

import conftest

README = (conftest.ROOT / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def tour():
    """[(commands, expected lines)]"""
    steps = []
    for kind, text in BLOCK.findall(README):
        if kind == "sh":
            steps.append((text, []))
        elif kind == "text":
            assert steps and not steps[-1][1], f"a text block without commands in front of it:\n{text}"
            steps[-1] = (steps[-1][0], text.splitlines())
    return steps


def found(line, output):
    return re.search(".*".join(re.escape(part) for part in line.split("…")), output) is not None


def test_tour(server, tmp_path):
    steps = tour()
    assert len(steps) >= 8 and all(expected for _, expected in steps), "every step shows what it answers"
    for commands, expected in steps:
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", commands.replace(ADDRESS, server.url)], cwd=tmp_path,
                             capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        shown = f"{commands}\n{run.stdout}\n{run.stderr}"
        assert run.returncode == 0, shown
        for line in expected:
            assert found(line.replace(ADDRESS, server.url), run.stdout), f"{line!r} is not in the output of\n{shown}"


def test_tour_can_fail():
    assert not found('"offset":1', '{"offset":2}') and found("a…c", "a b c") and not found("a…c", "c b a")


def test_linked_files_exist():
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (conftest.ROOT / target).exists(), f"README links to {target}"


def test_named_scripts_exist():
    for script in set(re.findall(r"\./(scripts/[\w-]+\.sh)", README)):
        assert (conftest.ROOT / script).exists(), f"README names {script}"


def test_guarantees_name_tests_that_exist():
    """docs/guarantees.md: `file::case`, further cases of the same file by their name alone, and files."""
    text = (conftest.ROOT / "docs/guarantees.md").read_text()
    sources = {path.name: path.read_text() for pattern in ("test_*.py", "*_test.cpp", "support_*.py")
               for path in (conftest.ROOT / "tests").rglob(pattern) if "node_modules" not in path.parts}
    named = re.findall(r"`(?:tests/\w+/)?(\w+\.(?:py|cpp))(?:::(\w+))?`", text)
    assert len(named) > 30
    for file, case in named:
        assert file in sources, f"there is no test file {file}"
        assert not case or re.search(rf"\b{case}\b", sources[file]), f"{file} has no {case}"
    for case in re.findall(r"`(test_\w+)`", text):
        assert any(f"def {case}(" in source for source in sources.values()), f"there is no test {case}"
