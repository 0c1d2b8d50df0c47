"""Faults that can be made on a running server: small disks, failing system calls, few descriptors."""
import contextlib
import errno
import os
import pathlib
import signal
import subprocess
import time

import pytest

import support_trace

SYNC_CALLS = "fdatasync,fsync,syncfs"


def wait_until(what, holds, seconds=15):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def tracers(pid):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):
            yield next(int(line.split()[1]) for line in (task / "status").read_text().splitlines() if line.startswith("TracerPid"))


@contextlib.contextmanager
def failing(pid, calls, error, path=None):
    """While it lasts, the calls of a running process fail: all of them, or those on one file or directory."""
    why = support_trace.why_unusable()
    if why:
        if os.environ.get("PYSTREAM_TEST_SKIP_STRACE") == "1":
            pytest.skip("PYSTREAM_TEST_SKIP_STRACE=1: failing system calls are NOT tested")
        pytest.fail(f"strace cannot be used, so no system call can be made to fail: {why}")
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:error={error}"]
    command += ["-P", str(path)] if path else []
    tracer = subprocess.Popen([*command, "-p", str(pid)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        wait_until("strace attaches", lambda: tracer.poll() is not None or set(tracers(pid)) == {tracer.pid})
        assert tracer.poll() is None, tracer.stderr.read()
        yield
    finally:
        if tracer.poll() is None:
            tracer.send_signal(signal.SIGINT)
        tracer.wait(10)
        tracer.stderr.close()


@contextlib.contextmanager
def small_disk(directory, megabytes):
    """A tmpfs. Skips the test only where mounting is not permitted."""
    directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(directory)],
                             capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


class Ballast:
    """A file that takes all the room that is left."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory) / "ballast"

    def fill(self):
        with open(self.path, "ab", buffering=0) as file:
            for size in (65536, 4096):
                with contextlib.suppress(OSError):
                    for _ in range(1_000_000):
                        file.write(b"\0" * size)
        with pytest.raises(OSError) as full, open(self.path, "ab", buffering=0) as file:
            file.write(b"\0" * 4096)
        assert full.value.errno == errno.ENOSPC

    def free(self):
        self.path.unlink()


def tree(directory):
    """Every file below and its content, except the lock."""
    return {p.relative_to(directory): p.read_bytes() for p in pathlib.Path(directory).rglob("*") if p.is_file() and p.name != "LOCK"}
