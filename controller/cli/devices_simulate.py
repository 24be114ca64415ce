"""`jackpotd devices simulate DRIVER`: a simulated device on a pseudo-terminal, to try a configuration against."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from controller.cli.output import say
from controller.rules.errors import BadInputError
from drivers.simulated.bench import BENCHES, Bench, WordError

MOST_WORDS = 200  # characters of a line of words


def run(options: argparse.Namespace) -> int:
    """Leave the device running until the input ends or it is interrupted."""
    if options.driver not in BENCHES:
        raise BadInputError(f"{options.driver}: there are {', '.join(BENCHES)}")
    with tempfile.TemporaryDirectory(prefix="jackpotd-") as folder, suppress(KeyboardInterrupt):
        path = Path(options.path) if options.path else Path(folder) / options.driver
        if path.exists() or path.is_symlink():
            raise BadInputError(f"{path} is there already: name a path that is free")
        asyncio.run(_serve(BENCHES[options.driver], path, play=options.play))
    return 0


async def _serve(make: Callable[[Path, Callable[[str], None]], Bench], path: Path, *, play: bool) -> None:
    bench = make(path, say)
    bench.line.plug()
    try:
        say(f"{path} is a simulated device, until Ctrl-C. A configuration for it:\n\n{bench.settings}")
        say(f"Words it obeys: {', '.join(bench.words)}.")
        playing = asyncio.create_task(bench.play()) if play else None
        await _obey(bench)
        if playing is not None:
            await playing  # nobody is there to say when it is enough
    finally:
        bench.line.unplug()


async def _obey(bench: Bench) -> None:
    """Take words from standard input, as long as there is one."""
    words = asyncio.StreamReader(limit=MOST_WORDS)
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
    except (OSError, ValueError):  # a file, or nothing at all: nobody speaks
        await asyncio.Event().wait()
    while True:
        try:
            said = await words.readline()
        except ValueError:
            say(f"more than {MOST_WORDS} characters: say less at once")
            continue
        if not said:
            return
        if said.strip():
            try:
                bench.obey(said.decode(errors="replace").strip())
            except WordError as error:
                say(str(error))
