"""`jackpotd run`: the controller of one table, until it is stopped."""

import argparse
import asyncio
import os
from pathlib import Path

from controller.service import logs
from controller.service.notify import Notifier
from controller.service.service import FailedError, Service
from controller.service.software import SoftwareError
from controller.service.table import RefusedToStartError


def run(options: argparse.Namespace) -> int:
    """Keep the table. Exit 0 when stopped, 1 when it could not start or failed."""
    log, writer = logs.from_environment(os.environ)
    try:
        return asyncio.run(_kept(Path(options.config), log))
    finally:
        writer.close()


async def _kept(config: Path, log: logs.Log) -> int:
    service = Service(config, os.environ, log, Notifier.from_environment(os.environ))
    try:
        await service.run()
    except (RefusedToStartError, SoftwareError) as error:
        log.error("refused-to-start", why=str(error))  # noqa: TRY400 -- a sentence for people; where it arose says nothing
        return 1
    except FailedError as error:
        log.error("ended", why=str(error))  # noqa: TRY400 -- told in full when it happened
        return 1
    return 0
