"""Replies written down, and those kept that no fact stands for."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import json

from controller.commands.asking import Question
from controller.core.times import stamp
from controller.engine import Clock
from controller.people.signing_in import Table
from controller.wire.commands import REPLIES, ErrorName, Reply

# Kept so that the same id gets the same reply: a broker repeats a message within seconds, a console within a minute or
# two, and this many are more than all clients of a table send in that time.
MOST_KEPT = 1024


class Place(NamedTuple):
    """Where a reply stands: at the fact it tells, or at the last one there is."""

    seq: int
    at: str


class _Kept(NamedTuple):
    said: bytes
    reply: bytes


class Telling:
    """Writes the replies of one start of the controller."""

    def __init__(self, table: Table, clock: Clock, epoch: int) -> None:
        self._table = table
        self._clock = clock
        self._epoch = epoch
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def reply(
        self,
        name: str,
        id_: str,
        given: Mapping[str, Any],
        place: Place | None = None,
        refused: tuple[str, str] = ("", ""),
    ) -> bytes:
        """A reply: what is given of its fields, or why it was refused and nothing else."""
        type_ = REPLIES.get(name, Reply)
        place = place or Place(self._table.state.seq, stamp(self._clock.now()))
        error, message = refused
        parts = {field: value for field, value in given.items() if field in type_.__struct_fields__}
        if error:
            parts = {"error": error, "message": message}
        return json.encode(type_(epoch=self._epoch, seq=place.seq, at=place.at, id=id_, ok=not error, **parts))

    def refusal(self, name: str, id_: str, error: ErrorName, message: str) -> bytes:
        """A reply that says no."""
        return self.reply(name, id_, {}, refused=(error, message))

    def keep(self, asked: Question, reply: bytes) -> bytes:
        """Keep a reply for when it is asked for again."""
        self._kept[asked.key] = _Kept(asked.said, reply)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return reply

    def kept(self, asked: Question) -> tuple[bool, bytes | None]:
        """Whether a reply was kept under this id, and the reply if it was to the same command."""
        found = self._kept.get(asked.key)
        if found is None:
            return False, None
        return True, found.reply if found.said == asked.said else None
