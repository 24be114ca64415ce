"""The topics of one table, under `jackpot/<site>/<table>`."""

STATUS, ROUND, HEAD, EVENTS = "status", "round", "journal/head", "events"
COMMANDS = "commands/+/+"  # of every client


def base(site: str, table: str) -> str:
    """Where a table's topics begin."""
    return f"jackpot/{site}/{table}"


def meter(id_: str) -> str:
    """A meter's amount and its hits."""
    return f"meters/{id_}"


def proof(id_: str) -> str:
    """A mystery meter's commitment and its reveals."""
    return f"proofs/{id_}"


def award(id_: str) -> str:
    """An award that waits for its validation."""
    return f"awards/{id_}"


def device(id_: str) -> str:
    """How a device is."""
    return f"devices/{id_}"


def command(client: str, name: str) -> str:
    """Where a client asks for something."""
    return f"commands/{client}/{name}"


def reply(client: str, id_: str) -> str:
    """Where the answer goes: only to the client that asked."""
    return f"replies/{client}/{id_}"
