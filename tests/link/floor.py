"""A floor whose tables share meters: their configurations, the key they have in common, and the commands."""

import os
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

from msgspec import json
from psycopg import conninfo

from controller import vault
from controller.cli.link_audit import journaled
from controller.cli.main import main
from controller.clock import WallClock
from controller.journal.reading import open_readonly
from controller.link import reaching
from controller.link.audit import audit
from controller.link.chances import Sealed
from controller.link.filings import filings
from controller.link.opening import initialise
from controller.link.reading import snapshot
from controller.service.starting import configuration
from controller.wire.link import LinkSettings
from tests.core.play import HEAVENLY, MINI
from tests.link.player import NAME, NEAR_CENTS, Setup, near_chances

HARMONY, HEAVENLY9 = ("harmony",), ("heavenly9", "must-hit-by")


class Said:
    """How a command ended, and what it said."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.out}{self.err}"

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.decode(self.out)
        return found


class Floor:
    """Tables of one link, in a folder."""

    def __init__(self, folder: Path, dsn: str, meters: tuple[str, ...] = HARMONY, toml: str = "") -> None:
        self.folder, self.dsn, self.meters = folder, dsn, meters
        self.toml = toml or (MINI if meters == HARMONY else HEAVENLY)
        self.credentials = folder / "credentials"
        self.credentials.mkdir(mode=0o700)
        vault.create_key(self.credentials / vault.LINK_KEY_FILE)

    @property
    def settings(self) -> LinkSettings:
        return LinkSettings(name=NAME, meter=self.meters, dsn=self.dsn)  # type: ignore[arg-type]  # names of meters

    def chances(self) -> Sealed:
        return Sealed(NAME, vault.load(self.credentials, vault.LINK_KEY_FILE))

    def config(self, table: str = "mb-07", *, change: tuple[str, str] = ("", ""), link: str = "") -> Path:
        """The configuration of a table."""
        path = self.folder / f"{table}.toml"
        text = self.toml.replace('"mb-07"', f'"{table}"').replace('"bac-01"', f'"{table}"')
        assert change[0] in text
        text = text.replace(*change) if change[0] else text
        meters = json.encode(self.meters).decode()
        path.write_text(f'{text}\n[link]\nname = "{NAME}"\nmeter = {meters}\ndsn = "{self.dsn}"\n{link}\n')
        return path

    def call(self, *words: str) -> Said:
        """Run a command of `jackpotd`, with the floor's credentials."""
        out, err = StringIO(), StringIO()
        environ = mock.patch.dict(os.environ, CREDENTIALS_DIRECTORY=str(self.credentials))
        with environ, redirect_stdout(out), redirect_stderr(err):
            try:
                code = main(words)
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Said(code, out.getvalue(), err.getvalue())

    def setup(self, table: str, **more: Any) -> Setup:  # noqa: ANN401 -- what the setup takes
        """A table of this floor, to be played."""
        return Setup(
            journal=str(self.journal(table)),
            table=table,
            toml=self.config(table).read_text().partition("[link]")[0],
            dsn=self.dsn,
            meters=self.meters,
            credentials=str(self.credentials),
            **more,
        )

    def journal(self, table: str) -> Path:
        return self.folder / f"{table}.db"

    def open(self, *tables: str, near: int = NEAR_CENTS) -> None:
        """Make the link ready for some tables, with mystery values that are soon passed, near 1 by any wager."""
        for table in tables:
            found = configuration(self.config(table), WallClock().now()).files
            with reaching.connected(self.settings, "tests") as connection:
                chances = near_chances(self.credentials, near)
                initialise(connection, NAME, (found.site, found.name), filings(found, NAME), chances)

    def audit(self, *tables: str) -> dict[str, Any]:
        """What `jackpotd link audit` says with the journals of some tables: it adds up."""
        journals = [str(self.journal(table)) for table in tables]
        config = str(self.config(tables[0]))
        done = self.call("link", "audit", "--config", config, "--journal", *journals, "--json")
        assert done.code == 0, done
        return done.json

    def flaws(self, *tables: str) -> list[str]:
        """What an audit names as differences, with the journals of some tables: as the command does it, and quicker."""
        with ExitStack() as stack:
            journals = [stack.enter_context(open_readonly(self.journal(table))) for table in tables]
            settled = [journal.head().seq for journal in journals]
            connection = stack.enter_context(reaching.connected(self.settings, "tests"))
            ledger = stack.enter_context(snapshot(connection, NAME))
            return audit(ledger, *journaled(NAME, journals, settled, ledger.tables)).differences

    @property
    def database(self) -> str:
        return str(conninfo.conninfo_to_dict(self.dsn)["dbname"])

    def init(self, *tables: str) -> None:
        """Make the link ready for some tables."""
        for table in tables:
            done = self.call("link", "init", "--config", str(self.config(table)))
            assert done.code == 0, done
