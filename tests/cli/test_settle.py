"""`jackpotd settle WAGER`: one wager, its outcome and what comes back, against the independent restatement."""

import json
import shlex
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from tests.cli.calls import LAYOUT, OUTCOMES, Said, call, deals, refusal
from tests.rules import restatement


def settled(capsys: Said, *arguments: str) -> dict[str, Any]:
    assert call("settle", *arguments) == 0
    said = capsys.readouterr()
    assert said.err == ""
    answer: dict[str, Any] = json.loads(said.out)
    assert set(answer) in ({"wager", "outcome", "pays", "returns_cents"}, {"wager", "outcome", "pays", "meter"})
    return answer


@cache
def _found() -> dict[tuple[str, str], tuple[int | None, list[str]]]:
    """For each wager and outcome that occurs: the seat or none, and the options that make it occur."""
    found: dict[tuple[str, str], tuple[int | None, list[str]]] = {}
    for player, banker in deals():
        hands = ["--player", " ".join(player), "--banker", " ".join(banker)]
        for pair in restatement.outcomes(player, banker).items():
            found.setdefault(pair, (None, hands))
        for seat in (1, 2, 3):
            outcome = restatement.royal9(player, banker, LAYOUT, seat)
            for id_ in ("royal9/5", "royal9/1"):
                found.setdefault((id_, outcome), (seat, hands))
    for dice in product(range(1, 7), repeat=3):
        for id_ in (id_ for id_ in OUTCOMES if id_.startswith("sic-bo-")):
            found.setdefault((id_, restatement.sic_bo(id_, list(dice))), (None, ["--dice", " ".join(map(str, dice))]))
    for home, away in product(["2S", "KS", "AD"], ["2H", "KC", "AS"]):
        for id_ in ("top-card-home", "top-card-away", "top-card-tie"):
            found.setdefault((id_, restatement.top_card(id_, home, away)), (None, ["--home", home, "--away", away]))
    return found


@pytest.mark.parametrize(("wager", "outcome"), [(id_, each) for id_ in OUTCOMES for each in [*OUTCOMES[id_], "lose"]])
def test_every_outcome_occurs_and_returns_what_the_text_says(wager: str, outcome: str, capsys: Said) -> None:
    seat, options = _found()[wager, outcome]
    stake = {"royal9/5": 500, "royal9/1": 100}.get(wager, 777)
    if seat is not None:
        options = [*options, "--layout", ",".join(LAYOUT), "--seat", str(seat)]
    answer = settled(capsys, wager, "--amount", f"{stake // 100}.{stake % 100:02}", *options)
    assert (answer["wager"], answer["outcome"]) == (wager, outcome)
    assert answer.get("meter", answer.get("returns_cents")) == restatement.returns_cents(wager, outcome, stake)


def test_no_deal_has_an_outcome_the_table_does_not_name() -> None:
    assert {pair for pair in _found() if pair[1] not in [*OUTCOMES[pair[0]], "lose"]} == set()


@pytest.mark.parametrize(
    ("bet", "cards", "outcome", "returns"),
    [
        ("player 5", "KS 9S, 2H 3D", "win: 1 to 1", 1000),
        ("player 5", "2H 3D, KS 9S", "lose: nothing", 0),
        ("player 5", "KS 8S, QH 8D", "push: push", 500),
        ("tie 0.01", "KS 8S, QH 8D", "win: 8 to 1", 9),
        ("banker/commission 5", "2H 3D, KS 9S", "win: 1 to 1 less 5%", 975),
        ("banker/commission 0.39", "2H 3D, KS 9S", "win: 1 to 1 less 5%", 76),
        ("banker/commission-free 0.01", "AS 3S JH, KH 6C", "win-6: 1 to 2", 1),
        ("banker/commission-free 5", "4S 2S, KH 7H", "win: 1 to 1", 1000),
        ("majestic-match@player 0.03", "4S 2S, KH 7H", "suited-match: 2.5 to 1", 10),
        ("harmony/B 5", "KS KH TD, JS QC TH", "six-zero-value: 100 for 1", 50000),
        ("harmony/B 5", "KS 9S, 2H 3D", "lose: nothing", 0),
        ("harmony/B 5", "AS AH AD, AC AS AH", "six-of-a-kind: 100% of harmony", "harmony"),
        ("heavenly9 5", "2S 3S 4S, KS 5S 4S", "both-same-suit: 100% of heavenly9", "heavenly9"),
    ],
)
def test_a_wager_is_paid_in_its_own_kind(bet: str, cards: str, outcome: str, returns: int | str, capsys: Said) -> None:
    (wager, amount), (player, banker) = bet.split(), cards.split(", ")
    answer = settled(capsys, wager, "--amount", amount, "--player", player, "--banker", banker)
    assert f"{answer['outcome']}: {answer['pays']}" == outcome
    assert answer.get("meter", answer.get("returns_cents")) == returns


_TOTALS = dict(zip(range(4, 11), [(50, 499), (20, 249), (15, 87), (12, 29), (8, 24), (6, 49), (6, 24)], strict=True))


@pytest.mark.parametrize(
    ("wager", "outcome", "least", "most"),
    [
        *((f"sic-bo-triple-{face}", "win", 150, 999) for face in range(1, 7)),
        *((f"sic-bo-double-{face}", "win", 8, 87) for face in range(1, 7)),
        ("sic-bo-any-triple", "win", 30, 87),
        *((f"sic-bo-total-{total}", "win", *_TOTALS[min(total, 21 - total)]) for total in range(4, 18)),
        *((f"sic-bo-pair-{a}-{b}", "win", 5, 24) for a, b in combinations(range(1, 7), 2)),
        ("sic-bo-one-2", "one", 1, 1),
        ("sic-bo-one-2", "two", 2, 19),
        ("sic-bo-one-2", "three", 3, 87),
        *((f"sic-bo-{name}", "win", 1, 1) for name in ("even", "odd", "small", "big")),
    ],
)
def test_a_multiplier_pays_within_its_range_only(wager: str, outcome: str, least: int, most: int, capsys: Said) -> None:
    bet = (wager, "--amount", "2", *_found()[wager, outcome][1])
    assert settled(capsys, *bet)["returns_cents"] == 200 * (least + 1)
    for odds in (least, most):
        answer = settled(capsys, *bet, "--multiplier", str(odds))
        assert list(answer.values()) == [wager, outcome, f"{odds} to 1", 200 * (odds + 1)]
    for odds in (least - 1, most + 1):
        assert "multiplier" in refusal(capsys, "settle", *bet, "--multiplier", str(odds))


@pytest.mark.parametrize(
    ("cards", "home", "away", "tie"),
    [("AS KD", 1554, 0, 0), ("2S 3D", 0, 1554, 0), ("KS KS", 388, 388, 9324), ("9S 9D", 388, 388, 9324)],
)
def test_top_card_has_aces_high_and_gives_half_back(cards: str, home: int, away: int, tie: int, capsys: Said) -> None:
    one, two = cards.split()
    for wager, returns in {"top-card-home": home, "top-card-away": away, "top-card-tie": tie}.items():
        assert settled(capsys, wager, "--amount", "7.77", "--home", one, "--away", two)["returns_cents"] == returns


_H = "--player 'KS 9S' --banker '2H 3D'"
_BAD_MONEY = ("-5", "5.5", "5,00", "$5", "1e3", "''", "\u0665", "12345678901")
_BAD_HANDS = {
    "--player 'KS 9S 2H' --banker '2H 3D'": "natural 9",
    "--player 'KS 7S 2H' --banker '2H 3D'": "the Player stays on 7",
    "--player 'KS 5S 8H' --banker 'KH 3D 2S'": "the Banker stays on 3",
    "--player 'KS 5S' --banker 'KH 3D 2S'": "the Player draws on 5",
    "--player 'KS 2S 2D 2H' --banker '2H 3D'": "more than three",
    "--player 'KS 10S' --banker '2H 3D'": "'10S' is not a card",
    "--player 'ks 9S' --banker '2H 3D'": "'ks' is not a card",
    "--player 'KS,9S' --banker '2H 3D'": "'KS,9S' is not a card",
}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        # what may be wagered
        (f"royal9/5 {_H} --layout KS9S --seat 1 --amount 1", "$5"),
        (f"royal9/5 {_H} --layout KS9S --seat 1 --amount 5.01", "$5"),
        (f"royal9/1 {_H} --layout KS9S --seat 1 --amount 5", "$1"),
        (f"heavenly9 {_H} --amount 4.99", "at least $5, not $4.99 (§ 631c.2(c))"),
        (f"player {_H}", "amount"),
        (f"player {_H} --amount 0", "amount"),
        *((f"player {_H} --amount={money}", "is not an amount") for money in _BAD_MONEY),
        # what cannot have been dealt, or is no card
        *((f"player --amount 5 {hands}", why) for hands, why in _BAD_HANDS.items()),
        *((f"perfect-pairs/A@player --amount 5 {hands}", why) for hands, why in _BAD_HANDS.items()),
        *((f"royal9/5 --layout KS9S --seat 1 {hands}", why) for hands, why in _BAD_HANDS.items()),
        ("top-card-tie --amount 5 --home 'KS 9S' --away 2S", "not a card"),
        *((f"sic-bo-even --amount 5 --dice '{dice}'", "throw") for dice in ("1 2", "1 2 7", "1 2 3 4", "123", "")),
        ("sic-bo-one-1 --amount 5 --dice '1 1 1' --multiplier 5.5", "invalid int"),
        ("sic-bo-total-9 --amount 5 --dice '1 1 1' --multiplier 50", "multiplier"),
        # what is on no layout
        *((f"royal9/5 {_H} --layout '{text}' --seat 1", "combination") for text in ("KS", "QS9S", "KS9S,", "")),
        (f"royal9/5 {_H} --layout KS9S,KH9H,KS9S --seat 1", "KS9S is on the layout twice"),
        (f"royal9/5 {_H} --layout KS9S,KH9H --seat 3", "seat 3"),
        ("must-hit-by/A-1", "not by cards"),
        (f"royal9/5 {_H} --layout KS9S,KH9H --seat 0", "seat 0"),
        ("royal9/5 --player '2S 4S' --banker '2H 5D' --layout KS9S,KH9H --seat 3", "seat 3"),
        # what is missing
        ("", "name a wager"),
        ("player --amount 5 --player 'KS 9S'", "--banker is missing"),
        ("player --amount 5 --banker 'KS 9S'", "--player is missing"),
        (f"royal9/5 {_H} --seat 1", "--layout is missing"),
        (f"royal9/5 {_H} --layout KS9S", "--seat is missing"),
        ("sic-bo-even --amount 5", "--dice is missing"),
        ("top-card-tie --amount 5 --home KS", "--away is missing"),
        # what is not dealt yet
        ("player --amount 5 --player '' --banker ''", "settle: incomplete: "),
        ("perfect-pairs/A@player --amount 5 --player 'KS 9S' --banker ''", "settle: incomplete: "),
        ("house-money --amount 5 --player 'KS 9S' --banker 2H", "settle: incomplete: "),
        # what has no use
        *(
            (f"player {_H} --amount 5 --{name} 1", f"no use for --{name}")
            for name in ("seat", "dice", "home", "layout")
        ),
        (f"royal9/5 {_H} --layout KS9S --seat 1 --dice '1 2 3'", "no use for --dice"),
        ("sic-bo-even --amount 5 --dice '1 2 3' --player 'KS 9S'", "no use for --player"),
        ("top-card-tie --amount 5 --home KS --away 2S --multiplier 2", "no use for --multiplier"),
        ("--stdin player", "leave out player"),
        ("--stdin --amount 5", "--amount"),
        ("--stdin --seat 1", "--seat"),
        ("--stdin --layout KS9X", "'KS9X' is not a combination"),
        ("player --colour red", "unrecognized"),
        # what does not exist
        (f"plyer --amount 5 {_H}", "did you mean player"),
        (f"harmony --amount 5 {_H}", "did you mean harmony/"),
        ("sic-bo-pair-2-1 --amount 5 --dice '1 2 3'", "did you mean sic-bo-pair-"),
    ],
)
def test_it_refuses_and_says_why(arguments: str, says: str, capsys: Said) -> None:
    assert says in refusal(capsys, "settle", *shlex.split(arguments))


@pytest.mark.parametrize("wager", [id_ for id_ in OUTCOMES if not id_.startswith(("sic-bo-", "top-card-"))])
def test_four_cards_of_an_unfinished_hand_settle_the_wagers_on_initial_cards_only(wager: str, capsys: Said) -> None:
    stake = ("--layout", "KS9S", "--seat", "1") if wager.startswith("royal9") else ("--amount", "5")
    arguments = (wager, *stake, "--player", "2S 2S", "--banker", "KH 3H")
    initial = ("royal9/", "perfect-pairs/", "lucky-nines/", "majestic-match", "house-money")
    if wager.startswith(initial) or wager.endswith("-pair"):
        assert settled(capsys, *arguments)["wager"] == wager
    else:
        assert "settle: incomplete: " in refusal(capsys, "settle", *arguments)
