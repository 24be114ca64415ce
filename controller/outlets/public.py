"""Facts as the public may see them: everything but what is sealed, and what is about people."""

from collections.abc import Iterable
from typing import Any

from msgspec import json

from controller.journal.rows import Row

_SEALED = frozenset({"sealed", "key_id"})
_OF_PEOPLE = frozenset({"operator-changed", "access-noted"})  # names, and who failed to sign in where


def told(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Facts in their order, each with its place and what it says. Of people only that there was a fact."""
    return [
        {"seq": row.seq, "at": row.at, "round": row.round, "type": row.type, "version": row.version}
        | {"payload": {} if row.type in _OF_PEOPLE else _open(json.decode(row.payload))}
        for row in rows
    ]


def _open(value: Any) -> Any:  # noqa: ANN401 -- any JSON
    """The same without what is sealed, however deep."""
    if isinstance(value, dict):
        return {name: _open(each) for name, each in value.items() if name not in _SEALED}
    if isinstance(value, list):
        return [_open(each) for each in value]
    return value
