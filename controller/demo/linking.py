"""A demonstration whose tables share one meter: its link in a database, and what that comes to in the end."""

import asyncio
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from controller.demo.children import jackpotd
from controller.demo.state import State, write_secret
from controller.demo.summary import Verdict
from controller.rules.errors import BadInputError
from controller.service.starting import LINK_PASSWORD_FILE

METER = "harmony"  # the one of the demonstration's meters that tables may share
NAME_FILE = "link"  # in the folder of the demonstration: each has a link of its own
INIT_SECONDS = 30.0  # for the database to be reached and its tables to be made


class DemoLink:
    """The link of a demonstration."""

    def __init__(self, dsn: str, state: State) -> None:
        self._state = state
        self._dsn, password = _parted(dsn)
        write_secret(state.credentials / LINK_PASSWORD_FILE, password + "\n")
        if not password:
            (state.credentials / LINK_PASSWORD_FILE).unlink()
        kept = state.folder / NAME_FILE
        if not kept.exists():
            kept.write_text(f"demo-{secrets.token_hex(4)}\n")
        self.name = kept.read_text().strip()

    def settings(self) -> Mapping[str, object]:
        """`[link]` of every table."""
        return {
            "name": self.name,
            "meter": METER,
            "dsn": self._dsn,
            "allow_plain_text_over_the_network": True,  # nobody's money
        }

    async def open(self, configs: Sequence[Path]) -> None:
        """Make it known to the database, with every table."""
        for config in configs:
            done = await self._run("init", "--config", str(config))
            if done.returncode:
                raise BadInputError(f"--link: {done.stderr.strip() or done.stdout.strip()}")

    async def audited(self, config: Path, journals: Sequence[Path]) -> Verdict:
        """Whether what the tables gave is what the link has."""
        given = [word for journal in journals for word in ("--journal", str(journal))]
        done = await self._run("audit", "--config", str(config), *given)
        words = (done.stdout.strip() or done.stderr.strip()).splitlines()
        return Verdict(whole=done.returncode == 0, words=f"link {self.name}: {words[-1] if words else 'says nothing'}")

    async def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "CREDENTIALS_DIRECTORY": str(self._state.credentials)}
        return await asyncio.to_thread(_ran, jackpotd("link", *words), environ)


def _ran(command: Sequence[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 -- this very program
            command, env=dict(environ), capture_output=True, text=True, timeout=INIT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BadInputError(f"--link: the database does not answer within {INIT_SECONDS:g} s") from error


def _parted(dsn: str) -> tuple[str, str]:
    """A DSN without its password, and the password: a configuration holds none."""
    try:
        from psycopg import ProgrammingError, conninfo  # noqa: PLC0415 -- the extra may be missing
    except ModuleNotFoundError as error:
        raise BadInputError(f"--link: {error.name} is missing: install jackpotd[link]") from error
    try:
        parts = conninfo.conninfo_to_dict(dsn)
    except ProgrammingError as error:
        raise BadInputError(f"--link {dsn!r}: {' '.join(str(error).split())}") from error
    password = parts.pop("password", None)
    return conninfo.make_conninfo("", **parts), str(password or "")
