"""What two hands will settle, told before they are sent: by the rules alone, since a table does not say what it filed.

Nothing is decided here. The layout and the paytable are the controller's: Royal 9 is told by combination, the position
it is printed at being the dealer's to see, and a row that depends on the paytable is told for each.
"""

from collections.abc import Iterable, Iterator

from msgspec import UNSET, Struct, UnsetType, json
from starlette.requests import Request
from starlette.responses import Response

from controller.rules import catalog, royal9
from controller.rules.cards import Hand, card, point_count
from controller.rules.drawing import INITIAL, MOST, Verdict, judge, next_draw
from controller.rules.errors import BadInputError
from controller.rules.settlement import LOSE, refuse_unfinished, settle_all

OTHERS = "others"  # every position but the one a combination is printed at
ROYAL9 = "royal9"
WAGERS = (ROYAL9, "harmony", "heavenly9")


class Settles(Struct, frozen=True, kw_only=True):
    """A row that two hands win. `whom`: empty for every wager, or a combination, or all others."""

    wager: str
    outcome: str
    whom: str
    pays: dict[str, tuple[str, ...]]  # what the row pays, and under which paytables
    meter: str | UnsetType = UNSET  # a jackpot: what it shows is what is due


class Preview(Struct, frozen=True, kw_only=True):
    """Two hands, judged: what they make, and who is owed a card."""

    player_total: int
    banker_total: int
    complete: bool
    next: str  # player, banker or nobody
    why: str
    rows: tuple[Settles, ...]


def preview(player: Hand, banker: Hand, wagers: Iterable[str] = WAGERS) -> Preview:
    """What these hands settle of some wagers; refuses hands that cannot have come about."""
    refuse_unfinished(player, banker, four_cards_do=True)
    complete = judge(player, banker).verdict is Verdict.COMPLETE
    draw = next_draw(player, banker)
    rows: list[Settles] = []
    for wager in wagers:
        if wager == ROYAL9:
            rows += _royal9(player, banker)
        elif complete:
            rows += _by_result(wager, settle_all(player, banker))
    return Preview(
        player_total=point_count(player),
        banker_total=point_count(banker),
        complete=complete,
        next="" if draw.to is None else draw.to.value.lower(),
        why=draw.why,
        rows=tuple(rows),
    )


def _royal9(player: Hand, banker: Hand) -> Iterator[Settles]:
    """The rows of Royal 9: for the position of each combination that was dealt, and for all others."""
    hands = royal9.royal(*player[:INITIAL]), royal9.royal(*banker[:INITIAL])
    shown = tuple(dict.fromkeys(hand.combination for hand in hands if hand.combination))
    elsewhere = next(each for each in royal9.COMBINATIONS if each not in shown)
    for whom, seat in (*((each, index) for index, each in enumerate(shown, start=1)), (OTHERS, len(shown) + 1)):
        outcome = royal9.outcome(*hands, royal9.Layout((*shown, elsewhere)), seat)
        if outcome != LOSE:
            yield _row(ROYAL9, outcome, whom if shown else "", ("5", "1"))


def _by_result(name: str, outcomes: dict[str, str]) -> Iterator[Settles]:
    """The rows of a wager that looks at both whole hands, under every paytable it may be filed with."""
    found: dict[str, tuple[str, ...]] = {}
    for id_, outcome in outcomes.items():
        wager = catalog.wagers()[id_]
        if wager.name == name and outcome != LOSE:
            found[outcome] = (*found.get(outcome, ()), wager.paytable)
    for outcome, paytables in found.items():
        yield _row(name, outcome, "", paytables)


def _row(name: str, outcome: str, whom: str, paytables: tuple[str, ...]) -> Settles:
    pays: dict[str, tuple[str, ...]] = {}
    meter: str | UnsetType = UNSET
    for paytable in paytables:
        payout = catalog.wagers()[f"{name}/{paytable}" if paytable else name].row(outcome).payout
        pays[payout.text] = (*pays.get(payout.text, ()), paytable)
        meter = payout.meter or UNSET
    return Settles(wager=name, outcome=outcome, whom=whom, pays=pays, meter=meter)


def _hand(text: str, side: str) -> Hand:
    names = [name for name in text.split(",", MOST + 1) if name]
    if not INITIAL <= len(names) <= MOST:
        raise BadInputError(f"{side}: give two or three cards with commas between them, like KS,9D")
    return tuple(card(name) for name in names)


def _wagers(text: str) -> tuple[str, ...]:
    asked = text.split(",", len(WAGERS)) if text else list(WAGERS)
    unknown = [name for name in asked if name not in WAGERS]
    if unknown:
        raise BadInputError(f"wagers: {unknown[0]!r} is none of {', '.join(WAGERS)}")
    return tuple(dict.fromkeys(asked))


async def answer(request: Request) -> Response:
    """`GET /api/preview?player=KS,9S&banker=2H,3D&wagers=royal9,harmony`."""
    asked = request.query_params
    try:
        hands = _hand(asked.get("player", ""), "player"), _hand(asked.get("banker", ""), "banker")
        told: object = preview(*hands, _wagers(asked.get("wagers", "")))
    except BadInputError as error:
        refused = {"ok": False, "error": "bad-hand", "message": str(error)}
        return Response(json.encode(refused), 400, media_type="application/json")
    return Response(json.encode(told), media_type="application/json")
