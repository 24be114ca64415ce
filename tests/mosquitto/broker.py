"""A real Mosquitto with the shipped configuration: only paths and the port are other ones, and a witness hears all."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

ROOT = Path(__file__).parent.parent.parent
SHIPPED = ROOT / "config/mosquitto"
SITE, TABLE = "valley-forge", "mb-07"
BASE = f"jackpot/{SITE}/{TABLE}"
USERS = ("controller", "console", "sign", "public", "auditor-tool")
WITNESS = "witness"  # of the tests only: reads everything, so that what nobody hears was refused
PATIENCE_S = 60  # for a loaded machine; nothing here takes a second
TOOLS = ("mosquitto", "mosquitto_passwd", "mosquitto_pub", "mosquitto_sub", "openssl")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"  # Debian has the broker where users do not look
MISSING = [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None]
WHY_SKIPPED = f"not installed: {', '.join(MISSING)} (Debian: mosquitto, mosquitto-clients, openssl)"


def script(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(SHIPPED / name), *arguments]
    return subprocess.run(command, env={"PATH": PATH}, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def acl(site: str = SITE, table: str = TABLE, renamed: str = "") -> str:
    """The shipped rights for a table; `renamed` is put behind its users' names."""
    text = (SHIPPED / "acl").read_text().replace("SITE", site).replace("TABLE", table)
    return re.sub(r"\b(controller|console)\b", rf"\1{renamed}", text)


class Broker:
    """Made of the shipped files in a folder; `start` and `stop` it."""

    def __init__(self, folder: Path, *, certificates_only: bool = False) -> None:
        self.folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        clients = [word for user in (*USERS, WITNESS) for word in ("--client", user)]
        names = ["--name", "localhost", "--name", "127.0.0.1"]
        assert script("make-certificates", "--dir", str(folder), *names, *clients).returncode == 0
        (folder / "acl").write_text(f"{acl()}\n{acl(table='mb-08', renamed='-mb-08')}\nuser {WITNESS}\ntopic read #\n")
        users = [word for user in (*USERS, WITNESS, "console-mb-08", "controller-mb-08") for word in ("--user", user)]
        assert script("make-passwords", "--dir", str(folder), *users).returncode == 0
        config = (SHIPPED / "jackpotd.conf").read_text()
        config = config.replace("/etc/mosquitto/jackpotd/", f"{folder}/").replace(
            "listener 8883", f"listener {self.port}"
        )
        if certificates_only:
            config = re.sub("^#(require_certificate|use_identity_as_username)", r"\1", config, flags=re.MULTILINE)
            config = re.sub("^password_file.*$", "", config, flags=re.MULTILINE)
        (folder / "conf.d").mkdir()
        (folder / "conf.d/jackpotd.conf").write_text(config)
        # As Debian's own file, with other folders. Where root runs the test it stays root: the folder is root's.
        main = ["user root", "persistence true", f"persistence_location {folder}/", f"include_dir {folder}/conf.d"]
        (folder / "mosquitto.conf").write_text("\n".join([*main, "log_dest stderr", ""]))

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            command = ["mosquitto", "-c", str(self.folder / "mosquitto.conf")]
            self._process = subprocess.Popen(command, env={"PATH": PATH}, stderr=log, stdout=log)
        for _ in range(PATIENCE_S * 20):
            if self._process.poll() is not None:
                raise AssertionError((self.folder / "log").read_text())
            with socket.socket() as probe:
                probe.settimeout(PATIENCE_S)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            threading.Event().wait(0.05)
        raise AssertionError("the broker does not listen")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)

    def reload(self) -> None:
        """What `systemctl reload mosquitto` does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def password(self, user: str) -> str:
        return (self.folder / f"{user}.password").read_text().strip()

    def who(self, user: str, *, certificate: bool = False) -> list[str]:
        """The words by which a client of the command line is this user."""
        if certificate:
            return ["--cert", str(self.folder / f"{user}.crt"), "--key", str(self.folder / f"{user}.key")]
        return ["-u", user, "-P", self.password(user)]

    def where(self) -> list[str]:
        return ["-h", "localhost", "-p", str(self.port), "--cafile", str(self.folder / "ca.crt")]

    def publish(self, who: list[str], topic: str, payload: str, *more: str) -> int:
        """Publish with QoS 1 and return the exit code; 0 says only that the broker answered."""
        words = ["mosquitto_pub", *self.where(), *who, "-q", "1", "-t", topic, "-m", payload, *more]
        done = subprocess.run(words, check=False, capture_output=True, timeout=PATIENCE_S)
        return done.returncode

    def heard(
        self, who: list[str], act: Callable[[], object], *more: str, speaker: list[str] | None = None
    ) -> list[tuple[str, str]]:
        """What a subscriber of everything hears, retained or new, until all that `act` did has passed."""
        speaker = speaker or self.who("controller")
        ready, done = (f"{BASE}/status", "ready"), (f"{BASE}/status", "done")
        assert self.publish(speaker, *ready, "-r") == 0
        with self.lines(who, *more) as lines:
            messages = until(ready, lines)
            # What is retained was queued at the subscription: it comes before all that is published from now on.
            act()
            assert self.publish(speaker, *done) == 0
            messages += until(done, lines)
        return messages

    @contextmanager
    def lines(self, who: list[str], *more: str) -> Iterator[Iterator[tuple[str, str]]]:
        """A subscriber of everything. It is killed in the end, so that its last will is published."""
        words = ["mosquitto_sub", *self.where(), *who, "-q", "1", "-t", "#", "-F", "%t %p", *more]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        assert process.stdout is not None
        end = threading.Timer(PATIENCE_S, process.kill)
        end.start()
        try:
            yield (
                (topic, payload) for topic, _, payload in (line.rstrip("\n").partition(" ") for line in process.stdout)
            )
        finally:
            end.cancel()
            process.kill()
            process.wait(PATIENCE_S)
            process.stdout.close()


def until(last: tuple[str, str], lines: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """The messages before this one."""
    messages: list[tuple[str, str]] = []
    for message in lines:
        if message == last:
            return messages
        messages.append(message)
    raise AssertionError(f"the subscriber ended without {last}, after {messages}")
