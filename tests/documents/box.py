"""A box as the documents speak of it, in a folder: what they call /etc, /var/lib or /dev lies there, and runs there.

Mosquitto is started with the shipped files, the controller from the configuration in the folder's /etc, two boards are
on a pseudo-terminal. Root's work on a real machine is what is left out.
"""

import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from controller.vault import OLD_KEY_FILES
from tests.documents.reading import ROOT, blocks
from tests.mosquitto.broker import PATH
from tests.ports import free_port

# Under the settings of a rail: a machine that is busy with something else loses no board, which no document is about.
RAIL = 'driver = "modbus"\n'
PATIENT_RAIL = f"{RAIL}stale_ms = 8000\nreply_ms = 1000\n"
Done = tuple[int, str]  # an exit code, and what was said
PATIENCE_S = 60  # for a loaded machine
PLACES = re.compile(r"(?<![\w./~-])/(etc|var|opt|tmp|root|backup|dev/jackpotd|dev/ttyUSB0|usr/local/bin)\b")
PORT = "FT4XYZ-if00-port0"  # the adapter's name in the documents
# As the unit hands them out.
KEYS = ("vault-key", "pin-pepper", "pin-pepper-old", "link-key", "link-password", "mqtt-password")
FORMER = "etc/credstore/jackpotd.vault-keys-old"
PIN = "246810"
# The release as it was unpacked: what commands name by a relative path.
RELEASE = ("config", "systemd", "requirements.lock", "requirements-link.lock", "Makefile", "docs", "pyproject.toml")


class Box:
    """One folder that is a machine. `close` it in the end."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "box"
        self.here = folder / "release"  # where commands are typed
        self.port = free_port()
        self.running: dict[str, subprocess.Popen[str]] = {}
        self.words = {"table-7.pit": "localhost"}  # what a reader writes in the place of an example
        self.environ = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{PATH}",
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
            "CREDENTIALS_DIRECTORY": str(self.root / "run/credentials"),
            "TERM": "xterm-256color",
            "COLUMNS": "120",
            "LINES": "40",
        }
        for name in ("etc/jackpotd", FORMER, "etc/mosquitto/conf.d", "etc/mosquitto/jackpotd"):
            (self.root / name).mkdir(parents=True)
        for name in ("var/lib/jackpotd", "var/log", "dev/jackpotd", "tmp", "root", "backup", "opt/jackpotd"):
            (self.root / name).mkdir(parents=True)
        for path in (self.here, folder / "home", self.root / "run"):
            path.mkdir()
        for name in RELEASE:
            (self.here / name).symlink_to(ROOT / name)
        (self.root / "opt/jackpotd/bin").symlink_to(Path(sys.executable).parent)

    # -- commands --

    def placed(self, text: str) -> str:
        """A text of a document, with the paths of this box and the port of its broker."""
        return PLACES.sub(rf"{self.root}/\1", text).replace("8883", str(self.port))

    def begin(self, text: str, said: str = "", screen: int = subprocess.PIPE) -> subprocess.Popen[str]:
        """Start a command as a reader types it, in a session of its own: nothing asks a terminal that is not there."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", self.placed(text)],
            cwd=self.here,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=screen,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(said)
        process.stdin.flush()
        return process

    def run(self, text: str, said: str = "") -> Done:
        """Run a command to its end; its exit code and what it said."""
        process = self.begin(text, said)
        try:
            told, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            end(process)
        return process.returncode, told

    def watch(self, text: str, expected: str) -> Done:
        """Run a command that goes on for ever, at a terminal, until it has said this; then press Ctrl-C."""
        terminal, screen = pty.openpty()
        process = self.begin(text, screen=screen)
        os.close(screen)
        told, ends, interrupted = "", time.monotonic() + PATIENCE_S, False
        try:
            while time.monotonic() < ends:
                if select.select([terminal], [], [], 0.1)[0]:
                    try:
                        told += os.read(terminal, 65536).decode(errors="replace")
                    except OSError:  # the other end is closed
                        break
                if not interrupted and re.search(expected, told):
                    interrupted = True
                    os.killpg(process.pid, signal.SIGINT)
        finally:
            os.close(terminal)
            end(process)
        usual = {0, -signal.SIGINT, 128 + signal.SIGINT}
        return (0 if interrupted and process.returncode in usual else process.returncode or 1), told

    # -- what runs on it --

    def plug_in(self) -> subprocess.Popen[str]:
        """The two boards of docs/wiring.md, on the adapter's name."""
        path = self.root / "dev/jackpotd" / PORT
        process = self._keep("rail", [sys.executable, "-m", "tests.documents.rail", str(path)])
        assert process.stdout is not None
        assert process.stdout.readline() == "plugged\n"
        return process

    def start_broker(self) -> None:
        """`systemctl restart mosquitto`, with the files that are in this box's /etc/mosquitto."""
        self.stop("broker")
        conf = self.root / "etc/mosquitto"
        ours = conf / "conf.d/jackpotd.conf"
        ours.write_text(self.placed(ours.read_text()))
        main = ["user root", "persistence true", f"persistence_location {conf}/", f"include_dir {conf}/conf.d"]
        (conf / "mosquitto.conf").write_text("\n".join([*main, "log_dest stderr", ""]))
        process = self._keep("broker", ["mosquitto", "-c", str(conf / "mosquitto.conf")])
        self.until(lambda: _listens(self.port), process)

    def start_controller(self) -> None:
        """`systemctl start jackpotd`: credentials as the unit names them, the configuration of this box's /etc."""
        self.stop("controller")
        self.hand_out()
        config = self.root / "etc/jackpotd/table.toml"
        service = config.with_suffix(".service.toml")
        if "[software]" not in service.read_text():  # tests run from a checkout, which has no list of its files
            service.write_text(f"{service.read_text()}\n[software]\nallow_unsigned = true\n")
        process = self._keep("controller", [sys.executable, "-m", "controller", "run", "--config", str(config)])
        self.until(lambda: self.run("jackpotd status --config /etc/jackpotd/table.toml")[0] == 0, process)

    def hand_out(self) -> None:
        """What systemd does with the files of /etc/credstore."""
        folder = Path(self.environ["CREDENTIALS_DIRECTORY"])
        folder.mkdir(mode=0o700, exist_ok=True)
        for name in KEYS:
            source = self.root / f"etc/credstore/jackpotd.{name}"
            if source.exists():
                shutil.copyfile(source, folder / name)
                (folder / name).chmod(0o600)
        for source in (self.root / FORMER).iterdir():
            shutil.copyfile(source, folder / f"{OLD_KEY_FILES}_{source.name}")
            (folder / f"{OLD_KEY_FILES}_{source.name}").chmod(0o600)

    def configure(self) -> None:
        """Write the two files of docs/wiring.md, as they stand there."""
        tables, service = (each.text for each in blocks(ROOT / "docs/wiring.md") if each.kind == "toml")
        (self.root / "etc/jackpotd/table.toml").write_text(tables)
        (self.root / "etc/jackpotd/table.service.toml").write_text(self.service(service))

    def service(self, text: str) -> str:
        """A document's settings of the service, for this box."""
        return self.placed(text).replace('ca = "', f'port = {self.port}\nca = "', 1).replace(RAIL, PATIENT_RAIL)

    def until(self, true: object, process: subprocess.Popen[str]) -> None:
        """Wait for something a process does in its own time."""
        assert callable(true)
        ends = time.monotonic() + PATIENCE_S
        while not true():
            assert process.poll() is None, self.log(process)
            assert time.monotonic() < ends, self.log(process)
            time.sleep(0.05)

    def log(self, process: subprocess.Popen[str]) -> str:
        """What a process has said on standard error."""
        name = next(name for name, each in self.running.items() if each is process)
        return (self.root / f"var/log/{name}.log").read_text()

    def _keep(self, name: str, words: list[str]) -> subprocess.Popen[str]:
        with (self.root / f"var/log/{name}.log").open("a") as log:
            self.running[name] = subprocess.Popen(
                words,
                cwd=ROOT,
                env=self.environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if name == "rail" else log,
                stderr=log,
                text=True,
                bufsize=1,
            )
        return self.running[name]

    def stop(self, name: str) -> None:
        """End one of them, as systemd does."""
        process = self.running.pop(name, None)
        if process is not None:
            process.terminate()
            process.communicate(timeout=PATIENCE_S)

    def close(self) -> None:
        """End all of them."""
        for name in ("controller", "rail", "broker", *list(self.running)):
            self.stop(name)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(PATIENCE_S)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def end(process: subprocess.Popen[str]) -> None:
    """Whatever is left of a command and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
