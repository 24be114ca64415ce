"""`jackpotd odds`: the contract of its answers, and figures worked out here once more."""

import csv
import io
import json
from fractions import Fraction
from itertools import product
from math import perm
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import OUTCOMES, Said, call, refusal
from tests.rules import restatement

ROOT = Path(__file__).parents[2]
EIGHT_DECKS = 4998398275503360
PLAIN = {"wager", "decks", "total", "outcomes", "return", "house_edge"}
PROGRESSIVE = PLAIN | {"amount_cents", "jackpot_probability", "break_even_cents", "long_run_return"}
FLOORS = {
    "royal9/5": {"royal9-mega": 5_000_000, "royal9-major": 45_000, "royal9-minor": 45_000},
    "royal9/1": {"royal9-mega": 1_000_000, "royal9-major": 9_000, "royal9-minor": 9_000},
}
# Minimum and maximum in dollars, the rate in thousandths, the wager in dollars.
MYSTERIES = {
    "royal9-mystery/1": (250, 1000, 50, 5),
    "royal9-mystery/2": (100, 500, 50, 5),
    "royal9-mystery/3": (100, 200, 20, 5),
}
for _paytable, _configurations in {
    "A": ((100, 200, 20), (100, 200, 15), (100, 250, 10)),
    "B": ((100, 500, 50), (100, 500, 35), (100, 500, 20)),
    "C": ((250, 500, 20), (250, 500, 15), (250, 500, 5)),
    "D": ((250, 1000, 50), (250, 1000, 30), (250, 1000, 20)),
}.items():
    for _stake, _values in zip((1, 2, 5), _configurations, strict=True):
        MYSTERIES[f"must-hit-by/{_paytable}-{_stake}"] = (*_values, _stake)


def printed(capsys: Said, *arguments: str) -> str:
    assert call("odds", *arguments) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def told(capsys: Said, *arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(printed(capsys, *arguments, "--json"))
    return answer


def _every(capsys: Said, *arguments: str) -> dict[str, dict[str, Any]]:
    answers = json.loads(printed(capsys, "--all", "--json", *arguments))
    assert len({answer["wager"] for answer in answers}) == len(answers)
    return {answer["wager"]: answer for answer in answers}


def _places(value: Fraction) -> str:
    """Twelve places, to the nearest."""
    return f"{round(value * 10**12) // 10**12}.{round(value * 10**12) % 10**12:012}"


def _return(answer: dict[str, Any], stake: int) -> Fraction:
    """What comes back of the stake by the restated paytable, jackpots left out."""
    returned = Fraction(0)
    for outcome, count in answer["outcomes"].items():
        cents = restatement.returns_cents(answer["wager"], outcome, stake)
        returned += Fraction(int(count), int(answer["total"])) * (cents if isinstance(cents, int) else 0)
    return returned / stake


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_every_wager_is_counted_to_the_last_deal(decks: int, capsys: Said) -> None:
    every = _every(capsys, "--decks", str(decks))
    assert set(every) == set(OUTCOMES) | set(MYSTERIES)
    for id_, outcomes in OUTCOMES.items():
        answer = every[id_]
        assert set(answer) >= PLAIN
        assert list(answer["outcomes"]) == [*outcomes, "lose"]
        total = {"sic": 216, "top": perm(416, 2)}.get(id_[:3], perm(52 * decks, 6))
        assert answer["total"] == str(sum(map(int, answer["outcomes"].values()))) == str(total)
        assert answer["decks"] == {"sic": None, "top": 8}.get(id_[:3], decks)
        stake = {"royal9/5": 500, "royal9/1": 100}.get(id_, 2000)  # no payout of these rounds anything away
        assert answer["return"] == _places(_return(answer, stake))
        assert Fraction(answer["return"]) + Fraction(answer["house_edge"]) == 1
        assert all(len(answer[name].partition(".")[2]) == 12 for name in ("return", "house_edge"))
    assert perm(416, 6) == EIGHT_DECKS


def test_a_plain_wager_has_the_published_counts_and_nothing_more(capsys: Said) -> None:
    answer = told(capsys, "banker/commission")
    assert set(answer) == PLAIN
    assert answer["outcomes"] == {"win": "2292252566437888", "push": "475627426473216", "lose": "2230518282592256"}
    assert (answer["wager"], answer["decks"], answer["total"]) == ("banker/commission", 8, str(EIGHT_DECKS))
    assert answer["house_edge"].startswith("0.010579")


@pytest.mark.parametrize("amount", [None, "5", "7", "1000.01"])
@pytest.mark.parametrize("wager", [id_ for id_ in OUTCOMES if id_.startswith(("harmony/", "heavenly9"))])
def test_break_even_is_the_least_cent_without_an_edge(wager: str, amount: str | None, capsys: Said) -> None:
    answer = told(capsys, wager, *(() if amount is None else ("--amount", amount)))
    assert set(answer) == PROGRESSIVE
    stake = int(Fraction(amount or "5") * 100)
    jackpot = Fraction(int(answer["outcomes"][OUTCOMES[wager][0]]), EIGHT_DECKS)
    assert answer["amount_cents"] == stake
    assert answer["jackpot_probability"] == f"{jackpot.numerator}/{jackpot.denominator}"
    missing = 1 - _return(answer, 2000)
    assert missing - jackpot * answer["break_even_cents"] / stake <= 0
    assert missing - jackpot * (answer["break_even_cents"] - 1) / stake > 0
    rates = Fraction({"B": 24, "E": 24, "H": 24}.get(wager[-1], 18), 100)  # Harmony: meter and reserve
    if wager == "heavenly9":
        rates = Fraction(10, 100) + jackpot * 1_000_000 / stake
    assert answer["long_run_return"] == _places(1 - missing + rates)


@pytest.mark.parametrize("wager", FLOORS)
def test_royal9_breaks_even_meter_by_meter_with_the_others_at_their_floors(wager: str, capsys: Said) -> None:
    answer = told(capsys, wager)
    stake = int(wager[-1]) * 100
    assert set(answer) == PROGRESSIVE | {"layout", "seat"}
    assert (answer["amount_cents"], answer["seat"], answer["long_run_return"]) == (stake, 1, None)
    assert set(answer["break_even_cents"]) == set(answer["jackpot_probability"]) == set(FLOORS[wager])
    chances = {
        id_: Fraction(int(answer["outcomes"][id_.removeprefix("royal9-")]), EIGHT_DECKS) for id_ in FLOORS[wager]
    }
    for meter, cents in answer["break_even_cents"].items():
        assert Fraction(answer["jackpot_probability"][meter]) == chances[meter]
        others = sum(chances[id_] * at for id_, at in FLOORS[wager].items() if id_ != meter)
        missing = stake * (1 - _return(answer, stake)) - others
        assert chances[meter] * (cents - 1) < missing <= chances[meter] * cents


@pytest.mark.parametrize(
    ("layout", "seat", "decks"), [("KS9S", 1, 8), ("KS9S,KH9D,KC9C,KD9D", 2, 7), ("KS9S,KH9D,KC9C,KD9D", 4, 6)]
)
def test_royal9_counts_follow_layout_and_seat(layout: str, seat: int, decks: int, capsys: Said) -> None:
    answer = told(capsys, "royal9/5", "--layout", layout, "--seat", str(seat), "--decks", str(decks))
    assert (answer["layout"], answer["seat"], answer["decks"]) == (layout, seat, decks)
    # A queen stands for jacks too, and the two of clubs for all that is neither face card nor nine.
    kinds = {**{rank + suit: 2 if rank == "Q" else 1 for rank in "KQ9" for suit in "SHDC"}, "2C": 36}
    counts = dict.fromkeys(answer["outcomes"], 0)
    for four in product(kinds, repeat=4):
        ways = perm(52 * decks - 4, 2)
        for index, card in enumerate(four):
            ways *= kinds[card] * decks - four[:index].count(card)
        counts[restatement.royal9(list(four[:2]), list(four[2:]), layout.split(","), seat)] += ways
    assert answer["outcomes"] == {outcome: str(count) for outcome, count in counts.items()}


@pytest.mark.parametrize("wager", MYSTERIES)
def test_a_mystery_meter_is_expected_to_hit_as_a_loop_over_all_values_says(wager: str, capsys: Said) -> None:
    least, most, rate, stake = (MYSTERIES[wager][0] * 100, MYSTERIES[wager][1] * 100, *MYSTERIES[wager][2:])
    for amount in (1, 5) if wager.startswith("royal9-") else (stake, stake * 7):
        answer = told(capsys, wager, "--amount", str(amount))
        meter, placed, wagers, awards = least * 1000, 0, 0, 0  # in thousandths of a cent
        for value in range(least, most):
            while meter <= value * 1000:
                meter, placed = meter + amount * 100 * rate, placed + 1
            wagers, awards = wagers + placed, awards + min(meter // 1000, most)
        expected = Fraction(wagers, most - least), Fraction(awards, most - least)
        assert (answer["expected_wagers"], answer["expected_award_cents"]) == tuple(map(_places, expected))
        assert answer["long_run_return"] == _places(expected[1] / (amount * 100 * expected[0]))
    default = told(capsys, wager)
    assert (default["wager"], default["amount_cents"]) == (wager, stake * 100)
    assert (default["minimum_cents"], default["maximum_cents"]) == (least, most)


@pytest.mark.parametrize(
    ("file", "wager", "decks", "amount", "long_run"),
    [
        ("minibaccarat-royal9-5", "royal9/5", 8, 500, Fraction(18, 100)),
        ("minibaccarat-royal9-1", "royal9/1", 6, 100, Fraction(185, 1000)),
        ("minibaccarat-royal9-5", "harmony/B", 8, 500, Fraction(24, 100)),
        ("midibaccarat-harmony", "harmony/G", 8, 500, Fraction(18, 100)),
        ("baccarat-heavenly9", "heavenly9", 8, 500, Fraction(10, 100)),
    ],
)
def test_a_rules_submission_gives_decks_amount_and_rates(  # noqa: PLR0913, PLR0917 -- one line of the table above
    file: str, wager: str, decks: int, amount: int, long_run: Fraction, capsys: Said
) -> None:
    answer = told(capsys, wager, "--config", str(ROOT / "config" / f"{file}.toml"))
    assert (answer["decks"], answer["amount_cents"]) == (decks, amount)
    resets = FLOORS.get(wager, {"heavenly9": 1_000_000} if wager == "heavenly9" else {})
    chances = answer["jackpot_probability"] if wager in FLOORS else {wager: answer["jackpot_probability"]}
    seeds = sum(Fraction(chances[meter]) * cents for meter, cents in resets.items())
    assert answer["long_run_return"] == _places(_return(answer, amount) + long_run + Fraction(seeds, amount))


def test_a_rules_submission_gives_the_layout_too(capsys: Said) -> None:
    file = ("--config", str(ROOT / "config" / "minibaccarat-royal9-1.toml"))
    answer = told(capsys, "royal9/1", *file, "--seat", "7")
    assert (answer["layout"], answer["seat"]) == ("KS9S,KH9H,KD9D,KC9C,KS9H,KH9S,KD9C", 7)
    assert told(capsys, "royal9/1", *file, "--decks", "8")["decks"] == 8
    assert told(capsys, "player", *file)["decks"] == 6
    assert "seat 8" in refusal(capsys, "odds", "royal9/1", *file, "--seat", "8")


def test_the_whole_catalog_is_a_table_with_every_id_once(capsys: Said) -> None:
    ids = sorted([*OUTCOMES, *MYSTERIES])
    text = [line.split()[0] for line in printed(capsys, "--all").splitlines() if line]
    assert sorted(word for word in text if word in set(ids)) == ids
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "--all", "--csv"))))
    assert sorted(row["wager"] for row in rows) == ids
    every = _every(capsys)
    for row in rows:
        answer = every[row["wager"]]
        for key in {"total", "return", "house_edge", "expected_wagers", "expected_award_cents"} & set(answer):
            assert row[key] == answer[key]


def test_one_wager_as_csv_has_a_row_for_each_outcome(capsys: Said) -> None:
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "royal9/5", "--csv"))))
    assert {row["outcome"]: row["count"] for row in rows} == told(capsys, "royal9/5")["outcomes"]
    mystery = next(csv.DictReader(io.StringIO(printed(capsys, "must-hit-by/D-5", "--csv"))))
    assert mystery["expected_wagers"] == told(capsys, "must-hit-by/D-5")["expected_wagers"]


@pytest.mark.parametrize("wager", ["player", "royal9/5", "heavenly9", "sic-bo-even", "top-card-tie", "must-hit-by/A-1"])
def test_the_text_says_what_json_says(wager: str, capsys: Said) -> None:
    text, answer = printed(capsys, wager), told(capsys, wager)
    for count in answer.get("outcomes", {}).values():
        assert f"{int(count):,}" in text
    assert text.startswith(f"{wager}: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "name one wager, or give --all"),
        ("player --all", "name one wager, or give --all"),
        *((f"--all {option} 1", option) for option in ("--seat", "--layout", "--amount", "--plot", "--config")),
        ("--all --json --csv", "not allowed with"),
        ("--all --decks 5", "5 decks"),
        *((f"{wager} --decks {decks}", f"{decks} decks") for wager in ("player", "royal9/5") for decks in (5, 9, 0)),
        ("player --decks eight", "invalid int"),
        ("sic-bo-even --decks 8", "dice"),
        ("top-card-tie --decks 6", "6 decks"),
        ("must-hit-by/A-1 --decks 8", "--decks"),
        *((f"{wager} --layout KS9S", "--layout") for wager in ("player", "royal9-mystery/1", "sic-bo-even")),
        ("player --seat 1", "--seat"),
        ("royal9/5 --seat 10", "seat 10"),
        ("royal9/5 --seat 0", "seat 0"),
        ("royal9/5 --layout KS9S,KH9H --seat 3", "seat 3"),
        ("royal9/5 --layout KS9S,KS9S", "twice"),
        ("royal9/5 --layout QS9S", "'QS9S' is not a combination"),
        ("royal9/5 --amount 1", "$5"),
        ("heavenly9 --amount 4.99", "at least $5"),
        ("must-hit-by/B-5 --amount 4.99", "at least $5"),
        ("harmony/A --amount 0", "above zero"),
        ("harmony/A --amount five", "'five' is not an amount"),
        ("harmny/A", "did you mean harmony/A"),
        ("must-hit-by/A-3", "did you mean must-hit-by/A-"),
        ("royal9-mystery/4", "did you mean royal9-mystery/"),
        ("royal9/1 --config config/minibaccarat-royal9-5.toml", "royal9/1 is not filed there"),
        ("royal9-mystery/2 --config config/minibaccarat-royal9-5.toml", "royal9-mystery/2 is not filed there"),
        ("harmony/A --config config/minibaccarat-royal9-5.toml", "harmony/A is not filed there"),
        ("harmony/A --config config/baccarat-heavenly9.toml", "harmony/A is a wager of minibaccarat, midibaccarat"),
        ("sic-bo-even --config config/baccarat-heavenly9.toml", "sic-bo-even is a wager of sic-bo"),
        ("royal9-mystery/1 --amount 3", "wagers of $1 or $5, not of $3"),
        ("player --config config/no-such-file.toml", "no-such-file.toml"),
        ("player --config Makefile", "Makefile is not TOML"),
    ],
)
def test_it_refuses_and_says_why(arguments: str, says: str, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert says in refusal(capsys, "odds", *arguments.split())


def test_an_unlawful_submission_is_refused(tmp_path: Path, capsys: Said) -> None:
    lawful = (ROOT / "config" / "baccarat-heavenly9.toml").read_text()
    file = tmp_path / "five-decks.toml"
    file.write_text(lawful.replace("decks = 8", "decks = 5"))
    assert "not lawful" in refusal(capsys, "odds", "heavenly9", "--config", str(file))
