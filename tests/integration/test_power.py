"""Power cuts for real: ext4 on a loop device is shut down under load without a flush, so that only what was synced is there when it is
mounted again. Nothing acknowledged, and nothing that a reader saw, may be missing. PYSTREAM_TEST_ROUNDS, PYSTREAM_TEST_SEED."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

import conftest
from support_fault import wait_until
from support_run import rounds
from support_scene import create_scene


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def state_of(thread):
    return pathlib.Path(f"/proc/{thread}/stat").read_text().rsplit(")", 1)[1].split()[0]


class LoopDisk:
    def __init__(self, folder):
        self.image, self.directory = folder / "image", folder / "disk"
        self.directory.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(256 << 20)

    def mount(self):
        return run("mount", "-o", "loop", self.image, self.directory)

    def cut_power(self, server=None):
        """From here on nothing reaches the disk: the journal is not flushed either. The server is held first: it must not answer after
        the cut, because ext4 lets an fdatasync that is under way while it is shut down return 0 (seen on Linux 6.18)."""
        if server is not None:
            server.process.send_signal(signal.SIGSTOP)
            wait_until("the loop thread stands", lambda: state_of(server.pid) == "T")
        done = run("xfs_io", "-x", "-c", "shutdown", self.directory)
        assert done.returncode == 0, done.stderr

    def remount(self):
        for done in (run("umount", self.directory), self.mount()):
            assert done.returncode == 0, done.stderr


@pytest.fixture
def disk(tmp_path):
    missing = [tool for tool in ("xfs_io", "mkfs.ext4") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"a power cut needs {missing}")
    disk = LoopDisk(tmp_path)
    assert run("mkfs.ext4", "-q", disk.image).returncode == 0
    mounted = disk.mount()
    if mounted.returncode:
        pytest.skip(f"a loop device cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    run("umount", "-l", disk.directory)


def test_unsynced_bytes_are_lost_here(disk):
    """The tool can show what it is for: a file that nobody synced is gone."""
    (disk.directory / "unsynced").write_text("x")
    disk.cut_power()
    disk.remount()
    with contextlib.suppress(FileNotFoundError):
        assert (disk.directory / "unsynced").read_text() == "", "unsynced bytes survived"


# What a program may do in a moment before the cut; paths are below the mounted directory.
SEQUENCES = [
    ["create /a", "write /a 0 one", "sync /a", "syncdir /"],
    ["create /a", "write /a 0 one", "sync /a", "write /a 3 two"],
    ["create /a", "write /a 0 one", "sync /a", "syncdir /", "write /a 0 xyz", "truncate /a 1"],
    ["create /a", "write /a 0 old", "sync /a", "syncdir /", "create /b", "write /b 0 new", "sync /b", "rename /b /a"],
    ["create /a", "write /a 0 old", "sync /a", "syncdir /", "create /b", "write /b 0 new", "sync /b", "rename /b /a", "syncdir /"],
    ["create /a", "write /a 0 old", "sync /a", "syncdir /", "create /b", "write /b 0 new", "rename /b /a"],
    ["mkdir /d", "create /d/a", "write /d/a 0 one", "sync /d/a"],
    ["mkdir /d", "create /d/a", "write /d/a 0 one", "sync /d/a", "syncdir /d", "syncdir /"],
    ["mkdir /d", "syncdir /", "create /d/a", "write /d/a 0 one", "sync /d/a", "syncdir /d", "rename /d /e"],
    ["mkdir /d", "syncdir /", "create /d/a", "syncdir /d", "rename /d /e", "syncdir /", "remove /e/a"],
    ["create /a", "write /a 0 one", "sync /a", "syncdir /", "remove /a", "create /a", "write /a 0 two", "sync /a"],
]


def on_disk(root, line):
    what, path, *rest = line.split()
    path = root / path.lstrip("/")
    if what in ("sync", "syncdir"):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
    elif what == "create":
        path.touch(exist_ok=False)
    elif what == "write":
        handle = os.open(path, os.O_WRONLY)
        os.pwrite(handle, rest[1].encode(), int(rest[0]))
        os.close(handle)
    elif what == "truncate":
        os.truncate(path, int(rest[0]))
    elif what == "mkdir":
        path.mkdir()
    elif what == "rename":
        path.rename(root / rest[0].lstrip("/"))
    else:
        path.unlink()


def shown(root, directory):
    out = ""
    for path in sorted(directory.iterdir()):
        name = "/" + str(path.relative_to(root))
        if path.is_dir():
            out += f"{name}/ " + shown(root, path)
        else:
            out += f"{name}={path.read_bytes().decode().replace(chr(0), '.')} "
    return out


def test_simulated_disk_agrees(disk):
    """The simulated disk of the C++ tests is no kinder than a real one: what ext4 shows after a cut, it may show as well."""
    tool = pathlib.Path(conftest.binary()).parent / "tests/simulated_disk_outcomes"
    if not tool.exists():
        pytest.skip("simulated_disk_outcomes is not built")
    for lines in SEQUENCES:
        root = disk.directory
        for path in sorted(root.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        handle = os.open(root, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
        for line in lines:
            on_disk(root, line)
        disk.cut_power()
        disk.remount()
        allowed = subprocess.run([str(tool)], input="\n".join(lines), capture_output=True, text=True, check=True).stdout.splitlines()
        real = shown(root, root)
        print(f"{lines}: {real!r}, one of {len(allowed)}")
        assert real in allowed, (lines, real, allowed)


def test_power_cut_under_load(start_server, disk):
    server = start_server(data_dir=disk.directory / "data")
    scene = create_scene(server)
    for number in range(rounds(8)):
        with scene.load(server, number) as load:
            time.sleep(scene.rng.uniform(0.1, 0.9))
            load.expect_death()
            disk.cut_power(server)
            server.kill()
        scene.crashes += 1
        disk.remount()
        server = start_server(data_dir=server.data_dir)
        scene.check(server)
    print(f"{scene.crashes} cuts; {scene.records} records; {scene.history}")
    assert scene.history.answered_requests > 50
    server.kill()
