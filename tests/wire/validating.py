"""Holds real messages against the schemas in their strict form: what is not in them may not be said."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match
from msgspec import DecodeError, Struct, json

from controller.wire.channels import UnknownTopicError, channel_of
from controller.wire.commands import REPLIES
from controller.wire.schemas import schema_of


def check(topic: str, payload: bytes, *, command: str = "") -> None:
    """Fail unless this may be said on this topic, whole or from the table's base on; a reply: to this command."""
    try:
        channel = channel_of(topic)
    except UnknownTopicError as error:
        raise AssertionError(str(error)) from error
    if not payload:
        assert channel.emptied, f"{topic}: is never emptied"
        return
    try:
        told = json.decode(payload)
    except DecodeError as error:
        raise AssertionError(f"{topic}: {error}: {payload!r}") from error
    assert not _has_a_float(told), f"{topic}: has a float: {payload!r}"
    types = (REPLIES[command],) if command else channel.types
    wrong = [best_match(validator(type_).iter_errors(told)) for type_ in types]
    assert None in wrong, f"{topic}: {min(wrong, key=_depth)}: {payload!r}"


@cache
def validator(type_: type[Struct], *, strict: bool = True) -> Draft202012Validator:
    """What holds messages of a type against its schema."""
    return Draft202012Validator(schema_of(type_, strict=strict), format_checker=FormatChecker())


def _depth(error: Any) -> int:  # noqa: ANN401 -- of the library
    """The reply that was meant is the one that fails deepest down."""
    return -len(error.absolute_path) if error is not None else 0


def _has_a_float(value: object) -> bool:
    """A schema's integer may be written 5.0, and ours may not."""
    if isinstance(value, dict):
        return any(map(_has_a_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_a_float, value))
    return isinstance(value, float)
