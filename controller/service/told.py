"""Facts as the log tells them: the fields someone at the table or in the office asks for, and none that is secret."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType, json
from msgspec.structs import asdict

from controller.journal.rows import Entry
from controller.service.logs import Log

# What comes with every wager, and is only of interest when a sensor is looked into.
_DETAILS = frozenset({"wager-placed", "wager-withdrawn", "sensor-read", "chip-lifted", "snapshot-taken", "input-noted"})
_WARNINGS = frozenset({"wager-refused", "input-refused", "key-reused", "credit-to-return"})


class _Made(Struct):
    id: str
    kind: str
    outcome: str
    position: int
    amount_cents: int
    meter: str = ""


class _Ended(Struct):
    award: str
    fate: str
    amount_cents: int


class _Told(Struct):
    """What may be told of a fact. A field that is not here is not told."""

    position: int | UnsetType = UNSET
    wager: str | UnsetType = UNSET
    device: str | UnsetType = UNSET
    lost: bool | UnsetType = UNSET
    detail: str | UnsetType = UNSET
    faulted: bool | UnsetType = UNSET
    phase: str | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    refusal: str | UnsetType = UNSET
    kind: str | UnsetType = UNSET
    meter: str | UnsetType = UNSET
    award: str | UnsetType = UNSET
    method: str | UnsetType = UNSET
    slip: int | UnsetType = UNSET
    by: str | UnsetType = UNSET
    second: str | UnsetType = UNSET
    operator: str | UnsetType = UNSET
    role: str | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    what: str | UnsetType = UNSET
    client: str | UnsetType = UNSET
    command: str | UnsetType = UNSET
    locked: bool | UnsetType = UNSET
    epoch: int | UnsetType = UNSET
    version: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    day: str | UnsetType = UNSET
    file: str | UnsetType = UNSET
    last: int | UnsetType = UNSET
    awards: list[_Made] = []
    fates: list[_Ended] = []


_DECODER = json.Decoder(_Told)


def tell(log: Log, entries: Sequence[Entry], first: int) -> None:
    """A line for each fact, from this number on, and for each award it made or ended."""
    debug = log.is_enabled_for(10)
    for seq, entry in enumerate(entries, start=first):
        if entry.type in _DETAILS and not debug:
            continue
        told = _DECODER.decode(entry.payload)
        level = log.debug if entry.type in _DETAILS else log.warning if _is_warning(entry.type, told) else log.info
        fields = {name: value for name, value in asdict(told).items() if value is not UNSET and value != []}
        fields.pop("awards", None), fields.pop("fates", None)
        level(entry.type, seq=seq, round=entry.round, **fields)
        for made in told.awards:
            log.info("award-made", seq=seq, round=entry.round, **asdict(made))
        for ended in told.fates:
            log.info("award-ended", seq=seq, round=entry.round, **asdict(ended))


def _is_warning(type_: str, told: _Told) -> bool:
    return type_ in _WARNINGS or told.lost is True or told.what in {"wrong-pin", "not-allowed"}
