"""Keys changed at a table that plays on: the standing value stays what it was, and nobody needs another PIN."""

import secrets
from pathlib import Path
from typing import Any

from controller import vault
from controller.people.pepper import pepper_id
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import PINS, House, in_a_house
from tests.service.test_table import QUICK

pytestmark = needs_mosquitto
METER = "royal9-mystery"
LITTLE = 30  # cents above the minimum: a round or two


def key_of(house: House, name: str = "vault-key") -> str:
    """The id of a key file."""
    return vault.key_id(bytes.fromhex((house.keys / name).read_text()))


def renew(house: House, name: str, old: str) -> None:
    """Put a new secret in place of one, and that under its old name."""
    (house.keys / name).rename(house.keys / old)
    (house.keys / name).touch(0o600)
    (house.keys / name).write_text(secrets.token_hex(32))


async def restart(house: House) -> dict[str, Any]:
    """Stop, start, and what the start said about keys."""
    if house.runs:
        assert await house.stop() == 0, house.raw_log.decode()
    begun = len(house.log)
    await house.start()
    (told,) = house.logged("keys", begun)
    return told


async def hit(house: House) -> dict[str, Any]:
    """Play until the mystery is hit; what was revealed."""
    while house.sign.topics[f"meters/{METER}"]["state"] != "hit":
        await house.bet(*range(1, 10))
        await house.lock()
        await house.agree()
        await house.reopen()
    (award,) = (await house.agree()).pending()
    reveal: dict[str, Any] = house.sign.topics[f"awards/{award.id}"]["reveal"]
    return reveal


def test_a_standing_value_outlives_its_key_and_pins_their_pepper(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        house.file(LITTLE)
        first = key_of(house)
        told = await restart(house)
        assert (told["seals"], told["needed"][METER], told["idle"]) == (first, first, [])
        await house.open()
        commitment = house.sign.topics[f"meters/{METER}"]["commitment"]
        await house.do("close-table", "dora")

        renew(house, "vault-key", "vault-key-old-first")
        renew(house, "pin-pepper", "pin-pepper-old")
        second = key_of(house)
        told = await restart(house)
        assert (told["seals"], told["needed"][METER], told["idle"]) == (second, first, [])
        assert told["pins_with_old_pepper"] == len(PINS)
        await house.open()
        assert house.sign.topics[f"meters/{METER}"]["commitment"] == commitment, "nothing was drawn anew"
        reveal = await hit(house)
        assert reveal["commitment"] == commitment
        cents, nonce = reveal["value_cents"], bytes.fromhex(reveal["nonce"])
        assert vault.commitment("valley-forge/mb-07", METER, reveal["cycle"], cents, nonce) == commitment
        assert house.state().meters[METER].key_id == second, "the next value is sealed with the new key"

        told = await restart(house)
        assert (told["needed"][METER], told["idle"]) == (second, [first]), "the former key may go"
        assert told["pins_with_old_pepper"] == len(PINS) - 1, "the dealer has signed in"
        for old in ("vault-key-old-first", "pin-pepper-old"):
            (house.keys / old).unlink()
        told = await restart(house)
        assert (told["idle"], told["pins_with_old_pepper"]) == ([], 0)
        await house.sign_in("dora")
        refused = await house.ask("login", operator="flo", pin=PINS["flo"])
        assert refused["error"] == "wrong-pin", "the pepper of that one is gone"
        warnings = "; ".join(house.sign.topics["status"]["health"]["warnings"])
        assert f"pins: {len(PINS) - 1} PINs were kept with another pepper and fit nothing" in warnings

    house = in_a_house(tmp_path, scene, toml=QUICK)
    assert pepper_id(bytes.fromhex((house.keys / "pin-pepper").read_text())).encode() in house.journal.read_bytes()


def test_a_key_taken_away_too_early_stops_its_wager_alone_until_it_is_back(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        house.file(LITTLE)
        first = key_of(house)
        await restart(house)
        commitment = house.sign.topics[f"meters/{METER}"]["commitment"]
        renew(house, "vault-key", "elsewhere")
        await restart(house)
        await house.until(lambda: (house.sign.lamp(1), house.sign.lamp(1, "harmony")) == ("fault", "off"))
        lost = house.state().devices[f"vault:{METER}"]
        assert lost.lost
        assert f"is sealed with key {first}, which is not here" in lost.detail
        (house.keys / "elsewhere").rename(house.keys / "vault-key-old-first")
        await restart(house)
        await house.open()
        assert house.sign.topics[f"meters/{METER}"]["commitment"] == commitment
        assert (await hit(house))["commitment"] == commitment

    in_a_house(tmp_path, scene, toml=QUICK)
