"""In what order files are begun, and which folders a hurried run leaves out."""

# Whatever starts processes, opens pages or plays for seconds.
SLOW_FOLDERS = {"console", "crash", "demo", "documents", "link", "mosquitto", "outlets", "release", "service"}
SLOW_FOLDERS |= {"simulation", "soak", "systemd", "mutants"}

# Longest first, as measured with `pytest --durations=0`: a long file that begins last would run alone at the end.
LONGEST: tuple[str, ...] = ()
_PLACES = {file: place for place, file in enumerate(LONGEST)}


def place_of(file: str) -> int:
    """Where a file stands; those that are not named follow in their own order."""
    return _PLACES.get(file, len(_PLACES))
