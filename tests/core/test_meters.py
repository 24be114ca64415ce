"""The rules of one meter, alone: what a contribution, a hit and their undoing move, to the unit."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace

from controller.core.accounts import Move, UnbalancedError, moved, total
from controller.core.chance import Draw, Ready
from controller.core.filed import MYSTERY, RESERVE, RESET, FiledMeter, Filing
from controller.core.meters import (
    HITS_KEPT,
    PAID,
    PENDING,
    REJECTED,
    Contributed,
    DrawsNeededError,
    Due,
    Hit,
    Meter,
    Reveal,
    contribute,
    hit,
    hit_since,
    is_inside,
    listed,
    open_meter,
    resplit,
    reverse,
    unwind,
)

CENT = 1_000_000


def drawn(cents: int) -> Draw:
    return Draw(cents, "00" * 32, f"sealed-{cents}", "key", f"commitment-{cents}")


def mystery(units: int, *, low: int = 25_000, high: int = 100_000, rate: int = 50_000) -> Meter:
    filing = Filing(low, low, rate, maximum_cents=high)
    return Meter("royal9-mystery", MYSTERY, "royal9", filing, units=units, sealed="s", commitment="c")


def ready(value: int, *following: int) -> Ready:
    return Ready(value, "11" * 32, tuple(map(drawn, following or (99_999,))))


def one(meter: Meter, cents: int, award: str, chance: Ready | None) -> Contributed:
    """One contribution."""
    return contribute(meter, [cents], lambda: award, chance)


def won(given_: Contributed) -> int:
    """What the only contribution won."""
    return sum(each.cents for each in given_.won)


@pytest.mark.parametrize(
    ("before", "wins"),
    [
        (43_210 * CENT - 25 * CENT - 1, False),  # one unit short of the value
        (43_210 * CENT - 25 * CENT, False),  # exactly at it: it must be passed
        (43_210 * CENT - 25 * CENT + 1, True),  # one unit above
        (43_210 * CENT + 5, True),  # above before already: the next contribution wins, whatever it was
    ],
)
def test_a_mystery_value_must_be_passed(before: int, *, wins: bool) -> None:
    given_ = one(mystery(before), 500, "a", ready(43_210))
    assert bool(given_.won) is wins
    if wins:
        assert won(given_) == (before + 25 * CENT) // CENT
        assert given_.meter.cycle == 2
        assert given_.meter.units == 25_000 * CENT + (before + 25 * CENT) % CENT
        assert given_.meter.commitment == "commitment-99999"
        assert given_.won[0].reveal == Reveal(43_210, "11" * 32, 1, "c")


@pytest.mark.parametrize(
    ("before", "award", "rest"),
    [
        (100_000 * CENT - 25 * CENT, 100_000, 0),  # exactly to the maximum
        (100_000 * CENT - 25 * CENT + 1, 100_000, 1),
        (100_000 * CENT - 1, 100_000, 25 * CENT - 1),
        (100_000 * CENT, 100_000, 25 * CENT),  # a cycle may open there by a spill
    ],
)
def test_a_contribution_that_would_pass_the_maximum_is_split_there(before: int, award: int, rest: int) -> None:
    given_ = one(mystery(before), 500, "a", ready(99_999, 25_000))
    assert won(given_) == award
    assert given_.meter.units == 25_000 * CENT + rest
    assert given_.meter.hits == 1  # the rest wins nothing, though it is above the new value
    assert won(one(given_.meter, 500, "b", ready(25_000))) == (25_000 * CENT + rest + 25 * CENT) // CENT


def test_two_values_passed_in_one_lock_out_are_each_revealed_with_their_own_nonce() -> None:
    after = Draw(99_999, "33" * 32, "sealed-3", "key", "commitment-3")
    next_ = Draw(25_010, "22" * 32, "sealed-2", "key", "commitment-2")
    chance = Ready(43_210, "11" * 32, (next_, after))
    given_ = contribute(mystery(43_210 * CENT), [500, 500], iter("ab").__next__, chance)
    assert [each.reveal for each in given_.won] == [
        Reveal(43_210, "11" * 32, 1, "c"),
        Reveal(25_010, "22" * 32, 2, "commitment-2"),
    ]
    assert (given_.meter.cycle, given_.meter.sealed, given_.meter.commitment) == (3, "sealed-3", "commitment-3")


def test_what_does_not_fit_under_the_next_ceiling_is_carried() -> None:
    meter = mystery(99_999 * CENT, low=10_000, high=20_000, rate=50_000)
    meter = replace(meter, units=19_999 * CENT)
    given_ = one(meter, 100_000_000, "a", ready(19_998, 10_000))  # 5% of $1,000,000
    assert won(given_) == 20_000
    assert given_.meter.units == 20_000 * CENT
    assert given_.meter.carry == (19_999 + 5_000_000 - 20_000 - 10_000) * CENT


def test_a_mystery_meter_takes_nothing_without_its_value_or_a_next_one() -> None:
    with pytest.raises(UnbalancedError, match="without its value"):
        one(mystery(0), 500, "a", None)
    with pytest.raises(DrawsNeededError):
        one(mystery(43_210 * CENT), 500, "a", Ready(43_210, "", ()))
    with pytest.raises(UnbalancedError, match="without a value"):
        open_meter(FiledMeter("m", MYSTERY, Filing(1, 1, 1, maximum_cents=2)), "royal9", None)


def test_a_meter_keeps_neither_value_nor_nonce_in_clear() -> None:
    draw = Draw(43_217, "5e" * 32, "sealed", "key", "commitment")
    meter, _ = open_meter(FiledMeter("m", MYSTERY, Filing(25_000, 25_000, 1, maximum_cents=50_000)), "royal9", draw)
    kept = json.encode(meter).decode()
    assert (meter.sealed, meter.key_id, meter.commitment) == ("sealed", "key", "commitment")
    assert "43217" not in kept
    assert draw.nonce not in kept


@given(
    units=st.integers(25_000 * CENT, 100_000 * CENT),
    stakes=st.lists(st.integers(1, 10**8), min_size=1, max_size=12),
    values=st.lists(st.integers(25_000, 99_999), min_size=14, max_size=14),
    rate=st.integers(1, 200_000),
)
def test_no_mystery_meter_ever_passes_its_ceiling_and_no_unit_is_lost(
    units: int, stakes: list[int], values: list[int], rate: int
) -> None:
    meter = mystery(units, rate=rate)
    accounts = {"meter:royal9-mystery": units, "house:seed": -units}
    names = map(str, count())
    together = contribute(meter, stakes, names.__next__, ready(values[0], *values[1:]))
    assert sum(share.units for share in together.shares) == sum(stakes) * rate
    chance = ready(values[0], *values[1:])
    for stake in stakes:
        given_ = one(meter, stake, str(len(accounts)), chance)
        accounts = moved(accounts, total(given_.moves))
        meter = given_.meter
        if given_.won:
            chance = Ready(chance.draws[0].cents, chance.draws[0].nonce, chance.draws[1:])
        assert won(given_) <= 100_000
        assert meter.units <= 100_000 * CENT
        assert accounts["meter:royal9-mystery"] == meter.units
        assert accounts.get("carry:royal9-mystery", 0) == meter.carry
        assert sum(accounts.values()) == 0
    assert together.meter == meter  # together is the same as one by one


def due(units: int, *awards: str, reserve: int = 0, seq: int = 10, round_: int = 3) -> Due:
    return Due(seq, "t", round_, awards, tuple(range(1, len(awards) + 1)), units, reserve)


def harmony(units: int, reserve: int, *, least: int = 500_000) -> Meter:
    return Meter("harmony", RESERVE, "harmony", Filing(2_500_000, least, 190_000, 50_000), units=units, reserve=reserve)


def major(units: int) -> Meter:
    return Meter("royal9-major", RESET, "royal9", Filing(45_000, 45_000, 40_000), units=units)


@given(
    units=st.integers(50_000 * CENT, 10**14),
    later=st.integers(0, 10**10),
    reserve=st.integers(0, 10**12),
    winners=st.integers(1, 9),
    lowered=st.integers(0, 10**14),
)
def test_a_hit_undone_whole_leaves_the_meter_as_it_was(
    units: int, later: int, reserve: int, winners: int, lowered: int
) -> None:
    for full, held in ((harmony(units + later, reserve + later), reserve), (major(units + later), 0)):
        before = replace(full, units=max(0, full.units - lowered))
        names = tuple(f"a{n}" for n in range(winners))
        changed = hit(before, due(units, *names, reserve=held))
        each = units // CENT // winners
        accounts = moved({}, total(changed.moves))
        assert all(accounts.get(f"pending:{name}", 0) == each * CENT for name in names)
        assert accounts.get(f"meter:{before.id}", 0) == changed.meter.units - before.units
        assert changed.meter.units >= 0
        assert hit_since(changed.meter, 9)
        assert not hit_since(changed.meter, 10)
        back = unwind(changed.meter, changed.meter.last[0], [(name, each) for name in names], REJECTED, whole=True)
        assert replace(back.meter, last=(), cycle=1) == before
        assert moved(accounts, total(back.moves)) == {}


def test_what_a_reserve_collects_after_the_lock_out_stays_in_it() -> None:
    changed = hit(harmony(3_000_050 * CENT, 700_000 * CENT), due(3_000_000 * CENT, "a", reserve=600_000 * CENT))
    assert changed.meter.reserve == 100_000 * CENT
    assert changed.meter.units == 600_000 * CENT + 50 * CENT
    assert changed.meter.last[0].seed == 0
    topped = hit(harmony(3_000_000 * CENT, 1_000 * CENT), due(3_000_000 * CENT, "a", reserve=1_000 * CENT))
    assert topped.meter.units == 500_000 * CENT
    assert topped.meter.last[0].seed == 499_000 * CENT


@pytest.mark.parametrize(
    ("holds", "later", "lack"), [(1_050, 50, 0), (1_049, 50, 1), (60, 50, 990), (50, 50, 1_000), (20, 50, 1_000)]
)
def test_the_house_adds_what_an_adjusted_meter_lacks_and_never_more_than_the_jackpot(
    holds: int, later: int, lack: int
) -> None:
    changed = hit(major(holds * CENT), due(1_000 * CENT, "a")._replace(later=later * CENT))
    assert changed.meter.last[0].lack == lack * CENT
    assert changed.meter.units == (holds + lack - 1_000 + 45_000) * CENT


@pytest.mark.parametrize(("holds", "later", "released"), [(120, 20, 100), (119, 20, 99), (20, 20, 0), (10, 20, 0)])
def test_a_lowered_reserve_releases_what_it_still_has_of_that_round(holds: int, later: int, released: int) -> None:
    one = due(3_000_000 * CENT, "a", reserve=100 * CENT)._replace(later_reserve=later * CENT)
    changed = hit(harmony(3_000_000 * CENT, holds * CENT), one)
    assert changed.meter.last[0].released == released * CENT
    assert changed.meter.reserve == (holds - released) * CENT


def test_a_jackpot_shared_anew_gives_back_the_odd_cents() -> None:
    changed = hit(major(100_001 * CENT + 5), due(100_001 * CENT + 5, "a", "b"))
    assert changed.meter.units == 45_000 * CENT + 1 * CENT + 5
    again = resplit(changed.meter, changed.meter.last[0], ("a", 50_000), [("b", 50_000)])
    assert again.each_cents == 100_001
    assert again.meter.units == 45_000 * CENT + 5
    assert again.meter.last[0].awards == ("b",)
    accounts = moved({"pending:a": 50_000 * CENT, "pending:b": 50_000 * CENT}, total(again.moves))
    assert accounts["pending:b"] == 100_001 * CENT
    assert "pending:a" not in accounts


def test_odd_cents_that_went_with_a_later_hit_come_from_the_house() -> None:
    changed = hit(major(100_001 * CENT), due(100_001 * CENT, "a", "b"))
    later = hit(changed.meter, due(changed.meter.units, "c", seq=20, round_=4))
    first = next(each for each in later.meter.last if each.id == "a")
    again = resplit(later.meter, first, ("a", 50_000), [("b", 50_000)])
    assert again.meter.units == later.meter.units
    assert Move("house:late", "meter:royal9-major", CENT) in again.moves


def test_a_contribution_is_inside_an_award_that_stands_and_took_it() -> None:
    meter = major(50_000 * CENT)
    given_ = one(meter, 500, "", None)
    assert not is_inside(given_.meter, given_.shares[0], 3)
    changed = hit(given_.meter, due(given_.meter.units, "a", round_=3))
    assert is_inside(changed.meter, given_.shares[0], 3)
    assert is_inside(changed.meter, given_.shares[0], 2)
    assert not is_inside(changed.meter, given_.shares[0], 4)  # a late hand of an earlier round leaves it in the meter
    refund = reverse(changed.meter, given_.shares[0], 500, inside=True)
    assert refund.meter.units == changed.meter.units
    assert total(refund.moves) == (Move("house:void", "wagers", 500 * 40_000),)
    undone = unwind(changed.meter, changed.meter.last[0], [("a", 50_020)], REJECTED, whole=True)
    assert not is_inside(undone.meter, given_.shares[0], 3)
    assert reverse(undone.meter, given_.shares[0], 500, inside=False).meter.units == 50_000 * CENT


def test_no_more_is_reversed_than_is_there() -> None:
    meter = harmony(10 * CENT, 2 * CENT, least=0)
    given_ = one(harmony(0, 0, least=0), 500, "", None)
    changed = reverse(meter, given_.shares[0], 500, inside=False)
    assert (changed.meter.units, changed.meter.reserve) == (0, 0)
    assert total(changed.moves)[-1] == Move(
        "house:void", "wagers", given_.shares[0].units + given_.shares[0].reserve - 12 * CENT
    )


@pytest.mark.parametrize(("hits", "kept"), [(HITS_KEPT, HITS_KEPT), (HITS_KEPT + 1, HITS_KEPT)])
def test_a_meter_lists_its_last_25_hits(hits: int, kept: int) -> None:
    meter = major(0)
    for number in range(hits):
        meter = listed(meter, Hit(str(number), number, "t", number, 1, (str(number),), (1,), fate=PAID))
    assert len(meter.last) == kept
    assert meter.last[-1].id == str(hits - 1)


def test_a_pending_hit_stays_on_the_list() -> None:
    meter = listed(major(0), Hit("old", 1, "t", 1, 1, ("old",), (1,), fate=PENDING))
    for number in range(2 * HITS_KEPT):
        meter = listed(meter, Hit(str(number), number, "t", number, 1, (str(number),), (1,), fate=PAID))
    assert meter.last[0].id == "old"
    assert len(meter.last) == HITS_KEPT + 1


def test_a_move_of_less_than_nothing_is_refused() -> None:
    with pytest.raises(UnbalancedError, match="less than nothing"):
        total([Move("a", "b", -1)])
