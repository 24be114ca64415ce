"""The AsyncAPI 3 document of a table, from the controller's point of view: it sends states, and receives commands."""

from typing import Any

from msgspec import Struct, json
from msgspec.structs import fields

from controller.wire import yaml_text
from controller.wire.channels import CHANNELS, COMMANDS, PARAMETERS, REPLY, STATES, Channel, parameters
from controller.wire.commands import REPLIES, Request
from controller.wire.examples import EXAMPLES
from controller.wire.messages import VERSION
from controller.wire.schemas import schema_of
from controller.wire.topics import base

_ABOUT = """\
What a progressive jackpot table says over MQTT, and what it can be asked. docs/mqtt.md shows how to subscribe.

- Every payload is one JSON object in UTF-8. All that the table says has `v`, `epoch`, `seq` and `at`.
- Drop, topic by topic, what has a lower (`epoch`, `seq`) than the last you took. Of `status` compare `epoch` alone: the
  last will was written when the connection was made. QoS 1 may bring a message twice.
- Money is an integer number of cents in fields named `..._cents`.
- Ignore fields you do not know: new ones may come within a version. In a request a field nobody knows is refused.
- Amounts are stale after 5 s without `status`.

Schemas are JSON Schema draft 2020-12, and valid draft 7 as well. This file is made from the code (`make schemas`)."""


def text() -> str:
    """The document as YAML."""
    return yaml_text.text(document())


def document() -> dict[str, Any]:
    """The document as data."""
    types = dict.fromkeys(type_ for channel in CHANNELS for type_ in channel.types)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "jackpotd",
            "version": str(VERSION),
            "description": _ABOUT,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": {
                "host": "localhost:8883",
                "protocol": "secure-mqtt",
                "protocolVersion": "3.1.1",
                "description": "The table's broker. Its certificate is signed by the house's own authority, `ca.crt`.",
                "security": [_ref("components/securitySchemes", name) for name in _SECURITY],
            }
        },
        "channels": {channel.name: _channel(channel) for channel in CHANNELS},
        "operations": dict(
            [_sending(channel) for channel in STATES] + [_receiving(name, each) for name, each in COMMANDS.items()]
        ),
        "components": {
            "messages": {type_.__name__: _message(type_) for type_ in types},
            "parameters": {name: _parameter(name, about) for name, about in PARAMETERS.items()},
            "securitySchemes": _SECURITY,
        },
    }


_SECURITY = {
    "password": {"type": "userPassword", "description": "The users of config/mosquitto: sign, console, auditor-tool."},
    "certificate": {"type": "X509", "description": "Where the broker asks for one, its common name is the user."},
}


def _ref(place: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/{place}/{name}"}


def _channel(channel: Channel) -> dict[str, Any]:
    whole = f"{base('{site}', '{table}')}/{channel.address}"
    kept = "Retained." if channel.retained else "Not retained."
    gone = " A message without a byte says that it is gone." if channel.emptied else ""
    return {
        "address": whole,
        "summary": channel.about,
        "description": f"{kept}{gone}",
        "messages": {type_.__name__: _ref("components/messages", type_.__name__) for type_ in channel.types},
        "parameters": {name: _ref("components/parameters", name) for name in parameters(whole)},
    }


def _parameter(name: str, about: str) -> dict[str, str]:
    return {"description": about} | ({"location": "$message.payload#/id"} if name == "id" else {})


def _operation(action: str, channel: Channel) -> dict[str, Any]:
    return {
        "action": action,
        "channel": _ref("channels", channel.name),
        "summary": channel.about,
        "messages": [_ref(f"channels/{channel.name}/messages", type_.__name__) for type_ in channel.types],
        "bindings": {"mqtt": {"qos": 1, "retain": channel.retained, "bindingVersion": "0.2.0"}},
    }


def _sending(channel: Channel) -> tuple[str, dict[str, Any]]:
    return f"send-{channel.name}", _operation("send", channel)


def _receiving(name: str, channel: Channel) -> tuple[str, dict[str, Any]]:
    reply = {
        "channel": _ref("channels", REPLY.name),
        "messages": [_ref(f"channels/{REPLY.name}/messages", REPLIES[name].__name__)],
    }
    return f"receive-{name}", _operation("receive", channel) | {"reply": reply}


def _message(type_: type[Struct]) -> dict[str, Any]:
    payload = schema_of(type_)
    del payload["$schema"]  # that of AsyncAPI is meant where none is named
    shown = [{"name": name, "payload": plain(each)} for name, each in EXAMPLES[type_].items()]
    found: dict[str, Any] = {"name": type_.__name__, "summary": payload.pop("description", "")}
    if type_ in {*REPLIES.values()} or issubclass(type_, Request):
        found["correlationId"] = {"location": "$message.payload#/id"}
    return found | {"payload": payload, "examples": shown}


def plain(example: Struct) -> dict[str, Any]:
    """An example as data; of a request, without what is left out when nothing is to be said."""
    found: dict[str, Any] = json.decode(json.encode(example))
    if isinstance(example, Request):
        unsaid = {field.encode_name: field.default for field in fields(example)}
        return {name: value for name, value in found.items() if value != unsaid[name]}
    return found
