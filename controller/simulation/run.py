"""One run: a table, its people and its controller, from a seed, to the end of so many hands; and the verdict."""

import asyncio
from collections import Counter
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from msgspec import Struct

from controller.simulation import trace
from controller.simulation.auditor.auditor import Auditor
from controller.simulation.choices import BY_THE_SEED, Choices
from controller.simulation.desk import DEALERS, EVERYBODY
from controller.simulation.disk import PowerCutError
from controller.simulation.fate import Fate
from controller.simulation.house import BEGIN, House
from controller.simulation.layout import layout
from controller.simulation.play import StalledError
from controller.simulation.schedule import KINDS, schedule
from controller.simulation.trace import Trace
from controller.simulation.virtual import HangsError, VirtualLoop

Taker = Callable[[trace.Any_], None]
MOST_ERRORS = 5  # told of one run: the first says most
REST_SECONDS = 120.0  # at the end, for everything that is under way


class Result(Struct, frozen=True, kw_only=True):
    """What became of a run."""

    seed: int
    table: str
    rounds: int
    facts: int
    lives: int
    seconds: float  # of virtual time
    events: int
    digest: str
    faults: dict[str, int]
    violations: tuple[str, ...]


async def _played(house: House, fate: Fate, rounds: int, kinds: Sequence[str]) -> str:
    """Play to the end; what stalled, if anything did."""
    plan = house.layout
    house.trace.add(
        trace.Began(
            at=house.loop.microseconds(),
            seed=house.seed,
            toml=plan.toml,
            wall=BEGIN,
            faults=tuple(kinds),
            operators=tuple(trace.Operator(each.id, each.role) for each in EVERYBODY),
            spots=plan.spots,
            button=plan.button[0],
            shoe=bool(plan.shoe),
            slots=plan.slots,
        )
    )
    await house.enrol()
    house.subscribe()
    keeper, floor = asyncio.create_task(house.keep()), asyncio.create_task(house.play.validate())
    stalled = ""
    try:
        await house.play.deal(rounds, fate.round_begins)
    except StalledError as error:
        stalled = str(error)
    await fate.end()
    await asyncio.sleep(REST_SECONDS)
    floor.cancel()
    await house.desk.ask(DEALERS[0], "close-table")
    await asyncio.sleep(REST_SECONDS)
    await house.close()
    keeper.cancel()
    return stalled


def play(  # noqa: PLR0913 -- all that makes a run
    seed: int,
    rounds: int,
    choices: Choices = BY_THE_SEED,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    keep: Container[int] | None = None,
    takers: Sequence[Taker] = (),
) -> Result:
    """Play a run to its end. `keep`: of its schedule, only these."""
    counted: Counter[str] = Counter()

    def count(event: trace.Any_) -> None:
        if isinstance(event, trace.FaultBegan):
            counted[event.kind] += 1

    auditor = Auditor()
    trace_, plan, loop = (
        Trace(count, auditor.take, *takers),
        layout(Random(f"{seed} table"), choices.table),
        VirtualLoop(),
    )
    faults = [each for each in schedule(seed, rounds, tuple(kinds)) if keep is None or each.number in keep]
    asyncio.set_event_loop(loop)
    stalled = ""
    with TemporaryDirectory(prefix="jackpotd-simulation-") as folder:
        house = House(seed, loop, trace_, Path(folder), plan, choices)
        loop.set_exception_handler(house.note_error)
        main = loop.create_task(_played(house, Fate(house, faults), rounds, kinds))
        while not main.done():
            try:
                stalled = loop.run_until_complete(main)
            except PowerCutError:
                house.power_gone()
            except HangsError as error:
                stalled = str(error)
                break
        loop.close()
        asyncio.set_event_loop(None)
    return Result(
        seed=seed,
        table=plan.name,
        rounds=house.play.rounds,
        facts=house.facts,
        lives=house.lives,
        seconds=loop.virtual,
        events=trace_.count,
        digest=trace_.digest(),
        faults=dict(sorted(counted.items())),
        violations=tuple(filter(None, (*map(str, auditor.verdict()), *house.errors[:MOST_ERRORS], stalled))),
    )
