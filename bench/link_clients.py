"""Link clients of one process, every way: `python -m bench.link_clients`.

It reads one JSON value a line: what to open; then the name of a way, and a block to play, over and over. It prints one
after each, after the block what became of it. Between blocks nothing runs: all ways stay connected and take turns.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor

from msgspec import Struct, json

from bench.link_place import Sample, now
from bench.link_ways import BLOCKING, OURS, Bare, Blocking, Ours, Way
from controller.core.times import stamp

MOST_CLIENTS = 128


class Opening(Struct):
    """Databases, and a client for each of these tables."""

    ours: str
    bare: str
    blocking: str
    tables: list[str]
    sample: Sample


class Block(Struct):
    """All clients of one way, as fast as they can; none begins a lock-out after the end."""

    begin: float
    end: float


class Played(Struct):
    """What became of a block."""

    ended: float
    cpu: float  # seconds of this process
    taken: list[float]  # seconds of each lock-out


class Closed(Struct):
    """What the product's clients have done in all."""

    rounds: dict[str, int]
    lost: int  # sessions


async def _client(way: Way, table: str, block: Block, at: str) -> list[float]:
    await asyncio.sleep(block.begin - now())
    taken = []
    begun = now()
    while begun < block.end:
        await way.lock_out(table, at)
        ended = now()
        taken.append(ended - begun)
        begun = ended
    return taken


def _thread(way: Blocking, block: Block, at: str) -> list[float]:
    time.sleep(max(0.0, block.begin - now()))
    taken = []
    begun = now()
    while begun < block.end:
        way.lock_out(at)
        ended = now()
        taken.append(ended - begun)
        begun = ended
    return taken


def _play_in_threads(ways: Sequence[Blocking], threads: Executor, block: Block) -> Played:
    before, at = time.process_time(), stamp(time.time_ns() // 1000)
    playing = [threads.submit(_thread, way, block, at) for way in ways]
    taken = [each for client in playing for each in client.result()]
    return Played(now(), time.process_time() - before, taken)


async def _play(ways: Sequence[Way], block: Block) -> Played:
    before, at = time.process_time(), stamp(time.time_ns() // 1000)
    playing = [_client(way, table, block, at) for way in ways for table in way.rounds]
    taken = [each for client in await asyncio.gather(*playing) for each in client]
    return Played(now(), time.process_time() - before, taken)


def _told() -> str:
    return sys.stdin.readline()


async def main(threads: Executor) -> None:
    """Open, play and tell, until nobody asks any more."""
    opening = json.decode(_told(), type=Opening)
    blocking = [Blocking(opening.blocking, table, opening.sample) for table in opening.tables]
    bare: list[Way] = [Bare(opening.bare, [table], opening.sample) for table in opening.tables]
    ours: list[Way] = [Ours(opening.ours, [table]) for table in opening.tables]
    for way in (*bare, *ours):
        await way.open()
    gc.freeze()
    _tell("open")
    while line := _told():
        # Sessions of the product are ended where they are silent for too long; others have had their turn meanwhile.
        await asyncio.gather(*(way.look() for way in ours))
        _tell("ready")
        block = json.decode(_told(), type=Block)
        if (name := json.decode(line)) == BLOCKING:
            _tell(_play_in_threads(blocking, threads, block))
        else:
            _tell(await _play(ours if name == OURS else bare, block))
    for script in blocking:
        script.close()
    for way in (*bare, *ours):
        await way.close()
    rounds = {table: played for way in ours for table, played in way.rounds.items()}
    _tell(Closed(rounds, sum(way.lost for way in ours)))


def _tell(what: object) -> None:
    print(json.encode(what).decode(), flush=True)


if __name__ == "__main__":
    with ThreadPoolExecutor(MOST_CLIENTS) as executor:
        asyncio.run(main(executor))
