"""What a demonstration shows in a terminal, as lines of text: a function of what its tables said."""

from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct
from rich.text import Text

from controller.demo.watching import Hit, Watched

USUAL_WIDTH, USUAL_HEIGHT = 80, 24  # everything fits; in less, less is shown
LEAST_HEIGHT = 6  # a title and how to end it

# How a lamp is drawn: in Unicode, in ASCII, and in which colour.
LAMPS = {
    "off": ("·", ".", "dim"),
    "invite": ("○", "o", "cyan"),
    "placed": ("◐", "p", "yellow"),
    "accepted": ("●", "A", "bold green"),
    "refused": ("✕", "x", "bold red"),
    "won": ("★", "*", "bold magenta"),
    "fault": ("!", "!", "bold white on red"),
}
PHASES = {
    "closed": "dim",
    "open": "cyan",
    "locked": "bold yellow",
    "dealt": "yellow",
    "settled": "green",
    "simulated": "blue",
    "faulted": "bold white on red",
}
METERS = ("royal9-mega", "harmony", "royal9-major", "royal9-minor", "royal9-mystery")
WAGERS = {"royal9": "Royal 9", "harmony": "Harmony", "heavenly9": "Heavenly 9"}
_SUITS = {"S": ("♠", "s"), "H": ("♥", "h"), "D": ("♦", "d"), "C": ("♣", "c")}
_RED = "HD"
_OUTCOMES_DASH = str.maketrans("-", " ")


class About(Struct, frozen=True, kw_only=True):
    """What does not come from a table."""

    speed: str
    address: str  # what to open in a browser; empty: nothing is there
    broker: str
    state: str
    staff: str
    rounds_wanted: int = 0  # 0: for ever


class Rolling:
    """Amounts on their way to what is true, as the wheels of a meter roll. They never show more than is true."""

    def __init__(self) -> None:
        self._shown: dict[str, int] = {}

    def roll(self, name: str, true_cents: int) -> int:
        """One step: a third of the way, a cent at least. A meter that fell is shown at once."""
        shown = min(self._shown.get(name, true_cents), true_cents)
        self._shown[name] = shown = shown + max((true_cents - shown) // 3, min(1, true_cents - shown))
        return shown


def dollars(cents: int) -> str:
    """Cents as people write them."""
    return f"${cents // 100:,}.{cents % 100:02}"


def _place(meter: str) -> int:
    """Where a meter stands on the screen: always at the same place, whatever it shows."""
    return METERS.index(meter) if meter in METERS else len(METERS)


def cards(hand: Iterable[str], *, unicode: bool = True) -> Text:
    """A hand."""
    text = Text()
    for card in hand:
        rank, suit = "10" if card[:1] == "T" else card[:1], card[1:]
        symbol = _SUITS.get(suit, (suit, suit))[not unicode]
        text.append(f"{rank}{symbol} ", "bold red" if suit in _RED else "bold")
    return text


class Screen:
    """Draws tables, the first at length."""

    def __init__(self, about: About, *, unicode: bool = True) -> None:
        self._about = about
        self._unicode = unicode
        self._rolling = Rolling()

    def lines(
        self, tables: Sequence[Watched], rounds: int, rate: float, width: int = USUAL_WIDTH, height: int = USUAL_HEIGHT
    ) -> list[Text]:
        """The screen, of this size."""
        height = max(height, LEAST_HEIGHT)
        first, others = tables[0], tables[1:]
        head = [self._title(first, width), Text()]
        parts = [self._meters(first, width), self._round(first), self._positions(first)]
        if others:
            parts.append([self._other(each) for each in others])
        foot = [Text(), *self._foot(rounds, rate)]
        # Where there is no room, blank lines go first, then hits, and at last what stands at the end of the middle.
        roomy = len(head) + sum(len(part) + 1 for part in parts) + len(foot) + 2 <= height
        head = head if roomy else head[:1]
        middle = [line for part in parts for line in ([*part, Text()] if roomy else part)]
        left = height - len(head) - len(middle) - len(foot)
        hits = self._hits(first, left)
        lines = [*head, *middle, *hits][: height - len(foot)]
        lines += [Text()] * (height - len(foot) - len(lines))
        for line in (*lines, *foot):
            line.truncate(width, overflow="ellipsis" if self._unicode else "crop")
        return [*lines, *foot]

    def _title(self, table: Watched, width: int) -> Text:
        state = "not heard of" if table.stale else table.status.state if table.status else "starting"
        left, right = f" DEMONSTRATION  jackpotd, table {table.table}", f"{state}, nobody's money "
        style = "bold black on bright_yellow" if state == "online" else "bold white on red"
        return Text(f"{left}{right:>{max(1, width - len(left))}}", style)

    def _meters(self, table: Watched, width: int) -> list[Text]:
        if not table.meters:
            return [Text("  waiting for the table's meters …" if self._unicode else "  waiting for meters", "dim")]
        bar = max(10, width - 58)
        found = []
        for id_, meter in sorted(table.meters.items(), key=lambda each: _place(each[0])):
            shown = self._rolling.roll(f"{table.table}/{id_}", meter.display_cents)
            line = Text(f"  {meter.label:<18}")
            style = {"live": "bold bright_white", "hit": "bold magenta", "faulted": "dim red"}[meter.state]
            line.append(f"{dollars(shown):>14}", style)
            if meter.must_hit_by_cents is not UNSET and meter.minimum_cents is not UNSET:
                floor, ceiling = meter.minimum_cents, meter.must_hit_by_cents
                full = bar * (shown - floor) // max(1, ceiling - floor)
                line.append("  " + ("█" if self._unicode else "#") * full, "magenta")
                line.append(("░" if self._unicode else "-") * (bar - full), "dim")
                line.append(f" hits by {dollars(ceiling)}", "dim")
            elif meter.hits:
                line.append(f"  HIT {', '.join(dollars(hit.amount_cents) for hit in meter.hits)}", "bold magenta")
            elif meter.state == "faulted":
                line.append("  not in play", "red")
            found.append(line)
        return found

    def _round(self, table: Watched) -> list[Text]:
        if table.round is None:
            return [Text("  the table is not there yet", "dim")]
        line = Text(f"  Round {table.round.round:<7}")
        line.append(f" {table.round.phase.upper()} ", PHASES[table.round.phase])
        if table.round.phase == "faulted" and table.status is not None and table.status.reason:
            line.append(f" {table.status.reason}", "red")
            return [line]
        line.append(" " * (12 - len(table.round.phase)))
        if table.player:
            line.append("Player ", "blue").append_text(cards(table.player, unicode=self._unicode))
            line.append("  Banker ", "red").append_text(cards(table.banker, unicode=self._unicode))
        return [line]

    def _positions(self, table: Watched) -> list[Text]:
        lamps = table.round.positions if table.round else {}
        seats = sorted(lamps, key=int)
        rows = [Text("  Position    ", "dim").append("".join(f"{seat:>5}" for seat in seats), "dim")]
        for wager in {wager: None for seat in seats for wager in lamps[seat]}:
            row = Text(f"  {WAGERS.get(wager, wager):<12}")
            for seat in seats:
                drawn = LAMPS[lamps[seat].get(wager, "off")]
                row.append("    ").append(drawn[not self._unicode], drawn[2])
            rows.append(row)
        legend = Text("  ")
        for name, drawn in LAMPS.items():
            if name != "off":
                legend.append(drawn[not self._unicode], drawn[2]).append(f" {name}  ", "dim")
        return [*rows, legend]

    def _other(self, table: Watched) -> Text:
        if table.round is None:
            return Text(f"  {table.table}  starting", "dim")
        line = Text(f"  {table.table}  round {table.round.round:<7}")
        line.append(f"{table.round.phase:<10}", PHASES[table.round.phase])
        best = max(table.meters.values(), key=lambda meter: meter.display_cents, default=None)
        if best is not None:
            line.append(f"{best.label} {dollars(best.display_cents)}  ")
        return line.append(f"{table.hits_seen} hits", "magenta")

    def _hits(self, table: Watched, room: int) -> list[Text]:
        if room < 2:  # noqa: PLR2004 -- a heading and a hit
            return []
        newest = list(table.hits)[::-1][: room - 1]
        return [Text("  Last hits", "dim"), *(self._hit(hit) for hit in newest)] if newest else []

    def _hit(self, hit: Hit) -> Text:
        award = hit.award
        what = award.meter if award.meter is not UNSET else award.outcome
        line = Text(f"  {dollars(award.amount_cents):>12}  ", "bold magenta" if not hit.settled else "")
        line.append(f"{what.translate(_OUTCOMES_DASH):<20} position {award.position}, round {award.round:<6} ", "")
        waiting = "two to come" if award.needs_second else "floor to come"
        return line.append("settled" if hit.settled else waiting, "green" if hit.settled else "yellow")

    def _foot(self, rounds: int, rate: float) -> list[Text]:
        about = self._about
        wanted = f" of {about.rounds_wanted:,}" if about.rounds_wanted else ""
        end = "Ctrl-C ends it" + (", or the last round does" if wanted else "")
        return [
            Text(f"  {rounds:,}{wanted} rounds, {rate:.1f} a second at {about.speed}. {end}."),
            Text("  Open ").append(about.address, "bold underline")
            if about.address
            else Text(f"  Broker {about.broker}, state in {about.state}", "dim"),
            Text(f"  {about.staff}", "dim"),
        ]
