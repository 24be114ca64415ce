"""What a lamp shows, as light over time. Blinks are driven from here: a board that holds its outputs invites nobody."""

SLOT_SECONDS = 0.125  # the quickest change of a lamp, and a bus at 9600 baud can follow it
SLOTS = 8  # one period: a second

# Light (#) and dark (.) in each eighth of a second.
LIGHTS = {
    "off": "........",
    "on": "########",
    "blink": "####....",
    "fast": "#.#.#.#.",
    "wink": "#######.",
    "flash": "#.#.#...",
}
# What the controller says of a wager, and how one lamp of one colour shows it: only an accepted wager is steady light.
PATTERNS = {
    "off": "off",
    "invite": "blink",
    "placed": "wink",
    "accepted": "on",
    "refused": "fast",
    "won": "flash",
    "fault": "off",
}
FLASH_SECONDS = 2.0  # a late bet, or a chip pulled: long enough to look up


def slot(now: float) -> int:
    """The place in the period at a time."""
    return int(now / SLOT_SECONDS) % SLOTS


def is_lit(light: str, slot_: int) -> bool:
    """Whether a lamp shines in a slot."""
    return LIGHTS[light][slot_] == "#"
