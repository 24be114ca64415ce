"""The ledger asked how a hit came about."""

import psycopg
from msgspec import json
from psycopg.rows import TupleRow

from controller.core.filed import FiledMeter
from controller.core.meters import Meter
from controller.link.deriving import LinkedDerivation, Row, derive
from controller.link.lines import Line
from controller.link.reaching import connected, told
from controller.link.sessions import LinkLostError, LinkRefusedError
from controller.wire.link import LinkSettings

PAGE = 2_000  # lines fetched at a time: a megabyte or two
ANSWER_MS = 10_000  # of one statement: who asked at a console waits no longer for all of it than twice that

_METER = "SELECT filed, opened FROM jackpotd.meters WHERE link = %s AND meter = %s"
_BACKWARDS = (
    "SELECT seq, at, round, kind, payload FROM jackpotd.ledger "
    "WHERE link = %s AND meter = %s AND seq <= %s ORDER BY seq DESC"
)


def derived(
    connection: psycopg.Connection[TupleRow], link: str, meter: str, seq: int, position: int
) -> LinkedDerivation:
    """Every step to the hit that a line of the ledger made for a position."""
    stored = connection.execute(_METER, (link, meter)).fetchone()
    if stored is None:
        raise LinkRefusedError(f"the link {link} keeps no {meter}")
    filed, opened = json.decode(stored[0], type=FiledMeter), json.decode(stored[1], type=Meter)
    with connection.transaction(), connection.cursor(name="backwards") as cursor:
        cursor.itersize = PAGE
        lines = cursor.execute(_BACKWARDS, (link, meter, seq))
        rows = (Row(seq_, at, round_, kind, json.decode(text, type=Line)) for seq_, at, round_, kind, text in lines)
        return derive(filed, opened, rows, seq, position)


def derived_at(settings: LinkSettings, password: str | None, meter: str, seq: int, position: int) -> LinkedDerivation:
    """The same on a connection of its own: the table's session is for play."""
    with connected(settings, "jackpotd derive", password=password) as connection:
        connection.execute("SELECT set_config('statement_timeout', %s, false)", (str(ANSWER_MS),))
        try:
            return derived(connection, settings.name, meter, seq, position)
        except (psycopg.Error, LinkLostError):
            raise
        except Exception as error:  # whatever a line made by others does: it is said of the link, not of the table
            why = f"what the link {settings.name} keeps cannot be read ({type(error).__name__}: {told(error)})"
            raise LinkRefusedError(f"{why}: have it looked into with `jackpotd link audit`") from error
