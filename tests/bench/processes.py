"""Starting and ending the programs of a run, and where they run: servers on the first core, the load on the second."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 60
STOP_SECONDS = 60
LOAD_SECONDS_SPARE = 120  # beyond what a run of the load should take


class BenchError(Exception):
    """The run cannot go on; the text is for whoever started it."""


def pinned(core, command):
    """With one core there is nothing to choose."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core]), *command] if len(cores) > 1 else command


class Process:
    """A program with its output in a file. It is ended by its own pid."""

    def __init__(self, command, log_path, env=None, signal_to_stop=signal.SIGTERM, user=None):
        self.name, self.log_path, self.signal_to_stop = os.path.basename(command[0]), pathlib.Path(log_path), signal_to_stop
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(pinned(0, command), stdout=log, stderr=log, env=env, user=user, cwd=self.log_path.parent)

    @property
    def pid(self):
        return self.process.pid

    def log_text(self):
        return self.log_path.read_text(errors="replace")

    def wait_until(self, holds, what):
        """Polls. Returns what `holds` returned once that is true."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            found = holds()
            if found:
                return found
            if self.process.poll() is not None:
                raise BenchError(f"{self.name} ended with {self.process.returncode}:\n{self.log_text()[-2000:]}")
            if time.monotonic() > deadline:
                raise BenchError(f"{self.name}: not {what} after {START_SECONDS} s:\n{self.log_text()[-2000:]}")
            time.sleep(0.002)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(self.signal_to_stop)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise BenchError(f"process {pid} has no memory")


class Load:
    """The load generator."""

    def __init__(self, binary, progress=False):
        self.binary, self.progress = str(binary), progress

    def run(self, core=1, **options):
        """Options are the generator's own, underscores for dashes. Its report, or BenchError with what it found wrong."""
        command = pinned(core, [self.binary, *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())])
        if self.progress and "sync_file" not in options:
            command.append("--progress")
        seconds_max = float(options.get("seconds", 0)) + LOAD_SECONDS_SPARE + int(options.get("requests", 0)) / 100
        try:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=None if self.progress else subprocess.PIPE, text=True,
                                 timeout=seconds_max)
        except subprocess.TimeoutExpired as late:
            raise BenchError(f"the load did not end in {seconds_max} s: {' '.join(command)}") from late
        if ran.returncode != 0:
            raise BenchError(f"the load failed: {' '.join(command)}\n{ran.stderr or ''}")
        return json.loads(ran.stdout)

    def sync_loop(self, directory, seconds):
        return self.run(core=0, sync_file=pathlib.Path(directory) / "sync-loop", seconds=seconds)

    @contextlib.contextmanager
    def trivial_server(self):
        """Yields the port."""
        command = pinned(0, [self.binary, "--trivial-server"])
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            yield int(server.stdout.readline())
            server.stdin.close()
