"""More of the product broken on purpose: what is seen, asked, told and read, with the money as it should be."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from controller import engine
from controller.commands import answering, replies
from controller.commands.telling import Telling
from controller.core import adjusting, awards, decide, lockout, table
from controller.core.decision import NOTHING, Decision, people
from controller.core.draft import Draft
from controller.core.effects import Effect, Flash
from controller.core.facts import ReadingsTaken, round_of
from controller.core.inputs import Button, HandComplete, Input, Person
from controller.core.phases import Phase
from controller.core.state import State
from controller.core.times import stamp
from controller.intake import devices
from controller.intake.cards import Hands
from controller.mqtt import Said
from controller.outlets import broker, messages
from controller.outlets.broker import Broker
from controller.outlets.meters import meter_message
from controller.outlets.public import told
from controller.outlets.table import TableLines
from controller.people import signing_in
from controller.people.pins import Pins
from controller.people.signing_in import SigningIn
from controller.simulation.life import WitnessedVault
from drivers.driver import Place
from drivers.modbus import Modbus
from drivers.modbus_board import Board, Sensed
from tests.simulation.variants import Broken, patched

HOUR = 3600 * 1_000_000  # microseconds
Entered = Iterator[None]


def _meters_with(change: Callable[[Any], Any]) -> Any:  # noqa: ANN401 -- a patch
    real = meter_message
    return patched(messages, "meter_message", lambda *given: change(real(*given)))


def _awards_with(change: Callable[[Any], Any]) -> Any:  # noqa: ANN401 -- a patch
    real = messages._award
    return patched(messages, "_award", lambda *given: change(real(*given)))


# -- days and times --


@contextmanager
def readings_of_another_amount() -> Entered:
    """A day's readings have one wager too many."""
    real = table.read_meters

    def read(state: State, due: Any) -> Decision:  # noqa: ANN401 -- as it is
        found = real(state, due)
        if not isinstance(found.fact, ReadingsTaken):
            return found
        readings = tuple(replace(each, in_cents=each.in_cents + 500) for each in found.fact.readings)
        return Decision(replace(found.fact, readings=readings), found.effects)

    with patched(decide._DECIDE, "readings-due", read):
        yield


@contextmanager
def day_that_never_ends() -> Entered:
    """No gaming day is read."""
    with patched(decide._DECIDE, "readings-due", lambda _state, _due: NOTHING):
        yield


@contextmanager
def days_begin_at_midnight() -> Entered:
    """Whatever is filed."""
    real = engine.gaming_day
    with patched(engine, "gaming_day", lambda now, timezone, _start: real(now, timezone, "00:00")):
        yield


@contextmanager
def devices_an_hour_ahead() -> Entered:
    """What devices say has another time than the clock."""
    ahead = lambda self: stamp(self._clock.now() + HOUR)  # noqa: E731 -- short
    with patched(devices.Intake, "_now", ahead):
        yield


@contextmanager
def facts_of_the_round_before() -> Entered:
    """Facts are filed under the round before theirs."""
    real = round_of
    with patched(decide, "round_of", lambda fact, now: max(1, real(fact, now) - 1) if real(fact, now) else 0):
        yield


# -- people --


@contextmanager
def adjusted_though_the_sign_shows_another_amount() -> Entered:
    """What the people saw who correct a meter is not asked."""
    with patched(adjusting, "refuse_unexpected", lambda *_: None):
        yield


@contextmanager
def adjusted_the_other_way() -> Entered:
    """A correction downwards is one upwards."""
    real = adjusting.adjust
    upwards = lambda state, asked: real(state, replace(asked, delta_cents=abs(asked.delta_cents)))  # noqa: E731
    with patched(decide._DECIDE, "meter-adjusted", upwards):
        yield


@contextmanager
def paid_without_a_base_wager() -> Entered:
    """An award is paid to someone who had no base wager."""
    real = awards.validate
    with patched(decide._DECIDE, "award-validated", lambda state, asked: real(state, replace(asked, base_wager=True))):
        yield


@contextmanager
def second_person_is_named_first() -> Entered:
    """Of two people the journal takes one for the other."""

    def swapped(by: Person | None, second: Person | None = None) -> dict[str, str]:
        return people(second, by) if second is not None else people(by)

    with patched(awards, "people", swapped):
        yield


@contextmanager
def any_pin_is_right() -> Entered:
    """Nobody looks at the PIN."""

    async def right(*_: object, **__: object) -> bool:
        return True

    with patched(Pins, "right", right):
        yield


@contextmanager
def pins_can_be_guessed() -> Entered:
    """However many were wrong, one more is looked at."""
    with patched(signing_in, "locked_ms", lambda *_: 0):
        yield


@contextmanager
def old_commands_are_done() -> Entered:
    """A command that lay around for minutes is done."""
    with patched(answering, "refuse_age", lambda *_: None):
        yield


@contextmanager
def who_was_let_go_goes_on() -> Entered:
    """A token is good after its operator was disabled."""
    with (
        patched(SigningIn, "whose", lambda self, token, client: self._tokens.whose(token, client)),
        patched(SigningIn, "take_pin", lambda *_: None),
    ):
        yield


@contextmanager
def done_and_refused_in_the_reply() -> Entered:
    """A validation is done, and who asked is told to ask again."""
    real = Telling.reply

    def reply(
        self: Telling,
        name: str,
        id_: str,
        given: Mapping[str, Any],
        place: Any = None,  # noqa: ANN401 -- as it is
        refused: tuple[str, str] = ("", ""),
    ) -> bytes:
        refused = ("stale", "ask again") if name == "validate" and not refused[0] else refused
        return real(self, name, id_, given, place, refused)

    with patched(Telling, "reply", reply):
        yield


@contextmanager
def reply_names_another_amount() -> Entered:
    """The dealer is told to pay a dollar more."""
    real = replies._made
    with patched(replies, "_made", lambda award: replace(real(award), amount_cents=award.amount_cents + 100)):
        yield


# -- the table --


@contextmanager
def lifted_chip_is_in() -> Entered:
    """A chip that is lifted is believed to lie there for some seconds more."""
    real = Sensed.take

    def take(self: Sensed, bit: bool, now: float, counted: int | None) -> tuple[bool, ...]:
        kept, leaves = self.debounce, not bit and self.level and self.settings.position is not None
        self.debounce = 8.0 if leaves else kept
        try:
            return real(self, bit, now, counted)
        finally:
            self.debounce = kept

    with patched(Sensed, "take", take):
        yield


@contextmanager
def press_is_ignored_now_and_then() -> Entered:
    """Some presses do nothing, and the journal says so."""
    real = lockout.button

    def button(state: State, press: Button, chance: Any) -> Decision:  # noqa: ANN401 -- as it is
        if state.phase is Phase.OPEN and press.cause == "button" and state.seq % 3 == 0:
            return lockout._ignored("again", press)
        return real(state, press, chance)

    with patched(decide._BY_CHANCE, "button", button):
        yield


@contextmanager
def hand_of_the_game_before() -> Entered:
    """A shoe's last hand counts for the next round."""
    real, last = Hands.take, dict[int, HandComplete]()

    def take(self: Hands, event: Any, at: str) -> list[Input]:  # noqa: ANN401 -- as it is
        found = real(self, event, at)
        for number, each in enumerate(found):
            if isinstance(each, HandComplete):
                before = last.get(id(self), each)
                last[id(self)] = each
                found[number] = replace(each, player=before.player, banker=before.banker)
        return [each for each in found if isinstance(each, HandComplete | Button)]

    with patched(Hands, "take", take):
        yield


@contextmanager
def lost_board_goes_unnoticed() -> Entered:
    """A board that falls silent is believed to be there."""
    real = Modbus._lose

    async def lose(self: Modbus, board: Board, why: str) -> None:
        if "answer" not in why or not board.told_online:
            await real(self, board, why)

    with patched(Modbus, "_lose", lose):
        yield


@contextmanager
def slots_stay_open() -> Entered:
    """Drop slots take coins after the lock-out."""

    def open_slots(self: TableLines, _state: State) -> None:
        for driver in self._drivers:
            driver.accept(self._slots)

    with patched(TableLines, "open_slots", open_slots):
        yield


@contextmanager
def half_a_coin_is_given_back() -> Entered:
    """Of a wager that is called off."""
    real = Draft.give_back

    def give_back(self: Draft, position: int, wager: str, cents: int, why: str) -> None:
        real(self, position, wager, cents if why in {"second-credit", "wrong-coin", "late"} else cents // 2, why)

    with patched(Draft, "give_back", give_back):
        yield


# -- lamps --


@contextmanager
def lamps_of_the_neighbour() -> Entered:
    """Each lamp shows what the next one should."""
    real = Modbus._wanted

    def wanted(self: Modbus, board: Board, now: float) -> tuple[bool, ...]:
        found = real(self, board, now)
        return found[1:] + found[:1]

    with patched(Modbus, "_wanted", wanted):
        yield


@contextmanager
def lamp_stays_lit() -> Entered:
    """A board is not told that an accepted wager is over."""
    real = Modbus.show

    def show(self: Modbus, lamps: Mapping[Place, str]) -> None:
        lit = {place for place, each in self._patterns.items() if each == "accepted"}
        real(self, {place: each for place, each in lamps.items() if place not in lit or each not in {"off", "invite"}})

    with patched(Modbus, "show", show):
        yield


@contextmanager
def lamps_say_nothing_of_a_fault() -> Entered:
    """A table that cannot be played invites."""
    real = TableLines.show
    shown = lambda self, state: None if state.phase is Phase.FAULTED else real(self, state)  # noqa: E731
    with patched(TableLines, "show", shown):
        yield


@contextmanager
def late_chip_does_not_flash() -> Entered:
    """Nobody is told that a chip came too late."""
    real = TableLines.release

    def release(self: TableLines, effects: tuple[Effect, ...], state: State) -> None:
        real(self, [each for each in effects if not isinstance(each, Flash)], state)

    with patched(TableLines, "release", release):
        yield


# -- messages --


@contextmanager
def award_stays_on_the_sign() -> Entered:
    """An award that was paid is shown on."""
    real = Broker._emptied

    def kept(self: Broker, topic: str) -> Said:
        return self._retained(topic, self._said[topic]) if topic in self._said else real(self, topic)

    with patched(Broker, "_emptied", kept):
        yield


@contextmanager
def award_of_the_neighbour_on_the_sign() -> Entered:
    """An award is shown at the position beside."""
    with _awards_with(lambda award: replace(award, position=award.position + 1)):
        yield


@contextmanager
def sign_says_one_person_will_do() -> Entered:
    """An award does not say that it takes two."""
    with _awards_with(lambda award: replace(award, needs_second=False)):
        yield


@contextmanager
def must_hit_by_a_higher_amount() -> Entered:
    """A sign promises more than the ceiling that is filed."""

    def higher(meter: Any) -> Any:  # noqa: ANN401 -- a message
        return (
            meter
            if meter.must_hit_by_cents is UNSET
            else replace(meter, must_hit_by_cents=meter.must_hit_by_cents + 50_000)
        )

    with _meters_with(higher):
        yield


@contextmanager
def nonce_is_told_with_the_commitment() -> Entered:
    """Whoever listens can work out the mystery value."""
    real, nonces = WitnessedVault.draw, dict[object, str]()

    def draw(self: WitnessedVault, *given: Any) -> Any:  # noqa: ANN401 -- as it is
        found = real(self, *given)
        nonces[found.commitment] = found.nonce
        return found

    with (
        patched(WitnessedVault, "draw", draw),
        _meters_with(lambda meter: replace(meter, label=nonces.get(meter.commitment, meter.label))),
    ):
        yield


@contextmanager
def online_though_faulted() -> Entered:
    """The status says nothing of a fault."""
    with patched(Broker, "_plight", lambda _: ("online", "")):
        yield


@contextmanager
def sign_swaps_the_hands() -> Entered:
    """The player's cards are shown as the banker's."""
    real = messages._round

    def swapped(*given: Any) -> Any:  # noqa: ANN401 -- as it is
        found = real(*given)
        return replace(found, player=found.banker, banker=found.player)

    with patched(messages, "_round", swapped):
        yield


@contextmanager
def events_without_what_happened() -> Entered:
    """Of facts only their names are told."""
    real = told
    with patched(broker, "told", lambda rows: [{**each, "payload": {}} for each in real(rows)]):
        yield


SEEN: dict[str, Broken] = {
    each.__name__: each
    for each in (
        readings_of_another_amount,
        day_that_never_ends,
        days_begin_at_midnight,
        devices_an_hour_ahead,
        facts_of_the_round_before,
        adjusted_though_the_sign_shows_another_amount,
        adjusted_the_other_way,
        paid_without_a_base_wager,
        second_person_is_named_first,
        any_pin_is_right,
        pins_can_be_guessed,
        old_commands_are_done,
        who_was_let_go_goes_on,
        done_and_refused_in_the_reply,
        reply_names_another_amount,
        lifted_chip_is_in,
        press_is_ignored_now_and_then,
        hand_of_the_game_before,
        lost_board_goes_unnoticed,
        slots_stay_open,
        half_a_coin_is_given_back,
        lamps_of_the_neighbour,
        lamp_stays_lit,
        lamps_say_nothing_of_a_fault,
        late_chip_does_not_flash,
        award_stays_on_the_sign,
        award_of_the_neighbour_on_the_sign,
        sign_says_one_person_will_do,
        must_hit_by_a_higher_amount,
        nonce_is_told_with_the_commitment,
        online_though_faulted,
        sign_swaps_the_hands,
        events_without_what_happened,
    )
}
