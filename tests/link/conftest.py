"""Every test of a link plays with stretched limits of time; `tests.link.limits` says how one is taken back."""

from collections.abc import Iterator

import pytest

from tests.link.limits import patient


@pytest.fixture(autouse=True)
def _patient() -> Iterator[None]:
    with patient():
        yield
