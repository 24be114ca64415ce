"""A table as its messages tell it: the newest of each topic, and no word that is none of its own."""

import asyncio

from msgspec import json

from controller.demo.watching import LAST_HITS, STALE_SECONDS, Watched
from controller.wire.messages import Round, Status
from tests.demo.said import award, full_table, say, stand


def test_what_is_older_than_the_last_word_of_a_topic_is_dropped() -> None:
    table = Watched("mb-01")
    for epoch, seq, number in ((1, 5, 1), (1, 4, 9), (1, 6, 2), (2, 3, 3), (1, 99, 9)):
        say(table, "round", Round(**stand(seq, epoch), round=number, phase="open", positions={}))
    assert table.round is not None
    assert table.round.round == 3


def test_what_is_no_message_of_a_table_changes_nothing() -> None:
    table = Watched("mb-01")
    before = table.changes
    for payload in (b"", b"{", b"[]", b'{"round": 1}', b"\xff"):
        table.take(f"{table.base}/round", payload)
        table.take(f"{table.base}/status", payload)
        table.take(f"{table.base}/unheard/of", payload)
    assert table.changes == before
    assert table.round is None
    assert table.status is None


def test_an_award_waits_until_its_topic_is_emptied() -> None:
    table = Watched("mb-01")
    say(table, "awards/mb-01-7-1", award(7))
    say(table, "awards/mb-01-7-1", award(7))  # again, after a new connection
    assert list(table.pending) == ["mb-01-7-1"]
    assert [(hit.award.award, hit.settled) for hit in table.hits] == [("mb-01-7-1", False)]
    table.take(f"{table.base}/awards/mb-01-7-1", b"")
    assert not table.pending
    assert [hit.settled for hit in table.hits] == [True]
    assert table.hits_seen == 1


def test_of_hits_only_the_last_are_kept() -> None:
    table = full_table()
    assert table.hits_seen == 30
    assert len(table.hits) == LAST_HITS
    assert table.hits[-1].award.award == "mb-01-30-1"
    assert (table.player, table.banker) == (("KS", "9H", "TD"), ("2C", "TD", "TS"))


def test_a_table_that_is_not_heard_of_for_five_seconds_is_stale() -> None:
    now = [100.0]
    table = Watched("mb-01", lambda: now[0])
    found = [table.stale]  # it has not begun
    say(table, "status", Status(**stand(), state="online"))
    for later in (STALE_SECONDS, 0.001):
        now[0] += later
        found.append(table.stale)
    say(table, "status", Status(**stand(), state="online"))
    assert [*found, table.stale] == [False, False, True, False]


def test_waiting_ends_with_what_is_waited_for_or_with_the_time() -> None:
    async def main() -> None:
        table = Watched("mb-01")
        opened = asyncio.create_task(table.until(lambda: table.round is not None and table.round.phase == "open", 30))
        await asyncio.sleep(0)
        for seq, phase in enumerate(("closed", "open"), start=1):
            message = {**stand(seq), "round": 1, "phase": phase, "positions": {}}
            table.take(f"{table.base}/round", json.encode(message))
            await asyncio.sleep(0)
        assert await opened
        assert not await table.until(lambda: False, 0.01)
        assert await table.until(lambda: True, 0)

    asyncio.run(main())
