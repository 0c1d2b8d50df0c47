"""Redis, NATS and Postgres as subjects beside PyStream: private instances on loopback with data below the run's directory. Each knows what
the cells mean for it, and checks that what was acknowledged is there."""
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

from cells import VALUE_BYTES
from processes import BenchError, Process, accepts, free_port

POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
FETCH_ENTRIES = 300_000  # in the stream that XRANGE reads


def program(name, *folders):
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *map(str, folders)]))
    if found is None:
        raise BenchError(f"{name} is not installed: scripts/install.sh peers")
    return found


class Peer:
    kinds = ()  # of cells that it can do

    def __init__(self, label, directory, load):
        self.label, self.directory, self.load, self.process = label, directory, load, None

    def can(self, cell):
        return cell.kind in self.kinds and cell.partitions == 1

    def start(self):
        """Seconds until it was ready, empty."""
        self.directory.mkdir(parents=True)
        self.port = free_port()
        command, options = self.command()
        began = time.monotonic()
        self.process = Process(command, self.directory / "log", **options)
        self.process.wait_until(self.is_ready, "ready")
        seconds = time.monotonic() - began
        self.after_start()
        return seconds

    def stop(self):
        if self.process is not None:
            self.process.stop()

    def is_ready(self):
        return accepts(self.port)

    def after_start(self):
        pass

    def prepare(self, cell):
        pass

    def common(self, cell, seconds, warmup):
        return {"port": self.port, "server_pid": self.process.pid, "connections": cell.connections, "seconds": seconds,
                "warmup": warmup, "batch": cell.batch, "value_bytes": VALUE_BYTES}

    def require_stored(self, cell, report, stored):
        if stored != report["records_acknowledged"]:
            raise BenchError(f"{self.label} {cell.name}: {report['records_acknowledged']} records were acknowledged, {stored} are stored")


class Redis(Peer):
    kinds = ("single", "batch", "fetch")

    def __init__(self, label, directory, load, fsync="always"):
        super().__init__(label, directory, load)
        self.fsync, self.first_id = fsync, None

    def command(self):
        return [program("redis-server"), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory), "--save", "",
                "--appendonly", "yes", "--appendfsync", self.fsync, "--auto-aof-rewrite-percentage", "0"], {}

    def ask(self, *words):
        """The first line of the answer to one command; enough for integers and errors."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            command = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
            connection.sendall(command.encode())
            with connection.makefile("rb") as answers:
                lines = [answers.readline().decode().strip()]
                if lines[0].startswith("*") or lines[0].startswith("$"):
                    lines += [answers.readline().decode().strip() for _ in range(4)]
        if lines[0].startswith("-"):
            raise BenchError(f"redis: {lines[0]}")
        return lines

    def prepare(self, cell):
        if cell.kind == "fetch" and self.first_id is None:
            self.load.run(port=self.port, protocol="resp", work="xadd", target="log", batch=100, connections=16,
                          requests=FETCH_ENTRIES // 100)
            self.first_id = self.end_id("XRANGE", "-", "+")
            # The last entries have no hundred behind them: those of the last tenth of the time are not where a read starts.
            self.id_span = max((self.end_id("XREVRANGE", "+", "-") - self.first_id) * 9 // 10, 1)

    def end_id(self, command, start, end):
        """The milliseconds in the id of the first entry of a range."""
        return int(self.ask(command, "log", start, end, "COUNT", "1")[3].split("-")[0])

    def run(self, cell, seconds, warmup):
        common = self.common(cell, seconds, warmup) | {"protocol": "resp"}
        if cell.kind == "fetch":
            return self.load.run(work="xrange", target="log", span=self.id_span, **common, **{"from": self.first_id})
        report = self.load.run(work="xadd", target="bench", **common)
        self.require_stored(cell, report, int(self.ask("XLEN", "bench")[0][1:]))
        self.ask("UNLINK", "bench")
        return report


class Nats(Peer):
    """JetStream with its defaults: it syncs every two minutes, so its acknowledgments survive the process and not the machine."""
    kinds = ("single",)

    def command(self):
        return [program("nats-server"), "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.directory / "data")], {}

    def api(self, subject, body):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            text = json.dumps(body) if body is not None else ""
            connection.sendall(b'CONNECT {"verbose":false}\r\nSUB _INBOX.api 1\r\n' +
                               f"PUB $JS.API.{subject} _INBOX.api {len(text)}\r\n{text}\r\n".encode())
            with connection.makefile("rb") as lines:
                for line in lines:
                    if line.startswith(b"MSG "):
                        answer = json.loads(lines.read(int(line.split()[-1])))
                        break
                else:
                    raise BenchError("nats: no answer")
        if "error" in answer:
            raise BenchError(f"nats: {answer['error']}")
        return answer

    def is_ready(self):
        return "Server is ready" in self.process.log_text()

    def run(self, cell, seconds, warmup):
        self.api("STREAM.CREATE.BENCH", {"name": "BENCH", "subjects": ["bench"], "storage": "file"})
        report = self.load.run(protocol="nats", work="publish", target="bench", **self.common(cell, seconds, warmup))
        self.require_stored(cell, report, self.api("STREAM.INFO.BENCH", None)["state"]["messages"])
        self.api("STREAM.DELETE.BENCH", None)
        return report


class Postgres(Peer):
    """Each INSERT is a transaction, with synchronous_commit. Its CPU time is spread over processes and not measured."""
    kinds = ("single", "batch")

    def command(self):
        user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        if user:
            os.chown(self.directory, pwd.getpwnam(user).pw_uid, -1)
        data = str(self.directory / "data")
        made = subprocess.run([program("initdb", POSTGRES), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-locale"],
                              capture_output=True, text=True, user=user, cwd=self.directory)
        if made.returncode != 0:
            raise BenchError(f"initdb: {made.stderr}")
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "300", "fsync": "on",
                    "synchronous_commit": "on"}
        return [program("postgres", POSTGRES), "-D", data, "-p", str(self.port),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}"))], {
                    "user": user, "signal_to_stop": signal.SIGINT}

    def is_ready(self):
        return "ready to accept connections" in self.process.log_text()

    def psql(self, statement):
        ran = subprocess.run([program("psql", POSTGRES), "-h", "127.0.0.1", "-p", str(self.port), "-U", "bench", "-d", "postgres",
                              "-v", "ON_ERROR_STOP=1", "-qAt", "-c", statement], capture_output=True, text=True)
        if ran.returncode != 0:
            raise BenchError(f"postgres: {ran.stderr}")
        return ran.stdout.strip()

    def after_start(self):
        self.psql("CREATE TABLE bench (id bigserial PRIMARY KEY, value text NOT NULL)")

    def run(self, cell, seconds, warmup):
        report = self.load.run(protocol="postgres", work="insert", target="bench",
                               **self.common(cell, seconds, warmup) | {"server_pid": 0})
        self.require_stored(cell, report, int(self.psql("SELECT count(*) FROM bench")))
        self.psql("TRUNCATE bench")
        return report
