"""Nothing secret is ever said: everything a full run emits is searched for every secret there is, in every form."""

import asyncio
import re
import sqlite3
import sys
from asyncio.subprocess import PIPE, STDOUT
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from controller import vault
from controller.core.inputs import SubmissionChanged
from controller.core.times import stamp
from drivers.simulated.dealer import Round
from tests.core.play import MINI
from tests.outlets.brokers import needs_mosquitto
from tests.people.tables import Clock
from tests.service.house import PINS, House, in_a_house

pytestmark = needs_mosquitto
NOTHING = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")
VALUE = 98_765  # cents: the meter begins at 25,000 and gets nowhere near
MINIMUM = 25_000


class Secrets:
    """Everything that must not be said, by name, as it might look."""

    def __init__(self) -> None:
        self.patterns: dict[str, re.Pattern[bytes]] = {}

    def raw(self, name: str, secret: bytes) -> None:
        """Bytes: as they are, in hex of either case, and in both alphabets of base64."""
        forms = {secret, secret.hex().encode(), secret.hex().upper().encode()}
        forms |= {encode(secret).rstrip(b"=") for encode in (b64encode, urlsafe_b64encode)}
        self.patterns[name] = re.compile(b"|".join(map(re.escape, sorted(forms))))

    def text(self, name: str, secret: str) -> None:
        """Text, wherever it stands."""
        self.patterns[name] = re.compile(re.escape(secret.encode()))

    def number(self, name: str, secret: int) -> None:
        """A number that is not part of a longer one, nor the fraction of a second; in cents or in dollars."""
        dollars = f"{secret // 100}\\.{secret % 100:02}|{secret // 100:,}\\.{secret % 100:02}"
        self.patterns[name] = re.compile(rf"(?<![0-9.]){secret}(?![0-9])|{dollars}".encode())

    def found(self, said: Iterable[bytes]) -> list[str]:
        """The secrets that were said."""
        whole = b"\n".join(said)
        return [name for name, pattern in self.patterns.items() if pattern.search(whole)]


def test_no_secret_is_in_the_log_on_the_wire_in_the_status_or_in_the_journal(tmp_path: Path) -> None:
    secrets, shown = Secrets(), list[bytes]()

    async def scene(house: House) -> None:
        known = vault.load(house.keys)
        rigged = vault.Vault(
            {known._current: bytes.fromhex((house.keys / "vault-key").read_text())},  # noqa: SLF001 -- the same key
            known._current,  # noqa: SLF001 -- the same key
            randbelow=lambda _: VALUE - MINIMUM,
        )
        with house.stopped(rigged) as (_, engine):
            filing = SubmissionChanged(at=stamp(Clock().now()), key="f", toml=MINI, day="2026-11-16", reason="new")
            (answer,) = engine.step([filing])
            assert answer.ok, answer
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
            secrets.number(f"PIN of {operator}", int(pin))
        wrong = await house.ask("login", operator="flo", pin="909091")
        assert wrong["error"] == "wrong-pin"
        secrets.number("a wrong PIN", 909091)
        for _ in range(3):
            await house.bet(1, 2)
            await house.lock()
            house.deal(NOTHING)
            await house.until(lambda: house.sign.phase == "settled")
            await house.reopen()
        await house.do("operator-add", "sue", operator="new", name="New One", role="dealer", pin="717273")
        secrets.number("a new PIN", 717273)
        refused = await house.ask("adjust-meter", token=house.tokens["dora"], meter="harmony", delta_cents=1,
                                  expected_cents=1, reason="x")  # fmt: skip
        assert refused["error"] == "not-allowed"
        for operator, token in house.tokens.items():
            secrets.text(f"token of {operator}", token)
        for words in (["--json"], []):
            asking = [sys.executable, "-m", "controller", "status", "--config", str(house.config), *words]
            asked = await asyncio.create_subprocess_exec(*asking, stdout=PIPE, stderr=STDOUT)
            shown.append((await asked.communicate())[0])
        assert b"royal9-mystery" in shown[0]

    house = in_a_house(tmp_path, scene)
    said = [payload for topic, payload in house.sign.messages if not topic.startswith(("commands/", "replies/"))]
    with closing(sqlite3.connect(house.journal)) as journal:
        stored = [row[0].encode() for row in journal.execute("SELECT payload FROM facts")]
    everything = [bytes(house.raw_log), *said, *shown, *stored]
    assert len(house.log) > 30
    assert b'"wager-placed"' in house.raw_log  # at this level everything is logged
    assert len(secrets.patterns) > 14
    assert secrets.found(everything) == []


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
    assert all(secrets.found([b"x" + form + b"y"]) == ["key"] for form in forms)
    assert secrets.found([key[:-1]]) == []
