"""Plain data as YAML that people can read. Only the little of it that the document needs."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import json

# Words that need no quotes: nothing YAML reads as something else, now or in its older versions.
_PLAIN = re.compile(r"[A-Za-z$][A-Za-z0-9$_./-]*( [A-Za-z0-9(][A-Za-z0-9_./()-]*)*")
# Text of several lines that reads the same when it is written out: no space at an end, nothing that is not shown.
_PARAGRAPHS = re.compile(r"[!-~]([ -~]*[!-~])?(\n([ -~]*[!-~])?)*\n[ -~]*[!-~]")
_OTHERWISE = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def text(value: dict[str, Any]) -> str:
    """A document."""
    return "\n".join(_lines(value, "")) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:  # noqa: ANN401 -- any data
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _entry(f"{indent}{_scalar(name)}:", each, indent + "  ")
    else:
        for each in value:
            first, *rest = _lines(each, indent + "  ") if _is_nested(each) else [_scalar(each)]
            yield f"{indent}- {first.lstrip()}"
            yield from rest


def _entry(name: str, value: Any, indent: str) -> Iterator[str]:  # noqa: ANN401 -- any data
    if _is_nested(value):
        yield name
        yield from _lines(value, indent)
    elif isinstance(value, str) and _PARAGRAPHS.fullmatch(value):
        yield f"{name} |-"
        yield from (f"{indent}{line}".rstrip() for line in value.split("\n"))
    else:
        yield f"{name} {_scalar(value)}"


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _scalar(value: object) -> str:
    """A value on one line, as JSON, which is YAML too; plain where that cannot be misread."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _OTHERWISE:
        return value
    return json.encode(value).decode()
