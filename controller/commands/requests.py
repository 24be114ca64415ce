"""Requests read, and the inputs they become."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from controller.core import inputs
from controller.core.decide import content
from controller.core.facts import OperatorWasChanged, SubmissionFiled
from controller.core.filed import Filed
from controller.core.inputs import Input, Person
from controller.core.refusals import RefusedError
from controller.core.state import CONSOLE, State
from controller.journal.audit.stored import Stored
from controller.wire import commands as wire
from controller.wire.commands import MOST_REQUEST_BYTES, MOST_SUBMISSION_BYTES, REQUESTS, Request

NOBODY = Person("", "")  # for comparing what was said, of which people are no part
MOST_CLIENT = 63  # characters: with a UUID it is a key of the core
_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


class BadRequestError(Exception):
    """A request that is not one; the message says what is wrong with it, and never repeats a PIN or a token."""


class _Named(Struct):
    id: str


class Asked(NamedTuple):
    """Who asks, with which key, and when."""

    key: str
    at: str
    by: Person
    second: Person | None
    links: Mapping[str, str] = {}  # the link of each meter that is shared, by the configuration

    def given(self) -> dict[str, Any]:
        """What every command of a person has."""
        return {"key": self.key, "at": self.at, "by": self.by, "second": self.second}


def id_of(payload: bytes) -> str | None:
    """The id that a reply can go to, if there is one. What is longer than any command is not looked at."""
    if len(payload) > MOST_SUBMISSION_BYTES:
        return None
    try:
        found = json.decode(payload, type=_Named).id
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found if _UUID.fullmatch(found) else None


def read(name: str, payload: bytes) -> Request:
    """The request of a command."""
    type_ = REQUESTS.get(name)
    if type_ is None:
        raise BadRequestError(f"there is no command {name[:MOST_CLIENT]!r}")
    most = MOST_SUBMISSION_BYTES if type_ is wire.ChangeSubmission else MOST_REQUEST_BYTES
    if len(payload) > most:
        raise BadRequestError(f"{name} has {len(payload)} bytes: at most {most}")
    try:
        return json.decode(payload, type=type_)
    except (MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequestError(f"{name}: {error}") from error


def said(name: str, request: Request) -> bytes:
    """The digest of what a request says. When, by whom and a PIN are left out."""
    left_out: dict[str, str] = {"at": "", "token": "", "second": ""}
    if isinstance(request, wire.OperatorAdd):
        left_out["pin"] = ""
    try:
        return sha256(name.encode(errors="replace") + b"\0" + json.encode(replace(request, **left_out))).digest()
    except UnicodeEncodeError as error:
        raise BadRequestError(f"{name} holds text that cannot be written down") from error


def matches(request: Request, asked: Asked, state: State, before: Stored, digest: str) -> bool:
    """Whether a request says what led to a fact before."""
    return any(_content(each) == digest for each in possible(request, asked, state, before))


def _content(input_: Input) -> str:
    try:
        return content(input_)
    except RefusedError:
        return ""  # what cannot be written down was not


def possible(request: Request, asked: Asked, state: State, before: Stored | None = None) -> list[Input]:
    """The input a request becomes now; given the fact it led to before, what it may have become then."""
    maker = _MAKERS.get(type(request))
    return maker(request, asked, state, before) if maker else []


def _hand(request: wire.EnterHand, asked: Asked, state: State, before: Stored | None) -> list[Input]:
    """A hand of the current round, or of an earlier one. Four cards stand for more: the core sees which there are.

    Either names its round: presses that wait before it may have ended the one that was current.
    """
    now = inputs.FourCards(
        at=asked.at,
        key=asked.key,
        by=asked.by,
        source=CONSOLE,
        player=request.player,
        banker=request.banker,
        round=request.round,
    )
    late = _late(inputs.LateHand, request, asked)
    if before is None:
        return [now if request.round == state.round else late]
    return [now, late]  # it was one of them


def _late(type_: type[inputs.LateHand], request: wire.EnterHand, asked: Asked) -> Input:
    return type_(
        **asked.given(),
        round=request.round,
        player=request.player,
        banker=request.banker,
        reference=request.reference,
    )


def _operator(request: wire.OperatorAdd, asked: Asked, _state: State, _before: Stored | None) -> list[Input]:
    return [
        inputs.OperatorChanged(
            **asked.given(), operator=request.operator, name=request.name, role=request.role, active=True
        )
    ]


def _disabled(request: wire.OperatorDisable, asked: Asked, state: State, before: Stored | None) -> list[Input]:
    """Nobody knows the name and role of someone there is not: then there is no input."""
    known: Any = state.operators.get(request.operator)
    if before is not None and isinstance(before.fact, OperatorWasChanged):
        known = before.fact  # which may have changed since
    if known is None:
        return []
    return [
        inputs.OperatorChanged(
            **asked.given(), operator=request.operator, name=known.name, role=known.role, active=False
        )
    ]


def _submission(request: wire.ChangeSubmission, asked: Asked, state: State, before: Stored | None) -> list[Input]:
    """Filed on the gaming day it comes. What is linked stays so, and what is added is, as the configuration says."""
    days, filed = [state.day or asked.at[:10]], state.filed
    if before is not None:
        days += [state.previous_day]
        if isinstance(before.fact, SubmissionFiled):
            days, filed = [before.fact.day], before.fact.filed
    links = {**asked.links, **_links(filed)}
    return [
        inputs.SubmissionChanged(**asked.given(), toml=request.toml, reason=request.reason, day=day, links=links)
        for day in days
    ]


def _links(filed: Filed | None) -> dict[str, str]:
    return {meter.id: meter.link for meter in filed.meters().values() if meter.link} if filed else {}


def _plain(type_: type[inputs.Command], **renamed: str) -> Callable[..., list[Input]]:
    """An input with the same fields as its request, but for some that are called otherwise."""
    own = [name for name in type_.__struct_fields__ if name not in Asked._fields]

    def make(request: Request, asked: Asked, _state: State, _before: Stored | None) -> list[Input]:
        given = {name: getattr(request, renamed.get(name, name)) for name in own}
        return [type_(**asked.given(), **given)]

    return make


_MAKERS: dict[type[Request], Callable[..., list[Input]]] = {
    wire.EnterHand: _hand,
    wire.CorrectHand: lambda request, asked, *_: [_late(inputs.HandCorrected, request, asked)],
    wire.Validate: _plain(inputs.AwardValidated),
    wire.Reject: _plain(inputs.AwardRejected),
    wire.PrintSlip: _plain(inputs.SlipPrinted),
    wire.VoidRound: _plain(inputs.RoundVoided),
    wire.VoidWager: _plain(inputs.WagerVoided),
    wire.SimulatedRound: _plain(inputs.SimulatedRound),
    wire.OpenTable: _plain(inputs.TableOpened),
    wire.CloseTable: _plain(inputs.TableClosed),
    wire.PositionService: _plain(inputs.PositionService),
    wire.ConfirmReturn: _plain(inputs.ReturnConfirmed, return_id="return_"),
    wire.AdjustMeter: _plain(inputs.MeterAdjusted, source="from_"),
    wire.OperatorAdd: _operator,
    wire.OperatorDisable: _disabled,
    wire.ChangeSubmission: _submission,
}
