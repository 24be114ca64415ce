"""Who may say and hear what at a demonstration's broker: the rights of `config/mosquitto/acl`, and its people's."""

from msgspec import Struct

SITE = "demonstration"  # never the name of a house: no live table's topics begin with it
CONTROLLER, CONSOLE, SIGN, STAFF = "controller", "console", "sign", "staff"

_PUBLIC = ("status", "meters/#", "round", "awards/#", "proofs/#", "devices/#", "journal/head")


class Rights(Struct, frozen=True):
    """What one user may do, as filters below a table's base."""

    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


RIGHTS = {
    CONTROLLER: Rights(write=(*_PUBLIC, "events", "replies/+/+"), read=(*_PUBLIC, "commands/+/+")),
    CONSOLE: Rights(write=(f"commands/{CONSOLE}/+",), read=(*_PUBLIC, f"replies/{CONSOLE}/+")),
    SIGN: Rights(read=("status", "meters/#")),
    # The people of the demonstration, and what watches the table for them and for the terminal.
    STAFF: Rights(write=(f"commands/{STAFF}/+",), read=(*_PUBLIC, "events", f"replies/{STAFF}/+")),
}


def may_write(user: str, topic: str) -> bool:
    """Whether a user may publish there."""
    return user in RIGHTS and any(covers(_below(each), topic) for each in RIGHTS[user].write)


def may_read(user: str, wanted: str) -> bool:
    """Whether a user may subscribe to a filter: all it can match must be theirs to read."""
    return user in RIGHTS and any(covers(_below(each), wanted) for each in RIGHTS[user].read)


def _below(part: str) -> str:
    return f"jackpot/{SITE}/+/{part}"


def covers(allowed: str, wanted: str) -> bool:
    """Whether every topic that `wanted` matches, itself a topic or a filter, is matched by `allowed`."""
    allowed_levels, wanted_levels = allowed.split("/"), wanted.split("/")
    for at, level in enumerate(allowed_levels):
        if level == "#":
            return True
        if at >= len(wanted_levels) or wanted_levels[at] == "#":
            return False
        if level not in ("+", wanted_levels[at]):
            return False
    return len(allowed_levels) == len(wanted_levels)
