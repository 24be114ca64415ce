"""The Rules Submission as typed values, and what a check of one finds. `lawful` reads it from TOML."""

from typing import NamedTuple

from controller.rules.catalog import Mystery
from controller.rules.fields import Finding
from controller.rules.royal9 import Layout


class TableRules(NamedTuple):
    """The table itself."""

    site: str
    id: str
    game: str
    positions: int
    decks: int
    variant: str
    timezone: str
    day_start: str
    payout: str


class AwardRules(NamedTuple):
    """Who must see an award before it is paid."""

    validate_from_cents: int
    second_person_from_cents: int
    hold_play_on_hit: bool
    late_hands: int


class MeterRules(NamedTuple):
    """A meter as filed."""

    initial_cents: int
    reset_cents: int
    rate: int


class Royal9Rules(NamedTuple):
    """Royal 9 as filed."""

    denomination: int
    award: str
    layout: Layout
    mega: MeterRules
    major: MeterRules
    minor: MeterRules
    mystery: Mystery | None


class HarmonyRules(NamedTuple):
    """Harmony as filed; its rates follow from the paytable."""

    paytable: str
    denomination: int
    seed_cents: int
    minimum_reseed_cents: int | None
    rate: int
    reserve_rate: int


class Heavenly9Rules(NamedTuple):
    """Heavenly 9 as filed, with the Must-Hit-By it feeds."""

    denomination: int
    must_hit_by: Mystery | None


class Submission(NamedTuple):
    """A lawful Rules Submission."""

    table: TableRules
    awards: AwardRules
    royal9: Royal9Rules | None
    harmony: HarmonyRules | None
    heavenly9: Heavenly9Rules | None


class Checked(NamedTuple):
    """What a check found. There is a submission only where there is no violation."""

    submission: Submission | None
    violations: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
