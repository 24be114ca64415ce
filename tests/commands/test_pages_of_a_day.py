"""What people do in the very moment in which a day begins is of that day, and of no other."""

from pathlib import Path

from controller.core.inputs import TableOpened
from tests.commands.desks import Desk, run
from tests.core.play import DEALER

DAY_SECONDS = 24 * 3600


def test_the_first_action_of_a_day_is_on_the_page_of_that_day_alone(tmp_path: Path) -> None:
    async def main() -> None:
        with Desk(tmp_path / "journal.db") as desk:
            await desk.install().staff()
            desk.clock.passed += DAY_SECONDS
            opened = desk.do(TableOpened, by=DEALER)
            pages = {}
            for day in ("2026-11-16", "2026-11-17"):
                reply = await desk.ask("query-actions", "aud", day=day)
                pages[day] = {row["seq"] for row in reply["actions"]}
            assert pages["2026-11-16"]
            assert max(pages["2026-11-16"]) < opened.seq
            assert opened.seq in pages["2026-11-17"]

    run(main())
