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
from controller.rules.lawful import MOST_DEPTH, MOST_LINE_CHARACTERS, UnreadableError, check
from controller.rules.submission import Checked

CONFIG = Path(__file__).parents[2] / "config"
ROYAL5, ROYAL1 = "minibaccarat-royal9-5", "minibaccarat-royal9-1"
MIDI, HEAVENLY = "midibaccarat-harmony", "baccarat-heavenly9"
EXAMPLES = (ROYAL5, ROYAL1, MIDI, HEAVENLY)
IN_FORCE = date(2024, 6, 1)  # a day on which every section the examples stand on is in force
FILED = "§ 601a.2"
COMBINATIONS = [f"K{king}9{nine}" for king in "SHDC" for nine in "SHDC"]
ABSENT = object()

# Harmony: rate and reserve rate by paytable, and what six 0-value cards pay for 1 (§§ 627b.6 and 629b.7, (i) and (j)).
RATES = {paytable: ("19%", "5%") if paytable in "BEH" else ("15%", "3%") for paytable in "ABCDEFGHI"}
SIX_ZERO_VALUE = dict(zip("ABCDEFGHI", (100, 100, 100, 200, 100, 100, 100, 50, 50), strict=True))


class Raw(NamedTuple):
    """A value as TOML writes it."""

    text: str


def toml(value: object) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(name)} = {toml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def document(data: Mapping[str, object]) -> str:
    return "\n".join(f"{toml(name)} = {toml(value)}" for name, value in data.items())


def example(name: str) -> dict[str, Any]:
    return tomllib.loads((CONFIG / f"{name}.toml").read_text(encoding="utf-8"))


def changed(name: str, changes: Mapping[str, object], on: date = IN_FORCE) -> Checked:
    """What is found in an example once the values at these dotted paths are others."""
    data = example(name)
    for path, value in changes.items():
        *parents, last = path.split(".")
        place = data
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
        if value is ABSENT:
            del place[last]
    return check(document(data), on)


def only_violation(found: Checked) -> Finding:
    assert found.submission is None
    assert len(found.violations) == 1, found.violations
    return found.violations[0]


def assert_lawful(found: Checked) -> None:
    assert found.violations == ()
    assert found.submission is not None


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_lawful_as_shipped_and_as_written_again(name: str) -> None:
    found = check((CONFIG / f"{name}.toml").read_text(encoding="utf-8"), IN_FORCE)
    assert_lawful(found)
    assert found.warnings == ()
    assert found == changed(name, {})


class Limit(NamedTuple):
    """Values on both sides of a demand, what the message of a violation must name, and its section."""

    example: str
    path: str
    lawful: tuple[object, ...]
    unlawful: tuple[object, ...]
    demanded: str
    section: str = FILED


SERVICE = ("devices", "button", "mqtt", "journal", "software", "console", "signage", "link")
TABLES = ("table", "awards", "royal9", "royal9.mega", "royal9.mystery", "harmony", "heavenly9", "mqtt")
TABLE = ("table", "table.site", "table.id", "table.game", "table.positions", "table.decks")
MEGA = ("royal9.mega", "royal9.mega.initial", "royal9.mega.reset", "royal9.mega.rate", "royal9.major", "royal9.minor")
ROYAL9 = (*MEGA, "royal9.denomination", "royal9.layout", "royal9.mystery.configuration")
HARMONY = ("harmony.paytable", "harmony.denomination", "harmony.seed")
BONUS = ("heavenly9.denomination", "heavenly9.must_hit_by.paytable", "heavenly9.must_hit_by.configuration")
BONUSES = tuple({"paytable": paytable, "configuration": stake} for paytable in "ABCD" for stake in (1, 2, 5))
AWARDS = ("awards", "awards.validate_from", "awards.second_person_from", "awards.hold_play_on_hit", "awards.late_hands")
OPTIONAL = (*AWARDS, "table.timezone", "table.day_start", "table.payout", "royal9", "royal9.award", "royal9.mystery")
PLACES = ("", "table.", "awards.", "royal9.", "royal9.mega.", "royal9.mystery.", "harmony.")
LAYOUT, R5, R1 = "§ 627b.3(e)(5)", "§ 627b.3(f)(2)", "§ 627b.3(g)(2)"
MONEY = ("450.0", "450.000", "$450.00", "1,450.00", "-450.00", "", " 450.00", "4e2", "\u0664.00", "0450.00", "4.50\n")
RATE = ("4", "4 %", "%", "-4%", "4,5%", ".5%", "4.%", "1000%", " 4%", "\u0664%", "04%", "0.04", "")
COMBINATION = ("KS9", "9DKS", "QS9D", "KS8D", "ks9d", "KS9D ", "KX9D", "")
LIMITS = [
    Limit(ROYAL5, "table.positions", (9,), (-1, 0, 10), "1 to 9", "§ 627a.2(a)"),
    Limit(MIDI, "table.positions", (1, 16), (0, 17), "1 to 16"),
    Limit(HEAVENLY, "table.positions", (1, 14, 16), (0, 17), "1 to 16"),
    Limit(ROYAL5, "table.site", ("x" * 64,), ("x" * 65, "", "a/b", "a b", "+", "#", "-a"), "64 at most"),
    Limit(ROYAL5, "awards.late_hands", (0, 100), (-1, 101), "0 to 100"),
    Limit(ROYAL5, "table.decks", (6, 7, 8), (0, 5, 9, 16), "6 to 8", "§ 627a.3(a)"),
    Limit(HEAVENLY, "table.decks", (6, 7, 8), (5, 9), "6 to 8", "§ 627a.3(a)"),
    Limit(ROYAL5, "table.game", (), ("roulette", "Minibaccarat", ""), "minibaccarat, midibaccarat, baccarat"),
    Limit(ROYAL5, "table.variant", ("standard", "ez", "commission-free", "rising-phoenix"), ("", "EZ"), "standard, "),
    Limit(HEAVENLY, "table.variant", ("commission-free",), ("rising-phoenix",), "minibac", "§ 627b.4, § 629b.5"),
    Limit(ROYAL5, "table.payout", ("inventory", "slip", "either"), ("cash",), "inventory, slip, either"),
    Limit(
        ROYAL5,
        "table.timezone",
        ("UTC",),
        ("Mars/Base", "", "..", "America", "/etc", "\0", "localtime", "right/UTC"),
        "America/New_York",
    ),
    Limit(ROYAL5, "table.day_start", ("00:00", "23:59"), ("24:00", "6:00", "06:60", "06:00:00"), "06:00"),
    Limit(ROYAL5, "royal9.layout.9", ("KC9S",), ("KS9S",), "position 1's", LAYOUT),
    Limit(ROYAL5, "royal9.layout.9", (), (ABSENT,), "position 9 has no combination", LAYOUT),
    Limit(ROYAL5, "royal9.layout.9", (), COMBINATION, "like KS9H", LAYOUT),
    *(Limit(ROYAL5, f"royal9.layout.{seat}", (), ("KC9S",), "1 to 9", LAYOUT) for seat in ("10", "0", "01", "x")),
    Limit(ROYAL5, "royal9.denomination", (5,), (-5, 0, 2, 4, 6), "$1 or $5", "§ 627b.3(f)(1), § 627b.3(g)(1)"),
    Limit(ROYAL5, "royal9.mega.initial", ("50000.00", "50000"), ("49999.99", "0.00"), "at least $50,000", R5),
    Limit(ROYAL5, "royal9.mega.reset", ("50000.00", "60000.00"), ("49999.99",), "at least $50,000", R5),
    *(
        Limit(ROYAL5, f"royal9.{name}.seed", ("450.00",), ("449.99",), "at least $450", R5)
        for name in ("major", "minor")
    ),
    Limit(ROYAL1, "royal9.mega.seed", ("10000.00",), ("9999.99",), "at least $10,000", R1),
    *(Limit(ROYAL1, f"royal9.{name}.seed", ("90.00",), ("89.99",), "at least $90", R1) for name in ("major", "minor")),
    Limit(ROYAL5, "royal9.mystery.configuration", (1, 2, 3), (-1, 0, 4), "1, 2, 3", "§ 627b.3(h)"),
    Limit(ROYAL1, "royal9.mystery", tuple({"configuration": number} for number in (1, 2, 3)), (), ""),
    Limit(ROYAL5, "royal9.award", ("highest", "list"), ("both",), "highest, list"),
    Limit(ROYAL5, "royal9.mega.rate", ("0.0001%", "86.9999%"), RATE, '"4%"'),  # with 4%, 4% and 5%: 99.9999%
    Limit(ROYAL5, "royal9.mega.rate", ("4.0001%",), ("4.00001%", "0.00001%", "4.00000%"), "at most 4"),
    Limit(ROYAL5, "harmony.seed", ("0.00", "0.01", "9999999999.99"), (*MONEY, "99999999999.00"), '"450.00"'),
    Limit(ROYAL5, "harmony.denomination", (1, 5, 100, 1_000_000), (-1, 0, 1_000_001), "1 to 1000000"),
    Limit(ROYAL5, "harmony.paytable", tuple("ABCDEFGHI"), ("J", "a", ""), "A, B, C", "§ 627b.6(i)"),
    Limit(MIDI, "harmony.paytable", (), ("J",), "A, B, C", "§ 629b.7(i)"),
    Limit(HEAVENLY, "heavenly9.denomination", (5, 6, 25, 1_000_000), (1_000_001,), "above $1000000"),
    Limit(HEAVENLY, "heavenly9.must_hit_by.configuration", (1, 2, 5), (-1, 0, 3, 4, 6), "5", "§ 631c.6(c)(4)"),
    Limit(HEAVENLY, "heavenly9.must_hit_by", BONUSES, (), ""),
    Limit(HEAVENLY, "heavenly9.must_hit_by.paytable", tuple("ABCD"), ("E", "d", ""), "A, B, C, D", "§ 631c.6(c)(4)"),
    Limit(ROYAL5, "table.site", ("a.b-c_d",), (5, True, {}, [], Raw("1979-05-27")), "wrong type"),
    Limit(ROYAL5, "table.positions", (), (True, "9", Raw("9.0"), {}, [9]), "wrong type"),
    Limit(ROYAL5, "table.day_start", (), (Raw("06:00:00"),), "wrong type"),
    Limit(ROYAL5, "royal9.major.seed", (), (450, Raw("450.00"), True, {}), "wrong type"),
    Limit(ROYAL5, "royal9.major.rate", (), (4, Raw("0.04"), Raw("inf"), False), "wrong type"),
    Limit(ROYAL5, "royal9.layout", (), ("KS9S", ["KS9S"], 9), "wrong type"),
    Limit(ROYAL5, "harmony.denomination", (), ("5", Raw("5.0"), True), "wrong type"),
    Limit(ROYAL5, "awards.hold_play_on_hit", (True, False), (0, "false"), "wrong type"),
    *(Limit(ROYAL5, path, (), (5, []), "wrong type") for path in (*TABLES, "royal9.layout.1")),
    *(Limit(ROYAL5, path, (), (ABSENT,), "missing", "§ ") for path in (*TABLE, *ROYAL9, *HARMONY)),
    *(Limit(HEAVENLY, path, (), (ABSENT,), "missing", "§ ") for path in BONUS),
    *(Limit(ROYAL5, path, (ABSENT,), (), "") for path in (*OPTIONAL, "harmony")),
    *(Limit(HEAVENLY, path, (ABSENT,), (), "") for path in ("heavenly9", "heavenly9.must_hit_by")),
    *(Limit(ROYAL5, f"{place}seats", (), (9, {}), "unknown key") for place in PLACES),
    *(Limit(HEAVENLY, f"{place}.seats", (), (9,), "unknown key") for place in ("heavenly9", "heavenly9.must_hit_by")),
    *(Limit(ROYAL5, name, ({}, {"any": {"at": [1, Raw("2.5"), "all"]}}), (), "") for name in SERVICE),
]


def named(value: object) -> str:
    return value.path if isinstance(value, Limit) else "absent" if value is ABSENT else repr(value)


@pytest.mark.parametrize(("limit", "value"), [(limit, each) for limit in LIMITS for each in limit.lawful], ids=named)
def test_what_is_within_a_limit_is_lawful(limit: Limit, value: object) -> None:
    assert_lawful(changed(limit.example, {limit.path: value}))


@pytest.mark.parametrize(("limit", "value"), [(limit, each) for limit in LIMITS for each in limit.unlawful], ids=named)
def test_what_is_beyond_a_limit_is_a_violation(limit: Limit, value: object) -> None:
    found = only_violation(changed(limit.example, {limit.path: value}))
    assert found.key == limit.path
    assert found.value == (value.text if isinstance(value, Raw) else None if value is ABSENT else value)
    assert found.section.startswith(limit.section)
    assert limit.demanded in found.message


@pytest.mark.parametrize(("seats", "first"), [*((seats, 0) for seats in range(1, 10)), (8, 8)])  # all sixteen
def test_any_number_of_positions_up_to_nine_with_any_combinations_is_lawful(seats: int, first: int) -> None:
    layout = {str(seat): COMBINATIONS[first + seat - 1] for seat in range(1, seats + 1)}
    assert_lawful(changed(ROYAL5, {"table.positions": seats, "royal9.layout": layout}))


@pytest.mark.parametrize(("game", "section"), [("minibaccarat", "§ 627b.4(f)"), ("midibaccarat", "§ 629b.5(f)")])
def test_rising_phoenix_is_dealt_from_six_or_eight_decks_only(game: str, section: str) -> None:
    for decks in (6, 8):
        assert_lawful(changed(MIDI, {"table.game": game, "table.decks": decks}))
    found = only_violation(changed(MIDI, {"table.game": game, "table.decks": 7}))
    assert (found.key, found.value, found.section) == ("table.decks", 7, section)
    assert "6 or 8" in found.message


@pytest.mark.parametrize(
    ("name", "game", "wager", "allowed", "section"),
    [
        *((ROYAL1, game, "royal9", "minibaccarat", "§ 627b.3") for game in ("midibaccarat", "baccarat")),
        *((HEAVENLY, game, "heavenly9", "baccarat", "§ 631c.2") for game in ("minibaccarat", "midibaccarat")),
        (MIDI, "baccarat", "harmony", "midibaccarat", "§ 629b.7"),
    ],
)
def test_a_wager_on_a_game_no_section_allows_is_a_violation(
    name: str, game: str, wager: str, allowed: str, section: str
) -> None:
    found = only_violation(changed(name, {"table.game": game, "table.positions": 7, "table.variant": "standard"}))
    assert (found.key, found.value) == (wager, game)
    assert section in found.section
    assert allowed in found.message


def test_seed_stands_for_initial_and_reset_and_never_beside_them() -> None:
    submission = changed(ROYAL5, {"royal9.major.seed": "500.25"}).submission
    assert submission
    assert submission.royal9
    assert submission.royal9.major == (500_25, 500_25, 40_000)
    assert submission.royal9.mega == (55_000_00, 50_000_00, 100_000)
    both = {"royal9.mega.initial", "royal9.mega.reset"}
    for mega in ({"royal9.mega": {"rate": "10%"}}, {"royal9.mega.seed": "50000.00"}):
        assert {each.key for each in changed(ROYAL5, mega).violations} == both
    for path in both:
        assert only_violation(changed(ROYAL1, {path: "50000.00"})).key == path


@pytest.mark.parametrize("wager", [0, 1, 2, 4])
@pytest.mark.parametrize("configuration", [1, 2, 5])
def test_a_wager_is_at_least_5_dollars_and_a_must_hit_by_minimum(wager: int, configuration: int) -> None:
    key = "heavenly9.must_hit_by.configuration"
    found = changed(HEAVENLY, {key: configuration, "heavenly9.denomination": wager}).violations
    assert found[0][:3] == ("heavenly9.denomination", wager, "§ 631c.2(c)")
    assert "at least $5" in found[0].message
    assert [each[:3] for each in found[1:]] == [(key, configuration, "§ 631c.6(c)(4)")] * (configuration > wager)
    assert all(f"at least ${configuration}" in each.message for each in found[1:])


@pytest.mark.parametrize(("game", "section"), [("minibaccarat", "§ 627b.6(j)"), ("midibaccarat", "§ 629b.7(j)")])
@pytest.mark.parametrize("paytable", RATES)
def test_harmony_rates_follow_from_the_paytable(paytable: str, game: str, section: str) -> None:
    rate, reserve = RATES[paytable]
    filed: dict[str, object] = {"table.game": game, "harmony.paytable": paytable}
    submission = changed(MIDI, filed).submission
    assert submission
    assert (
        submission
        == changed(MIDI, filed | {"harmony.rate": f"{rate[:-1]}.00%", "harmony.reserve_rate": reserve}).submission
    )
    assert submission.harmony
    assert submission.harmony.rate == int(rate[:-1]) * 10_000
    assert submission.harmony.reserve_rate == int(reserve[:-1]) * 10_000
    for key, lawful in (("harmony.rate", rate), ("harmony.reserve_rate", reserve)):
        for other in (f"{lawful[:-1]}.0001%", "0%", "15%" if lawful == "19%" else "19%"):
            found = only_violation(changed(MIDI, filed | {key: other}))
            assert (found.key, found.value, found.section) == (key, other, section)
            assert f"demands {lawful}" in found.message


@pytest.mark.parametrize("denomination", [1, 5])
@pytest.mark.parametrize("paytable", SIX_ZERO_VALUE)
def test_a_reseed_that_could_fall_below_the_six_zero_value_award_is_a_warning(paytable: str, denomination: int) -> None:
    award = SIX_ZERO_VALUE[paytable] * denomination
    filed = {"harmony.paytable": paytable, "harmony.denomination": denomination}
    for reseed in (ABSENT, "0.00", f"{award - 1}.99"):
        found = changed(MIDI, filed | {"harmony.minimum_reseed": reseed})
        assert_lawful(found)
        [warning] = found.warnings
        assert (warning.key, warning.value) == ("harmony.minimum_reseed", None if reseed is ABSENT else reseed)
        assert f"${award:,}," in warning.message
    assert changed(MIDI, filed | {"harmony.minimum_reseed": f"{award}.00"}).warnings == ()


@pytest.mark.parametrize(("name", "mega", "total"), [(ROYAL5, "87%", 100), (ROYAL5, "90%", 103), (ROYAL1, "94%", 100)])
def test_rates_that_take_the_whole_wager_are_a_violation(name: str, mega: str, total: int) -> None:
    found = only_violation(changed(name, {"royal9.mega.rate": mega}))
    assert (found.key, found.value) == ("royal9", f"{total}%")
    assert found.section.startswith("§ 627b.3(f)" if name == ROYAL5 else "§ 627b.3(g)")
    assert "below 100%" in found.message


def test_all_violations_are_reported_at_once() -> None:
    wrong = {"table.decks": 9, "table.id": "", "table.seats": 9, "awards.late_hands": "3", "harmony.rate": "15%"}
    wrong |= {"royal9.major.seed": "449.99", "royal9.minor.rate": "4.00001%", "royal9.mystery.configuration": 4}
    wrong |= {"royal9.layout.2": "KS9S", "royal9.layout.3": "KS9", "royal9.layout.4": ABSENT, "harmony.seed": 25000}
    found = changed(ROYAL5, wrong | {"heavenly9": {"denomination": 4}})
    assert sorted(each.key for each in found.violations) == sorted([*wrong, "heavenly9", "heavenly9.denomination"])


def test_the_sum_of_rates_is_reported_although_a_meter_lacks_its_amounts() -> None:
    found = changed(ROYAL5, {"royal9.mega": {"rate": "95%"}})
    assert {each.key for each in found.violations} == {"royal9", "royal9.mega.initial", "royal9.mega.reset"}


@pytest.mark.parametrize(
    ("name", "place", "effective", "expires"),
    [
        (ROYAL1, ("commission-free", "table.variant", "§ 627b.2"), date(2021, 9, 4), date(2024, 9, 4)),
        (ROYAL1, ("standard", "royal9", "§ 627b.3"), date(2022, 3, 12), date(2025, 3, 12)),
        (ROYAL5, ("rising-phoenix", "table.variant", "§ 627b.4"), date(2023, 8, 5), date(2026, 8, 4)),
        (ROYAL5, ("standard", "harmony", "§ 627b.6"), date(2023, 8, 5), date(2026, 8, 4)),
        (MIDI, ("rising-phoenix", "table.variant", "§ 629b.5"), date(2023, 8, 5), date(2026, 8, 4)),
        (MIDI, ("rising-phoenix", "harmony", "§ 629b.7"), date(2023, 8, 5), date(2026, 8, 4)),
        (HEAVENLY, ("commission-free", "table.variant", "§ 631c.5"), date(2024, 5, 25), None),
        (HEAVENLY, ("standard", "heavenly9", "§ 631c.2"), date(2024, 5, 25), None),
        (HEAVENLY, ("standard", "heavenly9.must_hit_by", "§ 631c.6"), date(2024, 5, 25), None),
    ],
)
def test_a_section_not_yet_or_no_longer_in_force_is_a_warning(
    name: str, place: tuple[str, str, str], effective: date, expires: date | None
) -> None:
    variant, key, section = place

    def told(on: date) -> list[tuple[str, str]]:
        found = changed(name, {"table.variant": variant}, on)
        assert_lawful(found)
        return [(each.key, each.message) for each in found.warnings if each.section == section]

    day = timedelta(days=1)
    [(warned, message)] = told(effective - day)
    assert (warned, f"takes effect on {effective}" in message) == (key, True)
    assert told(effective) == told(expires - day if expires else date.max) == []
    for on in (expires, date.max) if expires else ():
        [(warned, message)] = told(on)
        assert (warned, f"expired on {expires}" in message) == (key, True)


def test_a_warning_shows_the_value_that_stands_at_its_key() -> None:
    found = changed(ROYAL1, {}, date(2024, 9, 4))
    assert [(each.key, each.value) for each in found.warnings] == [("table.variant", "commission-free")]


@pytest.mark.parametrize(("written", "value"), [("[1.5]", ["1.5"]), ("{a = 1979-05-27}", {"a": "1979-05-27"})])
def test_a_value_inside_a_list_or_table_is_shown_as_it_was_written(written: str, value: object) -> None:
    assert only_violation(changed(ROYAL5, {"table.positions": Raw(written)})).value == value


HUGE = (Raw("9" * 900), Raw("0x" + "f" * 900), Raw("9" * 5000))  # the last: more digits than Python reads
NUMBERS = ("table.positions", "royal9.denomination", "royal9.mystery.configuration", "harmony.denomination", "mqtt")


@pytest.mark.parametrize("value", HUGE, ids=["decimal", "hexadecimal", "longer"])
@pytest.mark.parametrize("path", NUMBERS)
def test_a_number_of_hundreds_of_digits_is_unreadable(path: str, value: Raw) -> None:
    with pytest.raises(UnreadableError):
        changed(ROYAL5, {path: value})


@pytest.mark.parametrize("text", ["[table", "a = ", "a = 1\na = 2", "\0", "{}", "a = " + "[" * 100_000])
def test_text_that_is_no_toml_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        check(text, IN_FORCE)
    assert only_violation(check("", IN_FORCE)).key == "table"  # an empty file is TOML


WORDS = ("KS9S", "100%", "4.00001%", "-1.00", "99999999999.00", "0.00", "baccarat", "A", "standard")
LITERALS = ("1.5", "inf", "-nan", "1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", "[]", "{}", "[1979-05-27, 1.5]")
GARBAGE = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(WORDS),
    st.integers() | st.booleans() | st.dictionaries(st.text("abc19.", max_size=3), st.integers(), max_size=2),
    st.sampled_from(LITERALS).map(Raw) | st.sampled_from(HUGE),
)


def paths(data: Mapping[str, Any], prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in data.items():
        yield (*prefix, name)
        if isinstance(value, dict):
            yield from paths(value, (*prefix, name))


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A lawful file with up to three keys deleted, replaced or added."""
    data = example(draw(st.sampled_from(EXAMPLES)))
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from([*paths(data), ("table",)]))
        place = data
        for parent in parents:
            place = place[parent]
        if draw(st.booleans()):
            place.pop(last, None)
        if draw(st.booleans()):
            place[draw(st.just(last) | st.text("abcmn19. \n\u00a7", max_size=3))] = draw(GARBAGE)
    return document(data)


@settings(max_examples=400, deadline=None)
@given(mutants())
def test_a_mutant_is_unreadable_or_judged_and_whatever_is_found_is_told_whole(text: str) -> None:
    with suppress(UnreadableError):
        found = check(text, IN_FORCE)
        assert (found.submission is None) == bool(found.violations)
        for finding in found.violations:
            assert finding.section.startswith("§ ")
            assert finding.message
            json.dumps(finding.value)


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    text = document(example(ROYAL5)) + "\n"
    assert_lawful(check(text + "#".ljust(MOST_LINE_CHARACTERS, "-"), IN_FORCE))
    with pytest.raises(UnreadableError, match=str(MOST_LINE_CHARACTERS)):
        check(text + "#".ljust(MOST_LINE_CHARACTERS + 1, "-"), IN_FORCE)


def test_tables_may_be_nested_as_deep_as_the_limit_and_no_deeper() -> None:
    def nested(tables: int) -> str:  # the file itself is the first of them, the innermost value the last
        return document(example(ROYAL5)) + f"\n[mqtt{'.a' * (tables - 3)}]\nb = 1\n"

    assert_lawful(check(nested(MOST_DEPTH), IN_FORCE))
    with pytest.raises(UnreadableError, match=f"deeper than {MOST_DEPTH}"):
        check(nested(MOST_DEPTH + 1), IN_FORCE)


def test_a_number_may_have_64_bits_and_no_more() -> None:
    text = document(example(ROYAL5))
    assert_lawful(check(f"{text}\n[link]\nlow = {-(2**63)}\nhigh = {2**63 - 1}\n", IN_FORCE))
    for number in (2**63, -(2**63) - 1):
        with pytest.raises(UnreadableError, match="64 bits"):
            check(f"{text}\n[link]\nx = {number}\n", IN_FORCE)


def test_royal_9_on_a_rising_phoenix_table_is_a_warning_and_harmony_is_not() -> None:
    found = changed(ROYAL5, {"table.variant": "rising-phoenix"})
    assert_lawful(found)
    [warning] = [each for each in found.warnings if each.section == "§ 627b.4(g)"]
    assert warning.key == "royal9"
    assert "Board" in warning.message


def test_a_rate_of_nothing_is_a_violation() -> None:
    found = only_violation(changed(ROYAL5, {"royal9.major.rate": "0%"}))
    assert (found.key, found.value, found.section) == ("royal9.major.rate", "0%", R5)
    assert_lawful(changed(ROYAL5, {"royal9.major.rate": "0.0001%"}))


def test_a_table_without_any_progressive_is_a_warning() -> None:
    found = changed(HEAVENLY, {"heavenly9": ABSENT})
    assert_lawful(found)
    assert ["no progressive wager" in each.message for each in found.warnings] == [True]


def test_a_lawful_file_is_read_to_the_last_value() -> None:
    read = changed(ROYAL5, {"awards": {"validate_from": "500.00", "second_person_from": "0.00", "late_hands": 0}})
    assert read.submission
    assert read.submission.table[:6] == ("valley-forge", "mb-07", "minibaccarat", 9, 8, "standard")
    assert read.submission.awards == (500_00, 0, False, 0)
    assert read.submission.harmony == ("B", 5, 25_000_00, 5_000_00, 190_000, 50_000)
    royal9 = read.submission.royal9
    assert royal9
    assert (royal9.denomination, royal9.award, royal9.layout.at(9)) == (5, "highest", "KS9D")
    assert royal9.mystery
    assert royal9.mystery.id == "royal9-mystery/1"
    baccarat = changed(HEAVENLY, {"awards": {"hold_play_on_hit": True}}).submission
    assert baccarat
    assert baccarat.awards.hold_play_on_hit
    assert baccarat.heavenly9
    assert baccarat.heavenly9.must_hit_by
    assert (baccarat.heavenly9.denomination, baccarat.heavenly9.must_hit_by.id) == (5, "must-hit-by/D-5")


def test_what_is_not_filed_has_its_default() -> None:
    bare = {f"table.{name}": ABSENT for name in ("timezone", "day_start", "payout")} | {"awards": ABSENT}
    read = changed(ROYAL5, bare | {"royal9.award": ABSENT, "royal9.mystery": ABSENT}).submission
    assert read
    assert read.table[5:] == ("standard", "America/New_York", "06:00", "either")
    assert read.awards == (1_000_00, 10_000_00, False, 3)
    assert read.royal9
    assert (read.royal9.award, read.royal9.mystery) == ("highest", None)


def test_where_the_number_of_positions_is_wrong_the_layout_is_still_looked_at() -> None:
    filed = {"table.positions": 0, "royal9.layout.16": "KC9S", "royal9.layout.17": "KC9H", "royal9.layout.x": "KH9C"}
    found = changed(ROYAL5, filed)
    assert [each.key for each in found.violations] == ["table.positions", "royal9.layout.17", "royal9.layout.x"]
