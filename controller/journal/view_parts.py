"""What the texts of several views share."""

# Facts that can move money, change a meter or settle an award. Asked for by type, they alone are parsed: two facts of
# three are chips that come and go.
DECIDING = (
    "submission-filed",
    "locked-out",
    "hand-entered",
    "award-validated",
    "award-rejected",
    "round-voided",
    "wager-taken-out",
    "meter-adjusted",
    "adjustment-asked",
    "link-answered",
)


def types(names: tuple[str, ...]) -> str:
    """Names of types for an IN."""
    return ", ".join(f"'{name}'" for name in names)


def dollars(cents: str) -> str:
    """Cents as text, 450.80, by whole numbers alone: no REAL comes near money."""
    return f"printf('%d.%02d', ({cents}) / 100, ({cents}) % 100)"


def exact(units: str) -> str:
    """Units of 1e-8 dollars as text, 450.80246000."""
    return f"printf('%d.%08d', {units} / 100000000, {units} % 100000000)"
