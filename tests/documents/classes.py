"""Which commands of the documents are not run as they stand, and why: what is done instead, or at least checked.

Everything that is named nowhere here is run as written, in a box.
"""

import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable
from typing import NamedTuple

from tests.documents.box import PIN, Box, Done
from tests.documents.reading import ROOT
from tests.mosquitto.broker import PATH
from tests.ports import free_port

UNITS = {path.name for path in (ROOT / "systemd").glob("*.service")} | {"mosquitto.service", "systemd-journald.service"}
USERS = (ROOT / "systemd/jackpotd.sysusers").read_text()
PEOPLE = {"root", "mosquitto", *re.findall(r"^[ug]\s+(\S+)", USERS, re.MULTILINE)}


class Instead(NamedTuple):
    """A command for which something else is done that shows the same."""

    pattern: str
    why: str
    does: Callable[[Box, str], Done]


class Left(NamedTuple):
    """A command that is not run: why, and what is found wrong with it all the same."""

    pattern: str
    why: str
    wrong: Callable[[str], str]


def _started(box: Box, _text: str) -> Done:
    box.start_controller()
    return 0, ""


def _stopped(box: Box, _text: str) -> Done:
    box.stop("controller")
    return 0, ""


def _broker(box: Box, _text: str) -> Done:
    box.start_broker()
    return 0, ""


def _reloaded(box: Box, _text: str) -> Done:
    box.running["broker"].send_signal(signal.SIGHUP)
    return 0, ""


def _unwrapped(box: Box, text: str) -> Done:
    """What a transient unit would run, as this user and with the credentials of the box."""
    box.hand_out()
    (inner,) = re.findall(r"sh -c '(.*)'$", text)
    return box.run(inner, f"{PIN}\n")


def _edited(box: Box, _text: str) -> Done:
    box.configure()
    return 0, ""


INSTEAD = (
    Instead(r"systemctl restart mosquitto$", "the broker of the box is started", _broker),
    Instead(r"systemctl reload mosquitto$", "the broker of the box reads its files again", _reloaded),
    Instead(r"systemctl restart jackpotd$", "its controller is started anew", _started),
    Instead(r"systemctl (enable --now|start) (.* )?jackpotd( |$)", "its controller is started", _started),
    Instead(r"systemctl (disable --now|stop) (.* )?jackpotd( |$)", "its controller is stopped", _stopped),
    Instead(r"systemd-run .* sh -c '.*'$", "what the transient unit runs is run", _unwrapped),
    Instead(r"editor /etc/jackpotd/table.toml", "the files of docs/wiring.md are written", _edited),
    Instead(
        r"systemd/install\b(?!.*--destdir)",
        "it is installed into the box",
        lambda box, text: box.run(f"{text} --destdir {box.root}"),
    ),
    Instead(
        r"jackpotd devices$",
        "it would speak to whatever is plugged into this machine: it only lists",
        lambda box, text: box.run(f"{text} --no-probe"),
    ),
    Instead(
        r"jackpotd demo\b(?!.*--port)",
        "port 8080 may be taken here",
        lambda box, text: box.run(f"{text} --port {free_port()}"),
    ),
    Instead(
        r"jackpotd rng stream \| dieharder",
        "dieharder takes an hour: its input is looked at",
        lambda box, _text: box.run("jackpotd rng stream | head -c 65536 | wc -c | grep -x 65536"),
    ),
    Instead(
        r"createuser .*--pwprompt",
        "a password is asked for, twice",
        lambda box, text: box.run(text, "a-long-password\na-long-password\n"),
    ),
)


def _units(text: str) -> str:
    """Units that are named and that nobody ships."""
    words = re.findall(r"(?<![\w./-])(?:-u )?(jackpotd[\w-]*|mosquitto|systemd-\w+)(?:\.service)?(?![\w./=])", text)
    wrong = [word for word in words[1 if text.startswith("systemd-") else 0 :] if f"{word}.service" not in UNITS]
    return f"no unit is called {', '.join(wrong)}" if wrong else _spelled(text)


def _spelled(text: str) -> str:
    """A program there is none of on a machine that can run the tests."""
    program = text.split(maxsplit=1)[0]
    return "" if shutil.which(program, path=PATH) else f"{program} is not on this machine"


def _owners(text: str) -> str:
    named = set(re.split(r"[: ]", text.split(" /", maxsplit=1)[0])[1:]) - {"-R"}
    return f"nobody is called {', '.join(sorted(named - PEOPLE))}" if named - PEOPLE else ""


def _files(text: str) -> str:
    missing = [name for name in re.findall(r"-r (\S+)", text) if not (ROOT / name).exists()]
    return f"there is no {', '.join(missing)}" if missing else ""


def _tests(text: str) -> str:
    missing = [word for word in text.split()[3:] if not word.startswith("-") and not (ROOT / word).exists()]
    return f"there is no {', '.join(missing)}" if missing else ""


def _target(text: str) -> str:
    told = subprocess.run(
        ["/usr/bin/env", "make", "--dry-run", *shlex.split(text)[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stderr if told.returncode else ""


def _nothing(_text: str) -> str:
    return ""


BOX_ONLY = "it changes the machine, or asks the systemd that runs it; tests/systemd checks the units themselves"
LEFT = (
    Left(r"(systemctl|journalctl|systemd-tmpfiles|systemd-creds|tail -f /var/log)\b", BOX_ONLY, _units),
    Left(r"apt-get ", "it changes the machine", _spelled),
    Left(r"(chown|chgrp) ", "the users are there on a real box only", _owners),
    Left(
        r"(python3 -m venv /opt|/opt/jackpotd/bin/pip |pip |ln -s /opt)",
        "it fetches packages; tests/test_packaging.py builds the wheel and installs it",
        _files,
    ),
    Left(
        r"(/opt/jackpotd/bin/python -I -m controller\.service\.software|sha256sum /opt)",
        "only an installed wheel has a RECORD; tests/service/test_software.py makes one",
        _nothing,
    ),
    Left(
        r"(sha256sum (--check )?SHA256SUMS|cd / && sha256sum --check|find opt/jackpotd)",
        "a release and its package are not here; tests/release builds, installs and compares them",
        _nothing,
    ),
    Left(r"python -m pytest ", "it runs tests, as this does", _tests),
    Left(r"make ", "it takes minutes, or is what runs this test", _target),
    Left(r"\. \.venv/bin/activate", "the environment is the one this test runs in", _nothing),
    Left(r"shred -u ", "the key it destroys is needed by what follows", _spelled),
    Left(r"(chromium --kiosk|xset|certutil) ?", "it needs a screen, or what only a kiosk has", _nothing),
)
# Commands that go on until Ctrl-C, and what they must have said by then.
FOR_EVER = {
    r"jackpotd devices watch\b(?!.*--seconds)": r"online",
    r"jackpotd devices simulate\b": r"Words it obeys",
    r"mosquitto_sub\b(?!.* -C )": r"jackpot/",
}
# What is asked for at a terminal, and comes from standard input otherwise.
SAID = {
    r"jackpotd operators add\b.*--by": f"{PIN}\n135790\n",
    r"jackpotd operators add\b": f"{PIN}\n",
    r"jackpotd operators list\b": f"{PIN}\n",
}
