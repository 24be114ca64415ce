"""The order of a shoe's messages, and the games they tell of."""

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Rounds
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.events import BANKER, BURN, PLAYER, Card, Cleared, Event, Faulted, Game
from drivers.shoe_game import (
    INTERRUPTED,
    MISSING,
    MOST_AWAITED,
    Begun,
    Cancelled,
    Dealt,
    Ended,
    Failed,
    Games,
    Heard,
    Message,
    Noted,
    Reading,
    Retold,
    Sequence,
)
from drivers.simulated.dealer import Dealer, Round
from tests.drivers.shoes import whole

AWAITED, REPEAT, NEXT, GAP, STRAY = Heard.AWAITED, Heard.REPEAT, Heard.NEXT, Heard.GAP, Heard.STRAY
BEGUN = Game(device="shoe", what="begun")
CLEARED = Cleared(device="shoe")
HAND: list[Message] = [
    Begun(),
    Dealt(PLAYER, 1, "9H"),
    Dealt(BANKER, 1, "2C"),
    Dealt(PLAYER, 2, "KS"),
    Dealt(BANKER, 2, "5D"),
    Ended("player"),
]


def heard(readings: Iterable[tuple[int | None, str]], copies: int = 1, size: int = 10) -> list[Heard]:
    sequence = Sequence(size, copies)
    return [sequence.heard(Reading(place, content.encode(), Noted())) for place, content in readings]


def told(messages: Iterable[Message], games: Games | None = None) -> list[Event]:
    taking = games or Games("shoe")
    return [event for message in messages for event in taking.take(message)]


def fault(reason: str) -> Faulted:
    return Faulted(device="shoe", reason=reason)


def test_the_first_message_may_have_any_number_and_the_next_one_follows() -> None:
    assert heard([(7, "a"), (8, "b"), (9, "c"), (0, "d"), (1, "e")]) == [NEXT] * 5


def test_the_same_message_again_is_a_repeat() -> None:
    assert heard([(1, "a"), (1, "a"), (1, "a"), (2, "a"), (2, "a")]) == [NEXT, REPEAT, REPEAT, NEXT, REPEAT]


def test_a_number_that_is_not_the_next_one_is_a_gap_and_it_goes_on_from_there() -> None:
    assert heard([(1, "a"), (3, "b"), (3, "b"), (4, "c")]) == [NEXT, GAP, REPEAT, NEXT]
    assert heard([(3, "a"), (2, "b")]) == [NEXT, GAP]


def test_the_same_number_with_another_content_is_a_gap() -> None:
    assert heard([(1, "a"), (1, "b"), (2, "c")]) == [NEXT, GAP, NEXT]


def test_a_number_that_is_none_is_a_gap_also_at_first() -> None:
    assert heard([(None, "a"), (None, "a"), (4, "b")]) == [GAP, GAP, NEXT]
    assert heard([(1, "a"), (None, "b"), (2, "c")]) == [NEXT, GAP, NEXT]


def test_two_equal_copies_make_a_message_where_two_are_wanted() -> None:
    assert heard([(1, "a"), (1, "a"), (1, "a"), (2, "b"), (2, "b")], copies=2) == [AWAITED, NEXT, REPEAT, AWAITED, NEXT]


def test_a_damaged_copy_of_the_next_message_does_no_harm_where_two_are_wanted() -> None:
    readings = [(1, "a"), (1, "a"), (2, "b"), (2, "x"), (2, "b")]
    assert heard(readings, copies=2) == [AWAITED, NEXT, AWAITED, AWAITED, NEXT]


def test_a_message_with_too_few_copies_is_missing_as_soon_as_the_next_one_begins() -> None:
    readings = [(1, "a"), (1, "a"), (2, "b"), (3, "c"), (3, "c"), (4, "d")]
    assert heard(readings, copies=2) == [AWAITED, NEXT, AWAITED, STRAY, GAP, AWAITED]


def test_a_single_copy_of_another_message_with_the_last_number_is_not_overlooked() -> None:
    assert heard([(1, "a"), (1, "a"), (1, "b"), (None, "c")], copies=2) == [AWAITED, NEXT, STRAY, STRAY]


def test_copies_of_an_earlier_message_count_for_it_alone() -> None:
    assert heard([(1, "a"), (1, "a"), (2, "b"), (2, "b"), (1, "a")], copies=2)[-1] is STRAY


def test_a_single_copy_without_a_check_shows_nothing() -> None:
    sequence = Sequence(10_000, 2, checked=False)
    readings = [(1, b"a"), (1, b"a"), (7, b"a"), (1, b"b"), (2, b"b"), (2, b"b")]
    heard_of = [sequence.heard(Reading(place, content, Noted())) for place, content in readings]
    assert heard_of == [AWAITED, NEXT, AWAITED, AWAITED, AWAITED, NEXT]


def test_a_whole_cycle_of_messages_with_too_few_copies_is_not_overlooked() -> None:
    cycle = [(number % 10, "a") for number in range(2, 12)]
    heard_of = heard([(1, "a"), (1, "a"), *cycle, (2, "b"), (2, "b")], copies=2)
    assert heard_of == [AWAITED, NEXT, AWAITED, *[STRAY] * 8, REPEAT, AWAITED, NEXT]


@pytest.mark.parametrize(("between", "last"), [(MOST_AWAITED - 1, NEXT), (MOST_AWAITED, AWAITED)])
def test_copies_lie_no_further_apart_than_the_limit(between: int, last: Heard) -> None:
    others = [(1, str(number)) for number in range(between)]
    assert heard([(1, "a"), *others, (1, "a")], copies=2)[-1] is last


def test_after_a_restart_any_number_is_the_next() -> None:
    sequence = Sequence(10, 1)
    sequence.heard(Reading(1, b"a", Noted()))
    sequence.restart()
    assert sequence.heard(Reading(5, b"b", Noted())) is NEXT


@settings(deadline=None)
@given(st.data())
def test_a_loss_shows_unless_a_whole_cycle_is_lost(data: st.DataObject) -> None:
    size = data.draw(st.integers(10, 100))
    lost = data.draw(st.integers(1, 3 * size).filter(lambda count: count % size))
    start = data.draw(st.integers(0, size - 1))
    after = (start + 1 + lost) % size
    assert heard([(start, "a"), (after, "b")], size=size) == [NEXT, GAP]


def test_a_hand_is_handed_up_card_by_card() -> None:
    assert told(HAND) == [
        BEGUN,
        Card(device="shoe", hand=PLAYER, index=1, card="9H"),
        Card(device="shoe", hand=BANKER, index=1, card="2C"),
        Card(device="shoe", hand=PLAYER, index=2, card="KS"),
        Card(device="shoe", hand=BANKER, index=2, card="5D"),
        Game(device="shoe", what="ended", result="player"),
    ]


def test_a_game_that_is_broken_off_is_told_as_such() -> None:
    assert told([Begun(), Cancelled(), Begun()]) == [BEGUN, Game(device="shoe", what="cancelled"), BEGUN]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([Dealt(PLAYER, 1, "9H")], "a card of the player came without a game"),
        ([Ended("tie")], "the end of a game came without a game"),
        ([Cancelled()], "the end of a game came without a game"),
        ([*HAND, Dealt(BANKER, 3, "2H")], "a card of the banker came without a game"),
        ([Begun(), Dealt(PLAYER, 2, "9H")], "card 2 of the player came where card 1 was due"),
        ([*HAND[:3], Dealt(PLAYER, 1, "9H")], "card 1 of the player came where card 2 was due"),
        ([Begun(), Retold(PLAYER, 1, "9H")], "card 1 of the player is told anew as another"),
        ([*HAND, Retold(PLAYER, 1, "9D")], "card 1 of the player is told anew as another"),
        ([Dealt(BURN, 2, "9D")], "burn card 2 came where card 1 was due"),
        ([Begun(), Failed("the shoe reports error 12")], "the shoe reports error 12"),
    ],
)
def test_what_makes_no_sense_where_it_stands_is_a_fault(messages: list[Message], reason: str) -> None:
    assert told(messages)[-1] == fault(reason)


def test_after_a_fault_nothing_is_handed_up_until_a_game_begins() -> None:
    wrong: list[Message] = [*HAND[:2], Dealt(BANKER, 2, "2C"), *HAND[2:], Noted(), Retold(PLAYER, 1, "AS"), Cancelled()]
    events = told([*wrong, *HAND])
    at = events.index(fault("card 2 of the banker came where card 1 was due"))
    assert events[at + 1 :] == [CLEARED, *told(HAND)]


def test_the_same_fault_is_handed_up_once_and_another_one_again() -> None:
    games = Games("shoe")
    assert [*games.fail(MISSING), *games.fail(MISSING), *games.fail("jam")] == [fault(MISSING), fault("jam")]
    assert told([Begun()], games) == [CLEARED, BEGUN]
    assert games.fail("jam") == [fault("jam")]


def test_a_game_that_begins_before_the_last_one_ended_is_a_fault_of_the_last_one() -> None:
    expected = [BEGUN, fault("a game began before the last one had ended"), CLEARED, BEGUN]
    assert told([Begun(), Begun()]) == expected


def test_a_card_told_once_more_changes_nothing_in_the_game_and_after_it() -> None:
    again: list[Message] = [Retold(PLAYER, 1, "9H"), Retold(BANKER, 2, "5D")]
    assert told([*HAND[:5], *again, *HAND[5:], *again]) == told(HAND)


def test_burn_cards_are_numbered_from_one_in_each_burning() -> None:
    burned = told([Dealt(BURN, 0, "2C"), Dealt(BURN, 0, "3C"), *HAND, Dealt(BURN, 1, "4C"), Dealt(BURN, 2, "5C")])
    cards = [(event.index, event.card) for event in burned if isinstance(event, Card) and event.hand == BURN]
    assert cards == [(1, "2C"), (2, "3C"), (1, "4C"), (2, "5C")]
    assert not [event for event in burned if isinstance(event, Faulted)]


def test_not_being_heard_is_a_fault_only_during_a_game() -> None:
    games = Games("shoe")
    games.interrupt()
    assert not games.fault
    told(HAND[:3], games)
    games.interrupt()
    assert games.fault == INTERRUPTED
    assert told(HAND[3:], games) == []
    assert told(HAND, games) == [CLEARED, *told(HAND)]


def test_the_game_can_be_looked_at() -> None:
    games = Games("shoe")
    assert games.look() == {"game": "between games", "player": "", "banker": ""}
    told(HAND[:4], games)
    assert games.look() == {"game": "playing", "player": "9H KS", "banker": "2C"}
    games.fail(MISSING)
    assert games.look()["game"] == MISSING


MESSAGES = st.sampled_from(
    [*HAND, Dealt(PLAYER, 3, "4C"), Retold(PLAYER, 1, "9H"), Cancelled(), Noted(), Failed("jam")]
)


@settings(deadline=None)
@given(st.lists(MESSAGES))
def test_between_a_fault_and_its_end_there_is_no_card_and_no_game(messages: list[Message]) -> None:
    faulted = False
    for event in told(messages):
        if faulted:
            assert isinstance(event, Faulted | Cleared)
        faulted = isinstance(event, Faulted) or (faulted and not isinstance(event, Cleared))


def spoken(rounds: Rounds[Round]) -> Iterator[Reading]:
    """The messages of these rounds, numbered with ten numbers."""
    number = count(0)
    for played in rounds:
        said: list[Message] = [Begun(), *(Dealt(*card) for card in played.cards()), Ended(played.result)]
        for message in said:
            yield Reading(next(number) % 10, repr(message).encode(), message)


@pytest.mark.parametrize("wanted", [2, 3])
@pytest.mark.parametrize("few", [0.05, 0.3, 0.9])
def test_while_one_copy_of_each_message_comes_no_hand_is_wrong_whatever_else_is_lost(wanted: int, few: float) -> None:
    chance, dealer = Random(5), Dealer(5)
    rounds = [dealer.deal() for _ in range(500)]
    sequence, games = Sequence(10, wanted), Games("shoe")
    events: list[Event] = []
    for reading in spoken(rounds):
        for _ in range(chance.randrange(1, 3) if chance.random() < few else 3):
            heard_of = sequence.heard(reading)
            events += games.fail(MISSING) if heard_of in {GAP, STRAY} else []
            events += games.take(reading.message) if heard_of in {NEXT, GAP} else []
    hands = iter([(played.player, played.banker, played.result) for played in rounds])
    assert all(hand in hands for hand in whole(events))  # each was dealt, in this order
    assert any(isinstance(event, Faulted) for event in events)
