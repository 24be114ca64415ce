"""Downloads for auditors: the pages of a query one after the other, as CSV or JSON.

A download that fails half way ends without its end, so that no browser takes it for whole.
"""

import csv
import io
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from structlog.typing import FilteringBoundLogger as Log

from controller.console import limits
from controller.console.api import Api, RefusedError, address
from controller.console.broker import Answer, now
from controller.wire.commands import REQUESTS
from controller.wire.commands import Request as Command

# Of one download: 200,000 rows, a year of a busy table's rounds. Those beyond are asked for day by day.
MOST_PAGES = 1000
# What may be asked for: the command, the rows of its reply, and what narrows it down.
WHAT = {
    "hits": ("query-hits", "hits", ("meter",)),
    "readings": ("query-readings", "meters", ("day",)),
    "rounds": ("query-rounds", "rounds", ("day", "round")),
    "actions": ("query-actions", "actions", ("day", "person")),
    "operators": ("query-operators", "operators", ()),
    "derive": ("query-derive", "lines", ("award",)),
}
MOST_NAME = 120  # characters of a file's name
FORMATS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
# A cell that begins so is a formula to a spreadsheet, which would work it out: '=HYPERLINK(…)' as an operator's name.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class _Download(StreamingResponse):
    """A file to be kept; `ended` is called when it is through, or whoever wanted it has gone."""

    def __init__(self, rows: AsyncIterator[bytes], type_: str, name: str, ended: Callable[[], None]) -> None:
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        super().__init__(rows, media_type=type_, headers=headers)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


class Downloads:
    """`/audit/download`."""

    def __init__(self, api: Api, log: Log) -> None:
        self._api = api
        self._log = log
        self._pace = limits.Pace(limits.DOWNLOADS_PER_MINUTE)
        self._under_way = 0

    async def serve(self, request: Request) -> Response:
        """Answer with the first page at hand, so that a refusal is one and no broken file."""
        asked = request.query_params
        what, format_, table = (asked.get(key, "") for key in ("what", "format", "table"))
        if what not in WHAT or format_ not in FORMATS:
            raise RefusedError(
                400, "bad-request", f"what: one of {', '.join(WHAT)}; format: one of {', '.join(FORMATS)}"
            )
        cookie = self._api.cookie(request)
        token = self._api.signed_in(cookie, table).token
        if not self._pace.take(address(request)) or self._under_way >= limits.MOST_DOWNLOADS:
            raise RefusedError(429, "too-many", "others are downloading, or you did just now: wait a minute")
        command, _, narrowing = WHAT[what]
        fields = {key: asked[key] for key in narrowing if asked.get(key)}
        pages = self._pages(table, command, {**fields, "token": token}, cookie or "")
        self._under_way += 1
        try:
            first = await _first(pages)
        except BaseException:
            self._end()
            raise
        self._log.info("download", table=table, what=what, format=format_)
        name = _NAME.sub("-", "-".join([table, what, *fields.values()]))[:MOST_NAME]
        rows = _csv(what, first, pages) if format_ == "csv" else _json(what, first, pages)
        return _Download(rows, FORMATS[format_], f"{name}.{format_}", self._end)

    def _end(self) -> None:
        self._under_way -= 1

    async def _pages(self, table: str, name: str, fields: dict[str, Any], cookie: str) -> AsyncIterator[Answer]:
        after = ""
        for page in range(MOST_PAGES):
            reply = await self._api.ask(table, name, _command(name, {**fields, "after": after}), cookie)
            after = str(reply.get("next", ""))
            yield {**reply, "complete": not after or page + 1 < MOST_PAGES}
            if not after:
                return


def _command(name: str, fields: dict[str, Any]) -> Command:
    try:
        # Not strict: in an address a number is text.
        return msgspec.convert({"id": str(uuid4()), "at": now(), **fields}, REQUESTS[name], strict=False)
    except msgspec.ValidationError as error:
        raise RefusedError(400, "bad-request", f"{name}: {error}") from error


async def _first(pages: AsyncIterator[Answer]) -> Answer:
    """The first page; what the controller refuses is refused."""
    first = await anext(pages)
    if not first["ok"]:
        raise RefusedError(409, str(first.get("error")), str(first.get("message", "")))
    return first


async def _all(first: Answer, pages: AsyncIterator[Answer]) -> AsyncIterator[Answer]:
    yield first
    async for page in pages:
        if not page["ok"]:
            raise RuntimeError(f"a download ended half way: {page.get('message', '')}")
        yield page


async def _json(what: str, first: Answer, pages: AsyncIterator[Answer]) -> AsyncIterator[bytes]:
    """`{"what": …, "rows": […], "complete": true}`, and with it whatever else the first page says."""
    rows = WHAT[what][1]
    about = {
        key: value for key, value in first.items() if key not in (rows, "id", "ok", "v", "next", "complete", "token")
    }
    yield json.encode({"what": what, **about})[:-1] + b',"rows":['
    between, complete = b"", True
    async for page in _all(first, pages):
        complete = page["complete"]
        for row in page.get(rows, ()):
            yield between + json.encode(row)
            between = b",\n"
    yield b'],"complete":' + json.encode(complete) + b"}\n"


async def _csv(what: str, first: Answer, pages: AsyncIterator[Answer]) -> AsyncIterator[bytes]:
    """One line a row; what has parts of its own is written as JSON in its cell, or has a column for each."""
    rows = WHAT[what][1]
    columns = COLUMNS[what]
    yield "\ufeff".encode() + _line(columns)  # the mark tells a spreadsheet that this is UTF-8
    complete = True
    async for page in _all(first, pages):
        complete = page["complete"]
        for row in page.get(rows, ()):
            flat = _flat(row)
            yield _line(flat.get(column, "") for column in columns)
    if not complete:
        yield _line([f"NOT COMPLETE: at most {MOST_PAGES} pages are given at once, ask day by day"])


def _line(cells: Iterable[object]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerow([_cell(cell) for cell in cells])
    return out.getvalue().encode()


def _cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula. A plain number stays one."""
    text = value if isinstance(value, str) else json.encode(value).decode()
    if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """A row with its parts' fields beside its own, named like `display.opening`."""
    flat: dict[str, object] = {}
    for key, value in row.items():
        name = f"{prefix}{key}"
        flat[name] = value
        if isinstance(value, dict):
            flat |= _flat(value, f"{name}.")
    return flat


_ACCOUNT = ("opening", "closing", "changes", "unexplained")
_COUNTER = ("opening", "closing")
COLUMNS = {
    "hits": (
        *("hit", "seq", "at", "meter", "kind", "round", "amount_cents", "fate", "paid_from"),
        *("reveal.cycle", "reveal.value_cents", "reveal.nonce", "reveal.commitment", "awards"),
    ),
    "readings": (
        *("meter", "opening_cents", "closing_cents", "explained"),
        *(f"{account}.{each}" for account in ("display", "reserve", "carry") for each in _ACCOUNT),
        *(
            f"{counter}.{each}"
            for counter in ("in_cents", "hits", "wins_cents", "paid_by_attendant_cents")
            for each in _COUNTER
        ),
    ),
    "rounds": (
        *("round", "opened_at", "opened_seq", "locked_at", "locked_seq", "cause", "voided_seq", "voided_by"),
        *("void_reason", "wagers", "hands", "awards", "refused", "more_refused"),
    ),
    "actions": (
        *("seq", "at", "action", "person", "second", "refusal", "why", "client", "reason", "reference", "round"),
        *("award", "amount_cents", "method", "slip", "operator", "role", "active", "meter", "delta_cents", "source"),
        *("position", "on", "wager", "return_id", "player", "banker"),
    ),
    "operators": ("operator", "name", "role", "active", "locked_out", "pin_since"),
    "derive": (
        *("seq", "at", "what", "amount", "total", "round", "position", "wager", "stake_cents", "rate_millionths"),
        "table",
    ),
}
