"""The Rules Submission in force, as plain numbers: what a replay needs, whatever the catalog says by then."""

from collections.abc import Mapping

from msgspec import Struct

from controller.rules import catalog
from controller.rules.submission import MeterRules, Submission

# Meters that tables of one facility may share: §§ 627b.6(d), 629b.7(d), 631c.2(d). Royal 9 knows no link: § 627b.3(a).
LINKABLE = ("harmony", "heavenly9", "must-hit-by")
RESET, RESERVE, MYSTERY = "reset", "reserve", "mystery"  # how a meter opens its next cycle


class Filing(Struct, frozen=True, gc=False, omit_defaults=True):
    """The numbers a meter runs on. A change of them takes effect at the meter's next reset."""

    initial_cents: int
    reset_cents: int  # what the house makes sure the next cycle opens with; a mystery meter's minimum
    rate: int
    reserve_rate: int = 0
    maximum_cents: int = 0  # a mystery meter must hit by it


class FiledMeter(Struct, frozen=True, gc=False, omit_defaults=True):
    """One meter as filed."""

    id: str
    kind: str  # RESET, RESERVE or MYSTERY
    filing: Filing
    floor_cents: int = 0  # the law's least amount, which a change of denomination must not undercut
    link: str = ""  # the link that keeps it, where it is shared with other tables


class FiledWager(Struct, frozen=True, gc=False):
    """One progressive wager as filed."""

    name: str  # royal9, harmony, heavenly9
    id: str  # with its paytable: royal9/5
    stake_cents: int
    meters: tuple[FiledMeter, ...]


class Filed(Struct, frozen=True, gc=False, omit_defaults=True):
    """All that is filed and that decisions ask for."""

    site: str
    table: str
    game: str
    positions: int
    decks: int
    variant: str
    timezone: str
    day_start: str
    payout: str
    validate_from_cents: int
    second_person_from_cents: int
    hold_play_on_hit: bool
    late_hands: int
    wagers: dict[str, FiledWager]
    award: str = ""  # Royal 9: "highest" or "list"
    layout: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The table as commitments name it."""
        return f"{self.site}/{self.table}"

    def meters(self) -> dict[str, FiledMeter]:
        """Every meter by its id."""
        return {meter.id: meter for wager in self.wagers.values() for meter in wager.meters}


def filed(submission: Submission, links: Mapping[str, str]) -> Filed:
    """What a lawful submission files; `links` names the link of each meter that is shared."""
    table, awards, royal9 = submission.table, submission.awards, submission.royal9
    wagers = [wager for wager in (_royal9(submission), _harmony(submission), _heavenly9(submission)) if wager]
    return Filed(
        site=table.site,
        table=table.id,
        game=table.game,
        positions=table.positions,
        decks=table.decks,
        variant=table.variant,
        timezone=table.timezone,
        day_start=table.day_start,
        payout=table.payout,
        validate_from_cents=awards.validate_from_cents,
        second_person_from_cents=awards.second_person_from_cents,
        hold_play_on_hit=awards.hold_play_on_hit,
        late_hands=awards.late_hands,
        wagers={wager.name: _linked(wager, links) for wager in wagers},
        award=royal9.award if royal9 else "",
        layout=royal9.layout.combinations if royal9 else (),
    )


def _linked(wager: FiledWager, links: Mapping[str, str]) -> FiledWager:
    meters = tuple(
        FiledMeter(meter.id, meter.kind, meter.filing, meter.floor_cents, links.get(meter.id, ""))
        for meter in wager.meters
    )
    return FiledWager(wager.name, wager.id, wager.stake_cents, meters)


def _mystery(mystery: catalog.Mystery | None) -> tuple[FiledMeter, ...]:
    if mystery is None:
        return ()
    low = mystery.minimum_cents
    filing = Filing(low, low, mystery.rate, maximum_cents=mystery.maximum_cents)
    return (FiledMeter(mystery.meter, MYSTERY, filing, low),)


def _royal9(submission: Submission) -> FiledWager | None:
    rules = submission.royal9
    if rules is None:
        return None
    id_ = f"royal9/{rules.denomination}"
    levels: list[MeterRules] = [rules.mega, rules.major, rules.minor]
    meters = tuple(
        FiledMeter(law.id, RESET, Filing(level.initial_cents, level.reset_cents, level.rate), law.floor_cents or 0)
        for law, level in zip(catalog.wagers()[id_].meters, levels, strict=True)
    )
    return FiledWager("royal9", id_, rules.denomination * 100, meters + _mystery(rules.mystery))


def _harmony(submission: Submission) -> FiledWager | None:
    rules = submission.harmony
    if rules is None:
        return None
    filing = Filing(rules.seed_cents, rules.minimum_reseed_cents or 0, rules.rate, rules.reserve_rate)
    id_ = f"harmony/{rules.paytable}"
    (law,) = catalog.wagers()[id_].meters
    return FiledWager("harmony", id_, rules.denomination * 100, (FiledMeter(law.id, RESERVE, filing),))


def _heavenly9(submission: Submission) -> FiledWager | None:
    rules = submission.heavenly9
    if rules is None:
        return None
    (law,) = catalog.wagers()["heavenly9"].meters
    seed = law.seed_cents or 0
    meter = FiledMeter(law.id, RESET, Filing(seed, seed, law.rate or 0), seed)
    return FiledWager("heavenly9", "heavenly9", rules.denomination * 100, (meter, *_mystery(rules.must_hit_by)))
