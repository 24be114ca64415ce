"""A link on a real PostgreSQL, syncs on: what one shared meter takes, a thousand tables, and a link that is lost."""

import asyncio
import time

from bench import link_lost, link_rates, link_tables
from bench.link_place import Sample, opened, sample, server
from bench.link_ways import Ours
from bench.places import machine
from bench.report import Figure, Note
from controller.core.times import stamp
from tests.link.server import Server
from tests.link.server import folder as server_folder


def figures() -> list[Figure | Note]:
    """All but the long one."""
    with server() as on, server_folder() as made:
        like = written(on)
        return [
            Note(machine()),
            *link_rates.figures(on, made, like),
            *link_tables.figures(on, like),
            *link_lost.figures(on, made),
        ]


def soak() -> list[Figure | Note]:
    """A thousand tables for ten minutes."""
    with server() as on:
        return link_tables.figures(on, written(on), link_tables.SOAK_SECONDS)


def written(on: Server) -> Sample:
    """A line and a row as the product writes them."""
    dsn = opened(on, ["sample"])

    async def write() -> None:
        table = Ours(dsn, ["sample"])
        await table.open()
        await table.lock_out("sample", stamp(time.time_ns() // 1000))
        await table.close()

    asyncio.run(write())
    return sample(dsn)
