"""The tables [royal9], [harmony] and [heavenly9] of a Rules Submission, held against the catalog."""

from controller.rules import catalog
from controller.rules.catalog import Games, Mystery
from controller.rules.fields import RULES_SUBMISSION, Fields, Finding
from controller.rules.lawful_layout import read_layout
from controller.rules.lawful_table import Seen
from controller.rules.money import RATE_UNITS, dollars, percent
from controller.rules.submission import HarmonyRules, Heavenly9Rules, MeterRules, Royal9Rules

# No section sets a highest wager; this limit of ours catches a slip of the pen.
DENOMINATION_MOST = 1_000_000


def _refuse_game(fields: Fields, games: Games, game: str | None, findings: list[Finding]) -> None:
    if game is not None and game not in games:
        where = " and ".join(f"{name} ({place})" for name, place in games.items())
        message = f"{fields.path} is offered on {where}: no section of the catalog allows it on {game}"
        findings.append(Finding(fields.path, game, ", ".join(map(str, games.values())), message))


def _refuse_sum(fields: Fields, rates: list[int | None], games: Games, findings: list[Finding]) -> None:
    """Refuse filed rates that leave nothing of the wager. Rates the law sets cannot come near that."""
    total = sum(rate or 0 for rate in rates)
    if total >= RATE_UNITS:
        message = f"the meters take {percent(total)} of one wager: all its rates together must stay below 100%"
        findings.append(Finding(fields.path, percent(total), str(next(iter(games.values()))), message))


def _mystery(fields: Fields, name: str, id_: str, configuration: int) -> Mystery | None:
    """The mystery configuration of an id, noted where the law has none."""
    found = catalog.mysteries().get(id_)
    if found is None:
        family = id_.removesuffix(str(configuration))  # "must-hit-by/D-": the ids that differ in the configuration only
        known = [each for each in catalog.mysteries().values() if each.id.startswith(family)]
        configurations = ", ".join(each.id.removeprefix(family) for each in known)
        place = next(iter(known[0].games.values()))
        fields.note(name, f"configuration {configuration} does not exist: {configurations} do", place)
    return found


def read_royal9(fields: Fields | None, table: Seen, findings: list[Finding]) -> Royal9Rules | None:
    """Royal 9 as filed (§ 627b.3)."""
    if fields is None:
        return None
    wagers = {wager.stake_cents: wager for wager in catalog.wagers().values() if wager.name == "royal9"}
    games = next(iter(wagers.values())).games
    _refuse_game(fields, games, table.game, findings)
    denomination: int | None = fields.value("denomination", int)
    wager = wagers.get(denomination * 100) if denomination is not None else None
    if denomination is not None and wager is None:
        allowed = " or ".join(dollars(stake or 0) for stake in sorted(wagers, key=lambda stake: stake or 0))
        place = ", ".join(str(place) for each in wagers.values() for place in each.games.values())
        fields.note("denomination", f"${denomination}: a Royal 9 wager is {allowed}", place)
    award = fields.choice("award", ("highest", "list"), default="highest")
    layout = read_layout(fields.table("layout"), table.positions)
    law = {meter.id: meter for meter in wager.meters} if wager else {}
    levels = {name: fields.table(name) for name in ("mega", "major", "minor")}
    meters = {name: _meter(level, law.get(f"royal9-{name}")) for name, level in levels.items()}
    mystery = _royal9_mystery(fields.table("mystery", required=False))
    fields.done()
    rates = [rate for _, rate in meters.values()]
    _refuse_sum(fields, [*rates, mystery.rate if mystery else 0], wager.games if wager else games, findings)
    mega, major, minor = (meters[name][0] for name in ("mega", "major", "minor"))
    if denomination and award and layout and mega and major and minor:
        return Royal9Rules(denomination, award, layout, mega, major, minor, mystery)
    return None


def _royal9_mystery(fields: Fields | None) -> Mystery | None:
    if fields is None:
        return None
    configuration: int | None = fields.value("configuration", int)
    fields.done()
    if configuration is None:
        return None
    return _mystery(fields, "configuration", f"royal9-mystery/{configuration}", configuration)


def _meter(fields: Fields | None, law: catalog.Meter | None) -> tuple[MeterRules | None, int | None]:
    """A filed meter: `initial` and `reset`, or `seed` for both, never below the floor; and its rate, even alone."""
    if fields is None:
        return None, None
    if fields.has("seed"):
        for name in ("initial", "reset"):
            if fields.has(name):
                fields.note(name, "give either seed, which stands for both, or initial and reset")
                fields.know(name)
        initial = reset = _floored(fields, "seed", law)
    else:
        initial, reset = _floored(fields, "initial", law), _floored(fields, "reset", law)
    rate = fields.rate("rate")
    if rate == 0:
        fields.note("rate", "a progressive rises with wagers: its rate is above 0%", _place(law))
    fields.done()
    if initial is None or reset is None or rate is None:
        return None, rate
    return MeterRules(initial, reset, rate), rate


def _place(law: catalog.Meter | None) -> object:
    return next(iter(law.games.values())) if law else RULES_SUBMISSION


def _floored(fields: Fields, name: str, law: catalog.Meter | None) -> int | None:
    cents = fields.money(name)
    floor = law.floor_cents if law else None
    if cents is not None and floor is not None and cents < floor:
        fields.note(name, f"{dollars(cents)} is below the floor: at least {dollars(floor)}", _place(law))
    return cents


def read_harmony(
    fields: Fields | None, table: Seen, findings: list[Finding], warnings: list[Finding]
) -> HarmonyRules | None:
    """Harmony as filed (§ 627b.6, § 629b.7)."""
    if fields is None:
        return None
    wagers = {wager.paytable: wager for wager in catalog.wagers().values() if wager.name == "harmony"}
    games = next(iter(wagers.values())).games
    _refuse_game(fields, games, table.game, findings)
    place = games.get(table.game or "", next(iter(games.values())))
    denomination = fields.whole("denomination", 1, DENOMINATION_MOST)
    seed = fields.money("seed")
    minimum = fields.money("minimum_reseed", required=False)
    paytable = fields.choice("paytable", tuple(wagers), section=place)
    given = {name: fields.rate(name, required=False) for name in ("rate", "reserve_rate")}
    fields.done()
    if paytable is None:
        return None
    wager = wagers[paytable]
    meter = wager.meters[0]
    lawful = {"rate": meter.rate or 0, "reserve_rate": meter.reserve_rate or 0}
    for name, rate in given.items():
        if rate is not None and rate != lawful[name]:
            rule = meter.games.get(table.game or "", next(iter(meter.games.values())))
            fields.note(name, f"{percent(rate)}: paytable {paytable} demands {percent(lawful[name])}", rule)
    if denomination is None or seed is None:
        return None
    award = wager.row("six-zero-value").payout.returns_cents(denomination * 100)
    if not minimum or minimum < award:
        given_text = "no minimum_reseed is filed" if minimum is None else f"{dollars(minimum)} is filed"
        message = (
            f"after a hit the meter opens at its reserve, and {given_text}: the jackpot could be below "
            f"{dollars(award)}, the six-zero-value award of this wager"
        )
        value = None if minimum is None else f"{minimum // 100}.{minimum % 100:02}"
        warnings.append(Finding(fields.key("minimum_reseed"), value, str(place), message))
    return HarmonyRules(paytable, denomination, seed, minimum, lawful["rate"], lawful["reserve_rate"])


def read_heavenly9(fields: Fields | None, table: Seen, findings: list[Finding]) -> Heavenly9Rules | None:
    """Heavenly 9 as filed (§ 631c.2), with its Must-Hit-By (§ 631c.6)."""
    if fields is None:
        return None
    wager = catalog.wagers()["heavenly9"]
    _refuse_game(fields, wager.games, table.game, findings)
    denomination: int | None = fields.value("denomination", int)
    least = wager.least_stake
    if denomination is not None and least is not None and denomination * 100 < least.amount:
        message = f"${denomination}: a Heavenly 9 wager is at least {dollars(least.amount)}"
        fields.note("denomination", message, least.place)
    elif denomination is not None and denomination > DENOMINATION_MOST:
        fields.note("denomination", f"${denomination} is above ${DENOMINATION_MOST}, the most this product takes")
    bonus = _must_hit_by(fields.table("must_hit_by", required=False), denomination)
    fields.done()
    return None if denomination is None else Heavenly9Rules(denomination, bonus)


def _must_hit_by(fields: Fields | None, denomination: int | None) -> Mystery | None:
    if fields is None:
        return None
    known = [each for each in catalog.mysteries().values() if each.meter == "must-hit-by"]
    place = next(iter(known[0].games.values()))
    paytable = fields.choice("paytable", sorted({each.configuration[0] for each in known}), section=place)
    configuration: int | None = fields.value("configuration", int)
    fields.done()
    if paytable is None or configuration is None:
        return None
    found = _mystery(fields, "configuration", f"must-hit-by/{paytable}-{configuration}", configuration)
    if found and denomination is not None and (found.stake_cents or 0) > denomination * 100:
        least = dollars(found.stake_cents or 0)
        message = f"the ${configuration} configuration needs a wager of at least {least}, and ${denomination} is filed"
        fields.note("configuration", message, place)
    return found
