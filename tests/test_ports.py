import socket

import pytest

from tests import ports
from tests.ports import BLOCK, FIRST, LAST, Block, NoPortError, free_port


def test_ports_lie_below_those_the_kernel_hands_out() -> None:
    given = [free_port() for _ in range(5)]
    assert len(set(given)) == 5
    assert all(FIRST < port <= LAST for port in given)


def test_a_port_that_is_taken_is_passed_over() -> None:
    block = Block.claim()
    with socket.socket() as taken:
        first = block.port()
        taken.bind(("127.0.0.1", first + 1))
        assert block.port() == first + 2
    block.close()


def test_processes_side_by_side_get_blocks_of_their_own() -> None:
    one, other = Block.claim(), Block.claim()
    assert abs(one.port() - other.port()) >= BLOCK - 1
    one.close()
    other.close()


def test_ports_come_round_again_and_run_out_with_a_remedy() -> None:
    whole = Block.claim()
    first = whole.port()
    block = Block(first - 1, socket.socket(), 3)
    assert block.port() == first
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", first))
        assert [block.port(), block.port()] == [first + 1, first + 1]
        other.bind(("127.0.0.1", first + 1))
        with pytest.raises(NoPortError, match="end the servers"):
            block.port()
    block.close()
    whole.close()


def test_when_all_blocks_are_held_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "LAST", FIRST + BLOCK - 2)
    with pytest.raises(NoPortError, match="end other runs"):
        Block.claim()
