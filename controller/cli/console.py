"""`jackpotd console`: the web console and the signs of one or more tables, until it is stopped."""

import argparse
import asyncio
import os
from pathlib import Path

from controller.console.server import FailedError, serve
from controller.service import logs


def run(options: argparse.Namespace) -> int:
    """Serve the pages. Exit 0 when stopped, 1 when a part of it failed."""
    log, writer = logs.from_environment(os.environ)
    try:
        asyncio.run(serve(Path(options.config), os.environ, log))
    except FailedError as error:
        log.error("ended", why=str(error))  # noqa: TRY400 -- a sentence for people; where it arose says nothing
        return 1
    finally:
        writer.close()
    return 0
