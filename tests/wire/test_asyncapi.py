"""The AsyncAPI document: fresh, whole, and about every topic."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it comes with amqtt, and only tests read YAML
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker

from controller.wire import asyncapi
from controller.wire.channels import CHANNELS, COMMANDS, STATES
from controller.wire.commands import REPLIES
from controller.wire.schemas import DOCUMENT, main

ROOT = Path(__file__).parent.parent.parent
TEXT = (ROOT / DOCUMENT).read_text()
READ: dict[str, Any] = yaml.load(TEXT, yaml.CSafeLoader)  # in C: every worker reads it
MESSAGES: dict[str, dict[str, Any]] = READ["components"]["messages"]
# What each object may have, by the specification of AsyncAPI 3.0.0; names of all maps follow one pattern.
NAME = re.compile(r"[\w\d.\-_]+")
MAY = {
    "": {"asyncapi", "id", "info", "servers", "defaultContentType", "channels", "operations", "components"},
    "channel": {"address", "messages", "title", "summary", "description", "servers", "parameters", "tags", "bindings"},
    "operation": {"action", "channel", "title", "summary", "description", "bindings", "messages", "reply", "security"},
    "message": {"headers", "payload", "correlationId", "contentType", "name", "title", "summary", "description"}
    | {"tags", "bindings", "examples", "traits"},
    "example": {"headers", "payload", "name", "summary"},
    "reply": {"address", "channel", "messages"},
    "parameter": {"enum", "default", "description", "examples", "location"},
    "binding": {"qos", "retain", "messageExpiryInterval", "bindingVersion"},
    "server": {"host", "protocol", "protocolVersion", "pathname", "description", "title", "summary", "variables"}
    | {"security", "tags", "externalDocs", "bindings"},
}


def each(value: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 -- any part of the document
    """Every object of the document."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from each(part)
    elif isinstance(value, list):
        for part in value:
            yield from each(part)


def at(reference: str) -> dict[str, Any]:
    """What a reference leads to."""
    found: Any = READ
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    assert isinstance(found, dict)
    return found


def test_the_document_is_what_the_code_says() -> None:
    assert asyncapi.text() == TEXT, "run make schemas"


def test_the_program_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr("sys.argv", ["schemas"])
    assert main() == 0
    assert (tmp_path / DOCUMENT).read_text() == TEXT
    monkeypatch.setattr("sys.argv", ["schemas", "other.yaml"])
    assert main() == 0
    assert (tmp_path / "other.yaml").read_text() == TEXT


def test_yaml_reads_it_as_it_was_meant() -> None:
    assert asyncapi.document() == READ
    assert READ["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= set(READ["info"])


def test_every_reference_leads_somewhere() -> None:
    references = [part["$ref"] for part in each(READ) if "$ref" in part]
    assert len(references) > 100
    for reference in references:
        assert at(reference)
    assert [part for part in each(READ) if "$ref" in part and len(part) > 1] == [], "what stands beside one is lost"


def test_every_object_has_only_what_the_specification_gives_it() -> None:
    found = {
        "": [READ],
        "channel": list(READ["channels"].values()),
        "operation": list(READ["operations"].values()),
        "message": list(MESSAGES.values()),
        "example": [example for message in MESSAGES.values() for example in message["examples"]],
        "reply": [operation["reply"] for operation in READ["operations"].values() if "reply" in operation],
        "parameter": list(READ["components"]["parameters"].values()),
        "binding": [operation["bindings"]["mqtt"] for operation in READ["operations"].values()],
        "server": list(READ["servers"].values()),
    }
    assert [
        (kind, set(part) - MAY[kind]) for kind, parts in found.items() for part in parts if set(part) - MAY[kind]
    ] == []
    for names in (READ["channels"], READ["operations"], MESSAGES, READ["components"]["parameters"]):
        assert [name for name in names if not NAME.fullmatch(name)] == []


def test_every_channel_has_an_address_its_parameters_and_messages() -> None:
    assert set(READ["channels"]) == {channel.name for channel in CHANNELS}
    for channel in READ["channels"].values():
        assert channel["address"].startswith("jackpot/{site}/{table}/")
        assert set(re.findall(r"\{(\w+)\}", channel["address"])) == set(channel["parameters"])
        assert channel["messages"]
        assert channel["summary"]
    addresses = [channel["address"] for channel in READ["channels"].values()]
    assert len(set(addresses)) == len(addresses)


def test_the_controller_sends_states_and_receives_commands() -> None:
    operations = READ["operations"]
    actions = {name: operation["action"] for name, operation in operations.items()}
    assert actions == {f"send-{channel.name}": "send" for channel in STATES} | {
        f"receive-{name}": "receive" for name in COMMANDS
    }
    retained = {name for name, operation in operations.items() if operation["bindings"]["mqtt"]["retain"]}
    assert retained == {f"send-{channel.name}" for channel in STATES} - {"send-events"}
    assert {operation["bindings"]["mqtt"]["qos"] for operation in operations.values()} == {1}


def test_the_messages_of_an_operation_are_some_of_its_channels() -> None:
    for operation in READ["operations"].values():
        for part in (operation, operation.get("reply")):
            if part is not None:
                place = part["channel"]["$ref"]
                assert part["messages"]
                assert all(message["$ref"].startswith(f"{place}/messages/") for message in part["messages"])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_answered_where_its_id_says(name: str) -> None:
    operation = READ["operations"][f"receive-{name}"]
    channel = at(operation["channel"]["$ref"])
    assert channel["address"].endswith(f"/commands/{{client}}/{name}")
    reply = at(operation["reply"]["channel"]["$ref"])
    assert reply["address"].endswith("/replies/{client}/{id}")
    assert at(reply["parameters"]["id"]["$ref"])["location"] == "$message.payload#/id"
    (answered,) = operation["reply"]["messages"]
    message = at(at(answered["$ref"])["$ref"])
    assert message["name"] == REPLIES[name].__name__
    assert message["correlationId"] == {"location": "$message.payload#/id"}


@pytest.mark.parametrize("name", MESSAGES)
def test_every_example_in_the_document_is_valid_by_it(name: str) -> None:
    message = MESSAGES[name]
    assert message["summary"]
    assert message["examples"]
    for draft in (Draft202012Validator, Draft7Validator):
        draft.check_schema(message["payload"])
        holding = draft(message["payload"], format_checker=FormatChecker())
        for example in message["examples"]:
            holding.validate(example["payload"])


def test_nothing_sealed_has_a_field_and_nothing_is_of_one_machine() -> None:
    fields = {name for part in each(READ) for name in part.get("properties", {})}
    assert "commitment" in fields
    assert not fields & {"sealed", "key_id", "pin_hash"}
    assert not re.search(r"/home/|/work/|/tmp/|127\.0\.0\.1", TEXT)
