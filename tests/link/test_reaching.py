"""What a DSN must say before anybody connects: nothing secret, nobody strange, only a server that can be written."""

import pytest

from controller.link.reaching import refuse_unsafe, words
from controller.link.sessions import LinkRefusedError
from controller.wire.link import LinkSettings

TWO = "host=db1,db2 sslmode=verify-full dbname=jackpot"


@pytest.mark.parametrize(
    "dsn",
    [
        "dbname=jackpot",
        "host=/run/postgresql dbname=jackpot",
        "host=localhost",
        "host=127.0.0.1 port=5433",
        "host=::1",
        "postgresql://controller@127.0.0.2/jackpot",
        "host=db1 sslmode=verify-full",
        "host=db1 sslmode=verify-ca",
        f"{TWO} target_session_attrs=read-write",
    ],
)
def test_a_safe_way_is_taken(dsn: str) -> None:
    assert refuse_unsafe(dsn, allow_plain_text=False) is not None


@pytest.mark.parametrize(
    ("dsn", "why", "remedy"),
    [
        ("host=localhost password=secret", "a password stands in it", "the credential link-password"),
        ("postgresql://u:secret@localhost/d", "a password stands in it", "the credential link-password"),
        ("host=db1 dbname=jackpot", "db1 is reached over a network", "sslmode=verify-full"),
        ("host=db1 sslmode=require", "sslmode=require", "sslmode=verify-full"),
        ("host=192.0.2.7", "192.0.2.7 is reached", "sslmode=verify-full"),
        ("host=localhost hostaddr=192.0.2.7", "192.0.2.7 is reached", "sslmode=verify-full"),
        (TWO, "2 hosts", "target_session_attrs=read-write"),
        (f"{TWO} target_session_attrs=any", "2 hosts", "target_session_attrs=read-write"),
        ("service=jackpot", "service names hosts elsewhere", "write the hosts here"),
        ("hosts=db1", "invalid connection option", "as libpq takes it"),
    ],
)
def test_an_unsafe_way_is_refused_by_key_and_remedy(dsn: str, why: str, remedy: str) -> None:
    with pytest.raises(LinkRefusedError) as refused:
        refuse_unsafe(dsn, allow_plain_text=False)
    told = str(refused.value)
    assert told.startswith("link.dsn: ")
    assert why in told
    assert remedy in told
    assert "secret" not in told


def test_plain_text_over_a_network_can_be_allowed_in_so_many_words() -> None:
    assert refuse_unsafe("host=db1", allow_plain_text=True)["host"] == "db1"


def test_the_environment_cannot_lead_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "192.0.2.7")
    with pytest.raises(LinkRefusedError, match=r"192\.0\.2\.7 is reached over a network"):
        refuse_unsafe("dbname=jackpot", allow_plain_text=False)
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    refuse_unsafe("dbname=jackpot", allow_plain_text=False)


def test_the_password_comes_beside_the_dsn_and_a_name_fits_the_server() -> None:
    settings = LinkSettings(name="bank", meter="harmony", dsn="host=localhost dbname=jackpot")
    dsn = words(settings, "j" * 63, password="it's a \\ secret")  # noqa: S106 -- of a test
    assert r"it\'s a \\ secret" in dsn
    with pytest.raises(ValueError, match="63 bytes"):
        words(settings, "j" * 64)
