"""Tokens: bound to a client, good for a time, and not too many."""

import re

import pytest

from controller.core.inputs import ROLES, Person
from controller.people.tokens import DEALER_SECONDS, IDLE_SECONDS, MOST_TOKENS, TOKEN_BYTES, Tokens, lifetime
from tests.people.tables import Clock

DEALER, FLOOR = Person("d", "dealer"), Person("f", "floorperson")


def tokens() -> tuple[Tokens, Clock]:
    clock = Clock()
    return Tokens(clock.seconds), clock


def test_a_token_is_32_random_bytes_in_letters_that_fit_a_url() -> None:
    held, _ = tokens()
    some = {held.login(FLOOR, "console").token for _ in range(50)}
    assert len(some) == 50
    assert TOKEN_BYTES == 32
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in some)


def test_a_token_is_good_at_its_own_client_only() -> None:
    held, _ = tokens()
    token = held.login(FLOOR, "console").token
    assert held.whose(token, "console") == FLOOR
    assert held.whose(token, "other") is None
    assert held.whose(token + "x", "console") is None
    assert held.whose("", "console") is None
    assert held.whose("\ud800", "console") is None
    assert held.whose(token, "console") == FLOOR


def test_a_dealer_has_twelve_hours_whatever_they_do() -> None:
    held, clock = tokens()
    session = held.login(DEALER, "console")
    assert session.seconds == DEALER_SECONDS == 12 * 3600
    for _ in range(11):
        clock.passed += 3600
        assert held.whose(session.token, "console") == DEALER
    clock.passed = DEALER_SECONDS - 0.001
    assert held.whose(session.token, "console") == DEALER
    clock.passed = DEALER_SECONDS
    assert held.whose(session.token, "console") is None


@pytest.mark.parametrize("role", [role for role in ROLES if role != "dealer"])
def test_others_have_five_minutes_since_they_last_did_something(role: str) -> None:
    held, clock = tokens()
    person = Person("x", role)
    session = held.login(person, "console")
    assert session.seconds == IDLE_SECONDS == lifetime(role) == 300
    for _ in range(100):
        clock.passed += IDLE_SECONDS - 0.001
        assert held.whose(session.token, "console") == person
    clock.passed += IDLE_SECONDS
    assert held.whose(session.token, "console") is None


def test_a_token_shown_elsewhere_is_not_kept_alive() -> None:
    held, clock = tokens()
    token = held.login(FLOOR, "console").token
    clock.passed += IDLE_SECONDS - 1
    assert held.whose(token, "other") is None
    clock.passed += 1
    assert held.whose(token, "console") is None


def test_signing_out_ends_one_token_and_sending_someone_away_ends_all_of_theirs() -> None:
    held, _ = tokens()
    first, second, other = (held.login(person, "console").token for person in (FLOOR, FLOOR, DEALER))
    held.forget(first)
    held.forget("unknown")
    assert held.whose(first, "console") is None
    assert held.whose(second, "console") == FLOOR
    held.forget_operator(FLOOR.id)
    assert held.whose(second, "console") is None
    assert held.whose(other, "console") == DEALER


def test_what_is_over_is_forgotten() -> None:
    held, clock = tokens()
    held.login(FLOOR, "console")
    held.login(DEALER, "console")
    clock.passed = IDLE_SECONDS
    held.expire()
    assert len(held) == 1


def test_there_are_so_many_and_one_more_signs_out_the_longest_idle() -> None:
    held, clock = tokens()
    some = []
    for _ in range(MOST_TOKENS):
        clock.passed += 0.1
        some.append(held.login(FLOOR, "console").token)
    assert len(held) == MOST_TOKENS
    assert held.whose(some[0], "console") == FLOOR
    more = held.login(DEALER, "console").token
    assert len(held) == MOST_TOKENS
    assert held.whose(some[1], "console") is None
    assert held.whose(some[0], "console") == FLOOR
    assert held.whose(more, "console") == DEALER


def test_no_repr_shows_a_token() -> None:
    held, _ = tokens()
    session = held.login(FLOOR, "console")
    assert session.token not in repr(session) + str(session) + f"{[session]}"
