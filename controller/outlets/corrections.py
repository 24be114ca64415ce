"""Which fact made a meter fall without a hit: a sign that shows less than before says why."""

from controller.core.state import State
from controller.journal.journal import Journal
from controller.journal.starting import recorded
from controller.outlets.messages import fallen


def corrections(before: State, after: State, journal: Journal) -> dict[str, int]:
    """For each meter that shows less than before within one cycle, which no hit explains: the last fact that took."""
    less = {id_ for id_, meter in before.meters.items() if id_ in after.meters and fallen(meter, after.meters[id_])}
    if not less:
        return {}
    found: dict[str, int] = {}
    units = {id_: before.meters[id_].units for id_ in less}
    for row in journal.rows(before.seq, after.seq):
        for changed in recorded(row).fact.meters:
            if changed.id in less and isinstance(changed.units, int):
                if changed.units < units[changed.id]:
                    found[changed.id] = row.seq
                units[changed.id] = changed.units
    return found
