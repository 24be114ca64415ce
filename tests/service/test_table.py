"""End to end: players bet, the dealer locks out, cards are dealt, and what is on the wire is what is in the journal."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from drivers.simulated.dealer import Round
from tests.core.play import HEAVENLY, MINI
from tests.outlets.brokers import needs_mosquitto
from tests.service.house import SITE, TABLE, House, in_a_house
from tests.service.truth import check_told

pytestmark = needs_mosquitto
NOTHING = Round(("2S", "3S", "5C"), ("TH", "4D", "KD"), "banker")
MINOR_AT_1 = Round(("KS", "9S"), ("2H", "3D"), "player")  # the Player's hand is position 1's combination
MEGA_AT_1 = Round(("KS", "9S"), ("KS", "9S"), "tie")
SIX_OF_A_KIND = Round(("2S", "2H", "2D"), ("2C", "2S", "2H"), "tie")
FOUR_EIGHTS = Round(("8S", "8H"), ("8D", "8C"), "tie")
# The least mystery there is: from $100 to $200 in steps of 10 cents a wager.
QUICK = MINI.replace("mystery = { configuration = 1 }", "mystery = { configuration = 3 }")
LAST_OF_NINE = 179  # cents above its least: the last of nine wagers in the second round wins


def test_players_bet_withdraw_and_bet_late(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        mega, harmony = house.sign.meter("royal9-mega"), house.sign.meter("harmony")
        await house.bet(1, 5, 9)
        await house.bet(2, wager="harmony")
        house.chip(5, there=False)  # thought better of it
        await house.until(lambda: house.sign.lamp(5) == "invite")
        await house.lock()
        await house.until(lambda: house.sign.lamp(1) == "accepted")
        assert [house.boards[0].coils[each] for each in (0, 8)] == [True, True]
        house.chip(6)  # too late
        await house.until(lambda: house.sign.lamp(6) == "refused")
        state = await house.agree()
        assert house.sign.meter("royal9-mega") == mega + 100  # 10% of two wagers of $5
        assert house.sign.meter("harmony") == harmony + 95  # 19% of one
        record = state.record(1)
        assert record is not None
        assert [(each.position, each.wager) for each in record.wagers] == [(1, "royal9"), (9, "royal9"), (2, "harmony")]
        house.deal(NOTHING)
        await house.until(lambda: house.sign.phase == "settled")
        await house.reopen()
        await house.agree()
        assert house.sign.lamp(6) == "invite"

    house = in_a_house(tmp_path, scene)
    assert check_told(house.journal, house.sign.messages) > 20


def test_jackpots_of_one_position_are_made_shown_validated_and_gone(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.sign_in("flo", "finn")
        # A jackpot of one position: below the amount that takes two people.
        await house.bet(1, 2)
        await house.lock()
        house.deal(MINOR_AT_1)
        await house.until(lambda: house.sign.topics["meters/royal9-minor"]["state"] == "hit")
        state = await house.agree()
        (award,) = state.pending()
        assert (award.kind, award.meter, award.position) == ("jackpot", "royal9-minor", 1)
        assert award.amount_cents == 45040  # $450 and 4% of two wagers of $5
        shown = house.sign.topics["meters/royal9-minor"]
        assert [hit["amount_cents"] for hit in shown["hits"]] == [45040]
        assert shown["display_cents"] == 45000
        await house.until(lambda: house.sign.lamp(1) == "won")
        reply = await house.do("validate", "flo", award=award.id, method="slip", base_wager=True)
        assert (reply["slip"]["slip"], reply["slip"]["amount_cents"]) == (1, 45040)
        await house.until(lambda: house.sign.topics["meters/royal9-minor"]["state"] == "live")
        await house.reopen()
        # Both hands: the Mega, by two people.
        await house.bet(1, 3)
        await house.lock()
        house.deal(MEGA_AT_1)
        await house.until(lambda: house.sign.topics["meters/royal9-mega"]["state"] == "hit")
        state = await house.agree()
        (mega,) = [each for each in state.pending() if each.meter == "royal9-mega"]
        assert house.sign.topics[f"awards/{mega.id}"]["needs_second"]
        fields: dict[str, Any] = {"award": mega.id, "method": "slip", "base_wager": True}
        refused = await house.ask("validate", token=house.tokens["flo"], **fields)
        assert refused["error"] == "second-person"
        await house.do("validate", "flo", "finn", **fields)
        await house.until(lambda: house.sign.topics["meters/royal9-mega"]["display_cents"] == 5_000_000)
        await house.agree()

    house = in_a_house(tmp_path, scene)
    assert check_told(house.journal, house.sign.messages) > 20


def test_a_shared_jackpot_is_rejected_for_one_and_paid_to_the_other_then_a_fixed_award(
    tmp_path: Path,
) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.sign_in("flo", "finn")
        await house.bet(4, 7, wager="harmony")
        await house.lock()
        before = house.sign.meter("harmony")
        house.deal(SIX_OF_A_KIND)
        await house.until(lambda: house.sign.topics["meters/harmony"]["state"] == "hit")
        state = await house.agree()
        shares = [each for each in state.pending() if each.meter == "harmony"]
        assert [each.position for each in shares] == [4, 7]
        assert {each.amount_cents for each in shares} == {before // 2}
        await house.do("reject", "flo", "finn", award=shares[0].id, reason="no base wager")
        await house.do("validate", "flo", "finn", award=shares[1].id, method="inventory", base_wager=True)
        await house.until(lambda: not any(topic.startswith("awards/") for topic in house.sign.topics))
        await house.agree()
        await house.reopen()
        await house.bet(3, wager="harmony")
        await house.lock()
        house.deal(FOUR_EIGHTS)
        await house.until(lambda: house.sign.phase == "settled")
        state = await house.agree()
        record = state.record(state.round)
        assert record is not None
        assert [(each.kind, each.outcome, each.position) for each in record.awards] == [("fixed", "four-8s", 3)]

    house = in_a_house(tmp_path, scene)
    assert check_told(house.journal, house.sign.messages) > 20


def test_a_mystery_is_hit_revealed_and_can_be_checked_by_anyone(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        house.file(LAST_OF_NINE)
        await house.start()
        await house.open()
        commitment = house.sign.topics["meters/royal9-mystery"]["commitment"]
        assert house.sign.topics["proofs/royal9-mystery"]["commitment"] == commitment
        first = house.sign.meter("royal9-mystery")
        for round_ in (1, 2):
            await house.bet(*range(1, 10))
            await house.lock()
            await house.agree()
            await house.reopen()
            if round_ == 1:
                assert house.sign.meter("royal9-mystery") == first + 90
        assert house.sign.topics["meters/royal9-mystery"]["state"] == "hit"
        assert house.sign.meter("royal9-mystery") == first  # the last wager of the round won, and none came after it
        (award,) = (await house.agree()).pending()
        told = house.sign.topics[f"awards/{award.id}"]
        reveal = told["reveal"]
        assert told["kind"] == "mystery"
        assert reveal["commitment"] == commitment
        assert (reveal["value_cents"], told["amount_cents"]) == (first + LAST_OF_NINE, first + 180)
        # As the proof page does it: nothing of ours is used.
        promised = b"".join(
            len(each).to_bytes(2, "big") + each
            for each in (b"jackpotd/mystery/v1", f"{SITE}/{TABLE}".encode(), b"royal9-mystery")
        )
        promised += reveal["cycle"].to_bytes(8, "big") + reveal["value_cents"].to_bytes(8, "big")
        assert sha256(promised + bytes.fromhex(reveal["nonce"])).hexdigest() == commitment
        await house.sign_in("flo", "finn")
        await house.do("validate", "flo", award=award.id, method="slip", base_wager=True)
        await house.until(lambda: house.sign.topics["meters/royal9-mystery"]["state"] == "live")
        proof = house.sign.topics["proofs/royal9-mystery"]
        assert proof["reveals"] == [reveal]
        assert proof["commitment"] != commitment

    house = in_a_house(tmp_path, scene, toml=QUICK)
    assert check_told(house.journal, house.sign.messages) > 20


def test_a_keyed_hand_stands_over_the_shoe_and_a_void_takes_the_meters_back(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        await house.sign_in("flo")
        before = house.sign.meter("royal9-mega")
        await house.bet(2)
        await house.lock()
        await house.until(lambda: house.sign.meter("royal9-mega") == before + 50)
        await house.do("void-round", "flo", round=1, reason="misdeal")
        await house.until(lambda: house.sign.meter("royal9-mega") == before)
        void = house.head()
        assert house.sign.topics["meters/royal9-mega"]["correction"] == void
        await house.agree()
        house.chip(2, there=False)
        await house.until(lambda: house.sign.lamp(2) == "invite")
        await house.bet(2)
        await house.lock()
        hand: dict[str, Any] = {"player": ["2S", "3S", "5C"], "banker": ["TH", "4D", "KD"]}
        await house.do("enter-hand", "dora", round=2, **hand)
        await house.until(lambda: house.sign.phase == "settled")
        await house.agree()

    house = in_a_house(tmp_path, scene)
    check_told(house.journal, house.sign.messages)


def test_every_fact_is_told_once_and_in_order(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.open()
        for _ in range(3):
            await house.bet(1, 2, 3)
            await house.lock()
            await house.reopen()
        assert await house.stop() == 0
        await house.until(lambda: house.sign.facts[-1]["seq"] == house.head())
        assert [each["seq"] for each in house.sign.facts] == list(range(1, house.head() + 1))
        assert house.sign.again == 0
        assert (house.sign.state, house.sign.topics["status"]["reason"]) == ("offline", "stopped")
        assert not any(house.boards[0].coils)  # lamps are dark

    in_a_house(tmp_path, scene)


def test_a_baccarat_table_with_heavenly_9_and_must_hit_by(tmp_path: Path) -> None:
    async def scene(house: House) -> None:
        await house.start()
        await house.until(lambda: {"meters/heavenly9", "meters/must-hit-by"} <= set(house.sign.topics))
        mystery = house.sign.topics["meters/must-hit-by"]
        assert mystery["minimum_cents"] <= mystery["display_cents"] < mystery["must_hit_by_cents"]
        await house.open()
        await house.bet(4, 8, wager="heavenly9")
        await house.lock()
        await house.agree()
        assert house.sign.meter("heavenly9") == 1_000_000 + 100  # 10% of two wagers of $5
        await house.reopen()

    toml = HEAVENLY.replace('id = "bac-01"', f'id = "{TABLE}"')
    house = in_a_house(tmp_path, scene, toml=toml, wagers=("heavenly9",))
    check_told(house.journal, house.sign.messages)
