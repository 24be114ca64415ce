"""A real PostgreSQL, started by the tests: in a folder of its own, durable, and at their mercy.

PostgreSQL refuses root, so as root its processes run as Debian's user `postgres`, in a folder that user can enter.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from tests.ports import free_port

PATIENCE_S = 60  # for a loaded machine
USER = "postgres"  # of the machine, and the owner in the database

# Small and plain; what makes a commit durable stays as it is.
SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 200
shared_buffers = '32MB'
wal_keep_size = '64MB'
wal_sender_timeout = '10s'
"""
# Everybody is let in, except who is to show a password: the tests are about the ledger, not about Debian's defaults.
DOORS = """
host all keyed 127.0.0.1/32 scram-sha-256
local all all trust
host all all 127.0.0.1/32 trust
local replication all trust
host replication all 127.0.0.1/32 trust
"""


@cache
def programs() -> Path:
    """The folder of Debian's newest server; where there is none, that of the first one on the path."""
    found = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").exists()]
    if found:
        return max(found, key=lambda path: int(path.parent.name))
    there = shutil.which("initdb")
    assert there, "PostgreSQL is not installed (Debian: postgresql)"
    return Path(there).parent


def _as_user() -> dict[str, Any]:
    """How a process of the server is started."""
    if os.geteuid() != 0:
        return {}
    group = pwd.getpwnam(USER).pw_gid
    return {"user": USER, "group": group, "extra_groups": []}


def run(*command: str) -> None:
    """Run a program to its end, as the server's user."""
    environ = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=PATIENCE_S, cwd="/", env=environ, **_as_user()
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that the server's user can enter, gone in the end. Its path is short: sockets take 107 characters."""
    with tempfile.TemporaryDirectory(prefix="jackpotd-pg-", ignore_cleanup_errors=True) as made:
        if os.geteuid() == 0:
            shutil.chown(made, USER)
        yield Path(made)


class Server:
    """One cluster: `start` it, and then do to it what befalls servers."""

    def __init__(self, place: Path, name: str = "primary") -> None:
        self.place, self.name, self.data = place, name, place / name
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._frozen: list[int] = []

    # -- a life --

    def create(self, like: Path | None = None) -> None:
        """Make the cluster, or copy one that was never started. Nothing is in it yet, so making it skips the disk."""
        if like is None:
            words = ("-U", USER, "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
            run(str(programs() / "initdb"), "-D", str(self.data), *words)
        else:
            run("cp", "-a", str(like), str(self.data))
        self.configure()

    def configure(self) -> None:
        """Write its settings and its doors."""
        text = SETTINGS.format(port=self.port, folder=self.place)
        (self.data / "jackpotd.conf").write_text(text)
        main = self.data / "postgresql.conf"
        if "jackpotd.conf" not in main.read_text():
            main.write_text(f"{main.read_text()}\ninclude 'jackpotd.conf'\n")
        (self.data / "pg_hba.conf").write_text(DOORS)

    def start(self) -> None:
        """Start it, and return when it lets someone in."""
        with (self.place / f"{self.name}.log").open("ab") as log:
            command = [str(programs() / "postgres"), "-D", str(self.data)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **_as_user())
        self.wait_until(self.answers, "does not let anyone in")

    def answers(self) -> bool:
        """Whether it lets someone in."""
        if self._process is None or self._process.poll() is not None:
            raise AssertionError((self.place / f"{self.name}.log").read_text())
        try:
            self.run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def wait_until(self, happened: Any, otherwise: str) -> None:  # noqa: ANN401 -- anything to call
        """Wait for something the server does in its own time."""
        for _ in range(PATIENCE_S * 50):
            if happened():
                return
            threading.Event().wait(0.02)
        raise AssertionError(f"{self.name} {otherwise}")

    def stop(self) -> None:
        """Stop it as `systemctl stop` does: connections are ended, all is written."""
        self._end(signal.SIGINT)

    def crash(self) -> None:
        """Kill every process of it at once."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        for pid in (process.pid, *self._children()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(PATIENCE_S)
        self._frozen = []

    def encrypt(self) -> Path:
        """Answer also over TLS, as `localhost`; the certificate by which it is known."""
        key, certificate = self.data / "server.key", self.data / "server.crt"
        words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost")
        named = ("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        run("openssl", *words, *named, "-keyout", str(key), "-out", str(certificate))
        key.chmod(0o600)
        self.set("ssl", "on")
        return certificate

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Stop every process of it where it is; connections stay open and nobody answers."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)  # first: from here on it starts no other
        self._frozen = [self._process.pid, *self._children()]
        for pid in self._frozen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        frozen, self._frozen = self._frozen, []
        for pid in reversed(frozen):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def end(self) -> None:
        """However it stands, end it."""
        self.thaw()
        self._end(signal.SIGQUIT)

    def _end(self, with_: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(with_)
            self._process.wait(PATIENCE_S)

    def _children(self) -> list[int]:
        """The processes the server has started: each leads a group of its own, so the parent is what they share."""
        assert self._process is not None
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                after = path.read_text().rpartition(")")[2].split()
                if int(after[1]) == self._process.pid:
                    found.append(int(path.parent.name))
        return found

    def until_a_commit_waits(self) -> None:
        """Wait until a commit waits for a standby."""
        waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'"
        self.wait_until(lambda: self.run(waits), "commits without a standby")

    def until_followed(self, name: str) -> None:
        """Wait until a standby follows, so that commits need wait no more."""
        state = "SELECT count(*) FROM pg_stat_replication WHERE application_name = %s AND sync_state = 'sync'"
        self.wait_until(lambda: self.run(state, (name,)) == [(1,)], "is not followed")

    # -- a standby --

    def standby(self, name: str = "standby") -> "Server":
        """A copy that follows this one, started; from its first word on, commits here wait for it."""
        other = Server(self.place, name)
        come_from = f"host=127.0.0.1 port={self.port} user={USER} application_name={name}"
        words = ("-d", come_from, "-R", "-X", "stream", "--no-sync", "-c", "fast")
        run(str(programs() / "pg_basebackup"), "-D", str(other.data), *words)
        other.configure()
        other.start()
        self.set("synchronous_standby_names", name)
        self.until_followed(name)
        return other

    def promote(self) -> None:
        """Make a standby the server that is written to."""
        self.run("SELECT pg_promote(true, 60)")

    # -- what is in it --

    def dsn(self, database: str = "postgres", user: str = USER, *, tcp: bool = False) -> str:
        """How to reach a database of it."""
        host = "127.0.0.1" if tcp else str(self.place)
        return f"host={host} port={self.port} user={user} dbname={database}"

    def connect(self, database: str = "postgres", user: str = USER) -> psycopg.Connection[Any]:
        return psycopg.connect(self.dsn(database, user), autocommit=True, connect_timeout=10)

    def run(
        self, statement: LiteralString, values: tuple[object, ...] = (), database: str = "postgres"
    ) -> list[tuple[Any, ...]]:
        """Run one statement as the owner; its rows."""
        with self.connect(database) as connection:
            cursor = connection.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def set(self, name: str, value: str) -> None:
        """Change a setting for everybody, at once; an empty value takes it back."""
        place = sql.Identifier(name)
        change = sql.SQL("ALTER SYSTEM SET {} = {}").format(place, sql.Literal(value))
        with self.connect() as connection:
            connection.execute(change if value else sql.SQL("ALTER SYSTEM RESET {}").format(place))
            connection.execute("SELECT pg_reload_conf()")
        there = "SELECT current_setting(%s)"
        if value:
            self.wait_until(lambda: self.run(there, (name,)) == [(value,)], f"does not take {name} = {value}")

    def database(self, name: str) -> str:
        """A new, empty database; how to reach it."""
        with self.connect() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.dsn(name)


@contextmanager
def running(like: Path | None = None) -> Iterator[Server]:
    """A server of one's own."""
    with folder() as place:
        server = Server(place)
        server.create(like)
        try:
            server.start()
            yield server
        finally:
            server.end()
