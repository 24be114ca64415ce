"""JSON Schemas of everything said over MQTT, made from the types; run as a program, it writes docs/asyncapi.yaml.

They are draft 2020-12 and use no word that draft 7 does not have or means otherwise, so that every tool for AsyncAPI
takes them as they are. Each stands on its own, without references. What we publish may get new fields, and a consumer
ignores those it does not know: so the published schemas allow them. A request with a field nobody knows is refused. Our
own tests hold real messages against the `strict` form, which allows nothing that is not here.
"""

import sys
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.json import schema_components

from controller.wire.commands import Reply, Request
from controller.wire.messages import VERSION, Events, FactTold, Message

DRAFT = "https://json-schema.org/draft/2020-12/schema"
DOCUMENT = Path("docs/asyncapi.yaml")
Schema = dict[str, Any]
_REFERENCE = "#/$defs/"

# What the types of commands cannot say of themselves.
_OF_REQUESTS: dict[str, Schema] = {
    "id": {"format": "uuid", "description": "New for each request. Sent again, it gets the first reply again."},
    "at": {"format": "date-time", "description": "Now, in UTC. More than 30 s from the controller's clock is refused."},
    "token": {"description": "Of who asks: `login` gives it."},
    "second": {"description": "Of a second person, where a command takes two."},
}
_OF_REPLIES: dict[str, Schema] = {
    "id": {"format": "uuid", "description": "Of the request."},
    "ok": {"description": "Whether it was done. If not, `error` and `message` say why, and nothing was changed."},
    "error": {"description": "For programs."},
    "message": {"description": "For people."},
}
_REFUSED_OR_NOT: Schema = {
    "if": {"properties": {"ok": {"const": True}}},
    "then": {"not": {"required": ["error"]}},
    "else": {"required": ["error", "message"]},
}


def schema_of(type_: type[Struct], *, strict: bool = False) -> Schema:
    """The schema of one message. `strict`: for our own tests, without fields that are not here."""
    found = _whole(type_)
    if issubclass(type_, Request):
        _add(found, _OF_REQUESTS)
    else:
        _publish(found)
    if issubclass(type_, Reply):
        _add(found, _OF_REPLIES)
        found |= _REFUSED_OR_NOT
    if issubclass(type_, Message):
        found["properties"]["v"] |= {"const": VERSION}
    if strict:
        _close(found)
    return {"$schema": DRAFT} | found


def _whole(type_: type[Struct]) -> Schema:
    """A type's schema with the types it is made of in their places."""
    (top,), parts = schema_components([type_], ref_template=_REFERENCE + "{name}")
    found: Schema = _inlined(top, parts)
    if type_ is Events:
        found["properties"]["facts"]["items"] = _whole(FactTold)
    return found


def _inlined(value: Any, parts: dict[str, Any]) -> Any:  # noqa: ANN401 -- any part of a schema
    if isinstance(value, list):
        return [_inlined(each, parts) for each in value]
    if not isinstance(value, dict):
        return value
    rest = {name: _inlined(each, parts) for name, each in value.items() if name != "$ref"}
    if "$ref" not in value:
        return rest
    return _inlined(parts[value["$ref"].removeprefix(_REFERENCE)], parts) | rest


def _publish(value: Any) -> None:  # noqa: ANN401 -- any part of a schema
    """Fields with a default are always there in what is published: required, and without the default."""
    for part in _parts(value):
        fields: dict[str, Schema] = part.get("properties", {})
        always = [name for name, field in fields.items() if name in part.get("required", ()) or "default" in field]
        for field in fields.values():
            field.pop("default", None)
        if always:
            part["required"] = always


def _close(value: Any) -> None:  # noqa: ANN401 -- any part of a schema
    for part in _parts(value):
        if part.get("type") == "object" and "properties" in part:
            part["additionalProperties"] = False


def _parts(value: Any) -> list[Schema]:  # noqa: ANN401 -- any part of a schema
    """A schema and all schemas in it."""
    found: list[Schema] = [value]
    inside = [*value.get("properties", {}).values(), *value.get("anyOf", [])]
    inside += [value[name] for name in ("items", "additionalProperties") if isinstance(value.get(name), dict)]
    for each in inside:
        found += _parts(each)
    return found


def _add(found: Schema, words: dict[str, Schema]) -> None:
    for name, more in words.items():
        found["properties"][name] |= more


def main() -> int:
    """Write the document, by default into the repository this is called in."""
    from controller.wire import asyncapi  # noqa: PLC0415 -- it is made of what is here

    path = Path(sys.argv[1]) if sys.argv[1:] else DOCUMENT
    path.write_text(asyncapi.text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
