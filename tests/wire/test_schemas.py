"""Schemas of messages: strict where it matters, open where a consumer must be."""

import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from msgspec import UNSET, Struct, ValidationError, convert, json
from msgspec.structs import fields

from controller.wire import messages
from controller.wire.asyncapi import plain
from controller.wire.channels import CHANNELS, COMMANDS, REPLY, UnknownTopicError, channel_of
from controller.wire.commands import REPLIES, REQUESTS, Reply, Request
from controller.wire.examples import EXAMPLES
from controller.wire.schemas import schema_of
from tests.wire.validating import check, validator

TYPES = list(dict.fromkeys(type_ for channel in CHANNELS for type_ in channel.types))
SAID = [(type_, name, each) for type_, every in EXAMPLES.items() for name, each in every.items()]
IDS = [f"{type_.__name__}-{name}" for type_, name, _ in SAID]
METER = plain(EXAMPLES[messages.Meter]["mystery"])


def by_name(type_: type[Struct]) -> str:
    return type_.__name__


def errors(type_: type[Struct], told: object, *, strict: bool = True) -> list[str]:
    return [error.json_path for error in validator(type_, strict=strict).iter_errors(told)]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("type_", TYPES, ids=by_name)
def test_every_schema_is_one_under_both_drafts_and_refers_to_nothing(type_: type[Struct], strict: bool) -> None:
    schema = schema_of(type_, strict=strict)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)
    Draft7Validator.check_schema({name: part for name, part in schema.items() if name != "$schema"})
    assert b'"$ref"' not in json.encode(schema)
    assert b'"prefixItems"' not in json.encode(schema), "draft 7 reads it otherwise"
    assert b'"discriminator"' not in json.encode(schema), "draft 7 does not know it"


def test_every_type_has_an_example_and_every_example_a_topic() -> None:
    assert set(EXAMPLES) == set(TYPES)
    assert all(EXAMPLES.values())


@pytest.mark.parametrize(("type_", "name", "example"), SAID, ids=IDS)
def test_every_example_is_valid_and_is_what_the_types_take(type_: type[Struct], name: str, example: Struct) -> None:
    told = plain(example)
    assert name
    assert errors(type_, told) == []
    assert convert(told, type_) == example
    assert not list(Draft7Validator(schema_of(type_, strict=True)).iter_errors(told))


@pytest.mark.parametrize(("type_", "name", "example"), SAID, ids=IDS)
def test_no_field_of_an_example_can_be_of_another_kind(type_: type[Struct], name: str, example: Struct) -> None:
    told = plain(example)
    assert name
    for field, value in told.items():
        wrong = 5 if isinstance(value, str) else "five"
        assert errors(type_, told | {field: wrong}), f"{field} may be {wrong!r}"


@pytest.mark.parametrize("type_", [type_ for type_ in TYPES if issubclass(type_, messages.Message)], ids=by_name)
def test_what_the_table_says_always_stands_somewhere(type_: type[Struct]) -> None:
    told = plain(next(iter(EXAMPLES[type_].values())))
    for field in ("v", "epoch", "seq", "at"):
        assert errors(type_, {name: value for name, value in told.items() if name != field}, strict=False)
    assert errors(type_, told | {"v": messages.VERSION + 1}), "another version is another schema"


@pytest.mark.parametrize("type_", TYPES, ids=by_name)
def test_new_fields_may_come_in_what_is_said_but_not_in_what_is_asked(type_: type[Struct]) -> None:
    told = plain(next(iter(EXAMPLES[type_].values()))) | {"new": 1}
    assert errors(type_, told) == ["$"]
    assert errors(type_, told, strict=False) == (["$"] if issubclass(type_, Request) else [])
    if issubclass(type_, Request):
        with pytest.raises(ValidationError):
            convert(told, type_)


def test_fields_that_may_be_missing_are_those_the_types_leave_out() -> None:
    """A message is written with all its defaults; only what is unset is left out."""
    for type_ in (type_ for type_ in TYPES if not issubclass(type_, Request)):
        schema = schema_of(type_)
        unset = {field.encode_name for field in fields(type_) if field.default is UNSET}
        assert set(schema["properties"]) - set(schema["required"]) == unset, type_


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("display_cents", -1),
        ("display_cents", 2**53),
        ("display_cents", 311.25),
        ("display_cents", "31125"),
        ("display_cents", True),
        ("state", "sleeping"),
        ("at", "2026-11-16 21:04:05"),
        ("at", "2026-11-16T21:04:05Z"),
        ("at", "2026-11-16T16:04:05.123456-05:00"),
        ("commitment", "457F5D"),
        ("correction", 0),
        ("epoch", -1),
        ("seq", -1),
        ("hits", [{"award": "mb-07-1843-1", "position": 1, "at": METER["at"]}]),
        ("hits", [{"award": "1843", "position": 1, "amount_cents": 1, "at": METER["at"]}]),
        ("hits", [{"award": "mb-07-1843-1", "position": 0, "amount_cents": 1, "at": METER["at"]}]),
    ],
)
def test_a_meter_that_cannot_be_is_refused_open_or_strict(field: str, wrong: object) -> None:
    assert errors(messages.Meter, METER) == []
    assert errors(messages.Meter, METER | {field: wrong}, strict=False)


@pytest.mark.parametrize(
    "positions", [{"0": {}}, {"01": {}}, {"1": {"royal9": "shining"}}, {"1": {"roulette": "off"}}, {"": {}}]
)
def test_lamps_are_by_position_and_wager(positions: object) -> None:
    told = plain(EXAMPLES[messages.Round]["locked"])
    assert errors(messages.Round, told | {"positions": positions}, strict=False)


@pytest.mark.parametrize("card", ["10S", "kS", "1H", "KX", ""])
def test_cards_are_rank_and_suit(card: str) -> None:
    told = plain(EXAMPLES[messages.Award]["jackpot"])
    assert errors(messages.Award, told | {"player": [card, "9S"]}, strict=False)


@pytest.mark.parametrize("missing", ["seq", "at", "round", "type", "version", "payload"])
def test_a_fact_of_events_has_its_place_and_its_payload(missing: str) -> None:
    told = plain(EXAMPLES[messages.Events]["a-chip"])
    fact = {name: value for name, value in told["facts"][0].items() if name != missing}
    assert errors(messages.Events, told | {"facts": [fact]}, strict=False)
    assert errors(messages.Events, told | {"facts": [told["facts"][0] | {"round": None}]}) == []


def test_a_refused_reply_says_why_and_another_does_not() -> None:
    done, refused = (plain(EXAMPLES[Reply][name]) for name in ("done", "refused"))
    for type_ in dict.fromkeys(REPLIES.values()):
        assert errors(type_, refused) == []
    assert errors(Reply, done | {"ok": False})
    assert errors(Reply, refused | {"ok": True})
    assert errors(Reply, refused | {"error": "other"})
    assert errors(Reply, {name: value for name, value in refused.items() if name != "message"})


# -- topics --


@pytest.mark.parametrize("base", ["", "jackpot/valley-forge/mb-07/"])
def test_a_topic_leads_to_what_is_said_there(base: str) -> None:
    assert channel_of(f"{base}meters/royal9-mega").types == (messages.Meter,)
    assert channel_of(f"{base}journal/head").types == (messages.Head,)
    assert channel_of(f"{base}commands/console/query-hits").types == (REQUESTS["query-hits"],)
    assert channel_of(f"{base}replies/console/0b6ff1a2").types == REPLY.types


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "meters",
        "meters/",
        "meters/a/b",
        "meters/+",
        "status/x",
        "xstatus",
        "commands/console/rob",
        "jackpot/a/status",
    ],
)
def test_a_topic_where_nothing_is_said_is_refused_by_name(topic: str) -> None:
    with pytest.raises(UnknownTopicError, match="a table says nothing there"):
        channel_of(topic)
    with pytest.raises(AssertionError, match="a table says nothing there"):
        check(topic, b"{}")


def test_every_command_has_a_request_a_reply_and_a_topic() -> None:
    assert list(REQUESTS) == list(REPLIES) == list(COMMANDS)
    assert all(REPLIES[name] in REPLY.types for name in REQUESTS)


# -- the helper itself --


def test_the_helper_passes_what_may_be_said() -> None:
    check("meters/royal9-mystery", json.encode(METER))
    check("awards/mb-07-1843-1", b"")
    refused = json.encode(plain(EXAMPLES[Reply]["refused"]))
    check("replies/console/x", refused)
    check("replies/console/x", refused, command="login")


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("status", b""),
        ("events", b""),
        ("replies/console/x", b""),
        ("status", b"{"),
        ("status", b"\xff"),
        ("status", b"[]"),
        ("round", json.encode(METER)),
        ("meters/royal9-mystery", json.encode(METER | {"new": 1})),
        ("meters/royal9-mystery", json.encode(METER).replace(b"31125", b"31125.0")),
        ("replies/console/x", json.encode(METER)),
    ],
)
def test_the_helper_fails_what_may_not_and_names_the_topic(topic: str, payload: bytes) -> None:
    with pytest.raises(AssertionError, match=topic):
        check(topic, payload)


def test_the_helper_holds_a_reply_against_the_command_it_is_of() -> None:
    told = json.encode(plain(EXAMPLES[REPLIES["login"]]["done"]))
    check("replies/console/x", told, command="login")
    with pytest.raises(AssertionError, match="replies/console/x"):
        check("replies/console/x", told, command="open-table")
