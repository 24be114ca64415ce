"""The settings of the service: what stands beside the Rules Submission in a table's configuration."""

from typing import Annotated

from msgspec import Meta, Struct

Milliseconds = Annotated[int, Meta(ge=0, le=60_000)]


class ButtonSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The lock-out button: `[button]`."""

    maintained: bool = False  # a switch that stays where it is put, down meaning locked; otherwise each press counts
    reopen_after_ms: Milliseconds = 3000  # a press sooner than this after the last one is that one once more
    pulled_ms: Milliseconds = 3000  # a chip lifted sooner than this after lock-out flashes its position
