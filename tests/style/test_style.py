"""The source checks on the whole tree, and each check on a sample that it must refuse."""
import pathlib
import subprocess

import pytest

import checks

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["api", "cmake", "config", "core", "examples", "scripts", "server", "tests"]
SUFFIXES = {".cpp", ".hpp", ".py", ".sh", ".cmake", ".js", ".mjs"}
THIS_FOLDER = "tests/style/"  # its samples break the rules


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in SUFFIXES and "node_modules" not in name and not name.startswith(THIS_FOLDER):
                yield name


@pytest.mark.parametrize("path", sources())
def test_source(path):
    found = list(checks.complaints(path, (ROOT / path).read_text()))
    assert not found, "\n" + "\n".join(found)


def test_there_are_sources():
    assert len(list(sources())) > 50


def test_style_folder_is_short():
    for path in (ROOT / THIS_FOLDER).glob("*.py"):
        assert not list(checks.check_file_length(path.name, path.read_text()))


def test_code_is_formatted():
    names = [name for name in sources() if name.endswith(checks.CODE)]
    run = subprocess.run(["clang-format-19", "--dry-run", "-Werror", *names], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_scripts_are_sound():
    scripts = [path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts").glob("*.sh")]
    run = subprocess.run(["shellcheck", *scripts, ".ci/run"], cwd=ROOT, capture_output=True, text=True)
    assert scripts and run.returncode == 0, run.stdout


LONG_BODY = "    step();\n" * 75

REFUSED = [
    ("core/storage/log.cpp", "x;\n" * 501),
    ("scripts/run.sh", "# TO" + "DO: later\n"),
    ("core/storage/log.cpp", '#include "core/topics/partition.hpp"\n'),
    ("core/groups/offsets.cpp", '#include "core/storage/log.hpp"\n'),
    ("core/engine/facade.hpp", '#pragma once\n#include "api/http.hpp"\n'),
    ("core/cluster/replica.cpp", '#include "config/settings.hpp"\n'),
    ("config/settings.cpp", '#include "core/engine/facade.hpp"\n'),
    ("api/topics.cpp", '#include "core/cluster/replica.hpp"\n'),
    ("api/topics.cpp", '#include "server/session.hpp"\n'),
    ("api/topics.cpp", '#include "routes.hpp"\n'),
    ("core/storage/log.cpp", "#include <unistd.h>\n"),
    ("core/storage/log.cpp", "#include <sys/stat.h>\n"),
    ("api/http.cpp", "#include <boost/beast/http.hpp>\n"),
    ("core/topics/partition.cpp", "#include <boost/asio/post.hpp>\n"),
    ("core/storage/log.cpp", "namespace pystream::topics {\n}\n"),
    ("core/storage/log.hpp", "class log;\n"),
    ("core/storage/log.cpp", "void f()\n{\n" + LONG_BODY + "}\n"),
    ("core/storage/log.cpp", "log::log(int a) : a_{a}, b_(a)\n{\n" + LONG_BODY + "}\n"),
    ("core/storage/log.cpp", "log::log(int a) : a_{a}\n{\n" + LONG_BODY + "}\n"),
    ("core/storage/log.cpp", "int log::f() const noexcept\n{\n    if (x) {\n" + LONG_BODY + "    }\n}\n"),
    ("core/storage/log.cpp", "class c {\n    auto f() -> int\n    {\n" + LONG_BODY + "    }\n};\n"),
    ("core/storage/log.cpp", 'BOOST_AUTO_TEST_CASE(x)\n{\n    s = "}";\n' + LONG_BODY + "}\n"),
    ("tests/a.py", "def f():\n" + LONG_BODY.replace(";", "")),
]


@pytest.mark.parametrize("path, text", REFUSED)
def test_sample_is_refused(path, text):
    assert len(list(checks.complaints(path, text))) == 1


ACCEPTED = [
    ("core/storage/log.hpp", '#pragma once\n#include <vector>\n#include "core/io/file_system.hpp"\nnamespace pystream::storage {\n}\n'),
    ("core/io/posix_file_system.cpp", "#include <unistd.h>\n"),
    ("server/signals.cpp", "#include <signal.h>\n#include <boost/beast/http.hpp>\n"),
    ("core/storage/log.cpp", "void f()\n{\n" + "    step();\n" * 67 + "}\n"),
    ("core/storage/log.cpp", "class c {\n" + "    void f() { step(); }\n" * 100 + "};\n"),
    ("core/storage/log.cpp", "const int table[] = {\n" + "    {1},\n" * 100 + "};\n"),
    ("core/storage/log.cpp", "enum class e {\n" + "    a,\n" * 100 + "};\n"),
]


@pytest.mark.parametrize("path, text", ACCEPTED)
def test_sample_is_accepted(path, text):
    assert not list(checks.complaints(path, text))
