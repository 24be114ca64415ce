"""How long commands take to start, against a bare `python -c pass`."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from bench.report import Figure, medians

ROUNDS = 25
GOAL = 8.0
EXAMPLE = Path(__file__).parent.parent / "config/minibaccarat-royal9-5.toml"
HAND = ("--amount", "5", "--player", "KS 9S", "--banker", "2H 3D")


def figures() -> list[Figure]:
    """Ratios of medians, the variants taking turns."""
    jackpotd = str(Path(sys.executable).with_name("jackpotd"))
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "jackpotd --help": [jackpotd, "--help"],
        "jackpotd settle": [jackpotd, "settle", "player", *HAND],
        "jackpotd check": [jackpotd, "check", str(EXAMPLE)],
    }
    run = partial(subprocess.run, stdout=subprocess.DEVNULL, check=True)
    taken = medians({name: partial(run, command) for name, command in commands.items()}, ROUNDS)
    return [
        Figure(f"start-up of {name} / python -c pass", taken[name] / taken["bare"], "x", GOAL)
        for name in commands
        if name != "bare"
    ]
