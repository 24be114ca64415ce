"""Many controllers at once, each a process: `python -m tests.link.crowd SETUPS`. Forked, so that all start together."""

import asyncio
import os
import sys
import traceback
from pathlib import Path

from msgspec import json

from tests.link.limits import patient
from tests.link.player import Setup, played


def main(path: str) -> int:
    """Play every setup in a process of its own; how many failed."""
    children = {}
    for setup in json.decode(Path(path).read_bytes(), type=list[Setup]):
        child = os.fork()
        if child == 0:
            os._exit(_alone(setup))
        children[child] = setup.table
    failed = 0
    while children:
        child, status = os.wait()
        table = children.pop(child)
        if status:
            failed += 1
            print(f"{table}: ended with {os.waitstatus_to_exitcode(status)}", flush=True)  # noqa: T201 -- the test reads it
    return failed


def _alone(setup: Setup) -> int:
    # Fifty processes share the cores that fifty boxes have each for themselves: what a link is given to answer in would
    # be spent waiting for a core. What happens when it is spent, the tests of faults show.
    try:
        with patient():
            asyncio.run(played(setup))
    except BaseException:  # noqa: BLE001 -- told, and the process ends
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1]), 100))
