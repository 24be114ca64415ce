"""The tests' own server: durable as it comes, and it comes back after all that is done to it."""

import psycopg
import pytest

from tests.link.server import Server


def test_it_is_as_durable_as_it_comes(server: Server) -> None:
    for name in ("fsync", "synchronous_commit", "full_page_writes"):
        assert server.run("SELECT current_setting(%s)", (name,)) == [("on",)]


def test_what_is_committed_survives_a_crash(own_server: Server) -> None:
    own_server.run("CREATE TABLE kept (n int)")
    own_server.run("INSERT INTO kept VALUES (7)")
    own_server.crash()
    with pytest.raises(psycopg.OperationalError):
        own_server.run("SELECT 1")
    own_server.start()
    assert own_server.run("SELECT n FROM kept") == [(7,)]


def test_a_frozen_server_says_nothing_and_goes_on_where_it_was(own_server: Server) -> None:
    own_server.freeze()
    with pytest.raises(psycopg.OperationalError, match="timeout"):
        psycopg.connect(own_server.dsn(tcp=True), connect_timeout=2)
    own_server.thaw()
    assert own_server.answers()


def test_a_standby_has_what_was_committed_and_can_take_over(own_server: Server) -> None:
    standby = own_server.standby()
    try:
        own_server.run("CREATE TABLE kept (n int)")
        own_server.crash()
        assert standby.run("SELECT pg_is_in_recovery()") == [(True,)]
        standby.promote()
        standby.run("INSERT INTO kept VALUES (7)")
        assert standby.run("SELECT n FROM kept") == [(7,)]
    finally:
        standby.end()
