"""`jackpotd operators` over MQTT: the controller does it while it runs, for a supervisor who signs in."""

import argparse
import asyncio
import time
from pathlib import Path
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from controller.asking import Client, NoReplyError
from controller.cli.operators import NoError, asked, listing, new_pin, tell
from controller.mqtt import BrokerError
from controller.rules.errors import BadInputError
from controller.service.starting import configuration
from controller.wire.commands import LoginReply, OperatorsReply, Reply

_MOST_PASSWORD_BYTES = 1024  # MQTT allows 64 KiB; what is longer than this was put there by mistake


def run(options: argparse.Namespace) -> int:
    """Connect, sign in, and do what was asked."""
    if not options.config:
        raise BadInputError("--config FILE says where the broker is; or stop the controller and give --offline")
    if not options.by:
        raise BadInputError("name who does this with --by ID: they sign in for it")
    try:
        asyncio.run(_main(options))
    except (BrokerError, NoReplyError) as error:
        raise NoError(f"the controller cannot be asked: {error}") from error
    return 0


async def _main(options: argparse.Namespace) -> None:
    found = configuration(Path(options.config), time.time_ns() // 1000)
    settings = replace(found.settings.mqtt, user=options.mqtt_user)
    password = _password(options.mqtt_password_file)
    pin = asked(f"PIN of {options.by}: ")
    other = getattr(options, "second", None)
    others = asked(f"PIN of {other}: ") if other else ""
    # Everything is asked for before anybody is signed in: five minutes of idleness would sign them out again.
    fresh = new_pin(options.operator) if options.action == "add" else ""
    async with Client(settings, found.site, found.table, password=password) as client:
        tokens = [await _signed_in(client, options.by, pin)]
        try:
            if other:
                tokens.append(await _signed_in(client, other, others))
            await _ACTIONS[options.action](options, client, tokens, fresh)
        finally:
            for token in tokens:
                await client.ask("logout", token=token)


async def _signed_in(client: Client, operator: str, pin: str) -> str:
    session = _ok(await client.ask("login", operator=operator, pin=pin))
    return session.token if isinstance(session, LoginReply) and session.token is not UNSET else ""


def _password(path: str | None) -> str | None:
    if not path:
        return None
    try:
        with Path(path).open("rb") as file:
            text = file.read(_MOST_PASSWORD_BYTES + 1).decode().removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read ({error}): it is to hold the password of --mqtt-user") from error
    if not text or len(text) > _MOST_PASSWORD_BYTES or "\n" in text:
        raise BadInputError(f"{path} holds no password: one line of at most {_MOST_PASSWORD_BYTES} bytes")
    return text


def _ok(reply: Reply) -> Any:  # noqa: ANN401 -- each command's own
    if reply.ok:
        return reply
    error, message = reply.error, reply.message or ""
    raise BadInputError(message) if error == "bad-request" else NoError(f"{error}: {message}")


async def _add(options: argparse.Namespace, client: Client, tokens: list[str], pin: str) -> None:
    operator = {"operator": options.operator, "name": options.name, "role": options.role}
    token, second = (*tokens, "")[:2]
    reply = _ok(await client.ask("operator-add", token=token, second=second, **operator, pin=pin))
    tell(options, f"{reply.operator} ({reply.name}) may sign in: {reply.role}", "added")


async def _disable(options: argparse.Namespace, client: Client, tokens: list[str], _pin: str) -> None:
    reply = _ok(await client.ask("operator-disable", token=tokens[0], operator=options.operator))
    tell(options, f"{reply.operator} ({reply.name}) can sign in no more", "disabled")


async def _list(options: argparse.Namespace, client: Client, tokens: list[str], _pin: str) -> None:
    found: list[dict[str, object]] = []
    after = ""
    while True:
        reply: OperatorsReply = _ok(await client.ask("query-operators", token=tokens[0], after=after))
        for each in reply.operators or ():
            since = None if each.pin_since is UNSET else each.pin_since
            told = {name: getattr(each, name) for name in ("operator", "name", "role", "active", "locked_out")}
            found.append({**told, "pin_changed_at": since})
        if reply.next is UNSET:
            break
        after = reply.next
    listing(options, found)


_ACTIONS = {"add": _add, "list": _list, "disable": _disable}
