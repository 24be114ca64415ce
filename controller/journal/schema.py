"""The journal's tables, and how a file of an older version becomes one of this.

Each migration and the row that says it was applied share one transaction (sqlite-utils sees to that), and so does the
number in `user_version`: a crash between two leaves a journal that the next opening completes.
"""

from collections.abc import Callable

from sqlite_utils import Database, Migrations

from controller.journal import views
from controller.journal.errors import JournalForeignError

APPLICATION_ID = 0x6A61636B  # "jack", in the file's header: says what the file is without any table of it

_FACTS = """
CREATE TABLE facts (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    round INTEGER,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload TEXT NOT NULL,
    prev_hash BLOB NOT NULL CHECK (length(prev_hash) = 32),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT
"""
# Every fact pays for it: 1 of the 8 to 13 µs it costs in a group of 64. An index on type would cost as much.
_FACTS_BY_ROUND = "CREATE INDEX facts_by_round ON facts (round) WHERE round IS NOT NULL"

# Facts that begin a gaming day or name an archive file, and those that make or settle an award: one in a thousand, and
# without an index of just them each question about a day or a hit would read the whole journal. All other facts pay
# 0.6 µs to be left out. A query that has one of these among its conditions, word for word, is answered from that index.
# They stay when a day is archived, so that these questions need no archive.
OF_DAYS = "type IN ('submission-filed', 'readings-taken', 'facts-archived')"
OF_AWARDS = """(instr(payload, '"hit":') OR instr(payload, '"fates":['))"""
STAYS = f"({OF_DAYS} OR {OF_AWARDS})"
_FACTS_OF_DAYS = f"CREATE INDEX facts_of_days ON facts (seq) WHERE {OF_DAYS}"
_FACTS_OF_DAYS_BEFORE = "CREATE INDEX facts_of_days ON facts (seq) WHERE type IN ('submission-filed', 'readings-taken')"
_FACTS_OF_AWARDS = f"CREATE INDEX facts_of_awards ON facts (seq) WHERE {OF_AWARDS}"

# The last fact that lies in an archive file, and has left or is about to. 0: this file begins where the chain does.
_ARCHIVED = """
CREATE TABLE archived (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT
"""
# These stop a slip of the hand. Who can write the file can drop them: the chain is the protection.
_NEVER_CHANGED = """
CREATE TRIGGER facts_never_change BEFORE UPDATE ON facts
BEGIN SELECT RAISE (ABORT, 'a fact is never changed'); END
"""
_NEVER_DELETED = """
CREATE TRIGGER facts_never_go BEFORE DELETE ON facts WHEN OLD.seq > (SELECT seq FROM archived)
BEGIN SELECT RAISE (ABORT, 'a fact is never deleted before it is archived'); END
"""

_OUTBOX = """
CREATE TABLE outbox (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    cursor INTEGER NOT NULL
) STRICT
"""
_SNAPSHOTS = """
CREATE TABLE snapshots (
    seq INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    version INTEGER NOT NULL,
    payload BLOB NOT NULL
) STRICT
"""
# Outside of the chain, and so that a fact never carries one: what is left of each operator's PIN.
_PINS = """
CREATE TABLE pins (
    operator TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID
"""
# The disk proves itself while nothing happens at the table: a row written anew every few seconds, outside of the chain.
_ALIVE = """
CREATE TABLE alive (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    at TEXT NOT NULL
) STRICT
"""

_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "facts",
        (
            _FACTS,
            _FACTS_BY_ROUND,
            _ARCHIVED,
            "INSERT INTO archived VALUES (1, 0, zeroblob(32))",
            _NEVER_CHANGED,
            _NEVER_DELETED,
        ),
    ),
    ("outbox", (_OUTBOX, "INSERT INTO outbox VALUES (1, 0)")),
    ("snapshots", (_SNAPSHOTS,)),
    ("pins", (_PINS,)),
    ("alive", (_ALIVE, "INSERT INTO alive VALUES (1, '')")),
    ("questions", (_FACTS_OF_DAYS_BEFORE, _FACTS_OF_AWARDS)),
    ("archives", ("DROP INDEX facts_of_days", _FACTS_OF_DAYS)),
)
VERSION = len(_STEPS)  # of the schema, as `user_version` has it once all steps are taken


def _step(number: int, statements: tuple[str, ...]) -> Callable[[Database], None]:
    def migrate(db: Database) -> None:
        for statement in (*statements, f"PRAGMA user_version = {number}"):
            db.execute(statement)

    return migrate


MIGRATIONS = Migrations("journal")
for _number, (_name, _statements) in enumerate(_STEPS, 1):
    MIGRATIONS(name=_name)(_step(_number, _statements))


def recognise(db: Database, path: str) -> None:
    """Refuse a database that is no journal, or one this version is too old for. Only reads."""
    application_id = _pragma(db, "application_id")
    if application_id != APPLICATION_ID:
        raise JournalForeignError(
            f"{path} is a database, but not a journal (application id {application_id}, not {APPLICATION_ID}): "
            "name another file"
        )
    version = _pragma(db, "user_version")
    if version > VERSION:
        raise JournalForeignError(
            f"{path} has schema {version}, this version of jackpotd knows {VERSION}: use the version that wrote it, "
            "or a newer one"
        )


def migrate(db: Database) -> None:
    """Take the steps that are missing, and bring the views up to date."""
    with (
        db.atomic()
    ):  # the library makes this table and its index in two transactions, and never looks for the index again
        MIGRATIONS.ensure_migrations_table(db)
    MIGRATIONS.apply(db)
    if {_plain(view.schema) for view in db.views} != set(map(_plain, views.SQL)):
        with db.atomic():
            for view in db.views:
                view.drop()
            for statement in views.SQL:
                db.execute(statement)


def _plain(statement: str) -> str:
    """A statement without its layout, of which SQLite keeps only some."""
    return " ".join(statement.split()).rstrip("; ")


def _pragma(db: Database, name: str) -> int:
    value: int = db.execute(f"PRAGMA {name}").fetchone()[0]
    return value
