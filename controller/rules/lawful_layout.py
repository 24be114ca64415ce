"""The layout of Royal 9: a different King-9 at every position, and every position covered (§ 627b.3(e)(5))."""

from controller.rules.fields import Fields
from controller.rules.lawful_table import POSITIONS_MOST
from controller.rules.royal9 import Layout, LayoutError, check_combination

_SECTION = "§ 627b.3(e)(5)"


def read_layout(fields: Fields | None, positions: int | None) -> Layout | None:
    """The layout as filed; where the number of positions is wrong, it is checked against itself only."""
    if fields is None:
        return None
    wanted = [str(position) for position in range(1, (positions or 0) + 1)]
    # Where the table's own number is wrong, any that a table could have is taken.
    known = wanted or [str(position) for position in range(1, POSITIONS_MOST + 1)]
    found: dict[str, str] = {}
    for name in fields.names():
        combination = fields.text(name)
        if name not in known:
            fields.note(name, f"there is no position {name}: they are numbered 1 to {known[-1]}", _SECTION)
        elif combination is not None and _is_combination(fields, name, combination):
            holder = next((other for other, held in found.items() if held == combination), None)
            if holder is not None:
                message = f"{combination} is position {holder}'s already: every position has a combination of its own"
                fields.note(name, message, _SECTION)
            found[name] = combination
    for name in wanted:
        if not fields.has(name):
            fields.note(name, f"missing: position {name} has no combination", _SECTION)
    if positions is None or any(name not in found for name in wanted):
        return None
    return Layout(tuple(found[name] for name in wanted))


def _is_combination(fields: Fields, name: str, combination: str) -> bool:
    try:
        check_combination(combination)
    except LayoutError as error:
        fields.note(name, str(error), _SECTION)
        return False
    return True
