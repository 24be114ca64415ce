"""Steps on a connection that are ready are taken at once; the others wait in the loop, and an end is noticed."""

import socket
from collections.abc import Iterator

import pytest
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

from controller.link.eager import _eagerly


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    here, there = socket.socketpair()
    with here, there:
        yield here, there


def _steps(*wanted: Wait) -> PQGen[list[Ready]]:
    found: list[Ready] = []
    for each in wanted:
        found.append(Ready((yield each)))  # noqa: PERF401 -- a comprehension cannot yield
    return found


def _ended(steps: PQGen[list[Ready]]) -> list[Ready]:
    with pytest.raises(StopIteration) as ended:
        next(steps)
    found: list[Ready] = ended.value.value
    return found


def test_what_can_be_written_is_not_waited_for(pair: tuple[socket.socket, socket.socket]) -> None:
    steps = _eagerly(_steps(Wait.W, Wait.RW), pair[0].fileno())
    assert _ended(steps) == [Ready.W, Ready.W]


def test_what_is_there_to_be_read_is_not_waited_for(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[1].send(b"answer")
    steps = _eagerly(_steps(Wait.R, Wait.RW), pair[0].fileno())
    assert _ended(steps) == [Ready.R, Ready.RW]


def test_an_answer_that_is_not_there_is_waited_for_once(pair: tuple[socket.socket, socket.socket]) -> None:
    steps = _eagerly(_steps(Wait.W, Wait.R, Wait.W), pair[0].fileno())
    assert next(steps) == Wait.R
    with pytest.raises(StopIteration) as ended:
        steps.send(Ready.R)
    assert ended.value.value == [Ready.W, Ready.R, Ready.W]


def test_a_wait_that_was_over_before_anything_came_is_begun_again(pair: tuple[socket.socket, socket.socket]) -> None:
    steps = _eagerly(_steps(Wait.R, Wait.R), pair[0].fileno())
    assert next(steps) == Wait.R
    assert steps.send(Ready.NONE) == Wait.R


@pytest.mark.parametrize("how", [socket.SHUT_RDWR, None], ids=["hung up here", "closed there"])
def test_the_end_of_a_connection_can_be_read(pair: tuple[socket.socket, socket.socket], how: int | None) -> None:
    here, there = pair
    if how is None:
        there.close()
    else:
        here.shutdown(how)
    (found,) = _ended(_eagerly(_steps(Wait.R), here.fileno()))
    assert found & Ready.R
