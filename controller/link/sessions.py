"""What a table and a link say to each other, whatever keeps the link."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from controller.core.filed import FiledMeter
from controller.core.inputs import LinkAnswered
from controller.core.meters import Meter
from controller.core.state import Intent, LinkHead
from controller.link.lines import Listed


class LinkLostError(Exception):
    """The database is not there, or does not answer in time. What was asked may have been done: ask again."""


class LinkRefusedError(LinkLostError):
    """The database is there, and the table must not use it; the message says why and what to do."""


class Filing(NamedTuple):
    """A linked meter as this table files it."""

    wager: str  # with its paytable
    stake_cents: int
    meter: FiledMeter


class Identity(NamedTuple):
    """Who asks: a table, what it files, and how far it knows the ledger."""

    site: str
    table: str  # site/table
    instance: str  # of this process
    filings: Mapping[str, Filing]  # by meter
    heads: Mapping[str, LinkHead]  # the same
    asked: frozenset[str] = frozenset()  # intents whose answers its journal does not have yet
    seen: Mapping[str, LinkHead] = {}  # the newest line of each meter that its controller saw, whoever asked


class Shown(NamedTuple):
    """A linked meter as every table of the link may show it."""

    seq: int
    meter: Meter  # without its hits
    listed: tuple[Listed, ...]
    hash: str = ""  # of that line, lowercase hex


class Session(Protocol):
    """One table's session with its link."""

    @property
    def shown(self) -> Mapping[str, Shown]:
        """The meters as they were last seen."""

    async def look(self) -> None:
        """See how the meters stand."""

    async def prove(self) -> None:
        """Commit something, to see that it can be done."""

    async def apply(self, intent: Intent, at: str) -> LinkAnswered:
        """Have an intent applied once, however often it is asked, and durably."""
