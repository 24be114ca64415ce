"""`jackpotd run`: the controller of one table, until it is stopped."""

import argparse
import asyncio
import os
import time
from pathlib import Path
from threading import Thread

from controller.notify import Notifier
from controller.service import logs
from controller.service.service import FailedError, Service
from controller.service.software import SoftwareError
from controller.service.table import RefusedToStartError

# After everything is closed: threads of libraries end by themselves well before.
LEAVE_SECONDS = 0.5


def run(options: argparse.Namespace) -> int:
    """Keep the table. Exit 0 when stopped, 1 when it could not start or failed."""
    log, writer = logs.from_environment(os.environ)
    try:
        return asyncio.run(_kept(Path(options.config), log, writer))
    finally:
        writer.close()


async def _kept(config: Path, log: logs.Log, writer: logs.Writer) -> int:
    code = await _served(config, log)
    Thread(target=_leave, args=(code, writer), daemon=True).start()
    return code


def _leave(code: int, writer: logs.Writer) -> None:
    """Go, even if a thread does not: a name that is being looked up, say, which nothing can interrupt."""
    time.sleep(LEAVE_SECONDS)
    writer.close()
    os._exit(code)


async def _served(config: Path, log: logs.Log) -> int:
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
