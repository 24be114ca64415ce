from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.cctalk_credits import EMPTY, KEPT, SIZE, Credits, Happening, Reading, Verdict
from drivers.driver import Bookmark

COIN, REFUSED = (3, 1), (0, 2)


def reading(counter: int, *events: tuple[int, int]) -> Reading:
    """A reading with these events, newest first."""
    return Reading(counter, (*events, *[EMPTY] * KEPT)[:KEPT])


def read_twice(credit: Credits, seen: Reading) -> Verdict | None:
    assert credit.read(seen) is None
    verdict = credit.read(seen) if credit.doubtful else None
    if verdict is not None:
        credit.take(verdict)
    return verdict


def in_step(counter: int, *events: tuple[int, int], bookmark: Bookmark | None = None) -> Credits:
    """Credits that know an acceptor at this counter."""
    credit = Credits(bookmark)
    verdict = read_twice(credit, reading(counter, *events))
    assert verdict is not None
    assert verdict.fault == ""
    return credit


def taken(credit: Credits, counter: int, *events: tuple[int, int]) -> tuple[Happening, ...]:
    verdict = read_twice(credit, reading(counter, *events))
    assert verdict is not None
    assert verdict.fault == ""
    return verdict.events


def fault(credit: Credits, counter: int, *events: tuple[int, int]) -> str:
    verdict = read_twice(credit, reading(counter, *events))
    assert verdict is not None
    assert verdict.events == ()
    return verdict.fault


def test_without_a_bookmark_the_first_reading_is_only_synchronised_to() -> None:
    verdict = read_twice(Credits(), reading(7, COIN, COIN, REFUSED, COIN, COIN))
    assert verdict == Verdict(reading(7, COIN, COIN, REFUSED, COIN, COIN), 0)


def test_a_coin_counts_only_after_a_second_identical_reading() -> None:
    credit = in_step(0)
    assert credit.read(reading(1, COIN)) is None
    assert credit.doubtful
    verdict = credit.read(reading(1, COIN))
    assert verdict is not None
    assert verdict.events == (Happening(1, 1, 3, 1),)


def test_a_reading_that_comes_once_counts_for_nothing() -> None:
    credit = in_step(0)
    assert credit.read(reading(4, COIN, COIN, COIN, COIN)) is None
    assert credit.read(reading(1, COIN)) is None
    assert credit.read(reading(0)) is None
    assert not credit.doubtful
    assert credit.read(reading(1, COIN)) is None
    assert credit.doubtful


def test_a_verdict_that_was_not_taken_is_given_again() -> None:
    credit = in_step(0)
    credit.read(reading(1, COIN))
    first = credit.read(reading(1, COIN))
    assert first is not None
    assert credit.read(reading(1, COIN)) == first
    credit.take(first)
    assert credit.read(reading(1, COIN)) is None
    assert not credit.doubtful


def test_new_events_come_oldest_first_and_each_has_the_next_ordinal() -> None:
    credit = in_step(9, COIN, COIN, COIN, COIN, COIN)
    assert taken(credit, 12, (5, 1), REFUSED, (4, 1), COIN, COIN) == (
        Happening(1, 10, 4, 1),
        Happening(2, 11, 0, 2),
        Happening(3, 12, 5, 1),
    )
    assert taken(credit, 13, (6, 1), (5, 1), REFUSED, (4, 1), COIN) == (Happening(4, 13, 6, 1),)


def test_the_counter_goes_on_with_1_after_255() -> None:
    credit = in_step(254, COIN, COIN, COIN, COIN, COIN)
    events = taken(credit, 2, (7, 1), (6, 1), (5, 1), COIN, COIN)
    assert [(event.counter, event.coin) for event in events] == [(255, 5), (1, 6), (2, 7)]


@pytest.mark.parametrize("last", range(1, 256))
def test_from_every_counter_five_events_are_told_and_six_are_lost(last: int) -> None:
    five = [(coin, 1) for coin in (5, 4, 3, 2, 1)]
    credit = in_step(last, COIN, COIN, COIN, COIN, COIN)
    assert [event.coin for event in taken(credit, (last + 4) % 255 + 1, *five)] == [1, 2, 3, 4, 5]
    credit = in_step(last, COIN, COIN, COIN, COIN, COIN)
    assert "events were lost" in fault(credit, (last + 5) % 255 + 1, *five)


def test_after_lost_events_the_count_goes_on_from_there_and_nothing_is_guessed() -> None:
    credit = in_step(3, COIN, COIN, COIN)
    assert fault(credit, 9, COIN, COIN, COIN, COIN, COIN) == (
        "events were lost: its counter went from 3 to 9, and it keeps 5"
    )
    assert taken(credit, 10, (4, 1), COIN, COIN, COIN, COIN) == (Happening(1, 10, 4, 1),)


def test_a_reset_is_a_fault_and_swallows_no_credit_that_follows() -> None:
    credit = in_step(3, COIN, COIN, COIN)
    assert fault(credit, 0) == "it was reset: credits after its event 3 may be lost"
    assert taken(credit, 1, (4, 1)) == (Happening(1, 1, 4, 1),)


def test_a_second_reset_with_nothing_between_is_no_event() -> None:
    credit = in_step(0)
    assert read_twice(credit, reading(0)) is None


def test_after_a_reset_up_to_five_events_are_told_and_a_sixth_is_lost() -> None:
    assert len(taken(in_step(0), 5, COIN, COIN, COIN, COIN, COIN)) == 5
    for counter in (6, 255):
        assert "events were lost" in fault(in_step(0), counter, COIN, COIN, COIN, COIN, COIN)


def test_a_reset_that_was_not_seen_shows_in_the_older_events() -> None:
    credit = in_step(2, COIN, (4, 1))
    assert "not those it showed before" in fault(credit, 3, (5, 1), (6, 1), (7, 1))
    assert taken(credit, 4, (9, 1), (5, 1), (6, 1), (7, 1)) == (Happening(1, 4, 9, 1),)


def test_other_events_at_the_same_counter_are_a_fault() -> None:
    assert "not those it showed before" in fault(in_step(2, COIN, (4, 1)), 2, COIN, (5, 1))


def test_an_event_that_is_empty_is_a_fault() -> None:
    assert "an event among these is empty" in fault(in_step(2, COIN, COIN), 4, COIN, EMPTY, COIN, COIN)


def test_a_count_known_to_be_broken_is_a_fault_however_well_the_reading_looks() -> None:
    credit = in_step(2, COIN, COIN)
    credit.broken("it was reset unseen")
    assert fault(credit, 2, COIN, COIN) == "it was reset unseen"
    assert taken(credit, 3, COIN, COIN, COIN) == (Happening(1, 3, 3, 1),)


def test_nothing_is_broken_where_nothing_was_known() -> None:
    credit = Credits()
    credit.broken("it was reset unseen")
    assert fault(credit, 2, COIN, COIN) == ""


def test_with_a_bookmark_events_since_then_are_told_with_the_ordinals_they_would_have_had() -> None:
    credit = Credits(Bookmark(counter=9, ordinal=40))
    assert taken(credit, 11, (5, 1), REFUSED, COIN, COIN, COIN) == (Happening(41, 10, 0, 2), Happening(42, 11, 5, 1))


def test_with_a_bookmark_at_the_counter_nothing_is_told() -> None:
    assert taken(Credits(Bookmark(9, 40)), 9, COIN, COIN, COIN, COIN, COIN) == ()
    assert taken(Credits(Bookmark(255, 40)), 255, COIN, COIN, COIN, COIN, COIN) == ()


@pytest.mark.parametrize(
    ("why", "counter", "events"),
    [
        ("it was reset", 0, ()),
        ("events were lost", 15, (COIN,) * 5),
        ("events were lost", 8, (COIN,) * 5),
        ("not those it showed before", 10, (COIN, COIN, COIN)),  # at 10 five places must be filled
        ("not those it showed before", 10, (COIN, REFUSED, COIN, COIN, COIN)),  # 9 was a coin
    ],
)
def test_with_a_bookmark_what_cannot_follow_it_is_a_fault(
    why: str, counter: int, events: tuple[tuple[int, int], ...]
) -> None:
    assert why in fault(Credits(Bookmark(9, 40)), counter, *events)


def test_a_bookmark_before_the_wrap_does_not_fit_an_acceptor_that_was_reset() -> None:
    assert "not those it showed before" in fault(Credits(Bookmark(255, 40)), 2, COIN, COIN, COIN)
    assert len(taken(Credits(Bookmark(255, 40)), 2, COIN, COIN, COIN, COIN, COIN)) == 2


def test_a_reading_is_made_of_eleven_bytes_and_of_no_other_number() -> None:
    assert Reading.of(bytes((2, 3, 1, 0, 2, 0, 0, 0, 0, 0, 0))) == reading(2, (3, 1), (0, 2))
    for size in (SIZE - 1, SIZE + 1):
        with pytest.raises(ValueError, match="a reading has 11"):
            Reading.of(bytes(size))


class Model:
    """An acceptor, the host that reads it, and a journal, with every coin told from every other.

    Coins that were taken and not yet journaled are `owed`, in their order. A fault forgives what is owed: it says so.
    """

    def __init__(self) -> None:
        self.counter = 0
        self.events: deque[tuple[int, int]] = deque([EMPTY] * KEPT, maxlen=KEPT)
        self.mask_set = False  # by the host; a reset forgets it, and then no coin is taken
        self.shut = False  # by the host, until it is in step
        self.excused = False  # whether a fault is due
        self.unseen = 0  # events since the host last was in step
        self.coins = 0
        self.worn = 0
        self.owed: list[int] = []
        self.journal: dict[int, int] = {}
        self.bookmark: Bookmark | None = None
        self.unkept = False  # known further than the bookmark
        self.credit = Credits()
        self.host_set_mask = False

    # -- the acceptor --

    def happen(self, event: tuple[int, int]) -> None:
        self.unseen += 1
        self.excused |= self.unseen > KEPT
        self.counter = self.counter % 255 + 1
        self.events.appendleft(event)

    def refuse(self) -> None:
        self.happen(REFUSED)

    def coin(self) -> None:
        if self.shut or not self.mask_set:
            self.refuse()
            return
        self.coins = self.coins % 250 + 1
        self.happen((self.coins, 1))
        self.owed.append(self.coins)

    def reset(self) -> None:
        self.excused = True
        self.counter = 0
        self.events.extend([EMPTY] * KEPT)
        self.mask_set = self.shut = False

    def do(self, what: str) -> None:
        """Something happens. 255 events never come between two readings."""
        if self.unseen < 200 or what not in {"coin", "refuse"}:
            getattr(self, what)()

    # -- the host --

    def restart(self) -> None:
        """The host ends, and begins again with what the journal took."""
        self.credit = Credits(self.bookmark)
        self.host_set_mask = self.bookmark is not None
        self.unkept = False
        assert self.bookmark or not self.owed  # it takes no coin before it is known
        self.come_back()

    def come_back(self) -> None:
        """What the host does first with an acceptor it did not watch."""
        self.shut = True
        self.hold_mask()

    def hold_mask(self) -> None:
        """What the host does now and then: the acceptor forgets its mask in a reset, whether one was seen or not."""
        if self.host_set_mask and not self.mask_set:
            self.credit.broken("its mask was forgotten")
            self.host_set_mask = False

    def poll(self, *, crash_after: int | None = None) -> None:
        verdict = self.credit.read(Reading(self.counter, tuple(self.events)))
        if verdict is None:
            if not self.credit.doubtful:
                self.settled()
            return
        for event in verdict.events[:crash_after]:
            if event.coin:
                self.take(event)
        if verdict.fault:
            assert self.excused, verdict.fault
            self.owed.clear()
            self.host_set_mask = False
        elif crash_after is not None:
            self.restart()
            return
        self.unkept |= bool(verdict.fault) or not self.credit.begun or not verdict.ends_with_a_coin
        self.credit.take(verdict)
        self.settled()

    def read_twice(self) -> None:
        self.poll()
        self.poll()

    def take(self, event: Happening) -> None:
        assert event.ordinal not in self.journal, "a credit came twice"
        assert self.owed, "a credit that no coin was"
        assert self.owed.pop(0) == event.coin
        self.journal[event.ordinal] = event.coin
        self.bookmark = Bookmark(event.counter, event.ordinal)

    def settled(self) -> None:
        self.unseen = 0
        self.shut = False
        if not self.host_set_mask:
            self.mask_set = self.host_set_mask = True
        if self.unkept and self.credit.counter is not None:
            self.bookmark = Bookmark(self.credit.counter, self.credit.ordinal, coin=False)
            self.unkept = False
        self.excused = not self.mask_set  # a reset is found by the mask, if by nothing else

    def poll_worn(self) -> None:
        """A corrupted reading that its checksum let through. Two of them are never alike."""
        self.worn += 1
        slots = [*self.events]
        slots[self.worn % KEPT] = (self.worn % 256, self.worn // 256 % 256)
        verdict = self.credit.read(Reading((self.counter + self.worn) % 256, tuple(slots)))
        assert verdict is None


Step = tuple[str, int, list[str]]  # what, how often, and what happens meanwhile

happenings = st.sampled_from(["coin", "coin", "refuse", "reset"])
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.sampled_from(
            ["coin", "coin", "refuse", "reset", "poll", "poll", "poll", "poll_worn", "restart", "hold_mask"]
        ),
        st.just(0),
        st.just([]),
    ),
    st.tuples(st.just("crash"), st.integers(0, 5), st.just([])),
    st.tuples(st.just("many"), st.integers(1, 150), st.just([])),
    st.tuples(st.sampled_from(["come_back", "restart"]), st.just(0), st.lists(happenings, max_size=8)),
)


@settings(max_examples=600, deadline=None)
@given(st.integers(0, 255), st.lists(steps, max_size=60))
@pytest.mark.slow
def test_no_credit_comes_twice_and_none_is_lost_without_a_fault(start: int, doing: list[Step]) -> None:
    model = Model()
    for _ in range(start):
        model.refuse()
    model.read_twice()
    for what, count, meanwhile in doing:
        for each in meanwhile:
            model.do(each)
        if what == "crash":
            model.poll()
            model.poll(crash_after=count)
        elif what == "many":
            for _ in range(count):
                model.do("refuse")
                model.read_twice()
        else:
            model.do(what)
    model.hold_mask()
    model.read_twice()
    assert model.owed == []
