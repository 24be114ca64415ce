"""Another PIN on the day of the first, and the controller dies before it is kept: the command again keeps it."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from controller.engine import EngineStoppedError
from tests.commands.desks import Desk, run

EVE: dict[str, Any] = {"operator": "eve", "name": "Eve", "role": "dealer"}
OLD, NEW = "918273", "650214"


@pytest.mark.parametrize("seconds", [0.5, 3600.0])
def test_a_second_pin_of_the_same_day_that_was_not_kept_is_kept_by_the_same_command_again(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def died(*_: object) -> None:
        raise EngineStoppedError("stopped: killed")

    async def main() -> None:
        id_ = str(uuid4())
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            assert (await desk.ask("operator-add", "sue", **EVE, pin=OLD))["ok"]
            desk.clock.passed += seconds
            token = await desk.token("sue")
            with monkeypatch.context() as patch:
                patch.setattr(desk.way_in, "give_pin", died)
                reply = await desk.send("operator-add", id=id_, token=token, **EVE, pin=NEW)
                assert reply["error"] == "faulted"
        with Desk(tmp_path / "journal.db", desk.clock, epoch=2) as desk:
            assert (await desk.ask("operator-add", "sue", id=id_, **EVE, pin=NEW))["ok"]
            assert (await desk.send("login", operator="eve", pin=OLD))["error"] == "wrong-pin"
            assert (await desk.send("login", operator="eve", pin=NEW))["ok"]

    run(main())
