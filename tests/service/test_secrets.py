"""Nothing secret is ever said or left behind.

All that a full run emits, and every file it leaves, is searched for every secret there is, in every form.
"""

import asyncio
import shutil
import sqlite3
import sys
import zlib
from asyncio.subprocess import PIPE, STDOUT
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import json

from controller import vault
from controller.core.inputs import Tick
from controller.core.times import stamp
from controller.engine import Engine
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load
from drivers.simulated.dealer import Round
from tests.outlets.brokers import needs_mosquitto
from tests.people.tables import Clock, Lines
from tests.service.house import PINS, House, in_a_house
from tests.service.searching import Secrets, forms_of_bytes, left_in

pytestmark = needs_mosquitto
NOTHING = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")
VALUE = 98_765  # cents: the meter begins at 25,000 and gets nowhere near
MINIMUM = 25_000


def snapshot(house: House) -> None:
    """Have the journal keep a snapshot of all that is known, as it does every ten thousand facts."""
    with SqliteJournal(house.journal) as journal:
        engine = Engine(load(journal), journal, vault.load(house.keys), Clock(), Lines(), snapshot_every=1)
        engine.step([Tick(at=stamp(Clock().now()))])
        engine.stop()
        assert journal.snapshots()


def test_no_secret_is_said_or_left_in_the_journal_a_copy_of_it_or_any_other_file(tmp_path: Path) -> None:
    """The mystery value and its nonce above all: the database, however it is copied, does not tell them."""
    secrets, of_people, shown, copied = Secrets(), Secrets(), list[bytes](), list[bytes]()

    async def scene(house: House) -> None:
        known = vault.load(house.keys)
        house.file(VALUE - MINIMUM)
        with house.stopped() as (_, engine):
            meter = engine.state.meters["royal9-mystery"]
        cents, nonce = known.unseal("valley-forge/mb-07", meter.id, meter.cycle, meter.key_id, meter.sealed)
        assert cents == VALUE
        secrets.number("mystery value", cents)
        secrets.raw("nonce", bytes.fromhex(nonce))
        for name in ("vault-key", "pin-pepper"):
            secrets.raw(name, bytes.fromhex((house.keys / name).read_text()))
        secrets.text("mqtt-password", (house.keys / "mqtt-password").read_text())
        await house.start(JACKPOTD_LOG="debug")
        await house.open()
        await house.sign_in("flo", "finn", "sue")
        for operator, pin in PINS.items():
            of_people.number(f"PIN of {operator}", int(pin))
        wrong = await house.ask("login", operator="flo", pin="909091")
        assert wrong["error"] == "wrong-pin"
        of_people.number("a wrong PIN", 909091)
        for _ in range(3):
            await house.bet(1, 2)
            await house.lock()
            house.deal(NOTHING)
            await house.until(lambda: house.sign.phase == "settled")
            await house.reopen()
        await house.do("operator-add", "sue", operator="new", name="New One", role="dealer", pin="717273")
        of_people.number("a new PIN", 717273)
        refused = await house.ask("adjust-meter", token=house.tokens["dora"], meter="harmony", delta_cents=1,
                                  expected_cents=1, reason="x")  # fmt: skip
        assert refused["error"] == "not-allowed"
        for operator, token in house.tokens.items():
            of_people.text(f"token of {operator}", token)
        shown.extend([await _status(house, "--json"), await _status(house)])
        # As someone would who takes the database along while the table plays.
        assert house.journal.with_name("journal.db-wal").stat().st_size
        taken = shutil.copytree(house.folder, tmp_path.with_name("taken"), ignore=_own(house))
        copied.extend(left_in(taken))

    house = in_a_house(tmp_path, scene)
    snapshot(house)
    left = list(left_in(tmp_path, but=[house.keys]))
    sealed = house.state().meters["royal9-mystery"].sealed.encode()
    assert [sealed in b"\n".join(each) for each in (copied, left)] == [True, True], "what is sealed was looked at"
    said = [payload for topic, payload in house.sign.messages if not topic.startswith(("commands/", "replies/"))]
    between = [payload for topic, payload in house.sign.messages if topic.startswith(("commands/", "replies/"))]
    everything = [bytes(house.raw_log), *said, *shown, *copied, *left]
    assert (len(house.log) > 30, bool(between)) == (True, True)
    assert b'"wager-placed"' in house.raw_log  # at this level everything is logged
    assert len(secrets.patterns) + len(of_people.patterns) > 14
    assert secrets.found([*everything, *between]) == []
    assert of_people.found(everything) == []


async def _status(house: House, *words: str) -> bytes:
    asking = [sys.executable, "-m", "controller", "status", "--config", str(house.config), *words]
    asked = await asyncio.create_subprocess_exec(*asking, stdout=PIPE, stderr=STDOUT)
    told, _ = await asked.communicate()
    assert b"royal9-mystery" in told
    return told


def _own(house: House) -> Callable[[str, list[str]], list[str]]:
    """What is no part of a copy: keys, and what is no plain file."""

    def passed_over(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if name == house.keys.name or not _plain(Path(folder, name))]

    return passed_over


def _plain(path: Path) -> bool:
    return path.is_dir() or (path.is_file() and not path.is_symlink())


# -- the search has teeth --

NONCE = bytes(range(200, 232))


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal as it is on disk."""
    path = tmp_path / "journal.db"
    SqliteJournal(path).close()
    return path


def _in_a_fact(db: sqlite3.Connection, form: bytes) -> None:
    db.execute("INSERT INTO facts VALUES (1, '', 1, 'x', 1, ?, zeroblob(32), zeroblob(32))", (form.decode("latin-1"),))


def _in_a_snapshot(db: sqlite3.Connection, form: bytes) -> None:
    db.execute("INSERT INTO snapshots VALUES (1, zeroblob(32), 1, ?)", (form,))


def _in_a_packed_snapshot(db: sqlite3.Connection, form: bytes) -> None:
    db.execute("INSERT INTO snapshots VALUES (1, zeroblob(32), 1, ?)", (zlib.compress(b"{" + form + b"}"),))


def _in_a_row_that_was_deleted(db: sqlite3.Connection, form: bytes) -> None:
    db.execute("PRAGMA secure_delete = OFF")  # which Debian's SQLite has on
    _in_a_snapshot(db, form)
    db.commit()
    db.execute("DELETE FROM snapshots")


Plant = Callable[[sqlite3.Connection, bytes], None]
PLACES: list[Plant] = [_in_a_fact, _in_a_snapshot, _in_a_packed_snapshot, _in_a_row_that_was_deleted]


@pytest.mark.parametrize("plant", PLACES, ids=lambda each: each.__name__.strip("_"))
def test_the_search_finds_a_nonce_planted_in_a_journal(journal: Path, plant: Plant) -> None:
    secrets = Secrets()
    secrets.raw("nonce", NONCE)
    assert secrets.found(left_in(journal.parent)) == []
    with closing(sqlite3.connect(journal)) as db:
        plant(db, NONCE.hex().encode())
        db.commit()
    assert secrets.found(left_in(journal.parent)) == ["nonce"]


def test_the_search_looks_at_what_is_not_yet_in_the_database_itself(journal: Path) -> None:
    secrets = Secrets()
    secrets.raw("nonce", NONCE)
    with closing(sqlite3.connect(journal)) as db:
        db.execute("PRAGMA wal_autocheckpoint = 0")
        _in_a_fact(db, b64encode(NONCE))
        db.commit()
        assert b64encode(NONCE) not in journal.read_bytes()
        assert secrets.found(left_in(journal.parent)) == ["nonce"]


@pytest.mark.parametrize("form", [b"%d", b'{"value":%d}', b"$987.65 of %d"])
def test_the_search_finds_a_value(form: bytes) -> None:
    secrets = Secrets()
    secrets.number("value", VALUE)
    assert secrets.found([b"nothing", form % VALUE if b"%d" in form else form]) == ["value"]
    assert secrets.found([b"198765 and 987651 at 11:15:00.98765"]) == []


def test_the_search_finds_bytes_in_every_form() -> None:
    secrets, key = Secrets(), bytes(range(200, 232))
    secrets.raw("key", key)
    forms = [key, key.hex().encode(), key.hex().upper().encode(), b64encode(key), urlsafe_b64encode(key)]
    forms += [b64encode(before + key + b"behind") for before in (b"x", b"xy", b"xyz")]
    forms += [json.encode(list(key)), str(int.from_bytes(key)).encode()]
    assert all(secrets.found([b"x" + form + b"y"]) == ["key"] for form in {*forms, *forms_of_bytes(key)})
    assert secrets.found([key[:-1]]) == []
