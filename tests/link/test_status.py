"""`jackpotd link status`: what is true now, for people and for scripts."""

import asyncio
from pathlib import Path
from typing import Any

from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.player import meeting
from tests.link.server import Server


def test_it_tells_of_tables_amounts_and_hits(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1", "t-2")
    words = ("link", "status", "--config", str(floor.config("t-1")))
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(2, 3)
        desk.jackpot()

        async def seen() -> dict[str, Any]:
            async with meeting(desk.setup)(desk.identity()) as session:
                await desk.ask(session)
                done = await asyncio.to_thread(floor.call, *words, "--json")
                assert done.code == 0, done
                return done.json

        said = asyncio.run(seen())
    assert said["ok"] is True
    (meter,) = said["meters"]
    assert (meter["meter"], meter["display_cents"], meter["lines"], meter["cycle"]) == ("harmony", 500_000, 2, 2)
    (hit,) = meter["hits"]
    assert (hit["table"], hit["round"], hit["positions"], hit["amount_cents"]) == (
        "valley-forge/t-1",
        1,
        [2, 3],
        2_500_190,
    )
    one, other = said["tables"]
    assert (one["table"], one["active"], one["meters"][0]["seq"], one["meters"][0]["kind"]) == (
        "valley-forge/t-1",
        True,
        2,
        "hit",
    )
    assert one["since"].endswith("Z")
    assert one["meters"][0]["contributed_age_s"] >= 0
    assert (other["active"], other["since"], other["meters"][0]["seq"]) == (False, None, None)
    told = floor.call(*words)
    assert "harmony: $5,000 in cycle 2; 2 lines" in told.out
    assert "hit not settled: $25,001.90 at valley-forge/t-1 round 1, position 2, 3" in told.out
    assert "nothing yet" in told.out


def test_a_server_that_controllers_would_refuse_is_no(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    done = floor.call("link", "status", "--config", str(floor.config("t-1", link="standby = true")))
    assert done.code == 1
    assert "NOT DURABLE: synchronous_standby_names is empty, and link.standby asks for one" in done.out


def test_a_standby_and_how_far_it_is_behind_are_told(tmp_path: Path, own_server: Server) -> None:
    floor = Floor(tmp_path, own_server.database("floor"), HEAVENLY9)
    floor.open("t-1")
    standby = own_server.standby()
    try:
        done = floor.call("link", "status", "--config", str(floor.config("t-1", link="standby = true")), "--json")
        assert done.code == 0, done
        (found,) = done.json["standbys"]
        assert (found["name"], found["state"], found["sync_state"]) == ("standby", "streaming", "sync")
        assert found["lag_bytes"] >= 0
    finally:
        standby.end()


def test_a_link_that_is_not_there_is_no(tmp_path: Path) -> None:
    floor = Floor(tmp_path, f"host={tmp_path} dbname=nowhere")
    done = floor.call("link", "status", "--config", str(floor.config()), "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert done.json["reason"]
