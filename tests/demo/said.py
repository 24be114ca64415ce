"""What a table might say, for tests of those who hear it."""

from typing import Any

from msgspec import UNSET, json

from controller.demo.watching import Watched
from controller.wire.messages import Award, Events, HitShown, LampName, Message, Meter, Round, Status

LAMPS: tuple[LampName, ...] = ("off", "invite", "placed", "accepted", "refused", "won", "fault", "invite", "placed")


def stand(seq: int = 1, epoch: int = 1) -> dict[str, Any]:
    return {"epoch": epoch, "seq": seq, "at": "2026-11-16T17:00:00.000000Z"}


def say(table: Watched, topic: str, message: Message) -> None:
    table.take(f"{table.base}/{topic}", json.encode(message))


def award(number: int, *, amount_cents: int = 64_840, needs_second: bool = False, meter: str = "") -> Award:
    return Award(
        **stand(number),
        award=f"mb-01-{number}-1",
        kind="jackpot" if meter else "fixed",
        wager="royal9/5",
        outcome="minor",
        round=number,
        position=3,
        amount_cents=amount_cents,
        needs_second=needs_second,
        meter=meter or UNSET,
    )


def full_table(name: str = "mb-01") -> Watched:
    """A table that has said all there is to say, much of it at length."""
    table = Watched(name)
    say(table, "status", Status(**stand(), state="online", mode="demonstration"))
    for id_, label, cents in (
        ("royal9-mega", "Royal 9 Mega", 99_999_999_99),
        ("royal9-major", "Royal 9 Major", 45_000),
        ("harmony", "Harmony", 2_500_000),
    ):
        say(table, f"meters/{id_}", Meter(**stand(), display_cents=cents, label=label, state="live"))
    mystery = Meter(
        **stand(),
        display_cents=99_999,
        label="Royal 9 Mystery",
        state="live",
        must_hit_by_cents=100_000,
        minimum_cents=25_000,
    )
    say(table, "meters/royal9-mystery", mystery)
    hits = tuple(
        HitShown(award=f"mb-01-{number}-1", position=number, amount_cents=64_840, at=stand()["at"])
        for number in range(1, 9)
    )
    minor = Meter(**stand(), display_cents=45_000, label="Royal 9 Minor", state="hit", hits=hits)
    say(table, "meters/royal9-minor", minor)
    lamps = {str(at + 1): {"royal9": lamp, "harmony": LAMPS[-1 - at]} for at, lamp in enumerate(LAMPS)}
    say(table, "round", Round(**stand(), round=123_456, phase="settled", positions=lamps))
    for number in range(1, 31):
        say(table, f"awards/mb-01-{number}-1", award(number, amount_cents=number * 10**8, needs_second=number > 20))
    for number in range(1, 25):
        table.take(f"{table.base}/awards/mb-01-{number}-1", b"")
    hand = {"type": "hand-entered", "payload": {"player": ["KS", "9H", "TD"], "banker": ["2C", "TD", "TS"]}}
    say(table, "events", Events(**stand(), facts=[hand]))
    return table
