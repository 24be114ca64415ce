"""House edge against meter size, as an SVG anyone can open, with the break-even point marked."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from controller.cli import svg
from controller.cli.odds_answer import Found
from controller.rules.errors import BadInputError
from controller.rules.money import dollars
from controller.rules.mystery import MysteryOdds, next_wager_returns
from controller.rules.odds import Odds

_WIDTH, _HEIGHT = 860, 420  # of a panel, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 820, 90, 355  # the sides of its frame
_LABEL = 85  # half the width of the break-even label, which must stay inside the panel
_STEPS = 150  # points of a curve: finer than the eye
_TICKS = 7  # lines of the grid, at most
_EDGE_UNITS = 1000  # edges are drawn in thousandths


class Panel(NamedTuple):
    """One meter: what it is, from where to where, and the house edge at each amount in cents."""

    title: str
    note: str
    low_cents: int
    high_cents: int
    edge: Callable[[int], Fraction]
    even_cents: int | None


def draw(found: Found) -> str:
    """The drawing; a wager without a meter is refused."""
    panels = [_mystery_panel(found)] if isinstance(found, MysteryOdds) else _wager_panels(found)
    height = _HEIGHT * len(panels)
    drawn = "".join(
        f'<g transform="translate(0 {index * _HEIGHT})">{"".join(_draw(panel))}</g>'
        for index, panel in enumerate(panels)
    )
    frame = f'<rect x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"/>'
    return svg.document(_WIDTH, height, f'<clipPath id="frame">{frame}</clipPath>{drawn}')


def _wager_panels(found: Odds) -> list[Panel]:
    if not found.jackpots:
        raise BadInputError(f"{found.wager.id} feeds no meter, so there is nothing to plot its house edge against")
    floors = {jackpot.meter.id: jackpot.meter.floor_cents or 0 for jackpot in found.jackpots}
    panels = []
    for jackpot in found.jackpots:
        id_ = jackpot.meter.id

        def edge(cents: int, id_: str = id_) -> Fraction:
            return found.edge_at(floors | {id_: cents})

        note = f"{dollars(found.stake_cents)} wager, {found.decks} decks, the jackpot not shared"
        if len(floors) > 1:
            note = f"{dollars(found.stake_cents)} wager, {found.decks} decks, the other two meters at their floors"
        low = jackpot.meter.seed_cents or floors[id_]
        high = max(jackpot.break_even_cents, low) * 5 // 4
        title = f"{found.wager.id}: house edge by {id_} meter"
        panels.append(Panel(title, note, low, high, edge, jackpot.break_even_cents))
    return panels


def _mystery_panel(found: MysteryOdds) -> Panel:
    mystery = found.mystery

    def edge(cents: int) -> Fraction:
        return 1 - next_wager_returns(found, cents)

    low, last = mystery.minimum_cents, mystery.maximum_cents - 1
    even = next((cents for cents in range(low, last + 1) if edge(cents) <= 0), None)
    note = f"the next {dollars(found.stake_cents)} wager, the mystery award alone, not hit so far"
    return Panel(f"{mystery.id}: house edge by {mystery.meter} meter", note, low, last, edge, even)


class _Frame(NamedTuple):
    """A panel's scales: cents to the right, thousandths of the wager upwards."""

    panel: Panel
    low: int
    high: int

    def x(self, cents: int) -> str:
        """Where an amount stands."""
        span = self.panel.high_cents - self.panel.low_cents
        return svg.pixels(_LEFT + Fraction((cents - self.panel.low_cents) * (_RIGHT - _LEFT), span))

    def y(self, edge: Fraction | int) -> str:
        """Where an edge, in thousandths, stands."""
        return svg.pixels(_TOP + Fraction((self.high - edge) * (_BOTTOM - _TOP), self.high - self.low))


def _round_steps(low: int, high: int) -> range:
    """Round numbers between two: 1, 2 or 5 times a power of ten apart, as many as the grid has lines."""
    size = 1
    while True:
        for step in (size, 2 * size, 5 * size):
            first = -(-low // step) * step
            if (high - first) // step < _TICKS:
                return range(first, high + 1, step)
        size *= 10


def _draw(panel: Panel) -> Iterator[str]:
    span = panel.high_cents - panel.low_cents
    even = {panel.even_cents} if panel.even_cents is not None else set()
    amounts = sorted({panel.low_cents + span * step // _STEPS for step in range(_STEPS + 1)} | even)
    edges = [panel.edge(cents) * _EDGE_UNITS for cents in amounts]
    # A mystery's last cents return many times the wager: there the curve leaves the frame.
    lowest = max(min(*edges, Fraction(-50)), Fraction(-_EDGE_UNITS))
    frame = _Frame(panel, int(lowest), int(max(*edges, Fraction(50))) + 1)
    points = " ".join(f"{frame.x(cents)},{frame.y(edge)}" for cents, edge in zip(amounts, edges, strict=True))
    yield svg.text(_LEFT, 30, panel.title, font_size=17, font_weight=600)
    yield svg.text(_LEFT, 50, panel.note, "soft")
    yield from _grid(frame)
    yield svg.curve(points, "a", clip_path="url(#frame)")
    yield from _break_even(frame)


def _grid(frame: _Frame) -> Iterator[str]:
    for cents in _round_steps(frame.panel.low_cents, frame.panel.high_cents):
        x = frame.x(cents)
        yield svg.line(x, _TOP, x, _BOTTOM, "grid")
        yield svg.text(x, _BOTTOM + 20, dollars(cents), text_anchor="middle")
    yield svg.text((_LEFT + _RIGHT) // 2, _BOTTOM + 44, "meter", "soft", text_anchor="middle")
    for edge in _round_steps(frame.low, frame.high):
        y = frame.y(edge)
        yield svg.line(_LEFT, y, _RIGHT, y, "grid" if edge else "ink")
        whole, tenth = divmod(abs(edge), 10)
        percent = f"{'-' if edge < 0 else ''}{whole}{f'.{tenth}' if tenth else ''}%"
        yield svg.text(_LEFT - 8, y, percent, dy=4, text_anchor="end")
    yield svg.text(10, _TOP - 12, "house edge", "soft")


def _break_even(frame: _Frame) -> Iterator[str]:
    even = frame.panel.even_cents
    if even is None or even < frame.panel.low_cents:
        words = "the house has an edge at every meter" if even is None else "the house has no edge at any meter"
        yield svg.text(_RIGHT, _TOP - 12, words, "mark", text_anchor="end")
        return
    x, y = frame.x(even), frame.y(0)
    yield svg.line(x, _TOP, x, _BOTTOM, "mark", stroke_dasharray="5 4")
    yield svg.dot(x, y, 5, "mark")
    label = min(int(x.partition(".")[0]), _WIDTH - _LABEL)
    words = f"break-even {dollars(even)}"
    yield svg.text(label, _TOP - 12, words, "mark", text_anchor="middle", font_weight=600)
