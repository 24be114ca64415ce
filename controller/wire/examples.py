"""Examples of every message, for the document: an evening at one table, in which the figures fit each other."""

from typing import TypedDict

from msgspec import Struct

from controller.wire import command_rows as rows
from controller.wire import commands
from controller.wire.messages import (
    Award,
    Device,
    Events,
    Head,
    Health,
    HitShown,
    Meter,
    Proof,
    ReturnShown,
    Reveal,
    Round,
    Status,
)

_AT = "2026-11-16T21:04:05.123456Z"
_HIT_AT = "2026-11-16T21:03:58.002340Z"
_PLACED_AT = "2026-11-16T21:03:21.480112Z"
_ID = "0b6ff1a2-7c1e-4d0e-9a5e-2f1c9d7b3e48"
_TOKEN = "the-token-that-login-gave"  # noqa: S105 -- says itself that it is none
_SECOND = "the-token-of-another-person"
_AWARD = "mb-07-1843-1"
_MYSTERY = "mb-07-1843-2"
_HASH = "9d5ed678fe57bcca610140957afab571d1f1d5c9f4b1d9c1b7a1f3f1e6a0c2b4"
# The one of docs/mystery.md, so that anyone can try it out.
_REVEAL = Reveal(
    value_cents=43210,
    nonce="000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    cycle=1,
    commitment="457f5d051bae924e1ac4f98ae63697f97222b89c662068f3db67b63f509907b4",
)
_STANDING = "3b5d5c3712955042212316173ccf37be800ee4f7c0d4f5e0f7a4b6a1d2c3e4f5"
_PLAYER, _BANKER = ("KS", "9S"), ("2H", "3D", "7C")


class _Stands(TypedDict):
    epoch: int
    seq: int
    at: str


class _Asks(TypedDict):
    id: str
    at: str
    token: str


class _Replies(TypedDict):
    epoch: int
    seq: int
    at: str
    id: str
    ok: bool


_STANDS: _Stands = {"epoch": 12, "seq": 1843, "at": _AT}
_ASKS: _Asks = {"id": _ID, "at": _AT, "token": _TOKEN}
_DONE: _Replies = {"epoch": 12, "seq": 1844, "at": _AT, "id": _ID, "ok": True}
_REFUSED: _Replies = {"epoch": 12, "seq": 1843, "at": _AT, "id": _ID, "ok": False}

_OF_STATES: dict[type[Struct], dict[str, Struct]] = {
    Status: {
        "online": Status(
            **_STANDS,
            state="online",
            health=Health(
                uptime_s=86400,
                last_commit_at=_AT,
                commit_ms=2,
                alive_at=_AT,
                waiting=0,
                outbox=0,
                free_mb=52311,
                memory_mb=61,
            ),
        ),
        "faulted": Status(**_STANDS, state="faulted", reason="rail: the board does not answer"),
        "last-will": Status(**_STANDS, state="offline", reason="lost"),
    },
    Meter: {
        "live": Meter(**_STANDS, display_cents=5512345, label="Royal 9 Mega", state="live"),
        "hit": Meter(
            **_STANDS,
            display_cents=45020,
            label="Royal 9 Minor",
            state="hit",
            hits=(HitShown(award=_AWARD, position=1, amount_cents=61240, at=_HIT_AT),),
        ),
        "mystery": Meter(
            **_STANDS,
            display_cents=31125,
            label="Must-Hit-By Mystery",
            state="live",
            must_hit_by_cents=50000,
            minimum_cents=25000,
            commitment=_STANDING,
        ),
        "linked": Meter(
            **_STANDS,
            display_cents=2512345,
            label="Harmony",
            state="hit",
            hits=(HitShown(award="mb-09-733-i1/4", position=4, amount_cents=3100250, at=_HIT_AT, table="mb-09"),),
            cycle=4,
            link="pit-3",
            link_seq=90211,
        ),
        "corrected": Meter(**_STANDS, display_cents=5512295, label="Royal 9 Mega", state="live", correction=1843),
    },
    Round: {
        "locked": Round(
            **_STANDS, round=214, phase="locked", positions={"1": {"royal9": "accepted"}, "2": {"royal9": "off"}}
        ),
        "dealt": Round(
            **_STANDS,
            round=214,
            phase="dealt",
            positions={"1": {"royal9": "accepted"}, "2": {"royal9": "off"}},
            player=("KS", "9S"),
            banker=("2H", "3D"),
            out_of_service={"2": "sensor stuck"},
            returns=(ReturnShown(id="mb-07-1790-1", position=2, wager="royal9", cents=500, why="late"),),
        ),
        "faulted": Round(**_STANDS, round=214, phase="faulted", prior="open", positions={"1": {"royal9": "fault"}}),
    },
    Award: {
        "jackpot": Award(
            **_STANDS,
            award=_AWARD,
            kind="jackpot",
            wager="royal9/5",
            outcome="minor",
            round=214,
            position=1,
            amount_cents=61240,
            needs_second=False,
            meter="royal9-minor",
            player=_PLAYER,
            banker=_BANKER,
        ),
        "mystery": Award(
            **_STANDS,
            award=_MYSTERY,
            kind="mystery",
            wager="heavenly9",
            outcome="mystery",
            round=214,
            position=3,
            amount_cents=43215,
            needs_second=False,
            meter="must-hit-by",
            reveal=_REVEAL,
        ),
    },
    Proof: {"one-reveal": Proof(**_STANDS, commitment=_STANDING, cycle=2, reveals=(_REVEAL,))},
    Device: {
        "online": Device(
            **_STANDS,
            state="online",
            driver="modbus",
            port="/dev/jackpotd/FT4XYZ-if00-port0",
            frames=3456789,
            bad_checksums=2,
            timeouts=1,
            last_seen=_AT,
        )
    },
    Head: {"head": Head(**_STANDS, hash=_HASH)},
    Events: {
        "a-chip": Events(
            **_STANDS,
            facts=[
                {
                    "seq": 1843,
                    "at": _AT,
                    "round": 214,
                    "type": "wager-placed",
                    "version": 1,
                    "payload": {"position": 1, "wager": "royal9"},
                }
            ],
        )
    },
}

_OF_REQUESTS: dict[type[Struct], dict[str, Struct]] = {
    type(each): {"request": each}
    for each in (
        commands.Login(id=_ID, at=_AT, operator="ana.ruiz", pin="402917", origin="10.20.7.31"),
        commands.Logout(**_ASKS),
        commands.EnterHand(**_ASKS, round=214, player=_PLAYER, banker=_BANKER),
        commands.CorrectHand(**_ASKS, round=214, player=_PLAYER, banker=("2H", "4D"), reference="cam 7, 21:03"),
        commands.PreviewHand(**_ASKS, round=214, player=_PLAYER, banker=_BANKER),
        commands.Validate(**_ASKS, award=_AWARD, method="slip", base_wager=True),
        commands.Reject(**_ASKS, second=_SECOND, award=_AWARD, reason="no base wager"),
        commands.VoidRound(**_ASKS, round=214, reason="card exposed"),
        commands.VoidWager(**_ASKS, second=_SECOND, round=214, position=2, wager="royal9", reason="no base wager"),
        commands.SimulatedRound(**_ASKS),
        commands.OpenTable(**_ASKS),
        commands.CloseTable(**_ASKS),
        commands.PositionService(**_ASKS, position=4, on=False, reason="sensor stuck"),
        commands.ConfirmReturn(**_ASKS, return_="mb-07-1790-1"),
        commands.AdjustMeter(
            **_ASKS,
            second=_SECOND,
            meter="royal9-mega",
            delta_cents=-50,
            expected_cents=5512345,
            reason="reading of 2026-11-15",
        ),
        commands.OperatorAdd(**_ASKS, operator="li.wei", name="Li Wei", role="floorperson", pin="731640"),
        commands.OperatorDisable(**_ASKS, operator="li.wei"),
        commands.ChangeSubmission(
            **_ASKS, second=_SECOND, toml='[table]\nsite = "valley-forge"\n', reason="filed on 2026-11-10"
        ),
        commands.PrintSlip(**_ASKS, award=_AWARD),
        commands.QueryHits(**_ASKS, meter="royal9-minor", limit=25),
        commands.QueryDerive(**_ASKS, award=_AWARD),
        commands.QueryReadings(**_ASKS, day="2026-11-15"),
        commands.QueryRounds(**_ASKS, round=214),
        commands.QueryActions(**_ASKS, person="ana.ruiz", day="2026-11-16"),
        commands.QueryOperators(**_ASKS),
    )
}

_AWARD_ROW = rows.AwardRow(
    award=_AWARD,
    kind="jackpot",
    wager="royal9/5",
    outcome="minor",
    round=214,
    position=1,
    amount_cents=61240,
    fate="paid",
    needs_validation=True,
    meter="royal9-minor",
    by="ana.ruiz",
    method="slip",
    slip=118,
    ended_at=_AT,
    ended_seq=1844,
)
_HIT_ROW = rows.HitRow(
    hit=_AWARD,
    seq=1843,
    at=_HIT_AT,
    meter="royal9-minor",
    kind="jackpot",
    round=214,
    amount_cents=61240,
    fate="paid",
    paid_from="meter:royal9-minor",
    awards=(_AWARD_ROW,),
)
_QUIET = rows.AccountDay(opening="0.00000000", closing="0.00000000", changes={}, unexplained="0.00000000")
_NONE = rows.CounterDay(opening=0, closing=0)

_OF_REPLIES: dict[type[Struct], dict[str, Struct]] = {
    type(each): {"done": each}
    for each in (
        commands.LoginReply(
            **_DONE,
            token=_TOKEN,
            role="floorperson",
            name="Ana Ruiz",
            expires="2026-11-16T21:09:05.123456Z",
            seconds=300,
        ),
        commands.HandReply(
            **_DONE,
            round=214,
            player=_PLAYER,
            banker=_BANKER,
            complete=True,
            phase="settled",
            awards=(
                rows.AwardMade(
                    award=_AWARD,
                    kind="jackpot",
                    wager="royal9/5",
                    outcome="minor",
                    position=1,
                    amount_cents=61240,
                    needs_validation=True,
                    needs_second=False,
                    meter="royal9-minor",
                ),
            ),
            fates=(),
        ),
        commands.PreviewReply(
            **_DONE,
            round=214,
            player_total=9,
            banker_total=5,
            complete=True,
            awards=(
                rows.AwardDue(
                    kind="jackpot",
                    wager="royal9/5",
                    outcome="minor",
                    position=1,
                    amount_cents=61240,
                    needs_validation=True,
                    needs_second=False,
                    meter="royal9-minor",
                ),
            ),
            fates=(),
            linked=(),
        ),
        commands.SlipReply(
            **_DONE,
            slip=rows.Slip(
                slip=118,
                award=_AWARD,
                kind="jackpot",
                wager="royal9/5",
                outcome="minor",
                round=214,
                position=1,
                amount_cents=61240,
                method="slip",
                by="ana.ruiz",
                at=_AT,
                seq=1844,
                hash=_HASH,
                meter="royal9-minor",
            ),
        ),
        commands.UndoneReply(
            **_DONE,
            round=214,
            phase="open",
            fates=(rows.AwardSettled(award=_AWARD, fate="unwound", amount_cents=61240),),
            returns=(),
        ),
        commands.TableReply(
            **_DONE,
            round=214,
            phase="closed",
            returns=(rows.ToReturn(id="mb-07-1844-1", position=5, wager="harmony", cents=500, why="table closed"),),
        ),
        commands.ServiceReply(**_DONE, position=4, on=False, returns=()),
        commands.ReturnReply(**_DONE, return_="mb-07-1790-1"),
        commands.AdjustReply(**_DONE, meter="royal9-mega", delta_cents=-50, display_cents=5512295),
        commands.OperatorReply(**_DONE, operator="li.wei", name="Li Wei", role="floorperson", active=True),
        commands.SubmissionReply(**_DONE, opened=(), removed=(), waiting=("royal9-mega",)),
        commands.HitsReply(**_DONE, hits=(_HIT_ROW,), next="1843"),
        commands.DeriveReply(
            **_DONE,
            hit=_HIT_ROW,
            lines=(
                rows.DerivedLine(
                    seq=1842,
                    at=_HIT_AT,
                    what="contribution",
                    amount="0.20000000",
                    total="612.40000000",
                    round=214,
                    position=1,
                    wager="royal9",
                    stake_cents=500,
                    rate_millionths=40000,
                ),
            ),
            total="612.40000000",
            remainder="0.00000000",
            explained=True,
        ),
        commands.ReadingsReply(
            **_DONE,
            day="2026-11-15",
            ended=True,
            first_seq=902,
            last_seq=1633,
            begins="2026-11-15T11:00:00.000000Z",
            ends="2026-11-16T11:00:00.000000Z",
            explained=True,
            meters=(
                rows.MeterDay(
                    meter="royal9-minor",
                    opening_cents=60000,
                    closing_cents=61220,
                    display=rows.AccountDay(
                        opening="600.00000000",
                        closing="612.20000000",
                        changes={"contributions": "12.20000000"},
                        unexplained="0.00000000",
                    ),
                    reserve=_QUIET,
                    carry=_QUIET,
                    in_cents=rows.CounterDay(opening=375000, closing=405500),
                    hits=_NONE,
                    wins_cents=_NONE,
                    paid_by_attendant_cents=_NONE,
                    explained=True,
                ),
            ),
            days=("2026-11-15", "2026-11-16"),
        ),
        commands.RoundsReply(
            **_DONE,
            rounds=(
                rows.RoundRow(
                    round=214,
                    wagers=(
                        rows.WagerRow(
                            position=1,
                            wager="royal9",
                            stake_cents=500,
                            source="chip",
                            placed_seq=1840,
                            placed_at=_PLACED_AT,
                            contributions=(
                                rows.Contribution(
                                    meter="royal9-minor", cycle=3, amount="0.20000000", reserve="0.00000000"
                                ),
                            ),
                        ),
                    ),
                    hands=(
                        rows.HandRow(
                            seq=1843,
                            at=_HIT_AT,
                            player=_PLAYER,
                            banker=_BANKER,
                            source="shoe",
                            complete=True,
                            late=False,
                            corrected=False,
                        ),
                    ),
                    awards=(_AWARD_ROW,),
                    refused=(
                        rows.RefusedBet(seq=1842, at=_HIT_AT, position=2, wager="royal9", why="after the lock-out"),
                    ),
                    locked_at=_HIT_AT,
                    locked_seq=1841,
                    cause="button",
                ),
            ),
        ),
        commands.ActionsReply(
            **_DONE,
            actions=(
                rows.ActionRow(
                    seq=1844,
                    at=_AT,
                    action="award-validated",
                    person="ana.ruiz",
                    round=214,
                    award=_AWARD,
                    amount_cents=61240,
                    method="slip",
                    slip=118,
                ),
            ),
        ),
        commands.OperatorsReply(
            **_DONE,
            operators=(
                rows.OperatorRow(
                    operator="ana.ruiz",
                    name="Ana Ruiz",
                    role="floorperson",
                    active=True,
                    locked_out=False,
                    pin_since="2026-10-01T09:00:00.000000Z",
                ),
            ),
        ),
    )
}
_REFUSALS: dict[type[Struct], dict[str, Struct]] = {
    commands.Reply: {
        "done": commands.Reply(**_DONE),
        "refused": commands.Reply(**_REFUSED, error="not-allowed", message="this takes a floorperson"),
    }
}

EXAMPLES = _OF_STATES | _OF_REQUESTS | _OF_REPLIES | _REFUSALS
