"""What a link and its database give one another to answer in, stretched: a busy machine must not cost a test its link.

Where a loss is what a test waits for, it takes back the limit that brings it: `with shipped("ANSWER_SECONDS")`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import pytest

from controller.link import admitting, postgres, reaching

PATIENCE = 30
_PLACES: dict[str, ModuleType] = {
    "ANSWER_SECONDS": postgres,
    "LOCK_MS": admitting,
    "IN_TRANSACTION_MS": admitting,
    "IDLE_MS": admitting,
    "_TAKE_OVER_TRIES": admitting,
}
SHIPPED: dict[str, float] = {name: getattr(place, name) for name, place in _PLACES.items()}


@contextmanager
def patient() -> Iterator[None]:
    """All of them stretched."""
    with pytest.MonkeyPatch.context() as patch:
        for name, place in _PLACES.items():
            patch.setattr(place, name, SHIPPED[name] * PATIENCE)
        # A default is bound when the function is made: the module's constant is not looked at again.
        defaults = reaching.words.__kwdefaults__
        assert defaults is not None
        patch.setitem(defaults, "patience_s", reaching.CONNECT_SECONDS * PATIENCE)
        yield


@contextmanager
def shipped(*names: str) -> Iterator[None]:
    """Some of them as the product has them. Those of the server are a session's from its beginning."""
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(_PLACES[name], name, SHIPPED[name])
        yield
