"""The law's numbers (58 Pa. Code §§ 627b.3, 627b.6, 629b.7, 631c.2, 631c.6) and what is filed, read once more."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

ZERO = Fraction(0)
CENT = Fraction(1, 100)

ROYAL9_ROWS = (
    "mega",
    "major",
    "minor",
    "mega-envy",
    "suited-royal9-tie",
    "royal9-tie",
    "any-suited-royal9",
    "any-royal9",
)
ROYAL9_FIXED = {  # § 627b.3(f)(1) and (g)(1)
    5: {"mega-envy": 5000, "suited-royal9-tie": 1500, "royal9-tie": 250, "any-suited-royal9": 50, "any-royal9": 25},
    1: {"mega-envy": 1000, "suited-royal9-tie": 300, "royal9-tie": 50, "any-suited-royal9": 10, "any-royal9": 5},
}
ROYAL9_FLOORS = {5: (50_000, 450, 450), 1: (10_000, 90, 90)}  # § 627b.3(f)(2) and (g)(2): mega, major, minor
ROYAL9_MYSTERY = {  # § 627b.3(h): reseed, must hit by, rate
    1: (250, 1000, Fraction(5, 100)),
    2: (100, 500, Fraction(5, 100)),
    3: (100, 200, Fraction(2, 100)),
}
HARMONY_ROWS: tuple[tuple[str, str, tuple[int, ...]], ...] = (  # §§ 627b.6(i), 629b.7(i): for 1
    ("four-8s", "ABCDEFGHI", (1000, 1000, 600, 600, 1000, 300, 600, 1000, 300)),
    ("four-of-a-kind", "ABCDEFGHI", (300, 200, 300, 300, 300, 300, 200, 200, 300)),
    ("six-zero-value", "ABCDEFGHI", (100, 100, 100, 200, 100, 100, 100, 50, 50)),
    ("tie-0", "ABC", (20, 20, 20)),
    ("tie-1-5", "ABC", (6, 5, 5)),
    ("tie-6-9", "ABC", (3, 3, 5)),
    ("tie-same-color", "DEF", (20, 20, 20)),
    ("any-tie", "DEF", (3, 3, 5)),
    ("tie-5-card", "GHI", (10, 8, 10)),
    ("tie-6-card", "GHI", (3, 4, 6)),
    ("tie-4-card", "GHI", (3, 3, 4)),
)
HARMONY_PAYS = {
    (paytable, row): pays
    for row, paytables, columns in HARMONY_ROWS
    for paytable, pays in zip(paytables, columns, strict=True)
}
HARMONY_RATES = {  # §§ 627b.6(j), 629b.7(j): the second paytable of each three has the higher ones
    p: (Fraction(19, 100), Fraction(5, 100)) if p in "BEH" else (Fraction(15, 100), Fraction(3, 100))
    for p in "ABCDEFGHI"
}
HEAVENLY9_PAYS = {"both-same-color": 299, "both": 60, "banker-3card-9": 9, "player-3card-9": 8}  # § 631c.2(i): for 1
HEAVENLY9_SEED, HEAVENLY9_RATE = 10_000, Fraction(10, 100)
MUST_HIT_BY = {  # § 631c.6(c)(4): minimum, maximum, rate
    ("A", 1): (100, 200, Fraction(20, 1000)),
    ("A", 2): (100, 200, Fraction(15, 1000)),
    ("A", 5): (100, 250, Fraction(10, 1000)),
    ("B", 1): (100, 500, Fraction(50, 1000)),
    ("B", 2): (100, 500, Fraction(35, 1000)),
    ("B", 5): (100, 500, Fraction(20, 1000)),
    ("C", 1): (250, 500, Fraction(20, 1000)),
    ("C", 2): (250, 500, Fraction(15, 1000)),
    ("C", 5): (250, 500, Fraction(5, 1000)),
    ("D", 1): (250, 1000, Fraction(50, 1000)),
    ("D", 2): (250, 1000, Fraction(30, 1000)),
    ("D", 5): (250, 1000, Fraction(20, 1000)),
}
JACKPOT_ROWS = {
    ("royal9", "mega"): "royal9-mega",
    ("royal9", "major"): "royal9-major",
    ("royal9", "minor"): "royal9-minor",
    ("harmony", "six-of-a-kind"): "harmony",
    ("heavenly9", "both-same-suit"): "heavenly9",
}


@dataclass(frozen=True)
class Numbers:
    """What a meter runs on until its next reset."""

    initial: Fraction
    reset: Fraction
    rate: Fraction
    reserve_rate: Fraction = ZERO
    maximum: Fraction = ZERO


@dataclass(frozen=True)
class Offer:
    """A progressive wager on offer."""

    name: str
    id: str
    stake: Fraction
    meters: dict[str, Numbers]


@dataclass(frozen=True)
class Law:
    """A Rules Submission, read by itself."""

    site: str
    table: str
    positions: int
    payout: str
    validate_from: Fraction
    second_from: Fraction
    hold: bool
    late_hands: int
    offers: dict[str, Offer]
    award: str
    layout: tuple[str, ...]
    paytable: str
    floors: dict[str, Fraction]
    rest: str  # everything that may change only with the table closed
    timezone: str
    day_start: str

    def numbers(self) -> dict[str, Numbers]:
        """Every meter's numbers."""
        return {id_: numbers for offer in self.offers.values() for id_, numbers in offer.meters.items()}

    def feeder(self, meter: str) -> str:
        """The wager that feeds a meter."""
        return next(offer.name for offer in self.offers.values() if meter in offer.meters)


def _percent(text: str) -> Fraction:
    return Fraction(text.removesuffix("%")) / 100


def _mystery(reseed: int, maximum: int, rate: Fraction) -> Numbers:
    return Numbers(Fraction(reseed), Fraction(reseed), rate, maximum=Fraction(maximum))


def _royal9_offer(filed: dict[str, object]) -> Offer:
    meters: dict[str, Numbers] = {}
    for level in ("mega", "major", "minor"):
        given = filed[level]
        if not isinstance(given, dict):
            raise TypeError(f"royal9.{level}: not a table")
        first, again = given.get("initial", given.get("seed")), given.get("reset", given.get("seed"))
        meters[f"royal9-{level}"] = Numbers(Fraction(str(first)), Fraction(str(again)), _percent(given["rate"]))
    mystery = filed.get("mystery")
    if isinstance(mystery, dict):
        meters["royal9-mystery"] = _mystery(*ROYAL9_MYSTERY[mystery["configuration"]])
    return Offer("royal9", f"royal9/{filed['denomination']}", Fraction(str(filed["denomination"])), meters)


def _harmony_offer(filed: dict[str, object]) -> Offer:
    paytable = str(filed["paytable"])
    rate, reserve = HARMONY_RATES[paytable]
    floor = Fraction(str(filed.get("minimum_reseed", "0")))
    numbers = Numbers(Fraction(str(filed["seed"])), floor, rate, reserve)
    return Offer("harmony", f"harmony/{paytable}", Fraction(str(filed["denomination"])), {"harmony": numbers})


def _heavenly9_offer(filed: dict[str, object]) -> Offer:
    seed = Fraction(HEAVENLY9_SEED)
    meters = {"heavenly9": Numbers(seed, seed, HEAVENLY9_RATE)}
    must = filed.get("must_hit_by")
    if isinstance(must, dict):
        meters["must-hit-by"] = _mystery(*MUST_HIT_BY[must["paytable"], must["configuration"]])
    return Offer("heavenly9", "heavenly9", Fraction(str(filed["denomination"])), meters)


_MAKERS: dict[str, Callable[[dict[str, object]], Offer]] = {
    "royal9": _royal9_offer,
    "harmony": _harmony_offer,
    "heavenly9": _heavenly9_offer,
}


def read_law(toml: str) -> Law:
    """What a submission says. That it is lawful is not this file's question."""
    told = tomllib.loads(toml)
    awards = told.get("awards", {})
    offers = {name: maker(told[name]) for name, maker in _MAKERS.items() if name in told}
    positions = told["table"]["positions"]
    royal = told.get("royal9")
    floors: dict[str, Fraction] = {}
    if royal:
        levels = zip(("mega", "major", "minor"), ROYAL9_FLOORS[royal["denomination"]], strict=True)
        floors = {f"royal9-{level}": Fraction(floor) for level, floor in levels}
    if "heavenly9" in told:
        floors["heavenly9"] = Fraction(HEAVENLY9_SEED)
    rest = {
        "table": {key: value for key, value in told["table"].items() if key != "payout"},
        "offers": sorted((offer.id, offer.stake, sorted(offer.meters)) for offer in offers.values()),
        "award": royal.get("award", "highest") if royal else "",
        "layout": sorted(royal["layout"].items()) if royal else "",
    }
    return Law(
        site=told["table"]["site"],
        table=told["table"]["id"],
        positions=positions,
        payout=told["table"].get("payout", "either"),
        validate_from=Fraction(awards.get("validate_from", "1000.00")),
        second_from=Fraction(awards.get("second_person_from", "10000.00")),
        hold=awards.get("hold_play_on_hit", False),
        late_hands=awards.get("late_hands", 3),
        offers=offers,
        award=royal.get("award", "highest") if royal else "",
        layout=tuple(royal["layout"][str(seat)] for seat in range(1, positions + 1)) if royal else (),
        paytable=told.get("harmony", {}).get("paytable", ""),
        floors=floors,
        rest=repr(rest),
        timezone=told["table"].get("timezone", "America/New_York"),
        day_start=told["table"].get("day_start", "06:00"),
    )


def whole_cents(amount: Fraction) -> Fraction:
    """The whole cents of an amount."""
    return amount // CENT * CENT


def with_rates(numbers: Numbers, filed: Numbers) -> Numbers:
    """Harmony's rates follow its paytable at once, § 627b.6(j)."""
    if not filed.reserve_rate:
        return numbers
    return replace(numbers, rate=filed.rate, reserve_rate=filed.reserve_rate)
