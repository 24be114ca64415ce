"""What the public sees of facts."""

from controller.journal.rows import Row
from controller.outlets.public import told


def row(type_: str, payload: str) -> Row:
    return Row(7, "2026-11-16T15:00:00.000000Z", 3, type_, 1, payload, bytes(32), bytes(32))


def test_what_is_sealed_is_left_out_however_deep() -> None:
    payload = (
        '{"meters":[{"id":"m","sealed":"c2VjcmV0","key_id":"k1","commitment":"ab"}],"deep":{"list":[{"sealed":"x"}]}}'
    )
    assert told([row("locked-out", payload)]) == [
        {
            "seq": 7,
            "at": "2026-11-16T15:00:00.000000Z",
            "round": 3,
            "type": "locked-out",
            "version": 1,
            "payload": {"meters": [{"id": "m", "commitment": "ab"}], "deep": {"list": [{}]}},
        }
    ]


def test_of_people_only_the_place_is_told() -> None:
    for type_ in ("operator-changed", "access-noted"):
        (found,) = told([row(type_, '{"operator":"ana","name":"Ana Ruiz"}')])
        assert (found["seq"], found["type"], found["payload"]) == (7, type_, {})
