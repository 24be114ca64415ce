"""The people of a demonstration, let in at its table before the controller starts."""

from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from controller.clock import WallClock
from controller.core.inputs import OperatorChanged, Person
from controller.core.times import stamp
from controller.journal.errors import JournalError
from controller.journal.sqlite import SqliteJournal
from controller.people.pins import Pins
from controller.people.stopped import Stopped
from controller.rules.errors import BadInputError


class Member(NamedTuple):
    """Someone who works at the table. A demonstration may show a PIN: it opens nothing else."""

    id: str
    name: str
    role: str
    pin: str


SUPERVISOR = Member("sue", "Sue Park", "supervisor", "300300")
DEALER = Member("dana", "Dana Lee", "dealer", "100100")
FLOOR = (Member("fay", "Fay Moreno", "floorperson", "200200"), Member("finn", "Finn Adler", "floorperson", "200201"))
AUDITOR = Member("ann", "Ann Weber", "auditor", "400400")
EVERYBODY = (SUPERVISOR, DEALER, *FLOOR, AUDITOR)


def introduced() -> str:
    """Everybody with their PINs, in a line that fits a terminal."""
    floor = " ".join(f"{each.id} {each.pin}" for each in FLOOR)
    return f"PINs: dealer {DEALER.id} {DEALER.pin}, floor {floor}, " + ", ".join(
        f"{each.id} {each.pin}" for each in (SUPERVISOR, AUDITOR)
    )


async def enrol(path: Path, pepper: bytes) -> int:
    """Let everybody in who is not yet, as `operators add --offline` does; the journal's last fact after it."""
    try:
        with SqliteJournal(path) as journal:
            table = Stopped(journal)
            pins = Pins(journal, pepper)
            for member in EVERYBODY:
                known = table.state.operators.get(member.id)
                if known is None or not known.active or known.role != member.role:
                    await _let_in(table, member)
                    await pins.keep(member.id, member.pin, _now())
            return journal.head().seq
    except JournalError as error:
        raise BadInputError(f"{error}; or remove the folder of the demonstration to begin anew") from error


async def _let_in(table: Stopped, member: Member) -> None:
    by = Person(SUPERVISOR.id, SUPERVISOR.role) if SUPERVISOR.id in table.state.operators else None
    changed = OperatorChanged(
        at=_now(), key=str(uuid4()), operator=member.id, name=member.name, role=member.role, by=by
    )
    answer = await table.submit(changed)
    if not answer.ok:
        raise BadInputError(f"{member.name} cannot be let in: {answer.why}")


def _now() -> str:
    return stamp(WallClock().now())
