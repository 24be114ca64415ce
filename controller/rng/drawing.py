"""A sample of the draw as the product makes it: by the vault, sealed and committed to like every value."""

import secrets
from collections.abc import Iterator

from controller.rng.battery import LEAST_DRAWS, Sample
from controller.rules import catalog
from controller.rules.errors import BadInputError
from controller.vault import Vault, key_id

MOST_DRAWS = 10_000_000  # some minutes, and half a gigabyte
_KEY_BYTES = 32
_WORD = 2**32  # of a stream: four bytes are one draw


def vault() -> Vault:
    """A vault with a key of its own, which nobody else has and which ends with the program."""
    key = secrets.token_bytes(_KEY_BYTES)
    return Vault({key_id(key): key}, key_id(key))


def sample(mystery: str, draws: int) -> Sample:
    """Values of one configuration, drawn one cycle after the other."""
    found = catalog.mysteries().get(mystery)
    if found is None:
        raise BadInputError(f"{mystery!r} is no mystery configuration: {', '.join(catalog.mysteries())} are")
    if not LEAST_DRAWS <= draws <= MOST_DRAWS:
        raise BadInputError(f"--draws {draws}: from {LEAST_DRAWS} to {MOST_DRAWS}")
    drawing, low, high = vault(), found.minimum_cents, found.maximum_cents
    values = [drawing.draw("rng/test", found.meter, cycle, low, high).cents for cycle in range(1, draws + 1)]
    return Sample(values, low, high)


def words() -> Iterator[bytes]:
    """Draws from all 32-bit words, for batteries that read bits, without an end."""
    drawing, cycle = vault(), 0
    while True:
        cycle += 1
        yield drawing.draw("rng/stream", "words", cycle, 0, _WORD).cents.to_bytes(4, "little")
