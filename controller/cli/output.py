"""Printing an answer so that its exit code survives whatever the reader does."""

import os
import sys


def say(text: str) -> None:
    """Print an answer. A reader that has left, as `head` does, changes neither the answer nor the exit code."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        hush()


def hush() -> None:
    """Send what is still to be flushed nowhere: the reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
