"""`jackpotd link audit`: a link that adds up, and every way in which one does not, named."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import json
from msgspec.structs import replace
from psycopg import sql

from controller.chain import link as chained
from controller.core.accounts import Move
from controller.link.lines import Line
from tests.core.play import MINI
from tests.link.books import TABLES, Books, played_books
from tests.link.desk import Desk
from tests.link.floor import HARMONY, HEAVENLY9, Floor
from tests.link.player import meeting
from tests.link.server import Server


@pytest.fixture
def books(tmp_path: Path, server: Server, database: str) -> Books:
    return played_books(tmp_path, server, database, HARMONY)


@pytest.fixture
def mysteries(tmp_path: Path, server: Server, database: str) -> Books:
    return played_books(tmp_path, server, database, HEAVENLY9)


def test_a_link_that_was_played_adds_up_to_the_last_unit(books: Books) -> None:
    floor = books.floor
    words = ["link", "audit", "--config", str(floor.config("t-1"))]
    journals = [str(floor.journal(table)) for table in TABLES]
    done = floor.call(*words, "--journal", *journals)
    assert done.code == 0, done
    assert done.out.splitlines()[-1] == "the link bank adds up"
    assert "valley-forge/t-1: its journal and the ledger agree" in done.out
    said = floor.call(*words, "--journal", journals[0], "--json").json
    (meter,) = said["meters"]
    held = sum(meter[f"{name}_units"] for name in ("display", "reserve", "carry"))
    into = ("opened", "contributed", "awards_returned", "seeded", "adjusted")
    flowed = sum(meter[f"{name}_units"] for name in into) - meter["returned_units"] - meter["awarded_units"]
    assert held == flowed
    assert meter["contributed_units"] == sum(each["contributed_units"] for each in meter["tables"])
    assert said["not_compared"] == ["valley-forge/t-2"]


def test_a_changed_amount_is_found_by_the_chain(books: Books) -> None:
    books.change("harmony", 3, lambda line: replace(line, round=line.round), rechain=False)
    assert books.found() == []  # the very same line
    books.change("harmony", 3, lambda line: replace(line, after=replace(line.after, units=1)), rechain=False)
    (why,) = books.found()
    assert why.startswith("harmony: line 3: its hash is ")


def test_a_changed_amount_is_found_by_the_money_where_the_chain_was_made_anew(books: Books) -> None:
    books.change(
        "harmony", 1, lambda line: replace(line, after=replace(line.after, units=line.after.units - 1)), rechain=True
    )
    (why,) = books.found()
    assert why.startswith("harmony: line 1: it does not lead to units ")
    # And by every table's journal, whatever was made to fit in the database.
    assert any("it is not the one t-" in why for why in books.found(*TABLES))


def test_a_contribution_that_is_not_the_rate_of_its_wagers_is_found(books: Books) -> None:
    def raised(line: Line) -> Line:
        more = [Move(each.source, each.target, each.units + 500) for each in line.moves]
        return replace(line, moves=tuple(more))

    books.change("harmony", 1, raised, rechain=True)
    assert "at the rates filed" in books.found()[0]


def test_a_line_taken_out_is_found(books: Books) -> None:
    books.run("DELETE FROM jackpotd.ledger WHERE seq = 4")
    assert books.found()[0] == "harmony: line 4: line 5 stands in its place: lines are missing"


def test_the_last_line_taken_out_is_found_by_the_meter_and_by_the_journal(books: Books) -> None:
    ((last,),) = books.run("SELECT max(seq) FROM jackpotd.ledger")
    books.run("DELETE FROM jackpotd.ledger WHERE seq = %s", last)
    assert f"the meter's row says that line {last} is the last" in books.found()[0]
    assert any("of harmony was answered with line" in why for why in books.found(*TABLES))


def test_two_lines_swapped_are_found(books: Books) -> None:
    for seqs in ((2, 1_000), (3, 2), (1_000, 3)):
        books.run("UPDATE jackpotd.ledger SET seq = %s WHERE seq = %s", seqs[1], seqs[0])
    assert books.found()[0].startswith("harmony: line 2: its prev_hash is ")


def test_a_meter_changed_by_hand_is_found(books: Books) -> None:
    books.run("UPDATE jackpotd.meters SET state = replace(state, '\"in_cents\":', '\"in_cents\":1')")
    assert any("the meter's row is not as the last line left it: in_cents" in why for why in books.found())


def test_an_opening_changed_by_hand_is_found(books: Books) -> None:
    books.run("UPDATE jackpotd.meters SET opened = replace(opened, '\"units\":', '\"units\":9')")
    differences = books.found()
    assert differences[0] == "harmony: its opening: the meter was not opened with what is filed"


def test_a_line_that_no_table_asked_for_is_found_by_its_journal(books: Books) -> None:
    ((payload, at, round_, name),) = books.run(
        "SELECT payload, at, round, name FROM jackpotd.ledger WHERE kind = 'contribute' ORDER BY seq LIMIT 1"
    )
    line = json.decode(payload, type=Line)
    ((seq, hash_, state),) = books.run("SELECT seq, hash, state FROM jackpotd.meters")
    last = json.decode(books.run("SELECT payload FROM jackpotd.ledger WHERE seq = %s", seq)[0][0], type=Line).after
    given = {each.target.partition(":")[0]: each.units for each in line.moves}
    after = replace(
        last,
        units=last.units + given["meter"],
        reserve=last.reserve + given["reserve"],
        in_cents=last.in_cents + sum(cents for _, cents in line.stakes),
    )
    text = json.encode(replace(line, intent="t-1-999-i1", round=999, after=after)).decode()
    forged = (seq + 1, at, 999, "contribute", 1, text)
    new = chained(hash_, *forged)
    books.run(
        "INSERT INTO jackpotd.ledger "
        "(link, meter, seq, at, round, kind, version, payload, prev_hash, hash, name, intent) "
        "VALUES ('bank', 'harmony', %s, %s, %s, %s, %s, %s, %s, %s, %s, 't-1-999-i1')",
        *(*forged, hash_, new, name),
    )
    meter = json.decode(state) | {"units": after.units, "reserve": after.reserve, "in_cents": after.in_cents}
    books.run("UPDATE jackpotd.meters SET seq = seq + 1, hash = %s, state = %s", new, json.encode(meter).decode())
    assert books.found() == []  # the ledger alone is whole: its owner can make it so
    table = name.rpartition("/")[2]
    assert any(f"{table} never asked for t-1-999-i1" in why for why in books.found(*TABLES))
    assert round_


def test_a_value_that_is_not_the_one_committed_to_is_found(mysteries: Books) -> None:
    rows = mysteries.run("SELECT seq, payload FROM jackpotd.ledger WHERE meter = 'must-hit-by' ORDER BY seq")
    seq = next(seq for seq, payload in rows if json.decode(payload, type=Line).hits)

    def lowered(line: Line) -> Line:
        first = line.hits[0]
        return replace(line, hits=(replace(first, value_cents=first.value_cents - 1), *line.hits[1:]))

    assert mysteries.found(*TABLES) == []
    mysteries.change("must-hit-by", seq, lowered, rechain=True)
    assert f"must-hit-by: line {seq}: the value " in mysteries.found()[0]
    assert "is not the one committed to" in mysteries.found()[0]


def test_a_commitment_changed_in_mid_cycle_is_found(mysteries: Books) -> None:
    rows = mysteries.run("SELECT seq, payload FROM jackpotd.ledger WHERE meter = 'must-hit-by' ORDER BY seq")
    seq = next(seq for seq, payload in rows if not json.decode(payload, type=Line).hits)
    mysteries.change(
        "must-hit-by", seq, lambda line: replace(line, after=replace(line.after, commitment="00" * 32)), rechain=True
    )
    assert mysteries.found()[0] == f"must-hit-by: line {seq}: the commitment changed without a hit"


@pytest.fixture
def settled(tmp_path: Path, server: Server, database: str) -> Books:
    """A jackpot shared by three, of whom one was rejected; and a meter adjusted, and not adjusted."""
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")

    async def evening() -> None:
        with Desk(floor.setup("t-1")) as desk:
            desk.lock_out(1, 2, 3)
            await desk.ask_anew()
            desk.jackpot()
            await desk.ask_anew()
            desk.reject()
            await desk.ask_anew()
            desk.adjust(100)
            desk.adjust(100, expected=1)
            await desk.ask_anew()

    asyncio.run(evening())
    return Books(floor, server)


RESPLIT, ADJUSTED, REFUSED = 3, 4, 5  # lines of `settled`


def test_adjustments_are_told_table_by_table(settled: Books) -> None:
    (meter,) = settled.floor.audit("t-1")["meters"]
    assert (meter["adjusted_units"], meter["tables"][0]["adjusted_units"]) == (100_000_000, 100_000_000)
    told = settled.floor.call("link", "audit", "--config", str(settled.floor.config("t-1"))).out
    assert "+ adjustments, less those out of it" in told


def test_a_jackpot_of_a_meter_that_was_adjusted_to_nothing_leaves_nothing_open(
    tmp_path: Path, server: Server, database: str
) -> None:
    toml = "\n".join(line for line in MINI.splitlines() if not line.startswith("minimum_reseed"))
    floor = Floor(tmp_path, server.dsn(database), HARMONY, toml)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1, 2)
        asyncio.run(desk.ask_anew())
        desk.adjust(-desk.state.linked["harmony"])
        asyncio.run(desk.ask_anew())
        desk.jackpot()
        asyncio.run(desk.ask_anew())
        assert (desk.state.pending(), desk.state.linked["harmony"]) == ([], 50)  # the reserve of two wagers
    floor.audit("t-1")


def _more_for_one(line: Line) -> Line:
    (position, cents), other = line.split
    return replace(line, split=((position, cents + 1), other))


def _to_one_alone(line: Line) -> Line:
    """Both halves of a jackpot to one of two winners: the money adds up."""
    (first, cents), (second, _) = line.split
    (winner,) = [move for move in line.moves if move.target.endswith(f"/{first}")]
    (loser,) = [move for move in line.moves if move.target.endswith(f"/{second}")]
    moved = replace(winner, units=winner.units + loser.units)
    others = tuple(each for each in line.moves if each not in (winner, loser))
    return replace(line, split=((first, cents * 2), (second, 0)), moves=(*others, moved))


def _back_from_nobody(line: Line) -> Line:
    """An award comes back to the meter that was never made: what is held adds up."""
    more = Move("pending:t-1-9-i1/7", "meter:harmony", 1_000_000)
    after = replace(line.after, units=line.after.units + more.units, wins_cents=line.after.wins_cents - 1)
    return replace(line, moves=(*line.moves, more), after=after)


def _shifted(line: Line) -> Line:
    more = replace(line.moves[0], units=line.moves[0].units + 1_000_000)
    return replace(line, moves=(more,), after=replace(line.after, units=line.after.units + 1_000_000))


@pytest.mark.parametrize(
    ("seq", "how", "why"),
    [
        (RESPLIT, _more_for_one, "an equal share is "),
        (RESPLIT, _to_one_alone, "an equal share is "),
        (RESPLIT, lambda line: replace(line, split=()), "it shares a jackpot among nobody"),
        (RESPLIT, _back_from_nobody, "it takes more than there is"),
        (RESPLIT - 1, lambda line: replace(line, left_cents=line.left_cents + 1), "and the meter held "),
        (RESPLIT - 1, lambda line: replace(line, split=((1, 5),)), "it shares a jackpot that nobody gave up"),
        (ADJUSTED, _shifted, "an adjustment of 100 cents moves "),
        (ADJUSTED, lambda line: replace(line, expected_cents=7), "as if it had shown 7"),
        (ADJUSTED, lambda line: replace(line, refusal="stale"), "an adjustment of 0 cents moves "),
        (REFUSED, lambda line: replace(line, refusal=""), "an adjustment of 100 cents moves 0 units"),
    ],
)
def test_a_forged_share_or_adjustment_is_found_where_the_chain_was_made_anew(
    settled: Books, seq: int, how: Callable[[Line], Line], why: str
) -> None:
    assert settled.found("t-1") == []
    settled.change("harmony", seq, how, rechain=True)
    found = settled.found()[0]
    assert found.startswith(f"harmony: line {seq}: ")
    assert why in found


def test_a_refusal_that_the_table_was_not_told_is_found_by_its_journal(settled: Books) -> None:
    settled.change("harmony", REFUSED, lambda line: replace(line, refusal="unknown"), rechain=True)
    assert any("t-1 adjusted by $0.00 stale, the line by $0.00 unknown" in why for why in settled.found("t-1"))


def test_lines_of_the_version_before_are_read(settled: Books) -> None:
    settled.run("UPDATE jackpotd.ledger SET version = 1 WHERE kind IN ('contribute', 'hit')")
    settled.rechain("harmony")
    assert settled.found() == []
    settled.run("UPDATE jackpotd.ledger SET version = 3 WHERE seq = 2")
    settled.rechain("harmony")
    assert settled.found()[0] == "harmony: line 2: it is of version 3, this software knows 2"


def test_a_controller_killed_before_its_journal_has_the_answer_asks_again(
    tmp_path: Path, server: Server, database: str
) -> None:
    """At every step of moving what is carried into a linked meter that does not take it."""
    floor = Floor(tmp_path, server.dsn(database), HEAVENLY9)
    floor.open("t-1")
    with Desk(floor.setup("t-1", near=1)) as desk:
        while True:  # until a mystery value is passed
            desk.lock_out(1)
            asyncio.run(desk.ask_anew())
            if desk.state.pending():
                break
            desk.reopen()
        desk.reject()
        asyncio.run(desk.ask_anew())
        desk.adjust(100, expected=1, source="carry:must-hit-by")

    async def killed() -> bool:
        with Desk(floor.setup("t-1", near=1)) as desk:
            async with meeting(desk.setup)(desk.identity()) as session:
                await session.apply(desk.intents[0], desk.now())
        assert floor.audit("t-1")["journals"][0]["difference_units"] == 0
        with Desk(floor.setup("t-1", near=1)) as desk:
            async with meeting(desk.setup)(desk.identity()) as session:
                desk.take(await session.apply(desk.intents[0], desk.now()))
            return bool(desk.intents)

    steps = 1
    while asyncio.run(killed()):
        steps += 1
        assert floor.audit("t-1")["journals"][0]["difference_units"] == 0
    assert steps == 3  # out of the carry, not into the meter, and back
    meters = {each["meter"]: each for each in floor.audit("t-1")["meters"]}
    assert [each["adjusted_units"] for each in meters.values()] == [0, 0]
    assert meters["must-hit-by"]["carry_units"] > 0


def test_a_database_set_back_to_an_older_copy_is_named_as_that(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1)
        asyncio.run(desk.ask_anew())
        desk.reopen()
        with server.connect() as connection:
            names = {"copy": sql.Identifier(f"{database}_copy"), "old": sql.Identifier(database)}
            connection.execute(sql.SQL("CREATE DATABASE {copy} TEMPLATE {old}").format(**names))
        for _ in range(2):
            desk.lock_out(2)
            asyncio.run(desk.ask_anew())
            desk.reopen()
    floor.dsn = server.dsn(f"{database}_copy")
    done = floor.call("link", "audit", "--config", str(floor.config("t-1")), "--journal", str(floor.journal("t-1")))
    assert done.code == 1
    assert (
        "the journal of t-1 has 2 lines of harmony the ledger has not (2 to 3): the database was set back" in done.out
    )


def test_what_is_under_way_is_named_and_is_no_difference(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database), HARMONY)
    floor.open("t-1")
    with Desk(floor.setup("t-1")) as desk:
        desk.lock_out(1, 2)
        said = floor.audit("t-1")
        assert said["under_way"] == ["t-1 round 1: contribute of harmony asked, not yet applied $2.40"]
        assert said["journals"][0]["under_way_units"] == 240_000_000
        told = floor.call("link", "audit", "--config", str(floor.config("t-1")), "--journal", str(floor.journal("t-1")))
        assert "under way, and no difference:" in told.out
    journal = tmp_path / "before.db"
    shutil.copy(floor.journal("t-1"), journal)
    with Desk(floor.setup("t-1")) as desk:
        asyncio.run(desk.ask_anew())
    shutil.copy(journal, floor.journal("t-1"))  # as one that was killed before its journal had the answer
    assert floor.audit("t-1")["under_way"] == ["line 1 of harmony: the journal of t-1 has no answer yet"]


def test_bad_input_is_told_as_such(books: Books, tmp_path: Path) -> None:
    floor = books.floor
    words = ["link", "audit", "--config", str(floor.config("t-1")), "--journal"]
    other = tmp_path / "other"
    other.mkdir()
    stranger = Floor(other, floor.dsn)
    with Desk(stranger.setup("t-9")):
        pass
    for journals, why in (
        ([tmp_path / "nowhere.db"], "cannot be read"),
        ([stranger.journal("t-9")], "which is no table of the link bank"),
        ([floor.journal("t-1"), floor.journal("t-1")], "another journal of valley-forge/t-1"),
        ([floor.config("t-1")], "t-1.toml"),
    ):
        done = floor.call(*words, *map(str, journals))
        assert (done.code, done.out) == (2, ""), done
        assert why in done.err


def test_a_journal_that_is_not_whole_is_named(books: Books) -> None:
    with sqlite3.connect(books.floor.journal("t-1")) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE facts SET at = '2026-11-16T11:15:00.123456Z' WHERE seq = 5")
    connection.close()
    (why,) = books.found(*TABLES)
    assert "t-1.db is not whole, and was not compared: fact 5" in why


def test_a_link_that_was_never_made_is_bad_input(tmp_path: Path, server: Server, database: str) -> None:
    floor = Floor(tmp_path, server.dsn(database))
    done = floor.call("link", "audit", "--config", str(floor.config()))
    assert (done.code, done.out) == (2, "")
    assert "jackpotd link init" in done.err
