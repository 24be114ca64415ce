"""A real console on loopback, for as long as something is measured."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.brokers import LOOPBACK, START_SECONDS, free_port
from controller.demo.children import Child, jackpotd


@asynccontextmanager
async def console(made: Path, broker: int, table: str) -> AsyncIterator[tuple[int, int]]:
    """The port and the process of a console that shows a table, `site/table`."""
    own = free_port()
    config = made / "console.toml"
    config.write_text(f'[mqtt]\nport = {broker}\n[console]\nport = {own}\ntables = ["{table}"]\n')
    child = await Child.start("the console", jackpotd("console", "--config", str(config)), made / "console.log", {})
    try:
        async with asyncio.timeout(START_SECONDS):
            while True:
                try:
                    _, writer = await asyncio.open_connection(LOOPBACK, own)
                except OSError:
                    await asyncio.sleep(0.05)
                    continue
                writer.close()
                break
        yield own, child.process.pid
    finally:
        await child.stop()
