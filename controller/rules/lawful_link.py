"""The table [link] of a configuration, held against the catalog: which meters several tables may share."""

from controller.rules import catalog
from controller.rules.fields import Fields
from controller.rules.lawful_table import Seen


def read_link(fields: Fields | None, table: Seen) -> None:
    """Refuse a meter that cannot be linked. One that is not filed may be named: it is linked when it comes.

    The other keys are the service's own to read.
    """
    if fields is None or not fields.has("meter"):
        return
    for id_ in fields.words("meter"):
        law = catalog.tables()["links"]
        allowed = law.get(id_, {}).get("games")
        if allowed is None:
            barred = next(
                (each["barred"] for name, each in law.items() if "barred" in each and id_.startswith(name)), ""
            )
            place = catalog.cite(barred) if barred else "§ 605a.8"
            known = ", ".join(name for name, each in law.items() if "games" in each)
            fields.note("meter", f"{id_!r} cannot be linked: {known} can", place)
        elif table.game is not None and table.game not in allowed:
            fields.note("meter", f"{id_} is not linked on {table.game}", _places(allowed))


def _places(allowed: dict[str, str]) -> str:
    return ", ".join(str(catalog.cite(place)) for place in allowed.values())
