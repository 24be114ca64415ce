"""Journals of 10⁴, 10⁵ and 10⁶ facts from real play: replay, verifying, start-up, and what they take on the disk.

Starting reads the newest snapshot and the facts since. To compare journals of different length and nothing else, each
ends exactly `TAIL` facts after its snapshot, and gaming days end at the same places between two snapshots, so that
every snapshot holds as many rounds. The days are short for that: a journal of 10⁴ facts has two of them behind it.
"""

import shutil
import sqlite3
import statistics
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from bench.play import Play, engine, vault
from bench.report import Figure, Note, medians, progress
from controller.core.state import State
from controller.engine import Engine
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load, replay

SIZES = {"10⁴": 10_000, "10⁵": 100_000, "10⁶": 1_000_000}
EVERY, TAIL = 5_000, 4_900  # facts between snapshots, and since the last
DAYS = (1_250, 3_750)  # facts after a snapshot at which a gaming day ends
TOGETHER = 16  # rounds of a commit while a journal is built: some 400 facts
START_ROUNDS = 15
REPEATED = 3  # times the shorter ones are replayed and verified
LEAST_VERIFIED = 100_000  # facts a second
MOST_START = 1.5  # of the longest to the shortest
BUSY_DAYS = 1.99
SAVED = 9  # snapshots taken to see how long one takes

_ROWS = "SELECT seq, at, round, type, version, payload, prev_hash, hash FROM facts ORDER BY seq"


class Builder:
    """Plays one journal longer and longer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.play = Play()
        self._chance = vault(1)
        self._state = State()
        self._ahead = self.play.opening()  # inputs that are due

    @property
    def state(self) -> State:
        """As it stands at the end."""
        return self._state

    def build(self, least: int) -> int:
        """Play until `TAIL` facts after a snapshot, where there are at least nearly so many; how many there are."""
        with SqliteJournal(self.path) as journal:
            playing = engine(self._state, journal, self._chance, self.play, snapshot_every=EVERY)
            snapshot = max((each.seq for each in journal.snapshots()), default=0)
            while not (self._state.seq - snapshot == TAIL and self._state.seq + EVERY - TAIL >= least):
                tail = self._state.seq - snapshot
                # Long after its last snapshot, the first input brings the next.
                self._commit(playing, TAIL - tail if tail < TAIL else max(1, EVERY - tail))
                self._days(tail, playing.state.seq - snapshot)
                if playing.state.seq - snapshot > EVERY:  # the snapshot's own fact is the first after it
                    snapshot = playing.state.seq - 1
                self._state = playing.state
        return self._state.seq

    def _commit(self, playing: Engine, most: int) -> None:
        while len(self._ahead) < most and len(self._ahead) < TOGETHER * 25:
            self._ahead += self.play.round()
        together = self._ahead[:most]
        del self._ahead[:most]
        self.play.heed(playing.step(together))

    def _days(self, before: int, after: int) -> None:
        if any(before < day <= after for day in DAYS):
            self.play.next_day()


def figures(where: Path) -> list[Figure | Note]:
    """Build the longest in stages, with a copy at each size, and measure them."""
    builder, paths, facts = Builder(where / "growing.db"), dict[str, Path](), dict[str, int]()
    for name, size in SIZES.items():
        progress(f"playing {name} facts")
        begun = time.perf_counter()
        facts[name] = builder.build(size)
        progress(f"{facts[name]} facts after {time.perf_counter() - begun:.0f} s more")
        paths[name] = Path(shutil.copy(builder.path, where / f"{name}.db"))
    return [
        *_starts(paths),
        *_busy(where / "busy.db"),
        *_rates(paths, facts),
        *_bytes(paths["10⁵"], facts["10⁵"]),
    ]


def _start(path: Path) -> Callable[[], None]:
    """Open a journal and load the state from it: new objects every time, the file in the system's memory."""

    def run() -> None:
        with SqliteJournal(path) as journal:
            load(journal)

    return run


def _starts(paths: dict[str, Path]) -> list[Figure | Note]:
    progress("starting")
    taken = medians({name: _start(path) for name, path in paths.items()}, START_ROUNDS)
    shortest, *_, longest = taken.values()
    return [
        *(
            Figure(f"start at {name} facts, {TAIL} of them since the snapshot", taken[name] * 1000, " ms")
            for name in taken
        ),
        Figure("start at 10⁶ / at 10⁴ facts", longest / shortest, "x", MOST_START),
    ]


def _busy(path: Path) -> list[Figure | Note]:
    """The largest state a table has: two whole gaming days without a pause."""
    progress("playing two busy days")
    play, chance = Play(), vault(1)
    with SqliteJournal(path) as journal:
        playing = engine(State(), journal, chance, play)
        play.heed(playing.step(play.opening()))
        while play.days < BUSY_DAYS:
            play.heed(playing.step([input_ for _ in range(TOGETHER) for input_ in play.round()]))
        rounds = sum(1 for _ in playing.state.records())
        saving = engine(playing.state, journal, chance, play, snapshot_every=1)
        inputs = iter(play.round())
        pause = medians({"": lambda: saving.step([next(inputs)])}, SAVED)[""]
        size = len(journal.snapshots()[0].payload)
    start = medians({"": _start(path)}, REPEATED)[""]
    return [
        Figure(f"a snapshot of {rounds} rounds, two busy days: size", size / 1e6, " MB"),
        Figure(f"a snapshot of {rounds} rounds, two busy days: play waits", pause * 1000, " ms"),
        Figure(f"a snapshot of {rounds} rounds, two busy days: start", start * 1000, " ms"),
    ]


def _rates(paths: dict[str, Path], facts: dict[str, int]) -> list[Figure | Note]:
    runs = {"replay": _replay, "verify": _verify, "fetch and hash only": _fetch}
    rates: dict[tuple[str, str], float] = {}
    for name, path in paths.items():
        times: dict[str, list[float]] = {what: [] for what in runs}
        for _ in range(1 if facts[name] > SIZES["10⁵"] else REPEATED):
            for what, run in runs.items():
                progress(f"{what}, {name} facts")
                begun = time.perf_counter()
                run(path, facts[name])
                times[what].append(time.perf_counter() - begun)
        rates |= {(what, name): facts[name] / statistics.median(taken) for what, taken in times.items()}
    return [
        *(
            Figure(
                f"{what}, {name} facts: facts a second", rate, "", least=LEAST_VERIFIED if what == "verify" else None
            )
            for (what, name), rate in rates.items()
        ),
        *(
            Figure(
                f"{what} / fetch and hash only, {name} facts",
                rates[what, name] / rates["fetch and hash only", name],
                "x",
            )
            for what in ("replay", "verify")
            for name in paths
        ),
    ]


def _replay(path: Path, facts: int) -> None:
    with SqliteJournal(path) as journal:
        if replay(journal, EMPTY, State()).seq != facts:
            raise RuntimeError("facts are missing")


def _verify(path: Path, facts: int) -> None:
    with open_readonly(path) as journal:
        found = verify(journal)
    if found.bad or found.facts != facts:
        raise RuntimeError(f"the journal does not verify: {found}")


def _fetch(path: Path, _facts: int) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.text_factory = bytes
        for row in conn.execute(_ROWS):
            sha256(row[6] + row[1] + row[3] + row[5]).digest()


def _bytes(path: Path, facts: int) -> list[Figure | Note]:
    """The file as it is, and without its snapshots."""
    whole = path.stat().st_size
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        wagers, rounds = conn.execute(
            "SELECT sum(json_array_length(payload, '$.wagers')), count(*) FROM facts WHERE type = 'locked-out'"
        ).fetchone()
        conn.execute("DELETE FROM snapshots")
        conn.execute("VACUUM")
    return [
        Note(f"A round: {wagers / rounds:.1f} wagers, {facts / rounds:.1f} facts"),
        Figure("database bytes a round, facts only", path.stat().st_size / rounds, ""),
        Figure("database bytes a round, with two snapshots, at 10⁵ facts", whole / rounds, ""),
    ]
