"""What is chosen for a run, and not left to its seed."""

from msgspec import Struct

MOST_HOURS = 24.0


class Choices(Struct, frozen=True):
    """The rest of a run stays as it is, whatever is chosen."""

    table: str = ""  # the name of a submission; empty: by the seed
    fair: bool = False  # whether mystery values are drawn as in life, or mostly low, so that many are hit
    hours: float = 0.0  # that the table is open each day: a short day is soon over; 0: by the seed


BY_THE_SEED = Choices()
