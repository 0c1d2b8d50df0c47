"""Power cuts for real: ext4 on a loop device is shut down under load without a flush, so that only what was synced is there when it is
mounted again. Nothing acknowledged, and nothing that a reader saw, may be missing. PYSTREAM_TEST_ROUNDS, PYSTREAM_TEST_SEED."""
import contextlib
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

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
    print(f"{scene.records} records; {scene.history}")
    assert scene.history.answered_requests > 50
    server.kill()
