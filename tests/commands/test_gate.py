"""What clients may have under way, on both sides of every limit."""

from contextlib import ExitStack

import pytest

from controller.commands.gate import (
    MOST_OF_A_CLIENT,
    MOST_PER_MINUTE,
    MOST_QUERIES,
    MOST_QUERIES_OF_A_CLIENT,
    MOST_UNDER_WAY,
    Gate,
)


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("name", "most", "of_one", "words"),
    [
        ("validate", MOST_UNDER_WAY, MOST_OF_A_CLIENT, "commands"),
        ("query-hits", MOST_QUERIES, MOST_QUERIES_OF_A_CLIENT, "queries"),
    ],
)
def test_one_client_leaves_room_for_others_and_all_have_an_end(name: str, most: int, of_one: int, words: str) -> None:
    gate = Gate()
    with ExitStack() as under_way:
        for number in range(most):
            client = f"client-{number // of_one}"
            assert gate.shut(client, name) == ""
            under_way.enter_context(gate.passing(client, name))
            if (number + 1) % of_one == 0 and number + 1 < most:
                assert f"{of_one} {words} of this client" in gate.shut(client, name)
        assert f"{most} {words} are under way" in gate.shut("another", name)
        if words == "queries":
            assert gate.shut("another", "validate") == ""  # a dealer does not wait for an auditor
    assert gate.shut("client-0", name) == ""


def test_a_client_has_so_many_a_minute() -> None:
    seconds = Seconds()
    gate = Gate(seconds)
    assert [gate.shut("console", "validate") for _ in range(MOST_PER_MINUTE)] == [""] * MOST_PER_MINUTE
    assert "within a minute" in gate.shut("console", "validate")
    assert gate.shut("other", "validate") == ""
    seconds.now += 60
    assert gate.shut("console", "validate") == ""
