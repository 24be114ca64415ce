"""Does a server keep what it says it has kept? Asked at the start of every session, and by `jackpotd link status`."""

from collections.abc import Mapping

from controller.wire.link import LinkSettings

ON = ("fsync", "full_page_writes")  # off, a power cut costs what was acknowledged, or the whole database
SETTINGS = (*ON, "synchronous_commit", "synchronous_standby_names")
ASK = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)"


def flaws(found: Mapping[str, str], settings: LinkSettings) -> list[str]:
    """Why a session with these settings would be told of commits that are not durable as the configuration asks."""
    wrong = [f"{name} is {found[name]}" for name in ON if found[name] != "on"]
    if found["synchronous_commit"] != settings.synchronous_commit:
        wrong.append(f"synchronous_commit is {found['synchronous_commit']}, not {settings.synchronous_commit}")
    if not found["synchronous_standby_names"]:
        if settings.standby:
            wrong.append("synchronous_standby_names is empty, and link.standby asks for one")
        elif settings.synchronous_commit == "remote_apply":
            wrong.append("synchronous_standby_names is empty, and remote_apply waits for nobody then")
    return wrong
