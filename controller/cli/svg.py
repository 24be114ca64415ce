"""What our drawings are made of: one document, its colors by day and by night, texts and lines, rounded alike.

Colors are classes, so that a drawing follows whoever looks at it: dark where the page is. A viewer that knows no such
preference shows it as by day.
"""

from collections.abc import Mapping
from fractions import Fraction
from html import escape

# Names of colors: by day, and by night.
_COLORS: Mapping[str, tuple[str, str]] = {
    "ink": ("#1f2933", "#e4e7eb"),
    "soft": ("#52606d", "#9aa5b1"),
    "grid": ("#d9dee5", "#323f4b"),
    "paper": ("#ffffff", "#14181d"),
    "mark": ("#b91c1c", "#f87171"),
    "a": ("#1d4ed8", "#7aa2ff"),
    "b": ("#b45309", "#fbbf24"),
    "c": ("#047857", "#34d399"),
    "d": ("#7e22ce", "#c99bff"),
}
CURVES = ("a", "b", "c", "d")  # colors told apart on both grounds, also by those who do not see red and green


def _rules(night: int) -> str:
    ground = {name: each[night] for name, each in _COLORS.items()}
    return "".join(f".f-{name}{{fill:{color}}}.s-{name}{{stroke:{color}}}" for name, color in ground.items())


_STYLE = f"<style>{_rules(0)}@media (prefers-color-scheme:dark){{{_rules(1)}}}</style>"


def document(width: int, height: int, body: str) -> str:
    """A whole drawing, on its own paper."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="system-ui, sans-serif" font-size="13" class="f-ink">{_STYLE}'
        f'<rect width="100%" height="100%" class="f-paper"/>{body}</svg>\n'
    )


def pixels(value: Fraction) -> str:
    """A place, to a hundredth of a pixel: the same on every machine."""
    hundredths = round(value * 100)
    return f"{'-' if hundredths < 0 else ''}{abs(hundredths) // 100}.{abs(hundredths) % 100:02}"


def text(x: object, y: object, words: str, color: str = "ink", **more: object) -> str:
    """Words at a place; further attributes by their names, with _ for -."""
    return f'<text x="{x}" y="{y}" class="f-{color}"{_attributes(more)}>{escape(words)}</text>'


def line(x1: object, y1: object, x2: object, y2: object, color: str, **more: object) -> str:
    """A straight line."""
    return f'<line x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}" class="s-{color}"{_attributes(more)}/>'


def curve(points: str, color: str, **more: object) -> str:
    """A line through points."""
    return f'<polyline points="{points}" fill="none" class="s-{color}" stroke-width="2.5"{_attributes(more)}/>'


def dot(x: object, y: object, radius: object, color: str) -> str:
    """A filled circle."""
    return f'<circle cx="{x}" cy="{y}" r="{radius}" class="f-{color}"/>'


def _attributes(more: Mapping[str, object]) -> str:
    return "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
