"""What `lawful.check` demands of a Rules Submission, on both sides of every limit.

The figures stand here as the regulation gives them, not as the catalog does. Each test changes one thing of a shipped,
lawful example.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.rules.fields import Finding
from controller.rules.lawful import UnreadableError, check
from controller.rules.submission import Checked

CONFIG = Path(__file__).parents[2] / "config"
ROYAL5, ROYAL1 = "minibaccarat-royal9-5", "minibaccarat-royal9-1"
MIDI, HEAVENLY = "midibaccarat-harmony", "baccarat-heavenly9"
EXAMPLES = (ROYAL5, ROYAL1, MIDI, HEAVENLY)
IN_FORCE = date(2024, 6, 1)  # a day on which every section the examples stand on is in force
FILED = "§ 601a.2"
COMBINATIONS = [f"K{king}9{nine}" for king in "SHDC" for nine in "SHDC"]
ABSENT = object()

# Paytable: rate, reserve rate (§ 627b.6(j), § 629b.7(j)) and what six 0-value cards pay for 1 (subsection (i)).
HARMONY = {
    **{"A": ("15%", "3%", 100), "B": ("19%", "5%", 100), "C": ("15%", "3%", 100)},
    **{"D": ("15%", "3%", 200), "E": ("19%", "5%", 100), "F": ("15%", "3%", 100)},
    **{"G": ("15%", "3%", 100), "H": ("19%", "5%", 50), "I": ("15%", "3%", 50)},
}
# § 631c.6(c)(4): minimum and maximum in dollars, and the rate in millionths.
MUST_HIT_BY = {
    **{("A", 1): (100, 200, 20_000), ("A", 2): (100, 200, 15_000), ("A", 5): (100, 250, 10_000)},
    **{("B", 1): (100, 500, 50_000), ("B", 2): (100, 500, 35_000), ("B", 5): (100, 500, 20_000)},
    **{("C", 1): (250, 500, 20_000), ("C", 2): (250, 500, 15_000), ("C", 5): (250, 500, 5_000)},
    **{("D", 1): (250, 1000, 50_000), ("D", 2): (250, 1000, 30_000), ("D", 5): (250, 1000, 20_000)},
}


class Raw(NamedTuple):
    """A value as TOML writes it."""

    text: str


def toml(value: object) -> str:
    match value:
        case Raw(text):
            return text
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return "{" + ", ".join(f"{toml(name)} = {toml(each)}" for name, each in value.items()) + "}"
        case _:
            return str(value)


def document(data: Mapping[str, object]) -> str:
    return "\n".join(f"{toml(name)} = {toml(value)}" for name, value in data.items())


def example(name: str) -> dict[str, Any]:
    return tomllib.loads((CONFIG / f"{name}.toml").read_text(encoding="utf-8"))


def put(data: dict[str, Any], path: str, value: object) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        data = data.setdefault(parent, {})
    if value is ABSENT:
        del data[last]
    else:
        data[last] = value


def changed(name: str, changes: Mapping[str, object], on: date = IN_FORCE) -> Checked:
    """What is found once the values at these dotted paths are others."""
    data = example(name)
    for path, value in changes.items():
        put(data, path, value)
    return check(document(data), on)


def only_violation(found: Checked) -> Finding:
    assert found.submission is None
    assert len(found.violations) == 1, found.violations
    return found.violations[0]


def assert_lawful(found: Checked) -> None:
    assert found.violations == ()
    assert found.submission is not None


def layout(positions: int, first: int = 0) -> dict[str, str]:
    return {str(seat + 1): COMBINATIONS[first + seat] for seat in range(positions)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_lawful_as_shipped_and_as_written_again(name: str) -> None:
    found = check((CONFIG / f"{name}.toml").read_text(encoding="utf-8"), IN_FORCE)
    assert_lawful(found)
    assert found.warnings == ()
    assert found == changed(name, {})


SERVICE = ("devices", "button", "mqtt", "journal", "software", "console", "signage", "link")
OPTIONAL = {
    ROYAL5: ("awards", "table.timezone", "table.day_start", "table.payout", "royal9.award", "royal9.mystery", "harmony")
    + tuple(f"awards.{name}" for name in ("validate_from", "second_person_from", "hold_play_on_hit", "late_hands")),
    ROYAL1: ("table.variant",),
    MIDI: ("harmony.minimum_reseed",),
    HEAVENLY: ("heavenly9.must_hit_by",),
}
MIDI_TO_MINI = {"table.game": "minibaccarat"}
WITHIN: list[tuple[str, dict[str, object]]] = [
    *((ROYAL5, {"table.positions": seats, "royal9.layout": layout(seats)}) for seats in range(1, 10)),
    *((ROYAL1, {"table.positions": 8, "royal9.layout": layout(8, first)}) for first in (0, 8)),  # all sixteen
    *((name, {"table.decks": decks}) for name in (ROYAL5, ROYAL1, HEAVENLY) for decks in (6, 7, 8)),
    *((MIDI, {"table.decks": decks, **game}) for game in ({}, MIDI_TO_MINI) for decks in (6, 8)),
    *((ROYAL5, {f"royal9.{meter}.seed": "450.00"}) for meter in ("major", "minor")),
    *((ROYAL1, {f"royal9.{meter}.seed": "90.00"}) for meter in ("major", "minor")),
    (ROYAL5, {"royal9.mega": {"initial": "50000.00", "reset": "50000.00", "rate": "10%"}}),
    (ROYAL5, {"royal9.mega": {"initial": "50000.00", "reset": "55000.00", "rate": "10%"}}),
    (ROYAL5, {"royal9.mega": {"seed": "50000", "rate": "10%"}}),
    (ROYAL1, {"royal9.mega": {"initial": "10000.00", "reset": "10000.00", "rate": "10%"}}),
    *((ROYAL5, {"royal9.mystery.configuration": number}) for number in (1, 2, 3)),
    (ROYAL1, {"royal9.mystery": {"configuration": 1}}),
    *((HEAVENLY, {"heavenly9.denomination": dollars}) for dollars in (5, 6, 25)),
    *((MIDI, {"harmony.denomination": dollars}) for dollars in (1, 2, 100)),
    (ROYAL5, {"royal9.mega.rate": "0.0001%"}),
    (ROYAL5, {"royal9.mega.rate": "86.9999%"}),  # with 4%, 4% and the mystery's 5%: 99.9999%
    (ROYAL5, {"royal9.award": "list"}),
    *((ROYAL5, {name: {"anything": {"at": [1, Raw("2.5"), "all"]}}}) for name in SERVICE),
    *((name, {path: ABSENT}) for name, paths in OPTIONAL.items() for path in paths),
]


@pytest.mark.parametrize(("name", "changes"), WITHIN)
def test_what_is_within_the_limits_is_lawful(name: str, changes: dict[str, object]) -> None:
    assert_lawful(changed(name, changes))


CITES_ROYAL9 = "§ 627b.3(f)(1), § 627b.3(g)(1)"
MALFORMED_LAYOUT = ("KS9", "9DKS", "QS9D", "KS8D", "ks9d", "KS9D ", "KX9D", "KSKD", "")
MALFORMED_MONEY = ("450.0", "450.000", "$450.00", "1,450.00", "-450.00", "", " 450.00", "4e2", "\u0664.00", "0450.00")
MALFORMED_RATE = ("4", "4 %", "%", "-4%", "4,5%", ".5%", "4.%", "1000%", " 4%", "\u0664%", "04%", "0.04", "")
# A change whose first key is the violation, what the message must demand, and the section.
BEYOND: list[tuple[str, dict[str, object], str, str]] = [
    *((ROYAL5, {"table.positions": seats}, "1 to 9", "§ 627a.2(a)") for seats in (-1, 0, 10)),
    *((name, {"table.positions": 0}, "1 to ", FILED) for name in (MIDI, HEAVENLY)),
    *((ROYAL5, {"table.decks": decks}, "6 to 8", "§ 627a.3(a)") for decks in (0, 5, 9, 16)),
    (MIDI, {"table.decks": 7}, "6 or 8", "§ 629b.5(f)"),
    (MIDI, {"table.decks": 7, **MIDI_TO_MINI}, "6 or 8", "§ 627b.4(f)"),
    (HEAVENLY, {"table.variant": "rising-phoenix"}, "minibaccarat", "§ 627b.4, § 629b.5"),
    (ROYAL5, {"table.game": "roulette"}, "minibaccarat, midibaccarat, baccarat", FILED),
    (ROYAL5, {"table.variant": "none"}, "standard, ez, commission-free, rising-phoenix", FILED),
    (ROYAL5, {"table.payout": "cash"}, "inventory, slip, either", FILED),
    (ROYAL5, {"table.timezone": "Mars/Olympus"}, "America/New_York", FILED),
    *((ROYAL5, {"table.day_start": time}, "06:00", FILED) for time in ("24:00", "6:00", "06:60", "06:00:00")),
    (ROYAL5, {"royal9.layout.9": "KS9S"}, "position 1's", "§ 627b.3(e)(5)"),
    (ROYAL5, {"royal9.layout.9": ABSENT}, "position 9 has no combination", "§ 627b.3(e)(5)"),
    *((ROYAL5, {f"royal9.layout.{seat}": "KC9S"}, "1 to 9", "§ 627b.3(e)(5)") for seat in ("10", "0", "01", "x")),
    *((ROYAL5, {"royal9.layout.9": text}, "like KS9H", "§ 627b.3(e)(5)") for text in MALFORMED_LAYOUT),
    *((ROYAL5, {"royal9.denomination": dollars}, "$1 or $5", CITES_ROYAL9) for dollars in (-5, 0, 2, 4, 6, 500)),
    *((ROYAL5, {"harmony.denomination": dollars}, "1 to ", "§ 627b.6(i)") for dollars in (-1, 0)),
    (MIDI, {"harmony.denomination": 0}, "1 to ", "§ 629b.7(i)"),
    (HEAVENLY, {"heavenly9.denomination": 4, "heavenly9.must_hit_by": ABSENT}, "at least $5", "§ 631c.2(c)"),
    (ROYAL5, {"royal9.mega.initial": "49999.99"}, "at least $50,000", "§ 627b.3(f)(2)"),
    (ROYAL5, {"royal9.mega.reset": "49999.99"}, "at least $50,000", "§ 627b.3(f)(2)"),
    (ROYAL5, {"royal9.major.seed": "449.99"}, "at least $450", "§ 627b.3(f)(2)"),
    (ROYAL5, {"royal9.minor.seed": "449.99"}, "at least $450", "§ 627b.3(f)(2)"),
    (ROYAL1, {"royal9.mega.seed": "9999.99"}, "at least $10,000", "§ 627b.3(g)(2)"),
    (ROYAL1, {"royal9.major.seed": "89.99"}, "at least $90", "§ 627b.3(g)(2)"),
    (ROYAL1, {"royal9.minor.seed": "89.99"}, "at least $90", "§ 627b.3(g)(2)"),
    *((ROYAL5, {"royal9.mystery.configuration": number}, "1, 2, 3", "§ 627b.3(h)") for number in (-1, 0, 4)),
    *((HEAVENLY, {"heavenly9.must_hit_by.configuration": n}, "5", "§ 631c.6(c)(4)") for n in (-1, 0, 3, 4, 6)),
    *((HEAVENLY, {"heavenly9.must_hit_by.paytable": p}, "A, B, C, D", "§ 631c.6(c)(4)") for p in ("E", "d", "")),
    *((ROYAL5, {"harmony.paytable": paytable}, "A, B, C", "§ 627b.6(i)") for paytable in ("J", "a", "")),
    *((ROYAL5, {"harmony.seed": text}, '"450.00"', FILED) for text in MALFORMED_MONEY),
    *((ROYAL5, {"royal9.mega.rate": text}, '"4%"', FILED) for text in MALFORMED_RATE),
    *((ROYAL5, {"royal9.mega.rate": text}, "at most 4", FILED) for text in ("4.00001%", "0.00001%", "4.00000%")),
    (ROYAL5, {"royal9.mega.seed": "50000.00", "royal9.mega.initial": ABSENT}, "either seed", FILED),
    (ROYAL5, {"royal9.award": "both"}, "highest, list", FILED),
]


@pytest.mark.parametrize(("name", "changes", "demanded", "section"), BEYOND)
def test_what_is_beyond_a_limit_is_a_violation(
    name: str, changes: dict[str, object], demanded: str, section: str
) -> None:
    key, value = next(iter(changes.items()))
    if key == "royal9.mega.seed" and "royal9.mega.initial" in changes:
        key, value = "royal9.mega.reset", "50000.00"  # the one of the two that should not be there
    found = only_violation(changed(name, changes))
    assert (found.key, found.value, found.section) == (key, None if value is ABSENT else value, section)
    assert demanded in found.message


@pytest.mark.parametrize(
    ("name", "game", "wager", "allowed"),
    [
        *((ROYAL1, game, "royal9", ("minibaccarat",)) for game in ("midibaccarat", "baccarat")),
        *((HEAVENLY, game, "heavenly9", ("baccarat",)) for game in ("minibaccarat", "midibaccarat")),
        (MIDI, "baccarat", "harmony", ("minibaccarat", "midibaccarat")),
    ],
)
def test_a_wager_on_a_game_no_section_allows_is_a_violation(
    name: str, game: str, wager: str, allowed: tuple[str, ...]
) -> None:
    sections = {"royal9": "§ 627b.3", "heavenly9": "§ 631c.2", "harmony": "§ 627b.6"}
    found = only_violation(changed(name, {"table.game": game, "table.positions": 7, "table.variant": "standard"}))
    assert (found.key, found.value) == (wager, game)
    assert sections[wager] in found.section
    assert all(each in found.message for each in allowed)


def test_harmony_is_lawful_on_minibaccarat_and_midibaccarat() -> None:
    for game in ("minibaccarat", "midibaccarat"):
        assert_lawful(changed(MIDI, {"table.game": game}))


WRONG_TYPES: list[tuple[str, object]] = [
    *(("table.site", value) for value in (5, True, {}, [], Raw("1979-05-27"))),
    *(("table.positions", value) for value in (True, "9", Raw("9.0"), {}, [9])),
    *(("royal9.major.seed", value) for value in (450, Raw("450.00"), True, {})),
    *(("royal9.major.rate", value) for value in (4, Raw("0.04"), Raw("inf"), False)),
    *(("royal9.layout", value) for value in ("KS9S", ["KS9S"], 9)),
    *(("royal9.mystery", value) for value in (1, "1", True)),
    *(("awards.hold_play_on_hit", value) for value in (0, "false")),
    *(("harmony.denomination", value) for value in ("5", Raw("5.0"), True)),
    *((path, 5) for path in ("table", "awards", "royal9", "harmony", "heavenly9", "royal9.mega", "royal9.layout.1")),
    *((path, True) for path in ("awards.late_hands", "royal9.denomination", "royal9.mystery.configuration", "mqtt")),
    ("table.day_start", Raw("06:00:00")),
]


@pytest.mark.parametrize(("path", "value"), WRONG_TYPES)
def test_a_wrong_type_is_a_violation_that_shows_what_was_written(path: str, value: object) -> None:
    found = only_violation(changed(ROYAL5, {path: value}))
    assert (found.key, found.section) == (path, FILED)
    assert found.value == (value.text if isinstance(value, Raw) else value)
    assert "wrong type" in found.message


REQUIRED = {
    ROYAL5: ["table", *(f"table.{name}" for name in ("site", "id", "game", "positions", "decks"))]
    + [f"royal9.{name}" for name in ("denomination", "layout", "mega", "major", "minor", "mystery.configuration")]
    + [f"royal9.mega.{name}" for name in ("initial", "reset", "rate")]
    + [f"harmony.{name}" for name in ("paytable", "denomination", "seed")],
    HEAVENLY: [f"heavenly9.{name}" for name in ("denomination", "must_hit_by.paytable", "must_hit_by.configuration")],
}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in REQUIRED.items() for path in paths])
def test_a_missing_value_is_a_violation(name: str, path: str) -> None:
    found = only_violation(changed(name, {path: ABSENT}))
    assert (found.key, found.value) == (path, None)
    assert "missing" in found.message


@pytest.mark.parametrize("path", ["", "table.", "awards.", "royal9.", "royal9.mega.", "royal9.mystery.", "harmony."])
def test_an_unknown_key_is_a_violation_at_every_level(path: str) -> None:
    found = only_violation(changed(ROYAL5, {f"{path}seats": 9}))
    assert (found.key, found.value, found.section) == (f"{path}seats", 9, FILED)
    assert "unknown key" in found.message


@pytest.mark.parametrize("path", ["heavenly9.rate", "heavenly9.must_hit_by.rate"])
def test_an_unknown_key_of_heavenly_9_is_a_violation(path: str) -> None:
    assert only_violation(changed(HEAVENLY, {path: "10%"})).key == path


@pytest.mark.parametrize("reset", [ABSENT, "50000.00"])
def test_seed_stands_for_both_initial_and_reset_and_never_beside_them(reset: object) -> None:
    mega = {"initial": "55000.00", "seed": "50000.00", "rate": "10%"} | ({} if reset is ABSENT else {"reset": reset})
    found = changed(ROYAL5, {"royal9.mega": mega})
    given = {"royal9.mega.initial"} | (set() if reset is ABSENT else {"royal9.mega.reset"})
    assert {each.key for each in found.violations} == given
    without = changed(ROYAL5, {"royal9.mega": {"rate": "10%"}})
    assert {each.key for each in without.violations} == {"royal9.mega.initial", "royal9.mega.reset"}
    submission = changed(ROYAL5, {"royal9.major.seed": "500.25"}).submission
    assert submission
    assert submission.royal9
    assert submission.royal9.major == (500_25, 500_25, 40_000)
    assert submission.royal9.mega == (55_000_00, 50_000_00, 100_000)


@pytest.mark.parametrize(("paytable", "configuration"), MUST_HIT_BY)
def test_every_must_hit_by_configuration_is_lawful_and_read_as_the_section_gives_it(
    paytable: str, configuration: int
) -> None:
    changes = {"heavenly9.must_hit_by": {"paytable": paytable, "configuration": configuration}}
    found = changed(HEAVENLY, changes)
    assert found.submission
    assert found.submission.heavenly9
    bonus = found.submission.heavenly9.must_hit_by
    assert bonus
    minimum, maximum, rate = MUST_HIT_BY[paytable, configuration]
    assert (bonus.minimum_cents, bonus.maximum_cents, bonus.rate) == (minimum * 100, maximum * 100, rate)


@pytest.mark.parametrize("wager", [1, 2, 4])
@pytest.mark.parametrize("configuration", [1, 2, 5])
def test_a_must_hit_by_minimum_may_reach_but_not_exceed_the_wager(wager: int, configuration: int) -> None:
    key = "heavenly9.must_hit_by.configuration"
    found = changed(HEAVENLY, {key: configuration, "heavenly9.denomination": wager})
    below = {each.key: each for each in found.violations}
    assert "heavenly9.denomination" in below
    assert (key in below) == (configuration > wager)
    if configuration > wager:
        assert (below[key].value, below[key].section) == (configuration, "§ 631c.6(c)(4)")
        assert f"at least ${configuration}" in below[key].message


@pytest.mark.parametrize("game", [("minibaccarat", "§ 627b.6(j)"), ("midibaccarat", "§ 629b.7(j)")])
@pytest.mark.parametrize("paytable", HARMONY)
def test_harmony_rates_follow_from_the_paytable(paytable: str, game: tuple[str, str]) -> None:
    rate, reserve, _ = HARMONY[paytable]
    changes: dict[str, object] = {"table.game": game[0], "harmony.paytable": paytable}
    submission = changed(MIDI, changes).submission
    assert submission
    assert submission.harmony
    read = (submission.harmony.rate, submission.harmony.reserve_rate)
    assert read == (int(rate[:-1]) * 10_000, int(reserve[:-1]) * 10_000)
    assert_lawful(changed(MIDI, changes | {"harmony.rate": rate, "harmony.reserve_rate": f"{reserve[:-1]}.0000%"}))
    for key, lawful in (("harmony.rate", rate), ("harmony.reserve_rate", reserve)):
        for other in (f"{lawful[:-1]}.0001%", "0%", "15%" if lawful == "19%" else "19%"):
            found = only_violation(changed(MIDI, changes | {key: other}))
            assert (found.key, found.value, found.section) == (key, other, game[1])
            assert f"demands {lawful}" in found.message


@pytest.mark.parametrize("paytable", HARMONY)
@pytest.mark.parametrize("denomination", [1, 5])
def test_a_reseed_that_could_fall_below_the_six_zero_value_award_is_a_warning(paytable: str, denomination: int) -> None:
    award = HARMONY[paytable][2] * denomination
    changes = {"harmony.paytable": paytable, "harmony.denomination": denomination}
    for reseed in (ABSENT, "0.00", f"{award - 1}.99"):
        found = changed(MIDI, changes | {"harmony.minimum_reseed": reseed})
        assert_lawful(found)
        assert len(found.warnings) == 1
        value = None if reseed is ABSENT else reseed
        assert found.warnings[0][:2] == ("harmony.minimum_reseed", value)
        assert f"${award:,}," in found.warnings[0].message
    assert changed(MIDI, changes | {"harmony.minimum_reseed": f"{award}.00"}).warnings == ()


@pytest.mark.parametrize(
    ("name", "mega", "total", "section"),
    [
        (ROYAL5, "87%", "100%", "§ 627b.3(f)"),
        (ROYAL5, "90%", "103%", "§ 627b.3(f)"),
        (ROYAL1, "94%", "100%", "§ 627b.3(g)"),
    ],
)
def test_rates_that_take_the_whole_wager_are_a_violation(name: str, mega: str, total: str, section: str) -> None:
    found = only_violation(changed(name, {"royal9.mega.rate": mega}))
    assert (found.key, found.value) == ("royal9", total)
    assert "below 100%" in found.message
    assert found.section.startswith(section)


def test_all_violations_are_reported_at_once() -> None:
    wrong: dict[str, object] = {
        "table.decks": 9,
        "table.id": "",
        "table.seats": 9,
        "awards.late_hands": "3",
        "royal9.major.seed": "449.99",
        "royal9.minor.rate": "4.00001%",
        "royal9.layout.2": "KS9S",
        "royal9.layout.3": "KS9",
        "royal9.layout.4": ABSENT,
        "royal9.mystery.configuration": 4,
        "harmony.rate": "15%",
        "harmony.seed": 25000,
        "heavenly9": {"denomination": 4},
    }
    found = changed(ROYAL5, wrong)
    expected = {*wrong, "heavenly9.denomination"}
    assert {each.key for each in found.violations} == expected
    assert len(found.violations) == len(expected) + 0
    assert found.submission is None


def test_the_sum_of_rates_is_reported_although_a_meter_lacks_its_amounts() -> None:
    found = changed(ROYAL5, {"royal9.mega": {"rate": "95%"}})
    assert {each.key for each in found.violations} == {"royal9", "royal9.mega.initial", "royal9.mega.reset"}


EXPIRES: list[tuple[str, dict[str, object], str, str, date]] = [
    (ROYAL1, {}, "table.variant", "§ 627b.2", date(2024, 9, 4)),
    (ROYAL1, {}, "royal9", "§ 627b.3", date(2025, 3, 12)),
    (ROYAL5, {"royal9": ABSENT}, "harmony", "§ 627b.6", date(2026, 8, 4)),
    (ROYAL5, {"table.variant": "rising-phoenix"}, "table.variant", "§ 627b.4", date(2026, 8, 4)),
    (MIDI, {}, "table.variant", "§ 629b.5", date(2026, 8, 4)),
    (MIDI, {}, "harmony", "§ 629b.7", date(2026, 8, 4)),
]
BEGINS: list[tuple[str, str, str, date]] = [
    (ROYAL1, "royal9", "§ 627b.3", date(2022, 3, 12)),
    (MIDI, "harmony", "§ 629b.7", date(2023, 8, 5)),
    (HEAVENLY, "heavenly9", "§ 631c.2", date(2024, 5, 25)),
    (HEAVENLY, "heavenly9.must_hit_by", "§ 631c.6", date(2024, 5, 25)),
]


@pytest.mark.parametrize(("name", "changes", "key", "section", "day"), EXPIRES)
def test_an_expired_section_is_a_warning_from_its_day_on(
    name: str, changes: dict[str, object], key: str, section: str, day: date
) -> None:
    before = changed(name, changes, day - timedelta(days=1))
    assert section not in {each.section for each in before.warnings}
    for on in (day, date(2100, 1, 1)):
        found = changed(name, changes, on)
        assert_lawful(found)
        [warning] = [each for each in found.warnings if each.section == section]
        assert warning.key == key
        assert f"expired on {day}" in warning.message


@pytest.mark.parametrize(("name", "key", "section", "day"), BEGINS)
def test_a_section_not_yet_effective_is_a_warning_until_its_day(name: str, key: str, section: str, day: date) -> None:
    found = changed(name, {}, day - timedelta(days=1))
    assert_lawful(found)
    [warning] = [each for each in found.warnings if each.section == section]
    assert warning.key == key
    assert str(day) in warning.message
    assert section not in {each.section for each in changed(name, {}, day).warnings}


def test_a_section_without_an_expiry_date_never_expires() -> None:
    assert changed(HEAVENLY, {"table.variant": "commission-free"}, date(2100, 1, 1)).warnings == ()


def test_a_warning_shows_the_value_that_stands_at_its_key() -> None:
    found = changed(ROYAL1, {}, date(2024, 9, 4))
    assert [(each.key, each.value) for each in found.warnings] == [("table.variant", "commission-free")]


HUGE = Raw("0x" + "f" * 5000)  # more decimal digits than Python writes
GARBAGE = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        ["KS9S", "KH9S", "100%", "4.00001%", "-1.00", "99999999999.00", "0.00", "baccarat", "A", "standard"]
    ),
    st.integers(),
    st.booleans(),
    st.sampled_from(
        ["1.5", "inf", "-nan", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "[]", "{}", "[1979-05-27]"]
    ).map(Raw),
    st.sampled_from([HUGE, Raw("9" * 5000)]),
    st.dictionaries(st.text("abc19.", max_size=3), st.integers(), max_size=2),
)


def paths(data: Mapping[str, Any], prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in data.items():
        yield (*prefix, name)
        if isinstance(value, dict):
            yield from paths(value, (*prefix, name))


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A lawful file with up to three keys deleted, replaced or added."""
    data = example(draw(st.sampled_from(EXAMPLES)))
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from(list(paths(data)) or [("table",)]))
        place = data
        for parent in parents:
            place = place[parent]
        match draw(st.sampled_from(["delete", "replace", "add"])):
            case "delete":
                place.pop(last, None)
            case "replace":
                place[last] = draw(GARBAGE)
            case _:
                place[draw(st.text("abcmn19. \n\u00a7", max_size=3))] = draw(GARBAGE)
    return document(data)


@settings(max_examples=400, deadline=None)
@given(mutations())
def test_a_mutated_file_is_refused_or_judged_and_never_raises_anything_else(text: str) -> None:
    with suppress(UnreadableError):
        found = check(text, IN_FORCE)
        assert (found.submission is None) == bool(found.violations)
        for finding in found.violations:
            assert finding.section.startswith("§ ")
            assert finding.message
            json.dumps(finding.value)


@pytest.mark.parametrize("value", [HUGE, Raw("9" * 5000)])
@pytest.mark.parametrize(
    "path",
    ["table.positions", "royal9.denomination", "royal9.mystery.configuration", "harmony.denomination", "mqtt"],
)
def test_a_number_of_thousands_of_digits_is_refused_or_a_violation(path: str, value: Raw) -> None:
    with suppress(UnreadableError):
        assert only_violation(changed(ROYAL5, {path: value})).key == path


@pytest.mark.parametrize(("written", "value"), [("[1.5]", ["1.5"]), ("{a = 1979-05-27}", {"a": "1979-05-27"})])
def test_a_value_inside_a_list_or_table_is_shown_as_it_was_written(written: str, value: object) -> None:
    assert only_violation(changed(ROYAL5, {"table.positions": Raw(written)})).value == value


@pytest.mark.parametrize("text", ["[table", "a = ", "a = 1\na = 2", "\x00", "a = " + "[" * 100_000, "{}"])
def test_text_that_is_no_toml_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        check(text, IN_FORCE)


def test_an_empty_file_lacks_its_table() -> None:
    assert only_violation(check("", IN_FORCE)).key == "table"
