"""What the broker keeps of a table, held against the journal; and whether somebody else speaks for it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from msgspec import Struct, json
from msgspec.structs import replace

from controller.journal.journal import Journal
from controller.mqtt import ANSWER_SECONDS, BrokerError, Connection, Said
from controller.wire import topics
from controller.wire.messages import Head, Status

# Retained topics that come and go. What the broker keeps of them and the table does not know is cleared away.
COMING_AND_GOING = ("awards/+", "meters/+", "proofs/+", "devices/+")
# Who keeps a table says so every two seconds.
LIVE_SECONDS = 2.5


class RolledBackError(Exception):
    """The broker knows more of this table than the journal: the disk was set back, or is another one."""


class Identity(Struct, frozen=True, kw_only=True):
    """Who speaks."""

    site: str
    table: str
    epoch: int
    mode: Literal["live", "demonstration"] = "live"
    instance: str = ""  # of this process: a name that can be guessed can be taken, and its owner is then thrown out

    @property
    def client(self) -> str:
        """The name the broker knows one connection by."""
        return f"jackpotd-{self.site}-{self.table}-{self.instance}"

    def topic(self, name: str) -> str:
        """A topic of this table, whole."""
        return f"{topics.base(self.site, self.table)}/{name}"


class _Stands(Struct):
    """Where a message stands."""

    epoch: int
    seq: int


async def kept_by(broker: Connection, identity: Identity) -> dict[str, bytes]:
    """What the broker keeps of this table: its head, its status, and what comes and goes."""
    found: dict[str, bytes] = {}
    # A broker hands out what it retains when it takes a subscription. What is published after that comes later: our own
    # word coming back says that there is no more, however slow the broker is. An award nobody knows is emptied, which
    # means nothing to anybody.
    word = Said(identity.topic(topics.award(f"echo-{broker.name()}")), b"")
    wanted = [identity.topic(each) for each in (topics.HEAD, *COMING_AND_GOING, topics.STATUS)]
    await broker.subscribe(wanted)
    await broker.publish(word)
    base = identity.topic("")
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            while (heard := await broker.hear()).topic != word.topic:
                if heard.retained and heard.payload:
                    found[heard.topic.removeprefix(base)] = heard.payload
    except TimeoutError:
        raise BrokerError("the broker does not give back what it was told: see its ACL") from None
    await broker.unsubscribe(wanted)
    return found


async def another_speaks(broker: Connection, identity: Identity) -> bool:
    """Whether another controller keeps this table just now: it is heard within the time between two signs of life."""
    topic = identity.topic(topics.STATUS)
    await broker.subscribe([topic])
    heard = False
    with suppress(TimeoutError):
        async with asyncio.timeout(LIVE_SECONDS):
            while not heard:
                said = await broker.hear()
                status = _status(said.payload)
                heard = not said.retained and status is not None and status.state != "offline"
    await broker.unsubscribe([topic])
    return heard


def is_kept(kept: Mapping[str, bytes]) -> bool:
    """Whether the last status does not say that nobody is there: then it must be listened for."""
    status = _status(kept.get(topics.STATUS, b""))
    return status is not None and status.state != "offline"


def compare(kept: Mapping[str, bytes], journal: Journal) -> bool:
    """Refuse to go on where the broker knows a fact that the journal has not, or has otherwise.

    False where the anchor cannot be read: someone else wrote it.
    """
    head, remedy = journal.head(), "restore the newest copy, or empty that topic after an inquiry"
    for topic, payload in kept.items():
        try:
            stands = json.decode(payload, type=_Stands)
        except ValueError:
            continue  # not ours
        if stands.seq > head.seq:
            raise RolledBackError(
                f"the broker knows fact {stands.seq} of this table ({topic}), the journal ends at fact {head.seq}: the "
                f"disk was set back, or is another one; {remedy}"
            )
    if topics.HEAD not in kept:
        return True
    try:
        anchor = json.decode(kept[topics.HEAD], type=Head)
    except ValueError:
        return False
    rows = list(journal.rows(anchor.seq - 1, anchor.seq)) if anchor.seq > 0 else []
    if rows and rows[0].hash.hex() != anchor.hash:
        raise RolledBackError(
            f"fact {anchor.seq} is not the one the broker knows ({topics.HEAD}): this is another journal, or one that "
            f"was set back and played on; {remedy}"
        )
    return True


def not_below(kept: Mapping[str, bytes], own: Status) -> Status:
    """A status that stands no lower than the one the broker keeps: every sign would drop it."""
    last = _status(kept.get(topics.STATUS, b""))
    if last is None or (last.epoch, last.seq) <= (own.epoch, own.seq):
        return own
    return replace(own, epoch=last.epoch, seq=last.seq)


def _status(payload: bytes) -> Status | None:
    try:
        return json.decode(payload, type=Status)
    except ValueError:
        return None
