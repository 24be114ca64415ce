"""`jackpotd devices`: serial ports and what answers there, a table's devices live, and simulated ones to try."""

import argparse
from importlib import import_module


def run(options: argparse.Namespace) -> int:
    """List the ports, or do what was asked instead."""
    code: int = import_module(f"controller.cli.devices_{options.action or 'list'}").run(options)
    return code
