"""docs/mqtt-commands.md says what is true: its table is the types', its figures the code's."""

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import fields

from controller import asking
from controller.commands import looks, paging, rounds, telling
from controller.people.rights import QUERIES, RIGHTS
from controller.wire import command_rows as rows
from controller.wire.commands import (
    MOST_AGE_SECONDS,
    MOST_REQUEST_BYTES,
    MOST_ROWS,
    MOST_SUBMISSION_BYTES,
    REPLIES,
    REQUESTS,
    ErrorName,
    Reply,
    Request,
)

DOCUMENT = (Path(__file__).parents[2] / "docs/mqtt-commands.md").read_text()
TEXT = " ".join(DOCUMENT.split())
ROWS = {
    name: [cell.strip() for cell in cells.split("|")]
    for name, cells in re.findall(r"^\| `([a-z-]+)` \|(.*)\|$", DOCUMENT.partition("## Pages")[0], re.MULTILINE)
}
ASKED, TOLD = ({field.name for field in fields(type_)} for type_ in (Request, Reply))


def words(cell: str) -> list[str]:
    return re.findall(r"`([a-z_]+)`", cell)


def test_every_command_is_in_the_table() -> None:
    found = ROWS.keys() - {"id", "at", "token", "second"}
    assert found == REQUESTS.keys() == REPLIES.keys()


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_its_fields_are_those_of_the_types(name: str) -> None:
    request, reply = ROWS[name][:2]
    assert set(words(request)) == {f.encode_name for f in fields(REQUESTS[name]) if f.name not in ASKED}
    assert set(words(reply)) == {f.encode_name for f in fields(REPLIES[name]) if f.name not in TOLD}
    optional = set(re.findall(r"`([a-z_]+)`\?", request))
    assert optional == {f.encode_name for f in fields(REQUESTS[name]) if f.name not in ASKED and not f.required}


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_its_people_are_those_of_the_table_of_rights(name: str) -> None:
    least, people = ROWS[name][2:4]
    if name in QUERIES:
        assert (least, people) == ("floorperson", "one")
    elif name in RIGHTS:
        assert (least, people) == (RIGHTS[name].least, RIGHTS[name].people.value)
    else:
        assert (least, people) == ("", "")


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_its_errors_are_errors_there_are(name: str) -> None:
    named = re.findall(r"`([a-z-]+)`", ROWS[name][4])
    assert set(named) < set(get_args(ErrorName))
    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("type_", "row"),
    [
        (rows.HitRow, "hits"),
        (rows.AwardRow, "awards"),
        (rows.DerivedLine, "lines"),
        (rows.MeterDay, "meters"),
        (rows.RoundRow, "rounds"),
        (rows.OperatorRow, "operators"),
    ],
)
def test_every_field_of_a_row_is_named(type_: type, row: str) -> None:
    (cell,) = re.findall(rf"^\| `{row}`[^|]*\|(.*)\|$", DOCUMENT.partition("| rows |")[2], re.MULTILINE)
    assert {field.name for field in fields(type_)} <= set(words(cell))


def test_every_field_of_a_slip_is_named() -> None:
    told = DOCUMENT.partition("answers with the slip")[2].partition("`base_wager`")[0]
    assert {field.name for field in fields(rows.Slip)} - {"reprint"} == set(words(told))


def test_figures_are_those_of_the_code() -> None:
    for sentence in (
        f"at most {MOST_AGE_SECONDS} s from the controller's clock",
        f"at most {MOST_REQUEST_BYTES >> 10} KiB, `change-submission` {MOST_SUBMISSION_BYTES >> 10} KiB",
        f"the last {telling.MOST_KEPT} ids",
        f"at most {MOST_ROWS} rows (`limit`), and at most {paging.MOST_PAGE_BYTES >> 20} MiB",
        f"and at most {looks.QUERY_SECONDS:g} s",
        f"{rounds.MOST_REFUSED} at most and `more_refused`",
        f"in {asking.TRIES * asking.REPLY_SECONDS:g} s",
    ):
        assert sentence in TEXT, sentence
    assert (asking.TRIES, looks.QUERIES_AT_ONCE) == (3, 1)


def test_the_example_is_python() -> None:
    (program,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    namespace: dict[str, object] = {}
    exec(compile(program, "docs/mqtt-commands.md", "exec"), namespace)  # noqa: S102 -- our own document
    assert callable(namespace["close"])
