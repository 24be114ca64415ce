"""`jackpotd link`: the database of meters that tables share. Its library is an extra."""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from controller import vault
from controller.cli.audit import printable
from controller.clock import WallClock
from controller.link.filings import filings
from controller.link.sessions import Filing, LinkLostError
from controller.rules.errors import BadInputError
from controller.service.starting import CREDENTIALS, LINK_PASSWORD_FILE, configuration, read_password
from controller.wire.link import LinkSettings

if TYPE_CHECKING:
    import psycopg
    from psycopg.rows import TupleRow

Action = Callable[[argparse.Namespace, "Asked"], int]


class Asked(NamedTuple):
    """The link of a configuration, and the table it is the configuration of."""

    settings: LinkSettings
    site: str
    table: str  # site/table
    timezone: str
    day_start: str
    filings: dict[str, Filing]
    credentials: Path | None

    def vault(self) -> vault.Vault | None:
        """The link's key, where there is one: only a mystery meter that is to be opened needs it."""
        if self.credentials is None or not (self.credentials / vault.LINK_KEY_FILE).exists():
            return None
        return vault.load(self.credentials, vault.LINK_KEY_FILE)


def run(options: argparse.Namespace) -> int:
    """Do what was asked about the link of a configuration."""
    try:
        action: Action = import_module(f"controller.cli.link_{options.action}").run
        return action(options, _asked(options.config))
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise BadInputError("psycopg is missing: install the extra for links, `pip install jackpotd[link]`") from error
    except LinkLostError as error:
        raise BadInputError(printable(str(error))) from error


def _asked(path: str) -> Asked:
    found = configuration(Path(path), WallClock().now())
    settings, files = found.settings.link, found.files
    if not settings.name:
        raise BadInputError(f"{path} has no link: give it one in [link], with name, meter and dsn")
    folder = os.environ.get(CREDENTIALS, "")
    return Asked(
        settings,
        files.site,
        files.name,
        files.timezone,
        files.day_start,
        filings(files, settings.name),
        Path(folder) if folder else None,
    )


@contextmanager
def connected(asked: Asked) -> Iterator["psycopg.Connection[TupleRow]"]:
    """The link's database, as the table's controller reaches it."""
    from controller.link import reaching  # noqa: PLC0415 -- the extra may be missing

    with reaching.connected(asked.settings, "jackpotd link", password=_password(asked.credentials)) as connection:
        yield connection


def _password(folder: Path | None) -> str | None:
    path = folder / LINK_PASSWORD_FILE if folder else None
    return read_password(path, "link.dsn") if path is not None and path.exists() else None
