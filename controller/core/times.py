"""Times as they are stored: RFC 3339 UTC text with microseconds, so that text order is time order."""

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_SECONDS = len("2026-11-16T11:15:")


def stamp(microseconds: int) -> str:
    """The text of a time given in microseconds since 1970."""
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds")[:-6] + "Z"


_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


def is_time(text: str) -> bool:
    """Whether a text is a time as they are stored."""
    return _TIME.fullmatch(text) is not None


def ms_between(earlier: str, later: str) -> int:
    """Whole milliseconds from one stored time to another; negative where the clock went back."""
    if earlier[:_SECONDS] == later[:_SECONDS]:  # in one minute, as most are: no calendar is needed
        return (_micro(later) - _micro(earlier)) // 1000
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)) // _MILLISECOND


def _micro(at: str) -> int:
    """Microseconds since the minute began."""
    return int(at[_SECONDS : _SECONDS + 2]) * 1_000_000 + int(at[_SECONDS + 3 : -1])
