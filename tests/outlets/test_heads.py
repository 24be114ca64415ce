"""What the broker keeps, held against the journal: ahead by a single fact in any message is ahead."""

import pytest
from msgspec import json

from controller.journal.memory import MemoryJournal
from controller.outlets.broker import MOST_EVENTS_BYTES, _short
from controller.outlets.heads import RolledBackError, compare, is_kept, not_below
from controller.wire.messages import Head, Status
from tests.journal.entries import entries

AT = "2026-11-16T11:15:00.123456Z"


def journal(facts: int) -> MemoryJournal:
    made = MemoryJournal()
    made.append(entries(facts))
    return made


def said(seq: int) -> bytes:
    return json.encode({"v": 1, "epoch": 3, "seq": seq, "at": AT, "display_cents": 5})


@pytest.mark.parametrize("topic", ["meters/harmony", "awards/mb-07-5-1", "proofs/royal9-mystery", "status", "round"])
def test_a_message_of_a_fact_that_is_not_there_is_found_out(topic: str) -> None:
    assert compare({topic: said(5)}, journal(5))
    with pytest.raises(RolledBackError, match=f"knows fact 6 of this table .{topic}., the journal ends at fact 5"):
        compare({topic: said(6)}, journal(5))


def test_the_anchor_must_be_a_fact_of_this_journal() -> None:
    mine, other = journal(5), MemoryJournal()
    other.append(entries(7, first=3))
    head = mine.head()
    anchor = {"journal/head": json.encode(Head(epoch=1, seq=head.seq, at=AT, hash=head.hash.hex()))}
    assert compare(anchor, mine)
    with pytest.raises(RolledBackError, match="another journal"):
        compare(anchor, other)
    assert compare({}, mine)


@pytest.mark.parametrize("junk", [b"junk", b"[]", b"{}", b'{"seq":"five"}'])
def test_what_is_not_ours_refuses_nothing_and_an_anchor_that_is_not_is_told(junk: bytes) -> None:
    assert compare({"meters/harmony": junk}, journal(5))
    assert not compare({"journal/head": junk}, journal(5))


@pytest.mark.parametrize(("state", "kept"), [("online", True), ("faulted", True), ("offline", False)])
def test_who_did_not_say_goodbye_may_be_there(state: str, kept: bool) -> None:
    status = json.encode({"epoch": 1, "seq": 2, "at": AT, "state": state})
    assert is_kept({"status": status}) == kept
    assert not is_kept({})
    assert not is_kept({"status": b"junk"})


def test_a_refusal_stands_where_signs_stand() -> None:
    own = Status(epoch=2, seq=9, at=AT, state="faulted")
    higher = json.encode({"epoch": 3, "seq": 1, "at": AT, "state": "online"})
    lower = json.encode({"epoch": 2, "seq": 8, "at": AT, "state": "online"})
    assert (not_below({"status": higher}, own).epoch, not_below({"status": higher}, own).seq) == (3, 1)
    assert not_below({"status": lower}, own) == own
    assert not_below({"status": b"junk"}, own) == own


def test_a_message_of_facts_has_an_end_and_at_least_one() -> None:
    rows = list(journal(4).rows())
    half = "x" * (MOST_EVENTS_BYTES // 2)
    assert len(_short([row._replace(payload=half) for row in rows])) == 2
    assert len(_short([row._replace(payload=half + "x") for row in rows])) == 1
    assert len(_short([row._replace(payload=half * 4) for row in rows])) == 1
    assert len(_short(rows)) == 4
