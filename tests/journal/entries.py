"""Entries to append: like those of a table, numbered, so that a test can tell them apart."""

from controller.journal.rows import Entry

TYPES = ("wager-accepted", "locked-out", "round-closed", "signed-in")


def entry(number: int = 0, payload: str | None = None) -> Entry:
    kind = TYPES[number % len(TYPES)]
    return Entry(
        at=f"2026-11-16T11:{number // 60 % 60:02}:{number % 60:02}.{number % 1_000_000:06}Z",
        round=None if kind == "signed-in" else number // 4,
        type=kind,
        version=1,
        payload=f'{{"number":{number},"name":"Zoë 龍"}}' if payload is None else payload,
    )


def entries(count: int, first: int = 0) -> list[Entry]:
    return [entry(number) for number in range(first, first + count)]
