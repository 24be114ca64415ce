"""The QR code of a slip: what it says, and that it goes with every slip."""

import base64
from pathlib import Path
from typing import Any

from controller.console.slips import picture, text, with_picture
from tests.console.house import Console, needs_a_house, serve
from tests.console.visitors import Visitor
from tests.service.house import House
from tests.service.test_table import MINOR_AT_1

SLIP: dict[str, Any] = {"award": "mb-07-214-1", "seq": 219, "hash": "9d5ed678" * 8, "slip": 3}


def test_the_code_says_award_and_fact() -> None:
    assert text(SLIP) == f"mb-07-214-1 219:{'9d5ed678' * 8}"
    address = picture(SLIP)
    assert address.startswith("data:image/svg+xml;base64,")
    svg = base64.b64decode(address.partition(",")[2]).decode()
    assert svg.startswith("<svg")
    assert "script" not in svg
    assert picture({**SLIP, "hash": "0" * 64}) != address


def test_only_a_slip_has_one() -> None:
    assert "qr" in with_picture("print-slip", {"ok": True, "slip": SLIP})
    assert "qr" in with_picture("validate", {"ok": True, "slip": SLIP})
    assert "qr" not in with_picture("validate", {"ok": False, "error": "unknown"})
    assert "qr" not in with_picture("validate", {"ok": True, "message": "the slip cannot be read"})
    assert "qr" not in with_picture("reject", {"ok": True, "slip": SLIP})


@needs_a_house
def test_a_validated_award_has_a_slip_and_its_second_printing_is_marked(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        await house.open()
        await house.bet(1)
        await house.lock()
        house.deal(MINOR_AT_1)
        await house.until(lambda: any(topic.startswith("awards/") for topic in house.sign.topics))
        (award, *_) = [topic.removeprefix("awards/") for topic in house.sign.topics if topic.startswith("awards/")]
        floor = Visitor(console.port)
        await floor.sign_in("flo")
        done = await floor.command("validate", {"award": award, "method": "slip", "base_wager": True})
        assert done.json["ok"], done
        slip = done.json["slip"]
        assert done.json["qr"] == picture(slip)
        printed = [(await floor.command("print-slip", {"award": award})).json for _ in range(2)]
        assert [each["slip"]["reprint"] for each in printed] == [False, True]
        assert {each["slip"]["slip"] for each in printed} == {slip["slip"]}
        assert {each["qr"] for each in printed} == {done.json["qr"]}

    serve(tmp_path, scene)
