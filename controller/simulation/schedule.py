"""What goes wrong in a run, and when: a list made from the seed, of which any part can be left out."""

from random import Random

from msgspec import Struct

POWER, RESTARTS, KILL, STOP = "power", "restarts", "kill", "stop"
DISK_FULL, DISK_ERROR = "disk-full", "disk-error"
NOISE, STUCK, CHATTER, UNPLUG, SILENT, BUTTON = "noise", "stuck", "chatter", "unplug", "silent", "button"
BROKER, PARTITION, DUPLICATES, SLOW, SIGN = "broker", "partition", "duplicates", "slow", "sign"
CLOCK, MISTAKES, AGAIN, OFFICE, FILING = "clock", "mistakes", "again", "office", "filing"

# Each with how often it comes, beside the others, and how long it lasts, in seconds.
KINDS: dict[str, tuple[int, float, float]] = {
    POWER: (6, 0, 0),  # in the midst of a write: what was not synced is lost, or torn
    RESTARTS: (2, 0, 0),  # and again while it starts
    KILL: (2, 0, 0),
    STOP: (1, 0, 0),  # an orderly one
    DISK_FULL: (1, 5, 120),
    DISK_ERROR: (1, 1, 30),
    NOISE: (4, 0.5, 6),  # bits flipped and bytes lost on a line
    STUCK: (3, 20, 600),  # a sensor that says always the same
    CHATTER: (3, 0.5, 4),  # a sensor that cannot decide
    UNPLUG: (3, 0.3, 30),
    SILENT: (2, 0.3, 20),  # one board of several
    BUTTON: (1, 5, 60),  # whose wire is off
    BROKER: (2, 0.5, 90),
    PARTITION: (2, 1, 90),
    DUPLICATES: (2, 30, 600),
    SLOW: (2, 5, 60),
    SIGN: (1, 0, 0),  # that is switched off and on
    CLOCK: (2, 30, 300),
    MISTAKES: (16, 0, 0),  # of people
    AGAIN: (3, 60, 900),  # commands sent a second time under their id
    FILING: (1, 0, 0),  # another Rules Submission, by two supervisors
    OFFICE: (6, 0, 0),  # what supervisors, floorpersons and auditors do now and then; it goes wrong with the rest
}
ROUNDS_BETWEEN = 3.0  # one for so many hands, on average


class Fault(Struct, frozen=True):
    """One thing that goes wrong: `after` so many seconds of the hand `round`, for `seconds`."""

    number: int
    kind: str
    round: int
    after: float
    seconds: float

    def chance(self, seed: object) -> Random:
        """All that is left to chance in it."""
        return Random(f"{seed} fault {self.number}")


def schedule(seed: int, rounds: int, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Fault]:
    """All that goes wrong in a run; kinds that are not wanted are left out, and the rest stays as it is."""
    chance, names, found = Random(f"{seed} schedule"), list(KINDS), list[Fault]()
    weights = [KINDS[name][0] for name in names]
    at = 0.0
    while True:
        at += chance.expovariate(1 / ROUNDS_BETWEEN)
        kind = chance.choices(names, weights)[0]
        _, least, most = KINDS[kind]
        fault = Fault(len(found), kind, int(at), chance.uniform(0, 40), chance.uniform(least, most))
        if at >= rounds:
            return [each for each in found if each.kind in kinds]
        found.append(fault)
