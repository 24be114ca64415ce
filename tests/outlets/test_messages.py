"""What a table says of itself follows from its state, to the cent."""

import msgspec
import pytest
from msgspec import UNSET

from controller.core import inputs
from controller.outlets.messages import MOST_RETURNS, retained
from controller.outlets.meters import LABELS
from controller.rules import catalog
from controller.wire.messages import VERSION, Award, Message, Meter, Proof, Round
from tests.core.play import DEALER, FLOOR, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

SIX_KINGS = {"player": ("KS", "KH", "KD"), "banker": ("KC", "KS", "KH")}
MINOR = {"player": ("KS", "9S"), "banker": ("2H", "3D")}


def opened(table: Table | None = None, wager: str = "royal9") -> Table:
    table = table or Table()
    table.do(inputs.WagerAbsent, position=1, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table


def locked(table: Table, wager: str = "royal9") -> Table:
    table.do(inputs.WagerPresent, position=1, wager=wager)
    table.do(inputs.Button)
    return table


def meter(table: Table, id_: str) -> Meter:
    found = retained(table.state, 3)[f"meters/{id_}"]
    assert isinstance(found, Meter)
    return found


def round_of(table: Table) -> Round:
    found = retained(table.state, 3)["round"]
    assert isinstance(found, Round)
    return found


def awards(table: Table) -> list[Award]:
    return [each for each in retained(table.state, 3).values() if isinstance(each, Award)]


def test_every_message_says_where_it_stands() -> None:
    table = opened()
    for message in retained(table.state, 7).values():
        assert (message.v, message.epoch, message.seq, message.at) == (VERSION, 7, table.state.seq, table.state.at)


def test_every_meter_of_the_catalog_has_a_label() -> None:
    every = {each.id for wager in catalog.wagers().values() for each in wager.meters}
    assert every | {"royal9-mystery", "must-hit-by"} == set(LABELS)


def test_a_meter_shows_what_can_be_won_now() -> None:
    table = opened()
    before = meter(table, "royal9-mega").display_cents
    locked(table)
    after = meter(table, "royal9-mega")
    assert (after.display_cents - before, after.state, after.label) == (50, "live", "Royal 9 Mega")
    assert after.must_hit_by_cents is UNSET
    mystery = meter(table, "royal9-mystery")
    assert (mystery.must_hit_by_cents, mystery.minimum_cents) == (100_000, 25_000)
    assert mystery.commitment == table.state.meters["royal9-mystery"].commitment


def test_a_display_never_promises_more_than_can_be_won() -> None:
    table = opened()
    held = table.state.meters["royal9-mega"]
    shown = held.display_cents
    for fraction in (0, 1, 500_000, 999_999):
        almost = msgspec.structs.replace(held, units=shown * 10**6 + fraction)
        state = msgspec.structs.replace(table.state, meters={**table.state.meters, held.id: almost})
        told = retained(state, 3)["meters/royal9-mega"]
        assert isinstance(told, Meter)
        assert told.display_cents == shown


def test_a_hit_is_shown_beside_the_running_amount_until_it_is_validated() -> None:
    table = locked(opened())
    held = meter(table, "royal9-minor").display_cents
    table.do(inputs.HandComplete, **MINOR)
    after = meter(table, "royal9-minor")
    (hit,) = after.hits
    assert (after.state, hit.position, hit.amount_cents) == ("hit", 1, held)
    assert after.display_cents == 45_000
    (award,) = awards(table)
    assert (award.award, award.kind, award.outcome, award.meter) == (hit.award, "jackpot", "minor", "royal9-minor")
    assert (award.position, award.round, award.amount_cents) == (1, 1, held)
    assert (award.player, award.banker, award.needs_second, award.reveal) == (("KS", "9S"), ("2H", "3D"), False, UNSET)
    table.do(inputs.AwardValidated, by=FLOOR, award=hit.award, method="slip", base_wager=True)
    assert meter(table, "royal9-minor").hits == ()
    assert awards(table) == []


def test_every_award_that_waits_is_shown_at_its_meter_however_many() -> None:
    """Also those whose hits are older than the last 25, which is all that a meter need show on demand."""
    table = opened()
    for _ in range(26):
        table.do(inputs.WagerPresent, position=1, wager="royal9")
        table.do(inputs.Button)
        table.do(inputs.HandComplete, **MINOR)
        table.do(inputs.WagerAbsent, position=1, wager="royal9")
        table.do(inputs.Button)
    hits = meter(table, "royal9-minor").hits
    assert [hit.award for hit in hits] == [award.id for award in table.state.pending()]
    assert len(hits) == len(awards(table)) == 26


def test_a_meter_with_a_hit_is_faulted_with_its_table_too() -> None:
    table = locked(opened())
    table.do(inputs.HandComplete, **MINOR)
    table.do(inputs.DeviceLost, device="b1", device_kind="button")
    faulted = meter(table, "royal9-minor")
    assert (faulted.state, len(faulted.hits)) == ("faulted", 1)


def test_a_mystery_hit_is_revealed_with_its_award_and_among_the_proofs() -> None:
    table = locked(opened(Table(rigged=Rigged(royal9_mystery=[25_010, 90_000]))))
    (award,) = awards(table)
    assert award.kind == "mystery"
    assert award.player is UNSET  # no cards yet
    assert isinstance(award.reveal, msgspec.Struct)
    assert (award.reveal.value_cents, award.reveal.cycle) == (25_010, 1)
    proof = retained(table.state, 3)["proofs/royal9-mystery"]
    assert isinstance(proof, Proof)
    assert proof.cycle == 2
    assert proof.reveals == (award.reveal,)
    assert proof.commitment == table.state.meters["royal9-mystery"].commitment


def test_a_large_award_needs_two_people() -> None:
    table = locked(opened(wager="harmony"), "harmony")
    table.do(inputs.HandComplete, **SIX_KINGS)
    assert [award.needs_second for award in awards(table)] == [True]


def test_how_many_people_an_award_takes_is_what_is_filed_now() -> None:
    table = locked(opened())
    table.do(inputs.HandComplete, **MINOR)
    assert [award.needs_second for award in awards(table)] == [False]
    lower = MINI.replace('"10000.00"', '"400.00"').replace('"1000.00"', '"100.00"')
    parts = {"toml": lower, "day": "2026-11-16", "reason": "as agreed"}
    table.do(inputs.SubmissionChanged, by=SUPERVISOR, second=SUPERVISOR2, **parts)
    assert [award.needs_second for award in awards(table)] == [True]


def test_a_meter_is_faulted_with_its_table_and_when_no_position_takes_its_wager() -> None:
    table = opened()
    lost = {"device": "b1", "device_kind": "button"}
    table.do(inputs.DeviceLost, **lost)
    assert meter(table, "royal9-mega").state == "faulted"
    shown = retained(table.state, 3)["round"]
    assert isinstance(shown, Round)
    assert (shown.phase, shown.prior, shown.positions["1"]["royal9"]) == ("faulted", "open", "fault")
    table.do(inputs.DeviceRestored, **lost)
    assert meter(table, "royal9-mega").state == "live"
    table.do(inputs.DeviceLost, device="link:bank", device_kind="link", wagers=("harmony",))
    assert [meter(table, each).state for each in ("royal9-mega", "harmony")] == ["live", "faulted"]


def test_the_round_shows_every_lamp() -> None:
    table = locked(opened())
    shown = retained(table.state, 3)["round"]
    assert isinstance(shown, Round)
    assert (shown.round, shown.phase, shown.prior) == (1, "locked", UNSET)
    assert shown.positions["1"] == {"royal9": "accepted", "harmony": "off"}
    assert len(shown.positions) == 9


def test_nothing_sealed_is_ever_said() -> None:
    table = locked(opened(Table(HEAVENLY), "heavenly9"), "heavenly9")
    sealed = [each.sealed for each in table.state.meters.values() if each.sealed]
    said = msgspec.json.encode(list(retained(table.state, 1).values())).decode()
    assert sealed
    assert not [each for each in sealed if each in said]


def opened_again(table: Table) -> Table:
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    return table


def test_messages_are_plain_json_with_integers_for_money() -> None:
    table = locked(opened())
    for message in retained(table.state, 3).values():
        assert isinstance(message, Message)
        told = msgspec.json.decode(msgspec.json.encode(message))
        assert type(told) is dict
        assert all(type(value) is int for key, value in told.items() if key.endswith("_cents"))


def test_the_round_tells_its_cards_while_it_is_in_play_and_no_longer() -> None:
    table = locked(opened())
    assert round_of(table).player is UNSET
    table.do(inputs.FourCards, source="shoe", player=("2S", "2H"), banker=("2D", "2C"))
    assert (round_of(table).player, round_of(table).banker) == (("2S", "2H"), ("2D", "2C"))
    table.do(inputs.HandComplete, source="shoe", player=("2S", "2H", "5C"), banker=("2D", "2C", "KD"))
    assert (round_of(table).phase, round_of(table).player) == ("settled", ("2S", "2H", "5C"))
    table.do(inputs.DeviceLost, device="b1", device_kind="button")
    assert (round_of(table).phase, round_of(table).player) == ("faulted", ("2S", "2H", "5C"))
    table.do(inputs.DeviceRestored, device="b1", device_kind="button")
    table.do(inputs.Button)
    assert (round_of(table).phase, round_of(table).player, round_of(table).banker) == ("open", UNSET, UNSET)


def test_positions_out_of_service_are_told_with_the_reason() -> None:
    table = opened()
    assert round_of(table).out_of_service is UNSET
    table.do(inputs.PositionService, by=FLOOR, position=2, on=False, reason="sensor stuck")
    assert round_of(table).out_of_service == {"2": "sensor stuck"}


@pytest.mark.parametrize("count", [0, 1, MOST_RETURNS, MOST_RETURNS + 1])
def test_coins_to_give_back_are_told_the_oldest_first_and_the_rest_counted(count: int) -> None:
    table = opened()
    for _ in range(count):
        table.do(inputs.WagerDropped, position=2, wager="royal9", cents=100)
    told = round_of(table)
    if not count:
        assert (told.returns, told.more_returns) == (UNSET, UNSET)
        return
    assert isinstance(told.returns, tuple)
    assert [each.id for each in told.returns] == list(table.state.returns)[:MOST_RETURNS]
    assert {(each.position, each.wager, each.cents) for each in told.returns} == {(2, "royal9", 100)}
    assert told.more_returns == (1 if count > MOST_RETURNS else UNSET)
