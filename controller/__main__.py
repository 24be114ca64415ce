"""`python -m controller` is `jackpotd`."""

import sys

from controller.cli.main import main

sys.exit(main())
