"""`jackpotd audit verify`: whether a journal is whole."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from controller.cli.audit import printable
from controller.cli.output import say
from controller.journal.audit.verifying import Progress, Verdict, verify
from controller.journal.reading import JournalReader
from controller.journal.rows import Head
from controller.rules.errors import BadInputError

_HEAD = re.compile(r"([1-9][0-9]{0,17}):([0-9a-fA-F]{64})", re.ASCII)


def answer(journal: JournalReader, options: argparse.Namespace) -> int:
    """Prove the journal, and say which fact is the first that is not whole."""
    promised = _head(options.head)
    with _progress(shown=not options.json and sys.stderr.isatty()) as progress:
        found = verify(journal, promised, progress, live=options.live)
    if options.json:
        told = {
            "ok": found.bad is None,
            "facts": found.facts,
            "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
            "first_bad": found.bad and found.bad._asdict(),
            "since": found.since,
            "replayed_since": found.replayed,
            "archives": {"seen": found.seen, "missing": found.missing},
        }
        say(json.dumps(told))
    else:
        say(_told(options.journal, found, promised))
    return 1 if found.bad else 0


def _head(text: str | None) -> Head | None:
    if text is None:
        return None
    found = _HEAD.fullmatch(text)
    if found is None:
        raise BadInputError(f"--head {text!r}: write the number of a fact and its hash, like 120:5c1f… with 64 digits")
    return Head(int(found[1]), bytes.fromhex(found[2]))


def _told(path: str, found: Verdict, promised: Head | None) -> str:
    last = found.head.seq
    parts = [f"facts {found.since} to {last} are whole" if found.facts else "no fact before it"]
    if found.since > 1:
        since = f"from {found.replayed} on" if found.replayed else "none, for want of a snapshot"
        parts += [f"replayed and added up: {since}", f"archives not seen: {', '.join(found.missing) or 'none'}"]
    if found.bad:
        whole = "; ".join(parts)
        return printable(f"{path}: NOT whole: fact {found.bad.seq}: {found.bad.why} ({whole})")
    held = f", and contains {promised.seq}:{promised.hash.hex()}" if promised else ""
    held += f", {len(found.seen)} archives" if found.seen and found.since == 1 else ""
    held += f" ({'; '.join(parts)})" if found.since > 1 else ""
    return printable(f"{path}: whole: {found.facts} facts, head {found.head.seq}:{found.head.hash.hex()}{held}")


@contextmanager
def _progress(*, shown: bool) -> Iterator[Progress | None]:
    """A bar on standard error, which is left as it was."""
    if not shown:
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 -- costs more than verifying a day
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415 -- the same
    from rich.progress import Progress as Bar  # noqa: PLC0415 -- the same

    parts = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
