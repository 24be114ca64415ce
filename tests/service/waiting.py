"""`python -m tests.service.waiting run …`: a controller that waits for its devices, however long they take.

Without this a table begins after five seconds with whatever is there. On a busy machine that may be before a test has
plugged something in. Everything else is `jackpotd` as it is.
"""

import sys

from controller.cli.main import main
from controller.intake import devices

FOR_EVER_SECONDS = 3600.0

if __name__ == "__main__":
    devices.START_SECONDS = FOR_EVER_SECONDS
    sys.exit(main())
