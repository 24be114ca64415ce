"""docs/drivers.md: its settings are taken, its example drives a device."""

import asyncio
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drivers import registry
from drivers.events import Button, Event, Lost, Online
from drivers.registry import SettingsError, make, read
from drivers.shoe_text import TextLine, encode
from drivers.simulated.line import TwinLine

DOCUMENT = (Path(__file__).parents[2] / "docs" / "drivers.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
CONFIGURATIONS = [text for language, text in BLOCKS if language == "toml"]
(EXAMPLE,) = [text for language, text in BLOCKS if language == "python"]


async def nowhere(events: Sequence[Event]) -> None:
    del events


def test_every_driver_has_its_settings_in_the_document() -> None:
    named = {line["driver"] for text in CONFIGURATIONS for line in tomllib.loads(text)["devices"].values()}
    assert named == {"modbus", "cctalk", "angel-eye", "foot-switch"}
    assert all(f"`{name}`" in DOCUMENT for name in registry.DRIVERS)


@pytest.mark.parametrize("text", [text for text in CONFIGURATIONS if "foot-switch" not in text])
def test_the_document_s_settings_are_taken(text: str) -> None:
    lines = read(tomllib.loads(text)["devices"])
    assert make(lines, nowhere)


def test_the_document_s_lines_of_the_text_protocol_are_what_a_reader_sends() -> None:
    for seq, words in ((0, "begin"), (1, "player 1 9H")):
        assert f"\n{encode(TextLine(seq, words)).decode().strip()}\n" in DOCUMENT


def test_the_document_s_example_drives_a_foot_switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: dict[str, Any] = {"__name__": "example"}
    exec(compile(EXAMPLE, "docs/drivers.md", "exec"), module)  # noqa: S102 -- the document's own code is what is tested
    monkeypatch.setitem(registry.DRIVERS, "foot-switch", module["FootSwitch"])
    (settings,) = [tomllib.loads(text)["devices"] for text in CONFIGURATIONS if "foot-switch" in text]
    settings["pedal"] |= {"port": str(tmp_path / "pedal"), "silent_s": 0.3}
    events: list[Event] = []

    async def take(found: Sequence[Event]) -> None:
        events.extend(found)

    async def main() -> None:
        class Pedal:
            def received(self, data: bytes) -> bytes:
                return data

        twin = TwinLine(tmp_path / "pedal", Pedal())
        twin.plug()
        (driver,) = make(read(settings), take).values()
        serving = asyncio.create_task(driver.run())
        async with asyncio.timeout(20):
            while not events:
                twin.send(b".")
                await asyncio.sleep(0.01)
            twin.send(b"D")
            twin.send(b"U")
            while len(events) < 4:
                await asyncio.sleep(0.01)
            twin.unplug()
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(main())
    assert events[0] == Online(device="pedal")
    assert events[1:3] == [Button(device="pedal", pressed=True), Button(device="pedal", pressed=False)]
    assert isinstance(events[3], Lost)


BOARD = {"id": "left", "address": 1, "inputs": [{"at": 0, "position": 1, "wager": "royal9"}]}


@pytest.mark.parametrize(
    ("devices", "key", "why"),
    [
        ({"rail": 5}, "devices.rail", "write it as a table"),
        ({"rail": {}}, "devices.rail.driver", "None: there are modbus"),
        ({"rail": {"driver": "telepathy"}}, "devices.rail.driver", "'telepathy': there are modbus"),
        ({"rail": {"driver": "modbus", "boards": [BOARD]}}, "devices.rail", "`port`"),
        (
            {"rail": {"driver": "modbus", "port": "x", "boards": [{**BOARD, "address": 0}]}},
            "devices.rail.boards[0].address",
            ">= 1",
        ),
        ({"rail": {"driver": "modbus", "port": "x", "boards": [BOARD], "speed": 9}}, "devices.rail", "`speed`"),
        (
            {name: {"driver": "modbus", "port": "x", "boards": [BOARD]} for name in ("a", "b")},
            "devices.b.port",
            "x is the line a already",
        ),
        ({str(n): {"driver": "angel-eye", "port": str(n)} for n in range(17)}, "devices", "17 lines: at most 16"),
    ],
)
def test_settings_no_driver_can_be_made_of_name_their_key(devices: dict[str, Any], key: str, why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(devices)
    assert caught.value.key == key
    assert why in caught.value.why


def test_sixteen_lines_are_taken() -> None:
    assert len(read({str(n): {"driver": "angel-eye", "port": str(n)} for n in range(16)})) == 16


def test_two_devices_of_one_name_are_refused() -> None:
    lines = read({name: {"driver": "modbus", "port": name, "boards": [BOARD]} for name in ("a", "b")})
    with pytest.raises(SettingsError, match=r"devices\.b: the device left is on the line a already"):
        make(lines, nowhere)


def test_two_lines_with_one_place_or_two_buttons_are_refused() -> None:
    def two(**inputs: dict[str, Any]) -> dict[str, Any]:
        return {
            name: {"driver": "modbus", "port": name, "boards": [{"id": name, "address": 1, "inputs": [each]}]}
            for name, each in inputs.items()
        }

    place = {"at": 0, "position": 1, "wager": "royal9"}
    with pytest.raises(SettingsError, match=r"devices\.b: the place 1/royal9 is on the line a already"):
        make(read(two(a=place, b=place)), nowhere)
    button = {"at": 0, "button": True}
    with pytest.raises(SettingsError, match=r"devices\.b: the lock-out the button is on the line a already"):
        make(read(two(a=button, b=button)), nowhere)
    assert len(make(read(two(a=place, b={**place, "position": 2})), nowhere)) == 2
