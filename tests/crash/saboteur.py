"""The controller with a promise broken, or with rare things made frequent: `python -m tests.crash.saboteur KIND run …`.

What is changed here is changed in this process alone; everything else is `jackpotd` as it is.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import Any

from controller.cli.main import main
from controller.engine import Engine
from controller.journal import opening
from controller.journal.rows import Entry, Head, Snapshot
from controller.journal.sqlite import SqliteJournal
from controller.service.table import Table

SNAPSHOT_EVERY, CHECKPOINT_PAGES = 40, 40
LATE_SECONDS = 0.05  # from telling everybody to the commit: a lamp, a reply and a message are on their way in a third


def frequent() -> None:
    """Snapshots and checkpoints every few wagers. No promise is broken."""
    made = Engine.__init__

    def often(self: Engine, *given: Any, **named: Any) -> None:  # noqa: ANN401 -- as they come
        made(self, *given, **{**named, "snapshot_every": SNAPSHOT_EVERY})

    Engine.__init__ = often  # type: ignore[method-assign]
    _set("wal_autocheckpoint", CHECKPOINT_PAGES, CHECKPOINT_PAGES)


def normal() -> None:
    """A commit is written and not synced."""
    _set("synchronous", "NORMAL", 1)


def off() -> None:
    """Nothing is synced at all."""
    _set("synchronous", "OFF", 0)


def split_group() -> None:
    """What was decided together becomes durable in two transactions."""
    append = SqliteJournal.append

    def split(
        self: SqliteJournal,
        entries: Sequence[Entry],
        *,
        cursor: int | None = None,
        snapshot: Snapshot | None = None,
        archived: Head | None = None,
    ) -> Head:
        if len(entries) > 1:
            append(self, entries[:1])
            entries = entries[1:]
        return append(self, entries, cursor=cursor, snapshot=snapshot, archived=archived)

    SqliteJournal.append = split  # type: ignore[method-assign]


def tell_first() -> None:
    """Lamps are lit, commands answered and signs told before the commit."""
    commit = Table._commit  # noqa: SLF001 -- the saboteur is inside
    put_off: list[Callable[[], object]] = []
    telling = False

    def late(self: Table, entries: Sequence[Entry], *, cursor: int | None, snapshot: Snapshot | None) -> object:
        if not telling:
            return commit(self, entries, cursor=cursor, snapshot=snapshot)
        put_off.append(lambda: commit(self, entries, cursor=cursor, snapshot=snapshot))
        self.broker.look_again()
        return None

    async def run(self: Engine) -> None:
        nonlocal telling
        while True:
            batch = await self._next_batch()
            telling = True
            answers = self.step([input_ for input_, _ in batch])
            telling = False
            for (_, future), answer in zip(batch, answers, strict=True):
                if not future.cancelled():
                    future.set_result(answer)
            try:
                await asyncio.sleep(LATE_SECONDS)
            finally:
                for each in put_off:
                    each()
                put_off.clear()

    Table._commit = late  # type: ignore[method-assign,assignment]  # noqa: SLF001 -- as above
    Engine.run = run  # type: ignore[method-assign]


def _set(name: str, setting: str | int, read_back: str | int) -> None:
    """Another setting of the journal's connection."""
    assert name in {each for each, *_ in opening.PRAGMAS}
    opening.PRAGMAS = tuple(
        (each, setting, read_back) if each == name else (each, *rest)  # type: ignore[misc]  # as it was
        for each, *rest in opening.PRAGMAS
    )


FREQUENT = "frequent"
SABOTAGE: dict[str, Callable[[], Any]] = {
    "normal": normal,
    "off": off,
    "split-group": split_group,
    "tell-first": tell_first,
}

if __name__ == "__main__":
    {FREQUENT: frequent, **SABOTAGE}[sys.argv.pop(1)]()
    sys.exit(main())
