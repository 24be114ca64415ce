"""Each verdict of the auditor, provoked by one thing that is wrong in an evening that is otherwise honest."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

from controller.core import inputs
from controller.core.state import Counted
from controller.simulation import trace
from controller.simulation.auditor.auditor import Auditor
from controller.simulation.auditor.verdicts import KINDS
from tests.core.play import CONFIG, DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2
from tests.simulation.evening import BASE, SLOT, Evening, Events, rewritten, with_fact

HARMONY = (CONFIG / "midibaccarat-harmony.toml").read_text()
NINES = ("9S", "KS"), ("9H", "KH")  # naturals: a hand at once
Change = Callable[[Events], Events]


def _rounds(evening: Evening, wager: str, count: int) -> None:
    for seat in (1, 2):
        evening.do(inputs.WagerAbsent, position=seat, wager=wager)
    for number in range(count):
        for seat in (1, 2):
            evening.do(inputs.WagerPresent, position=seat, wager=wager)
        evening.now += 5_000_000
        evening.do(inputs.Button)
        evening.do(inputs.WagerPresent, position=3, wager=wager)  # late
        for seat in (1, 2, 3):
            evening.do(inputs.WagerAbsent, position=seat, wager=wager)
        if number + 1 < count:
            evening.do(inputs.HandComplete, player=NINES[0], banker=NINES[1])
            evening.do(inputs.Button)


def _people(evening: Evening) -> None:
    evening.do(inputs.OperatorChanged, operator="s1", name="s1", role="supervisor")
    for person in (DEALER, FLOOR, FLOOR2, SUPERVISOR2):
        evening.do(inputs.OperatorChanged, operator=person.id, name=person.id, role=person.role, by=SUPERVISOR)
    evening.ask(inputs.TableOpened, "open-table", by=DEALER)


def royal() -> Events:
    """A jackpot at position 1, an award that is rejected, one that is validated, an adjustment, a void."""
    evening = Evening(MINI.replace('rate = "10%"', 'rate = "10.03%"'))  # no whole cents
    _people(evening)
    evening.do(inputs.WagerAbsent, position=3, wager="royal9")
    _rounds(evening, "royal9", 2)
    layout = evening.state.filed.layout if evening.state.filed else ()
    king, nine = layout[0][:2], layout[0][2:]
    evening.do(inputs.HandComplete, player=("2S", "4D"), banker=(king, nine))
    for award in evening.state.pending():
        evening.ask(
            inputs.AwardValidated, "validate", award=award.id, method="slip", base_wager=True, by=FLOOR, second=FLOOR2
        )
    shown = evening.state.meters["royal9-mega"].display_cents
    adjusted = {"meter": "royal9-mega", "delta_cents": 500, "expected_cents": shown, "reason": "wrong"}
    evening.ask(inputs.MeterAdjusted, "adjust-meter", by=SUPERVISOR, second=SUPERVISOR2, **adjusted)
    evening.do(inputs.Button)
    _rounds(evening, "royal9", 1)
    evening.ask(inputs.RoundVoided, "void-round", round=evening.state.round, reason="misdeal", by=FLOOR)
    return evening.whole()


def mystery() -> Events:
    """A mystery meter that hits at the second wager, is rejected, and goes on."""
    evening = Evening(HEAVENLY, values={"must-hit-by": [2, 4000, 4000]})
    _people(evening)
    evening.do(inputs.WagerAbsent, position=3, wager="heavenly9")
    _rounds(evening, "heavenly9", 2)
    for award in evening.state.pending():
        evening.ask(inputs.AwardRejected, "reject", award=award.id, reason="no base wager", by=FLOOR, second=FLOOR2)
    return evening.whole()


def harmony() -> Events:
    """A meter with a reserve; and a slot, with a coin too many."""
    evening = Evening(HARMONY)
    _people(evening)
    evening.do(inputs.WagerAbsent, position=3, wager="harmony")
    for number in (1, 2):
        counted, key = Counted(SLOT, number, number), f"{SLOT}/{number}"
        evening.do(inputs.WagerDropped, key=key, position=5, wager="harmony", cents=500, counted=counted)
    _rounds(evening, "harmony", 2)
    return evening.whole()


EVENINGS = {"royal": royal, "mystery": mystery, "harmony": harmony}


@pytest.fixture(scope="module")
def evenings() -> dict[str, Events]:
    return {name: make() for name, make in EVENINGS.items()}


def kinds(events: Events) -> set[str]:
    auditor = Auditor()
    for event in events:
        auditor.take(event)
    return {verdict.kind for verdict in auditor.verdict()}


@pytest.mark.parametrize("name", EVENINGS)
def test_nothing_is_wrong_with_an_honest_evening(evenings: dict[str, Events], name: str) -> None:
    auditor = Auditor()
    for event in evenings[name]:
        auditor.take(event)
    assert [str(each) for each in auditor.verdict()] == []
    assert auditor.rows == sum(isinstance(event, trace.Row) for event in evenings[name]) > 20
    if name == "mystery":
        assert any(
            b'"mystery"' in e.payload for e in evenings[name] if isinstance(e, trace.Row) and e.type == "locked-out"
        )


# -- ways to spoil it --


def fact(type_: str, edit: Callable[[dict[str, Any]], None], *, nth: int = 0) -> Change:
    return lambda events: with_fact(events, type_, edit, nth=nth)


def units(id_: str, change: Callable[[int], int], name: str = "units") -> Callable[[dict[str, Any]], None]:
    def edit(payload: dict[str, Any]) -> None:
        (meter,) = [each for each in payload["meters"] if each["id"] == id_]
        meter[name] = change(meter[name])

    return edit


def share(sign: int) -> Callable[[dict[str, Any]], None]:
    """The first wager's share of a meter once more, or not at all."""

    def edit(payload: dict[str, Any]) -> None:
        meter = payload["meters"][0]
        given = next(each for each in payload["wagers"][0]["shares"] if each[0] == meter["id"])
        meter["units"] += sign * given[1]

    return edit


def said(topic: str, edit: Callable[[dict[str, Any]], None], *, nth: int = -1) -> Change:
    """One message on a topic, everywhere, says something else."""

    def change(events: Events) -> Events:
        every = [e for e in events if isinstance(e, trace.Said) and e.payload]
        mine = [e for e in every if e.topic.startswith(f"{BASE}/{topic}")]
        old = mine[nth].payload
        told = json.decode(old)
        edit(told)
        new = json.encode(told)
        return [replace(e, payload=new) if getattr(e, "payload", None) == old else e for e in events]

    return change


def without(unwanted: Callable[[trace.Event], bool]) -> Change:
    return lambda events: [event for event in events if not unwanted(event)]


def first(kind: type[trace.Event], change: Callable[[Any], Iterator[trace.Event]], *, nth: int = 0) -> Change:
    """One event of a kind replaced by others."""

    def spoil(events: Events) -> Events:
        place = [n for n, event in enumerate(events) if isinstance(event, kind)][nth]
        return [*events[:place], *change(events[place]), *events[place + 1 :]]

    return spoil


def _late_commit(events: Events) -> Events:
    """What was said last is said before its commit."""
    place = max(n for n, event in enumerate(events) if isinstance(event, trace.Committed))
    return [*events[:place], *events[place + 1 :]]


def _cut_off(events: Events) -> Events:
    rows = [event for event in events if isinstance(event, trace.Row)]
    return [event for event in events if event is not rows[-1]]


def _paid_again(events: Events) -> Events:
    def rows(before: list[trace.Row]) -> list[trace.Row]:
        place = next(n for n, row in enumerate(before) if row.type == "award-validated")
        again = json.decode(before[place].payload) | {"key": "console/other", "slip": 2}
        return [*before[: place + 1], replace(before[place], payload=json.encode(again)), *before[place + 1 :]]

    return rewritten(events, rows)


def _late_made_good(events: Events) -> Events:
    """A wager refused for coming late is one after all."""

    def rows(before: list[trace.Row]) -> list[trace.Row]:
        place = next(n for n, row in enumerate(before) if row.type == "wager-refused")
        told = json.decode(before[place].payload)
        placed = [{"position": told["position"], "wager": told["wager"], "stake_cents": 500, "source": "chip"}]
        fact_ = {"position": told["position"], "wager": told["wager"], "placed": placed}
        return [
            *before[:place],
            replace(before[place], type="wager-placed", payload=json.encode(fact_)),
            *before[place + 1 :],
        ]

    return rewritten(events, rows)


def _no_hit(payload: dict[str, Any]) -> None:
    payload["awards"] = []


def _a_hit(payload: dict[str, Any]) -> None:
    award = {"id": "mb-07-9-1", "kind": "mystery", "wager": "royal9/5", "outcome": "mystery", "round": 1, "position": 1}
    payload["awards"] = [award | {"amount_cents": 25_000, "meter": "royal9-mystery"}]


def _other_commitment(payload: dict[str, Any]) -> None:
    payload["meters"][0] |= {"commitment": "ab" * 32, "cycle": 2}


def _dearer(payload: dict[str, Any]) -> None:
    payload["awards"][0]["amount_cents"] += 1


def _alone(payload: dict[str, Any]) -> None:
    del payload["second"]


def _slip(payload: dict[str, Any]) -> None:
    payload["slip"] = 7


def _put(**parts: object) -> Callable[[dict[str, Any]], None]:
    return lambda payload: payload.update(parts)


def _no_correction(payload: dict[str, Any]) -> None:
    payload.pop("correction")


def _more(payload: dict[str, Any]) -> None:
    payload["display_cents"] += 1


def _turned(events: Events, position: int, shift: int, *, upto: int) -> Events:
    """The chips of a position come so much later, in the first rounds."""
    return [
        replace(e, at=e.at + shift)
        if isinstance(e, trace.SensorTurned) and e.position == position and e.at < upto
        else e
        for e in events
    ]


def _never_lay(events: Events) -> Events:
    mine = [e for e in events if isinstance(e, trace.SensorTurned) and e.position == 1 and e.on]
    return [e for e in events if e is not mine[0]]


def _came_late(events: Events) -> Events:
    """The chip of position 1 turns on after the press of its lock-out: the sensor did, the journal says it was in."""
    press = next(e.at for e in events if isinstance(e, trace.ButtonTurned))
    mine = next(e for e in events if isinstance(e, trace.SensorTurned) and e.position == 1 and e.on)
    moved = replace(mine, at=press + 600_000)
    rest = [e for e in events if e is not mine]
    place = next(n for n, e in enumerate(rest) if isinstance(e, trace.SensorTurned) and e.at > moved.at)
    commits = [replace(e, at=e.at + 2_000_000) if isinstance(e, trace.Committed) else e for e in rest[:place]]
    return [*commits, moved, *rest[place:]]


def _missed(events: Events) -> Events:
    """A chip lay on position 4 the whole second round, and nobody counted it."""
    lay = [trace.SensorTurned(at=35_000_000, position=4, wager="royal9", on=False)]
    presses = [e.at for e in events if isinstance(e, trace.ButtonTurned) and e.on]
    lay += [trace.SensorTurned(at=presses[1] + 5_000_000, position=4, wager="royal9", on=True)]
    return sorted([*events[:-1], *lay], key=lambda e: (isinstance(e, trace.Row), e.at)) + events[-1:]


def _status(epoch: int) -> trace.Event:
    payload = json.encode({"epoch": epoch, "seq": 0, "state": "online"})
    return trace.Said(at=0, life=1, topic=f"{BASE}/status", payload=payload)


def _events(seq: int) -> trace.Event:
    told = {"epoch": 1, "seq": seq, "facts": [{"seq": seq, "type": "x", "at": ""}]}
    return trace.Said(at=0, life=1, topic=f"{BASE}/events", payload=json.encode(told))


def _press(at: int) -> list[trace.Event]:
    return [trace.ButtonTurned(at=at, on=True), trace.ButtonTurned(at=at + 150_000, on=False)]


def _refused(payload: bytes) -> bytes:
    return json.encode(json.decode(payload) | {"ok": False, "error": "unknown"})


def _a_year_later(rows: list[trace.Row]) -> list[trace.Row]:
    return [*rows[:-1], replace(rows[-1], told_at="2027" + rows[-1].told_at[4:])]


def _nonce_told(events: Events) -> Events:
    place = next(n for n, e in enumerate(events) if isinstance(e, trace.Said) and "/meters/must-hit-by" in e.topic)
    drawn = next(e for e in events if isinstance(e, trace.Drawn))
    told = json.encode(json.decode(events[place].payload) | {"label": drawn.nonce})  # type: ignore[attr-defined]
    return [*events[:place], replace(events[place], payload=told), *events[place + 1 :]]


def _coin_at_the_end(events: Events) -> Events:
    rest, ended = events[:-1], events[-1]
    return [*rest, trace.CoinDropped(at=ended.at - 1, slot=SLOT, cents=500, taken=True), ended]


def _silent_board(events: Events) -> Events:
    began = trace.FaultBegan(at=20_000_000, id=1, kind="silent")
    ended = trace.FaultEnded(at=40_000_000, id=1, kind="silent", where="board-9")
    return sorted([*events, began, ended], key=_in_time)


def _in_time(event: trace.Event) -> tuple[bool, int]:
    return isinstance(event, trace.Row | trace.Ended), event.at


def _is_last_word(event: trace.Event) -> bool:
    """What was said of a meter since it was last adjusted or hit."""
    told = getattr(event, "payload", b"") if isinstance(event, trace.Said | trace.Heard | trace.Shown) else b""
    return b"display_cents" in told and json.decode(told)["seq"] > 30


WRONG: dict[str, list[tuple[str, Change]]] = {
    "chain": [
        ("royal", lambda events: [*events, _events(1)]),
        ("royal", first(trace.Row, lambda e: iter([replace(e, payload=e.payload + b" ")]), nth=9)),
    ],
    "forgotten": [
        ("royal", _cut_off),
        ("royal", first(trace.Committed, lambda e: iter([e, replace(e, seq=e.seq - 2)]), nth=9)),
        (
            "royal",
            lambda events: rewritten(
                events,
                lambda rows: [
                    replace(row, payload=row.payload.replace(b"console/id-1", b"console/id-0")) for row in rows
                ],
            ),
        ),
    ],
    "early": [
        ("royal", _late_commit),
        ("royal", first(trace.Replied, lambda e: iter([replace(e, payload=e.payload.replace(b'"seq":', b'"seq":9'))]))),
    ],
    "regress": [
        ("royal", said("meters/royal9-mega", _put(epoch=0))),
        (
            "royal",
            first(trace.Shown, lambda e: iter([e, replace(e, payload=e.payload.replace(b'"epoch":1', b'"epoch":0'))])),
        ),
        ("royal", fact("controller-started", _put(epoch=2))),
        ("royal", lambda events: [*events[:3], *map(_status, (2, 1)), *events[3:]]),
    ],
    "contribution-missing": [("royal", fact("locked-out", share(-1)))],
    "contribution-doubled": [("royal", fact("locked-out", share(1)))],
    "contribution-wrong": [("royal", fact("locked-out", units("royal9-mega", lambda u: u + 7)))],
    "rounded": [("royal", fact("locked-out", units("royal9-mega", lambda u: u // 10**6 * 10**6)))],
    "overshoot": [("mystery", fact("locked-out", units("must-hit-by", lambda _: 100 * 10**8)))],
    "ceiling": [("mystery", fact("locked-out", units("must-hit-by", lambda _: 1001 * 10**8)))],
    "hit-missing": [("mystery", fact("locked-out", _no_hit))],
    "hit-unfounded": [("royal", fact("locked-out", _a_hit))],
    "redrawn": [
        ("mystery", fact("award-rejected", _other_commitment)),
        ("mystery", said("meters/must-hit-by", _put(commitment="ab" * 32))),
        ("mystery", said("proofs/must-hit-by", _put(commitment="ab" * 32))),
    ],
    "undrawn": [
        ("mystery", without(lambda e: isinstance(e, trace.Drawn) and e.cycle == 2)),
        ("mystery", first(trace.Drawn, lambda e: iter([replace(e, cents=e.cents + 1)]))),
    ],
    "reserve": [("harmony", fact("locked-out", units("harmony", lambda u: u - 1, "reserve")))],
    "carry": [("mystery", fact("award-rejected", units("must-hit-by", lambda _: 0, "carry")))],
    "award": [
        ("royal", fact("hand-entered", _dearer, nth=1)),
        ("royal", said("awards/", _put(amount_cents=1))),
    ],
    "paid-twice": [("royal", _paid_again)],
    "people": [("mystery", fact("award-rejected", _alone)), ("royal", fact("meter-adjusted", _put(second="s1")))],
    "phase": [("royal", fact("reopened", _put(phase="locked")))],
    "books": [("royal", fact("award-validated", _slip))],
    "display": [
        ("royal", said("meters/royal9-mega", _more)),
        ("royal", said("round", _put(round=9))),
        ("royal", without(_is_last_word)),
        ("royal", first(trace.Shown, lambda e: iter([replace(e, payload=e.payload + b" ")]))),
    ],
    "fall": [("royal", said("meters/royal9-mega", _no_correction))],
    "lamp": [
        ("royal", first(trace.LampShown, lambda e: iter([e, replace(e, pattern="accepted")]))),
        ("royal", said("round", lambda told: told["positions"]["1"].update(royal9="placed"))),
    ],
    "late-bet": [("royal", _came_late), ("royal", _late_made_good)],
    "unfounded-wager": [("royal", _never_lay)],
    "missed-wager": [("royal", _missed)],
    "credit": [
        ("harmony", first(trace.CoinDropped, lambda _: iter(()))),
        ("harmony", first(trace.CoinDropped, lambda e: iter([e, e]))),
        ("harmony", first(trace.CoinDropped, lambda e: iter([e, e, trace.SlotReset(at=e.at - 1, slot=SLOT)]))),
        ("harmony", fact("credit-to-return", _put(counted=[SLOT, 1, 1]))),
    ],
    "missed-press": [("royal", lambda events: sorted([*events, *_press(136_500_000)], key=_in_time))],
    "unfounded-press": [("royal", without(lambda e: isinstance(e, trace.ButtonTurned)))],
    "asked": [
        ("royal", fact("award-validated", _put(by="d1"))),
        ("royal", fact("meter-adjusted", _put(reason="another"))),
        ("royal", first(trace.Commanded, lambda e: iter([replace(e, payload=e.payload.replace(b"2026", b"2025"))]))),
    ],
    "reply": [("royal", first(trace.Replied, lambda e: iter([replace(e, payload=_refused(e.payload))])))],
    "reading": [("royal", fact("submission-filed", _put(day="2026-01-01")))],
    "time": [("royal", lambda events: rewritten(events, _a_year_later))],
    "secret": [("mystery", _nonce_told)],
    "nonce": [
        ("mystery", first(trace.Drawn, lambda e: iter([e, replace(e, sealed="ab" * 68)]))),
        ("mystery", first(trace.Drawn, lambda e: iter([e, replace(e, nonce="ab" * 32)]))),
    ],
    "slot-open": [("harmony", _coin_at_the_end)],
    "unnoticed": [("royal", _silent_board)],
    "unsaid": [("royal", first(trace.Heard, lambda e: iter([replace(e, payload=e.payload + b" ")])))],
    "untold": [("royal", lambda events: [*events, _events(1), _events(3)])],
    "cards": [("royal", without(lambda e: isinstance(e, trace.CardsDealt)))],
}


def test_a_coin_that_nobody_had_asked_for_when_its_acceptor_was_reset_may_be_missing(
    evenings: dict[str, Events],
) -> None:
    lost = first(trace.CoinDropped, lambda e: iter([e, e, trace.SlotReset(at=e.at + 1, slot=SLOT)]), nth=1)
    assert kinds(lost(evenings["harmony"])) == set()


@pytest.mark.parametrize(("sent_back", "found"), [(3, {"credit"}), (4, set[str]())], ids=["kept", "pushed-out"])
def test_a_coin_that_nobody_had_asked_for_when_five_events_followed_it_may_be_missing(
    evenings: dict[str, Events], sent_back: int, found: set[str]
) -> None:
    def more(event: trace.CoinDropped) -> Iterator[trace.Any_]:
        yield from (event, event)
        yield from [replace(event, at=event.at + 1, taken=False)] * sent_back

    assert kinds(first(trace.CoinDropped, more, nth=1)(evenings["harmony"])) == found


def _told(events: Events, up_to: str, payload_of: Callable[[trace.Row], bytes]) -> Events:
    """The evening, with an event of every fact up to the first of a type."""
    rows = [event for event in events if isinstance(event, trace.Row)]
    last = next(row.seq for row in rows if row.type == up_to)
    facts = [
        {"seq": row.seq, "at": row.told_at, "type": row.type, "payload": json.decode(payload_of(row))}
        for row in rows[:last]
    ]
    payload = json.encode({"epoch": 1, "seq": last, "facts": facts})
    said = trace.Said(at=rows[0].at, life=1, topic=f"{BASE}/events", payload=payload)
    return [*events[:-1], said, events[-1]]


def test_of_people_everybody_is_told_no_more_than_that_something_happened(evenings: dict[str, Events]) -> None:
    nothing = _told(
        evenings["harmony"], "operator-changed", lambda e: b"{}" if e.type == "operator-changed" else e.payload
    )
    assert kinds(nothing) == set()
    assert kinds(_told(evenings["harmony"], "operator-changed", lambda e: e.payload)) == {"chain"}


def test_what_is_sealed_is_told_to_nobody(evenings: dict[str, Events]) -> None:
    assert "chain" in kinds(_told(evenings["mystery"], "submission-filed", lambda e: e.payload))


def test_every_verdict_is_provoked() -> None:
    assert WRONG.keys() == KINDS.keys()


@pytest.mark.parametrize(("kind", "nth"), [(kind, n) for kind, each in WRONG.items() for n in range(len(each))])
def test_a_verdict(evenings: dict[str, Events], kind: str, nth: int) -> None:
    name, spoil = WRONG[kind][nth]
    assert kind in kinds(spoil(evenings[name]))
