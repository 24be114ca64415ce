"""How a link's database is reached: what its DSN must say before anything is sent to it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import psycopg
from psycopg import conninfo
from psycopg.rows import TupleRow

from controller.link.sessions import LinkLostError, LinkRefusedError
from controller.wire.link import LinkSettings

Connection = psycopg.Connection[TupleRow]

KEY = "link.dsn"
CONNECT_SECONDS = 2  # of a session; libpq takes no less
PATIENT_SECONDS = 10  # of a command: nobody plays meanwhile
_MOST_NAME = 63  # bytes of an application_name: PostgreSQL cuts off what is longer, and two names would be one
_SAFE = ("verify-full", "verify-ca")  # anything less takes whoever answers for the server


def words(settings: LinkSettings, who: str, *, password: str | None = None, patience_s: int = CONNECT_SECONDS) -> str:
    """A DSN to connect with, once it is sure that it tells nobody a secret and leads to a server that can be written.

    `who` is the name the server shows for the session.
    """
    parts = refuse_unsafe(settings.dsn, allow_plain_text=settings.allow_plain_text_over_the_network)
    if len(who.encode()) > _MOST_NAME:
        raise ValueError(f"{who}: a server shows at most {_MOST_NAME} bytes of a session's name")
    parts |= {"application_name": who, "connect_timeout": str(patience_s)}
    if password is not None:
        parts["password"] = password
    return conninfo.make_conninfo("", **parts)


def refuse_unsafe(dsn: str, *, allow_plain_text: bool, key: str = KEY) -> dict[str, str]:
    """The parts of a DSN; refused where one would tell a secret, trust a stranger or lead to a standby."""
    try:
        parts = {name: str(part) for name, part in conninfo.conninfo_to_dict(dsn).items() if part is not None}
    except psycopg.ProgrammingError as error:
        raise LinkRefusedError(
            f'{key}: {told(error)}: write it as libpq takes it, like "host=db1,db2 dbname=jackpot"'
        ) from error
    if "password" in parts or "sslpassword" in parts:
        raise LinkRefusedError(
            f"{key}: a password stands in it, where everybody reads it who reads the file: take it out, and give it as "
            "the credential link-password"
        )
    if "service" in parts:
        raise LinkRefusedError(f"{key}: service names hosts elsewhere, which are not looked at: write the hosts here")
    hosts = _hosts(parts)
    if len(hosts) > 1 and parts.get("target_session_attrs") != "read-write":
        raise LinkRefusedError(
            f"{key}: {len(hosts)} hosts, and a standby among them could be taken: add target_session_attrs=read-write"
        )
    mode = parts.get("sslmode", os.environ.get("PGSSLMODE", ""))
    open_ = [host for host in hosts if not _is_here(host)]
    if open_ and mode not in _SAFE and not allow_plain_text:
        raise LinkRefusedError(
            f"{key}: {open_[0]} is reached over a network, where with sslmode={mode or 'prefer'} anyone could answer "
            "for it: set sslmode=verify-full and sslrootcert, or allow_plain_text_over_the_network = true"
        )
    return parts


def _hosts(parts: dict[str, str]) -> list[str]:
    """Where libpq would go: addresses before names, and without either where the environment says."""
    named = parts.get("hostaddr") or parts.get("host") or os.environ.get("PGHOSTADDR") or os.environ.get("PGHOST", "")
    return named.split(",")


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a socket in a folder, or loopback."""
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def connected(settings: LinkSettings, who: str, *, password: str | None = None) -> Iterator[Connection]:
    """A connection for one question; statements stand alone unless a transaction is begun."""
    with opened(words(settings, who, password=password, patience_s=PATIENT_SECONDS)) as connection:
        yield connection


@contextmanager
def opened(dsn: str) -> Iterator[Connection]:
    """The same, where the DSN is looked at already."""
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            yield connection
    except psycopg.Error as error:
        raise LinkLostError(told(error)) from error


def told(error: BaseException) -> str:
    """What the library says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
