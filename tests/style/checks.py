"""Source checks: pure functions from (path, text) to complaints. docs/style.md says why each exists."""
import ast
import re

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70

CODE = (".cpp", ".hpp")

# What a folder may include of ours, besides itself: docs/style.md draws the arrows.
CORE = ["core/base", "core/io", "core/storage", "core/topics", "core/groups", "core/cluster", "core/engine"]
MAY_INCLUDE = {
    "core/base": [],
    "core/io": ["core/base"],
    "core/storage": ["core/base", "core/io"],
    "core/topics": ["core/base", "core/io", "core/storage"],
    "core/groups": ["core/base"],
    "core/cluster": ["core/base", "core/io", "core/storage", "core/topics"],
    "core/engine": CORE,
    "config": ["core/base"],
    # The engine's answers are made of records, configs and groups; the disk and the cluster stay hidden.
    "api": ["core/base", "core/engine", "core/storage/record.hpp", "core/topics", "core/groups"],
    "server": [*CORE, "config", "api"],
    "examples": CORE,
}

POSIX_HEADER = re.compile(
    r"#include <((sys|linux|netinet|arpa|net)/\S+\.h|(unistd|fcntl|dirent|poll|pthread|signal|dlfcn|ifaddrs|netdb|sched|termios|spawn)\.h)>")
POSIX_ALLOWED = re.compile(r"^(core/io/posix_|server/|tests/)")
RANDOM_ALLOWED = "core/base/random.cpp"  # getrandom(2)


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "core" else parts[0]


def check_file_length(path, text):
    lines = text.count("\n")
    if lines > FILE_LINES_MAX:
        yield f"{path}: {lines} lines, at most {FILE_LINES_MAX} are allowed"


def check_markers(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
            yield f"{path}:{number}: unfinished work is an issue, not a comment"


def check_includes(path, text):
    folder = folder_of(path)
    allowed = MAY_INCLUDE.get(folder)
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include "([^"]+)"', line)
        if not found or allowed is None:
            continue
        target = found.group(1)
        if "/" not in target or ".." in target:
            yield f'{path}:{number}: "{target}": includes start at the repository root'
        elif not any(target == entry or target.startswith(entry + "/") for entry in [folder, *allowed]):
            yield f"{path}:{number}: {folder} must not include {target}"


def check_system_headers(path, text):
    folder = folder_of(path)
    for number, line in enumerate(text.splitlines(), 1):
        if POSIX_HEADER.search(line) and not POSIX_ALLOWED.match(path) and path != RANDOM_ALLOWED:
            yield f"{path}:{number}: only core/io/posix_* and server/ call POSIX"
        if "#include <boost/beast" in line and folder not in ("server", "tests"):
            yield f"{path}:{number}: Beast stays in server/"
        if "#include <boost/asio" in line and folder.startswith("core") and folder != "core/engine":
            yield f"{path}:{number}: core/engine is the only asynchronous part of core"


def check_namespace(path, text):
    folder = folder_of(path)
    if folder not in MAY_INCLUDE or folder == "examples":
        return
    expected = "pystream::" + folder.rsplit("/", 1)[-1]
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"namespace (pystream[\w:]*)", line)
        if found and found.group(1) != expected and not found.group(1).startswith(expected + "::"):
            yield f"{path}:{number}: the namespace of {folder} is {expected}, not {found.group(1)}"


def check_pragma_once(path, text):
    if path.endswith(".hpp") and not text.startswith("#pragma once\n"):
        yield f"{path}: a header starts with #pragma once"


def without_literals(text):
    """The code with comments, strings and characters blanked, line breaks kept."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda found: "\n" * found.group().count("\n"), text)


FUNCTION_HEAD = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|&|->\s*[\w:<>,*&\s]+|requires\b.*|:\s.*\))*\s*$", re.S)


def functions(text):
    """(first line, lines) of every function body that is not inside another one; found by counting braces."""
    code = without_literals(text)
    stack, head_start, line, inside = [], 0, 1, 0
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character == "{":
            head = code[head_start:position].strip()
            after_initialiser = head == "" and head_start > 0 and code[head_start - 1] == "}"
            is_function = inside == 0 and (bool(FUNCTION_HEAD.search(head)) or after_initialiser)
            stack.append((line - head.count("\n"), is_function))
            inside += is_function
            head_start = position + 1
        elif character == "}" and stack:
            first, is_function = stack.pop()
            if is_function:
                inside -= 1
                yield first, line - first + 1
            head_start = position + 1
        elif character == ";":
            head_start = position + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def check_function_length(path, text):
    found = functions(text) if path.endswith(CODE) else python_functions(text) if path.endswith(".py") else ()
    for first, lines in found:
        if lines > FUNCTION_LINES_MAX:
            yield f"{path}:{first}: a function of {lines} lines, at most {FUNCTION_LINES_MAX} are allowed"


ANY_FILE = [check_file_length, check_markers, check_function_length]
CODE_FILE = [check_includes, check_system_headers, check_namespace, check_pragma_once]


def complaints(path, text):
    for check in ANY_FILE + (CODE_FILE if path.endswith(CODE) else []):
        yield from check(path, text)
