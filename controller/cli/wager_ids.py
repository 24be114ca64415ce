"""Wagers by id, as people type them."""

from controller.rules import catalog
from controller.rules.errors import BadInputError


def find_wager(id_: str) -> catalog.Wager:
    """The wager of an id; an unknown one is refused with the nearest that exist."""
    wager = catalog.wagers().get(id_)
    if wager is None:
        raise unknown(id_, list(catalog.wagers()))
    return wager


def unknown(id_: str, known: list[str]) -> BadInputError:
    """The refusal of an id that names nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 -- only a slip of the pen pays for it

    near = [each for each in known if each.startswith(id_)][:3] or get_close_matches(id_, known)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return BadInputError(f"there is no wager {id_!r}: {hint}jackpotd odds --all lists them all")
