"""A table whose controller is killed again and again, and what must be true of its journal after every death."""

import os
import select
import shutil
import signal
import time
import traceback
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random

from msgspec import json

from controller.core.state import State
from controller.journal.audit.verifying import verify
from controller.journal.reading import open_readonly
from controller.journal.rows import EMPTY, Row
from controller.journal.sqlite import SqliteJournal
from controller.journal.starting import load, replay
from tests.crash.child import READ_BYTES, Acknowledged, Committed, Given, Line, Ready, Setup, run
from tests.crash.game import Game, key_of

OPENING_SECONDS = 0.03  # a journal is open, migrated and proven in about this time
PAUSE_SECONDS = 0.003  # a commit takes about this long
MOST_SILENCE_SECONDS = 60
MOST_ANSWERS = 90  # before a kill: a few rounds
# At what moments it was killed.
OPENING, READY = "before it was ready", "once it was ready"
NOTHING_THERE, UNDER_WAY, UNTOLD = "before there was a journal", "inputs under way", "committed, and nobody told"
MOMENTS = (OPENING, READY, NOTHING_THERE, UNDER_WAY, UNTOLD)
UNASKED = {"snapshot-taken", "readings-taken"}  # facts the engine makes by itself


class Table:
    """One journal through many lives of its controller."""

    def __init__(self, folder: Path, seed: str, *, sabotage: str = "") -> None:
        self.path = folder / "table.journal"
        self.seed = seed
        self.lives = 0
        self.kinds: Counter[str] = Counter()  # of moments at which it was killed
        self._sabotage = sabotage
        self._chance = Random(seed)
        self._game = Game(seed)
        self._given: dict[int, Given] = {}
        self._times_given: Counter[int] = Counter()
        self._waiting: dict[int, Given] = {}  # given, and not acknowledged
        self._answers: dict[int, Acknowledged] = {}
        self._ready = False
        self._durable = 0  # what a child said was committed
        self._rows: list[Row] = []  # as the last death left them

    def live_and_die(self) -> None:
        """Start the controller, play, kill it at some moment, and look at what it left."""
        self.lives += 1
        self._ready = False
        setup = Setup(
            path=str(self.path),
            seed=self.seed,
            snapshot_every=12,
            checkpoint_pages=20,
            sabotage=self._sabotage,
        )
        life = _Life(setup)
        try:
            self._play(life)
        finally:
            left = life.kill()
        for line in left:
            self._hear(line)
        self.kinds[READY if self._ready else OPENING] += 1
        self._examine()

    def _play(self, life: "_Life") -> None:
        if self._chance.random() < (0.3 if self._rows else 0.8):  # while it opens, wherever that has got to
            time.sleep(self._chance.random() ** 2 * OPENING_SECONDS)  # more often early: a new journal is soon there
            return
        until = self._chance.randrange(MOST_ANSWERS)
        pause = self._chance.random() * PAUSE_SECONDS
        life.give(self._again())
        answers = 0
        while answers < until:
            for line in life.hear():
                self._hear(line)
                answers += isinstance(line, Acknowledged)
            if not self._waiting:
                life.give(self._new(self._game.next()))
        time.sleep(pause)

    def _again(self) -> list[Given]:
        """What was not acknowledged: keyed inputs again, others perhaps; and every sensor as it reads now."""
        again = [each for each in self._waiting.values() if key_of(each.input) or self._chance.random() < 0.5]
        self._waiting.clear()
        return self._new(again + self._game.levels())

    def _new(self, given: list[Given]) -> list[Given]:
        for each in given:
            self._given[each.n] = self._waiting[each.n] = each
            self._times_given[each.n] += 1
        return given

    def _hear(self, line: Line) -> None:
        match line:
            case Ready(seq):
                assert seq == len(self._rows), f"ended at fact {len(self._rows)}, came back at {seq}"
                self._ready = True
            case Committed(seq):
                self._durable = seq
            case Acknowledged(n):
                self._waiting.pop(n, None)
                self._answers.setdefault(n, line)
                self._game.hear(line)

    def _examine(self) -> None:
        """Look at a copy: the next life must find, and recover, exactly what the kill left."""
        if not self.path.exists():
            assert not self._answers
            self.kinds[NOTHING_THERE] += 1
            return
        copy = self.path.with_suffix(".copy")
        for ending in ("", "-wal"):
            Path(f"{copy}{ending}").unlink(missing_ok=True)
            if Path(f"{self.path}{ending}").exists():
                shutil.copyfile(f"{self.path}{ending}", f"{copy}{ending}")
        with SqliteJournal(copy) as journal:
            rows = list(journal.rows())
            state = load(journal)
            assert state == replay(journal, EMPTY, State()), "a snapshot and a full replay lead to two states"
        with open_readonly(copy) as readable:
            assert verify(readable).bad is None, verify(readable)
        if len(rows) > max(self._durable, len(self._rows)):
            self.kinds[UNTOLD] += 1
        if self._waiting:
            self.kinds[UNDER_WAY] += 1
        self._compare(rows)
        self._rows = rows

    def _compare(self, rows: list[Row]) -> None:
        assert rows[: len(self._rows)] == self._rows, "a fact of an earlier life has changed or gone"
        assert len(rows) >= self._durable, f"fact {self._durable} was committed; the journal ends at {len(rows)}"
        keys = Counter(key for row in rows if (key := json.decode(row.payload).get("key")))
        for n, answer in self._answers.items():
            _check_answered(self._given[n], answer, rows, keys)
        by_time = {each.input.at: each for each in self._given.values()}
        made = Counter(row.at for row in rows if row.type not in UNASKED)
        for at, times in made.items():
            assert at in by_time, f"a fact of {at}, when nothing was given"
            each = by_time[at]
            most = 1 if key_of(each.input) else self._times_given[each.n]
            assert times <= most, f"input {each.n} was given {self._times_given[each.n]} times and made {times} facts"
        assert set(keys.values()) <= {1}, f"keys that made several facts: {keys.most_common(3)}"
        assert not any(row.type == "key-reused" for row in rows)


def _check_answered(given: Given, answer: Acknowledged, rows: list[Row], keys: Counter[str]) -> None:
    """An acknowledged input is there exactly once, where and as it was acknowledged."""
    key = key_of(given.input)
    if key:
        assert keys[key] == 1, f"input {given.n} was acknowledged and its key made {keys[key]} facts"
    if not answer.seq:
        return
    assert answer.seq <= len(rows), f"fact {answer.seq} was acknowledged, the journal ends at {len(rows)}"
    row = rows[answer.seq - 1]
    assert row.seq == answer.seq
    assert row.at == given.input.at, f"fact {row.seq} is not of input {given.n}"
    assert answer.ok == (row.type != "input-refused")
    assert answer.repeated or sha256(row.payload.encode()).hexdigest() == answer.digest
    assert not key or json.decode(row.payload)["key"] == key


class _Life:
    """A controller in a forked process, with pipes to and from it."""

    def __init__(self, setup: Setup) -> None:
        source, self._to = os.pipe()
        self._from, out = os.pipe()
        self._child = os.fork()
        if not self._child:
            code = 1
            try:
                os.close(self._to)
                os.close(self._from)
                run(setup, source, out)
                code = 0
            except BaseException:  # noqa: BLE001 -- whatever it is, it must be seen
                traceback.print_exc()
            finally:
                os._exit(code)  # what stands in buffers belongs to the parent
        os.close(source)
        os.close(out)
        self._heard = b""

    def give(self, given: list[Given]) -> None:
        """Hand inputs over, all at once; rounds are far smaller than a pipe."""
        os.write(self._to, b"".join(json.encode(each) + b"\n" for each in given))

    def hear(self) -> list[Line]:
        """Whole lines, once there are any."""
        heard, _, _ = select.select([self._from], [], [], MOST_SILENCE_SECONDS)
        assert heard, f"the child has said nothing for {MOST_SILENCE_SECONDS} s"
        received = os.read(self._from, READ_BYTES)
        assert received, "the child ended by itself"
        *lines, self._heard = (self._heard + received).split(b"\n")
        return [json.decode(line, type=Line) for line in lines]

    def kill(self) -> list[Line]:
        """SIGKILL; what the child had said before that."""
        os.kill(self._child, signal.SIGKILL)
        _, status = os.waitpid(self._child, 0)
        while received := os.read(self._from, READ_BYTES):
            self._heard += received
        os.close(self._to)
        os.close(self._from)
        code = os.waitstatus_to_exitcode(status)
        assert code == -signal.SIGKILL, f"the child ended with {code}"
        return [json.decode(line, type=Line) for line in self._heard.split(b"\n")[:-1]]
