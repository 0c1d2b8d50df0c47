"""The order of write, sync and answer, as strace saw it.

parse() turns the lines of strace into events: every call begins once and ends once, in the order in which the kernel let them through.
Disk follows them and knows what would be lost if the power failed right now; violations() asks it at every answer.
"""
import dataclasses
import os
import re
import shutil
import subprocess
import time

CALLS = ("openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,fallocate,fdatasync,fsync,syncfs,"
         "rename,renameat,renameat2,mkdir,mkdirat,sendto,sendmsg")
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate"}
RENAMES = {"rename", "renameat", "renameat2"}
LINE = re.compile(r"(\d+) +\d+\.\d+ (.*)")
BEGUN = re.compile(r"(\w+)\((.*)", re.S)
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)")
RESULT = re.compile(r"= (-?\d+|\?)(?:<([^>]*)>)?[^=]*$")
DESCRIPTOR = re.compile(r"(?:\d+|AT_FDCWD)<([^>]*)>")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
RECORD = re.compile(r"record-\d{4}")
REQUEST_ID = re.compile(r"x-request-id: ([\w.-]+)", re.I)


@dataclasses.dataclass(eq=False)
class Call:
    name: str
    arguments: str
    result: int | None = None  # once it has ended
    opened: str | None = None  # the path of the descriptor that it returned
    changed: list = dataclasses.field(default_factory=list)  # paths whose directory entries it changed

    @property
    def path(self):
        found = DESCRIPTOR.match(self.arguments)
        return found.group(1) if found else ""

    @property
    def strings(self):
        return STRING.findall(self.arguments)


def why_unusable():
    """Why strace does not work here; None when it does."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    run = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return run.stderr.strip() if run.returncode else None


def command(trace, sync_delay_ms):
    """A line of sh that starts {binary} under strace; the process keeps its pid (-D: the tracer is a grandchild). With a delay of each sync,
    an answer that does not wait for it comes surely before it."""
    delay = f"-e inject=fdatasync,syncfs:delay_enter={sync_delay_ms * 1000}" if sync_delay_ms else ""
    return f"exec strace -D -f -yy -ttt -s 200000 -o {trace} -e trace={CALLS} {delay} {{binary}}"


def read_finished(trace, pid, seconds=20):
    """The trace of a process that has ended; strace may still be writing."""
    deadline = time.monotonic() + seconds
    while True:
        lines = trace.read_text(errors="replace").splitlines()
        if any(line.startswith(f"{pid} ") and "+++ " in line for line in lines[-50:]):
            return lines
        assert time.monotonic() < deadline, "strace does not end"
        time.sleep(0.05)


def parse(lines):
    """[(begins, Call)]: True where a call begins, False where it ends."""
    events, out = [], {}
    for line in lines:
        found = LINE.match(line)
        if not found or found.group(2).startswith(("+++", "---", "strace:")):
            continue
        thread, text = found.groups()
        resumed = RESUMED.match(text)
        if resumed:
            call, rest = out.pop(thread, None), resumed.group(2)
            if call is None:
                continue
        else:
            begun = BEGUN.match(text)
            if not begun:
                continue
            call, rest = Call(*begun.groups()), text
            events.append((True, call))
            if text.endswith("<unfinished ...>"):
                out[thread] = call
                continue
        ended = RESULT.search(rest)
        assert ended, line
        call.result = None if ended.group(1) == "?" else int(ended.group(1))
        call.opened = ended.group(2)
        events.append((False, call))
    return events


class Disk:
    """What was written, made or renamed and is not on the disk yet."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.writes = {}      # file -> calls whose bytes are in the page cache only
        self.entries = {}     # directory -> calls that changed it since its last sync
        self.syncing = {}     # a sync under way -> what it will have covered
        self.renamed_unsynced = []

    def ours(self, path):
        return path.startswith(self.root + "/") and not path.endswith("/LOCK")

    def dirty(self):
        """Everything that would be lost now. A temporary file may be."""
        files = {p: calls for p, calls in self.writes.items() if calls and not p.endswith(".tmp")}
        return files | {p: calls for p, calls in self.entries.items() if calls}

    def begin(self, call):
        if call.name in ("fdatasync", "fsync"):
            self.syncing[call] = [*self.writes.get(call.path, []), *self.entries.get(call.path, [])]
        elif call.name == "syncfs":
            self.syncing[call] = [c for calls in [*self.writes.values(), *self.entries.values()] for c in calls]

    def end(self, call):
        if call in self.syncing:
            covered = self.syncing.pop(call)
            if call.result == 0:
                for calls in [*self.writes.values(), *self.entries.values()]:
                    calls[:] = [c for c in calls if c not in covered]
        elif call.result is None or call.result < 0:
            return
        elif call.name in WRITES and self.ours(call.path):
            self.writes.setdefault(call.path, []).append(call)
        elif call.name in RENAMES:
            self._rename(call)
        elif call.name in ("mkdir", "mkdirat") and self.ours(call.strings[0]):
            self._change(call.strings[0], call)
        elif call.opened and "O_CREAT" in call.arguments and self.ours(call.opened) and not call.opened.endswith(".tmp"):
            self._change(call.opened, call)

    def _change(self, path, call):
        call.changed.append(path)
        self.entries.setdefault(os.path.dirname(path), []).append(call)

    def _rename(self, call):
        source, target = call.strings[:2]
        if not self.ours(target):
            return
        if self.writes.pop(source, None):
            self.renamed_unsynced.append(target)
        self._change(target, call)
        if os.path.dirname(source) != os.path.dirname(target):
            self._change(source, call)


def way_to(path, root):
    """The file and every directory above it: each has an entry in the one above."""
    while len(path) > len(root):
        yield path
        path = os.path.dirname(path)


def record_faults(disk, identity):
    """The write that holds a record, and the way to that file, must be on the disk before anyone is told or shown."""
    holding = [(path, call) for path, calls in disk.all_writes.items() for call in calls if identity in call.arguments]
    if not holding:
        yield f"{identity} was answered and never written"
    for path, call in holding:
        if call in disk.writes[path]:
            yield f"{identity} was answered before {path} was synced"
        for step in way_to(path, disk.root):
            if any(step in change.changed for change in disk.entries.get(os.path.dirname(step), [])):
                yield f"{identity} was answered before the entry of {step} was synced"


class RecordingDisk(Disk):
    """Keeps every write to a segment as well, to find the one that holds a record."""

    def __init__(self, root):
        super().__init__(root)
        self.all_writes = {}

    def end(self, call):
        super().end(call)
        if call.name in WRITES and call.path.endswith(".log") and self.ours(call.path) and (call.result or 0) > 0:
            self.all_writes.setdefault(call.path, []).append(call)


def violations(events, root):
    """(faults, answers): what was answered too early, and how many answers of each kind were looked at. Requests whose id begins with
    `record-` write a record that holds the id, those with `reader-` read such records; while one with `alone-` is answered, nothing
    else is going on."""
    disk, faults, answers = RecordingDisk(root), [], {"record": 0, "reader": 0, "alone": 0}
    for begins, call in events:
        if not begins:
            disk.end(call)
            continue
        disk.begin(call)
        if call.name not in ("sendto", "sendmsg", "write", "writev") or "HTTP/1.1 20" not in call.arguments:
            continue
        for identity in REQUEST_ID.findall(call.arguments.replace("\\r\\n", "\n")):
            if identity.startswith("record-"):
                answers["record"] += 1
                faults.extend(record_faults(disk, identity))
            elif identity.startswith("reader-"):
                shown = RECORD.findall(call.arguments)
                answers["reader"] += len(shown)
                faults.extend(f"shown to a reader: {fault}" for record in shown for fault in record_faults(disk, record))
            elif identity.startswith("alone-"):
                answers["alone"] += 1
                faults.extend(f"{identity} was answered before {path} was synced" for path in disk.dirty())
    faults.extend(f"{path} was renamed before its content was synced" for path in disk.renamed_unsynced)
    return faults, answers
