"""A linked meter: the lock-out journals an intent, the link applies it with the same meter rules, awards follow."""

import pytest

from controller.core import inputs
from controller.core.chance import Draw, Ready
from controller.core.decision import Decision
from controller.core.effects import Ask
from controller.core.facts import SubmissionFiled
from controller.core.filed import FiledMeter
from controller.core.invariants import check
from controller.core.meters import Meter
from controller.core.phases import Phase
from controller.core.refusals import Refusal, Refused
from controller.core.state import Intent
from controller.core.times import stamp
from controller.link.memory import MemoryLink
from controller.vault import commitment
from tests.core.play import DEALER, FLOOR, FLOOR2, HEAVENLY, MINI, SUPERVISOR, SUPERVISOR2, Rigged, Table

SIX_ZEROS = {"player": ("KS", "QS", "JS"), "banker": ("KH", "QH", "JH")}
SIX_KINGS = {"player": ("KS", "KH", "KD"), "banker": ("KC", "KS", "KH")}


def _promised(meter: str, cycle: int, cents: int) -> str:
    return commitment("bank", meter, cycle, cents, bytes(32))


class Values:
    """Mystery values a test chooses, the last for ever after."""

    def __init__(self, *cents: int) -> None:
        self.cents = cents

    def ready(self, meter: Meter | None, filed: FiledMeter, draws: int) -> Ready:
        cycle = meter.cycle if meter else 0
        drawn = tuple(
            Draw(
                self.value(cycle + k),
                "00" * 32,
                f"sealed-{cycle + k}",
                "k",
                _promised(filed.id, cycle + k, self.value(cycle + k)),
            )
            for k in range(1, draws + 1)
        )
        return Ready(self.value(cycle) if meter else None, "00" * 32, drawn)

    def value(self, cycle: int) -> int:
        return self.cents[min(cycle, len(self.cents)) - 1]


class Linked(Table):
    """A table whose meters are kept by a link. Intents wait until the test lets them through."""

    def __init__(self, toml: str, links: dict[str, str], rigged: Rigged | None = None) -> None:
        self.asked = list[Intent]()
        super().__init__(toml, links=links, rigged=rigged)

    def give(self, input_: inputs.Input) -> Decision | Refused:
        answer = super().give(input_)
        if isinstance(answer, Decision):
            self.asked += [effect.intent for effect in answer.effects if isinstance(effect, Ask)]
        return answer

    def answer(self, link: MemoryLink, *, times: int = 1) -> None:
        """Send everything asked to the link, as often as said, and take its answers in."""
        waiting, self.asked = self.asked, []
        for intent in waiting:
            for _ in range(times):
                self.now += 1000
                self.give(link.apply(intent, stamp(self.now)))


def link_for(table: Linked, name: str, *values: int) -> MemoryLink:
    filed = table.state.filed
    assert filed is not None
    shared = [(meter, wager.name) for wager in filed.wagers.values() for meter in wager.meters if meter.link == name]
    return MemoryLink(name, shared, Values(*(values or (10**9,))))


def seated(toml: str = MINI, wager: str = "harmony", links: dict[str, str] | None = None) -> tuple[Linked, MemoryLink]:
    table = Linked(toml, links or {"harmony": "bank"})
    for seat in (1, 2, 3):
        table.do(inputs.WagerAbsent, position=seat, wager=wager)
    table.do(inputs.TableOpened, by=DEALER)
    return table, link_for(table, "bank")


def locked(table: Linked, *seats: int, wager: str = "harmony") -> None:
    for seat in seats:
        table.do(inputs.WagerPresent, position=seat, wager=wager)
    table.do(inputs.Button)


def totals(link: MemoryLink) -> None:
    """The link's own books add up."""
    assert sum(link.accounts.values()) == 0
    for meter in link.meters.values():
        assert link.accounts.get(f"meter:{meter.id}", 0) == meter.units
        assert link.accounts.get(f"reserve:{meter.id}", 0) == meter.reserve


def test_a_lock_out_gives_the_money_to_the_link_and_is_accepted_before_the_answer() -> None:
    table, link = seated()
    locked(table, 1, 2)
    assert table.state.phase is Phase.LOCKED
    assert table.state.accounts["link:bank"] == 2 * 500 * (190_000 + 50_000)
    assert [intent.stakes for intent in table.asked] == [((1, 500), (2, 500))]
    assert "harmony" not in table.state.meters
    assert table.state.linked == {"harmony": 0}
    table.answer(link)
    assert table.state.linked == {"harmony": 2_500_190}
    assert table.state.intents == {}
    totals(link)


def test_an_intent_asked_again_is_applied_once_and_answered_the_same() -> None:
    table, link = seated()
    locked(table, 1)
    table.answer(link, times=3)
    assert link.meters["harmony"].in_cents == 500
    assert table.state.intents == {}


def test_an_answer_nobody_waits_for_changes_nothing() -> None:
    table, _ = seated()
    answer = table.try_(inputs.LinkAnswered, intent="mb-07-9-i1", display_cents=5)
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.UNKNOWN


def test_a_jackpot_pays_the_linked_meter_as_it_stands_when_it_is_applied() -> None:
    table, link = seated()
    other = Linked(MINI.replace('"mb-07"', '"mb-08"'), {"harmony": "bank"})
    other.do(inputs.WagerAbsent, position=5, wager="harmony")
    other.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, 3)
    table.answer(link)
    locked(other, 5)
    other.answer(link)  # between this table's lock-out and its hand: it counts
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    assert table.state.awards == {}  # nothing is shown before the link has answered
    table.answer(link)
    first, second = (table.state.award(id_) for id_ in table.state.awards)
    assert first is not None
    assert second is not None
    due = 2_500_000 + 3 * 95
    assert [first.amount_cents, second.amount_cents] == [due // 2] * 2
    assert (
        link.meters["harmony"].units == due % 2 * 1_000_000 + link.meters["harmony"].last[0].seed + 3 * 25 * 1_000_000
    )
    totals(link)
    table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, award=first.id, method="slip", base_wager=True)
    assert table.state.accounts["paid:harmony@bank"] == due // 2 * 1_000_000


def test_a_rejected_share_returns_to_the_link_and_the_last_one_undoes_the_hit() -> None:
    table, link = seated()
    locked(table, 1, 3)
    table.answer(link)
    before = link.meters["harmony"]
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    for award in list(table.state.awards):
        table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award, reason="misdeal")
        table.answer(link)
    after = link.meters["harmony"]
    assert (after.units, after.reserve, after.hits, after.wins_cents) == (before.units, before.reserve, 0, 0)
    totals(link)


def test_a_mystery_on_a_link_is_revealed_with_the_answer_and_a_rejected_one_is_carried_there() -> None:
    table = Linked(HEAVENLY, {"must-hit-by": "bank"})
    filed = table.state.filed
    assert filed is not None
    low = filed.meters()["must-hit-by"].filing.initial_cents
    link = link_for(table, "bank", low, 10**6)
    for seat in (1, 2):
        table.do(inputs.WagerAbsent, position=seat, wager="heavenly9")
    table.do(inputs.TableOpened, by=DEALER)
    locked(table, 1, 2, wager="heavenly9")
    assert table.state.awards == {}
    table.answer(link)
    (award,) = (table.state.award(id_) for id_ in table.state.awards)
    assert award is not None
    assert (award.kind, award.position) == ("mystery", 1)
    assert link.meters["must-hit-by"].cycle == 2
    fact = table.facts[-1].fact
    assert fact.hits[0].reveal.value_cents == low  # type: ignore[attr-defined]  # the last fact is the answer's
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=award.id, reason="no base wager")
    table.answer(link)
    assert link.meters["must-hit-by"].carry == award.amount_cents * 1_000_000
    totals(link)


def test_a_void_waits_for_the_answer_and_then_asks_the_money_back() -> None:
    table, link = seated()
    before = link.meters["harmony"]
    locked(table, 1, 2)
    refused = table.try_(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.STALE
    table.answer(link)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    table.answer(link)
    assert link.meters["harmony"].units == before.units
    assert link.meters["harmony"].reserve == before.reserve
    assert table.state.accounts.get("link:bank", 0) == 0
    assert table.state.accounts.get("house:void", 0) == 0
    totals(link)


def test_a_contribution_inside_an_award_is_refunded_by_the_house() -> None:
    table, link = seated()
    other = Linked(MINI.replace('"mb-07"', '"mb-08"'), {"harmony": "bank"})
    other.do(inputs.WagerAbsent, position=5, wager="harmony")
    other.do(inputs.TableOpened, by=DEALER)
    locked(table, 1)
    table.answer(link)
    locked(other, 5)
    other.answer(link)
    other.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    other.answer(link)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    table.answer(link)
    assert table.state.accounts["house:void"] == -500 * (190_000 + 50_000)
    totals(link)


def test_a_link_gives_back_no_more_than_a_wager_gave() -> None:
    table, link = seated()
    locked(table, 1)
    table.answer(link)
    table.do(inputs.RoundVoided, by=FLOOR, round=1, reason="misdeal")
    (intent,) = table.state.intents
    table.do(inputs.LinkAnswered, intent=intent, display_cents=5, returned_units=10**12)
    assert {name: table.state.accounts.get(name, 0) for name in ("wagers", "link:bank", "house:void")} == {
        "wagers": 0,
        "link:bank": 0,
        "house:void": 0,
    }


def test_a_lost_link_takes_only_its_wager_out_and_lamps_know() -> None:
    table, link = seated()
    table.do(inputs.WagerAbsent, position=1, wager="royal9")
    table.do(inputs.DeviceLost, device="link:bank", device_kind="link", wagers=("harmony",))
    assert table.state.phase is Phase.OPEN
    table.do(inputs.WagerPresent, position=1, wager="harmony")
    table.do(inputs.WagerPresent, position=1, wager="royal9")
    assert set(table.state.standing) == {"1/royal9"}
    table.do(inputs.DeviceRestored, device="link:bank", device_kind="link", wagers=("harmony",))
    assert set(table.state.standing) == {"1/royal9", "1/harmony"}
    table.do(inputs.Button)
    table.answer(link)
    totals(link)


def test_a_linked_jackpot_is_asked_for_once_however_often_the_hand_is_entered() -> None:
    table, link = seated()
    locked(table, 1)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.do(inputs.HandComplete, **SIX_KINGS, source="console", by=DEALER)
    assert [intent.kind for intent in table.asked] == ["hit"]
    for other in (SIX_ZEROS, {"player": ("2S", "6S"), "banker": ("2H", "5D")}):
        refused = table.try_(inputs.HandCorrected, by=DEALER, round=1, **other)
        assert isinstance(refused, Refused)
        assert refused.refusal is Refusal.STALE  # not before the link has answered
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="console", by=DEALER)
    assert len(table.state.awards) == 1
    assert table.asked == []


def test_a_linked_jackpot_is_asked_for_also_while_the_contribution_of_its_round_has_no_answer() -> None:
    table, link = seated()
    locked(table, 1)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    assert [intent.kind for intent in table.asked] == ["contribute", "hit"]
    table.answer(link)
    assert [award.outcome for award in (table.state.record(1) or pytest.fail("no round")).awards] == ["six-of-a-kind"]


@pytest.mark.parametrize(
    "hits",
    [
        (inputs.LinkHit(9, 100),),  # a position without a wager
        (inputs.LinkHit(1, 100), inputs.LinkHit(1, 100)),
        (inputs.LinkHit(1, 0),),
        (inputs.LinkHit(1, -5),),
        (inputs.LinkHit(1, 2**63 + 1),),
    ],
)
def test_an_answer_that_does_not_go_with_the_question_is_refused(hits: tuple[inputs.LinkHit, ...]) -> None:
    table, _ = seated()
    locked(table, 1)
    (intent,) = table.state.intents
    for parts in ({"hits": hits}, {"returned_units": -1}, {"display_cents": -1}):
        answer = table.try_(inputs.LinkAnswered, **{"intent": intent, "display_cents": 5, **parts})
        assert isinstance(answer, Refused)
        assert answer.refusal is Refusal.BAD_REQUEST
    assert table.state.awards == {}


@pytest.mark.parametrize(
    ("before", "after"), [({}, {"harmony": "bank"}), ({"harmony": "bank"}, {}), ({"harmony": "a"}, {"harmony": "b"})]
)
def test_a_meter_never_moves_between_table_and_link(before: dict[str, str], after: dict[str, str]) -> None:
    table = Linked(MINI, before)
    answer = table.try_(
        inputs.SubmissionChanged,
        toml=MINI,
        day="2026-11-16",
        reason="r",
        by=SUPERVISOR,
        second=SUPERVISOR2,
        links=after,
    )
    assert isinstance(answer, Refused)
    assert answer.refusal is Refusal.BAD_REQUEST


WITHOUT = MINI.partition("[harmony]")[0]


def refile(table: Linked, toml: str, links: dict[str, str]) -> Decision | Refused:
    return table.try_(
        inputs.SubmissionChanged,
        toml=toml,
        day=table.state.day,
        reason="as agreed with the Board",
        by=SUPERVISOR,
        second=SUPERVISOR2,
        links=links,
    )


def closed_after_a_round() -> tuple[Linked, MemoryLink]:
    table, link = seated()
    locked(table, 1, 2)
    table.answer(link)
    table.do(inputs.HandComplete, player=("2S", "3S", "5C"), banker=("TH", "4D", "KD"), source="shoe")
    table.do(inputs.TableClosed, by=DEALER)
    return table, link


def test_a_table_leaves_its_link_and_joins_another() -> None:
    table, link = closed_after_a_round()
    given = table.state.accounts["link:bank"]
    assert isinstance(refile(table, WITHOUT, {"harmony": "bank"}), Decision)
    assert table.state.linked == {}
    assert isinstance(refile(table, MINI, {"harmony": "other"}), Decision)
    assert table.state.accounts["link:bank"] == given  # what it gave stays where it is
    other = link_for(table, "other")
    table.do(inputs.TableOpened, by=DEALER)
    table.do(inputs.WagerAbsent, position=1, wager="harmony")
    locked(table, 1)
    assert [(each.link, each.kind) for each in table.asked] == [("other", "contribute")]
    table.answer(other)
    assert set(table.state.link_heads) == {"bank/harmony", "other/harmony"}
    totals(link)
    totals(other)


def test_a_table_leaves_its_link_for_a_meter_of_its_own() -> None:
    table, link = closed_after_a_round()
    refused = refile(table, MINI, {})
    assert isinstance(refused, Refused)  # not in one step: its books would be in two places
    assert isinstance(refile(table, WITHOUT, {}), Decision)
    assert isinstance(refile(table, MINI, {}), Decision)
    assert table.state.meters["harmony"].display_cents == 2_500_000
    totals(link)


def test_a_table_leaves_its_link_only_when_everything_is_answered() -> None:
    table, link = seated()
    locked(table, 1)
    table.do(inputs.HandComplete, player=("2S", "3S", "5C"), banker=("TH", "4D", "KD"), source="shoe")
    table.do(inputs.TableClosed, by=DEALER)
    refused = refile(table, WITHOUT, {})
    assert isinstance(refused, Refused)
    assert refused.refusal is Refusal.STALE
    table.answer(link)
    assert isinstance(refile(table, WITHOUT, {}), Decision)


def test_a_table_leaves_a_link_that_is_lost_for_good_and_names_what_was_not_answered() -> None:
    table, _ = seated()
    locked(table, 1)
    table.do(inputs.HandComplete, player=("2S", "3S", "5C"), banker=("TH", "4D", "KD"), source="shoe")
    table.do(inputs.TableClosed, by=DEALER)
    table.do(inputs.DeviceLost, device="link:bank", device_kind="link", wagers=("harmony",), detail="set back")
    (waiting,) = table.state.intents
    left = refile(table, WITHOUT, {})
    assert isinstance(left, Decision)
    assert isinstance(left.fact, SubmissionFiled)
    assert left.fact.abandoned == (waiting,)
    assert table.state.intents == {}
    assert table.state.accounts["link:bank"] == 120 * 1_000_000  # 24% of $5: it stays where it went
    late = table.try_(inputs.LinkAnswered, intent=waiting, display_cents=1)
    assert isinstance(late, Refused)


def test_a_table_keeps_a_meter_of_its_own_after_it_has_paid_a_linked_one() -> None:
    table, link = seated()
    locked(table, 1)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    (award,) = table.state.awards
    table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, award=award, method="slip", base_wager=True)
    table.answer(link)
    table.do(inputs.TableClosed, by=DEALER)
    assert isinstance(refile(table, WITHOUT, {}), Decision)
    assert isinstance(refile(table, MINI, {}), Decision)
    check(table.state)
    assert table.state.meters["harmony"].paid_cents == 0


def test_a_table_comes_back_to_a_link_it_has_left() -> None:
    table, link = closed_after_a_round()
    known = table.state.link_heads["bank/harmony"]
    for links in ({"harmony": "other"}, {"harmony": "bank"}):
        assert isinstance(refile(table, WITHOUT, {}), Decision)
        assert isinstance(refile(table, MINI, links), Decision)
    assert table.state.link_heads["bank/harmony"] == known
    assert link.lines["harmony"]


def test_a_jackpot_on_an_empty_meter_is_answered_and_pays_nobody() -> None:
    table, link = seated()
    locked(table, 1)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    (intent,) = table.state.intents
    table.do(inputs.LinkAnswered, intent=intent, display_cents=0, hits=(inputs.LinkHit(1, 0),))
    assert (table.state.intents, table.state.awards) == ({}, {})


def test_play_is_held_while_a_link_has_not_answered_for_a_jackpot() -> None:
    """§ 631c.6(c)(5), where it is filed."""
    table, link = seated(MINI.replace("hold_play_on_hit = false", "hold_play_on_hit = true"))
    locked(table, 1)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.now += 10_000_000
    table.do(inputs.Button)
    assert table.state.phase is Phase.SETTLED
    table.answer(link)
    table.now += 10_000_000
    table.do(inputs.Button)
    assert table.state.phase is Phase.SETTLED  # its award is pending now


def test_of_a_shared_jackpot_only_what_is_open_is_listed() -> None:
    table, link = seated()
    locked(table, 1, 2, 3)
    table.answer(link)
    table.do(inputs.HandComplete, **SIX_KINGS, source="shoe")
    table.answer(link)
    first, second, _ = table.state.awards
    table.do(inputs.AwardValidated, by=FLOOR, second=FLOOR2, award=first, method="slip", base_wager=True)
    table.do(inputs.AwardRejected, by=FLOOR, second=FLOOR2, award=second, reason="no base wager")
    table.answer(link)
    (listed,) = link._listed["harmony"]  # noqa: SLF001 -- what every table is shown
    assert (listed.hit.fate, sorted(listed.settled)) == ("pending", [1, 2])


def test_a_late_hand_of_a_link_that_was_left_is_too_late() -> None:
    table, link = closed_after_a_round()
    table.do(inputs.TableOpened, by=DEALER)
    for seat in (1, 2, 3):
        table.do(inputs.WagerAbsent, position=seat, wager="harmony")
    locked(table, 3)
    table.answer(link)
    table.now += 10_000_000
    table.do(inputs.Button)  # the next round: the hand was not entered
    table.do(inputs.TableClosed, by=DEALER)
    assert isinstance(refile(table, WITHOUT, {}), Decision)
    for toml, links in ((WITHOUT, {}), (MINI, {"harmony": "other"})):
        if toml is MINI:
            assert isinstance(refile(table, toml, links), Decision)
        refused = table.try_(inputs.LateHand, by=FLOOR, round=2, **SIX_KINGS)
        assert isinstance(refused, Refused)
        assert refused.refusal is Refusal.TOO_LATE
    assert table.asked == []
