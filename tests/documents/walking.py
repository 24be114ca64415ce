"""Following a document: each of its commands in order, and what was wrong with any of them."""

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from controller.journal.reading import open_readonly
from tests.documents.box import Box, Done
from tests.documents.classes import FOR_EVER, INSTEAD, LEFT, SAID
from tests.documents.reading import ROOT, SHELL, Command, blocks, commands

HEADS = re.compile(r"SEQ:HASH|\d+:[0-9a-f]+…")  # written where a reader puts a head they noted
HIT = "mb-07-14-3"  # in the documents; the first mystery hit of the journal at hand
Hooks = Mapping[str, Callable[[Box], None]]


def commands_of(page: Path) -> list[Command]:
    """Every command of a document, in order."""
    return [command for block in blocks(page) if block.kind == SHELL for command in commands(block)]


def walk(page: Path, box: Box, before: Hooks | None = None) -> list[str]:
    """Follow a document. `before` is what happens in between, before the commands that match."""
    return follow(commands_of(page), box, before)


def follow(commands_: Sequence[Command], box: Box, before: Hooks | None = None) -> list[str]:
    """Each command in order; what was wrong with them."""
    wrong = []
    for command in commands_:
        for pattern, happens in (before or {}).items():
            if re.search(pattern, command.text):
                happens(box)
        code, told = _followed(box, command.text)
        if code or "Traceback" in told:
            wrong.append(f"{command.place}: {command.text}\n    exit {code}: {told.strip()[-1500:]}")
    return wrong


def _followed(box: Box, text: str) -> Done:
    """Run a command, do something instead, or see that there is nothing wrong with it."""
    parsed = subprocess.run(["/bin/sh", "-n", "-c", text], capture_output=True, text=True, check=False)
    if parsed.returncode:
        return parsed.returncode, parsed.stderr
    for instead in INSTEAD:
        if re.match(instead.pattern, text):
            return instead.does(box, text)
    for left in LEFT:
        if re.match(left.pattern, text):
            found = left.wrong(text)
            return (1 if found else 0), found
    text = filled(box, text)
    for pattern, expected in FOR_EVER.items():
        if re.match(pattern, text):
            return box.watch(text, expected)
    said = next((words for pattern, words in SAID.items() if re.match(pattern, text)), "")
    return box.run(text, said)


def filled(box: Box, text: str) -> str:
    """A command with what a reader would put in the place of an example."""
    for example, word in box.words.items():
        text = text.replace(example, word)
    if HEADS.search(text) or HIT in text:
        journal = next(word for word in box.placed(text).split() if word.endswith((".db", ".journal")))
        with open_readonly(box.here / journal) as found:
            head = found.head()
            hits = found.db.execute("SELECT hit FROM hits WHERE kind = 'mystery' ORDER BY seq LIMIT 1").fetchall()
        text = HEADS.sub(f"{head.seq}:{head.hash.hex()}", text)
        text = text.replace(HIT, hits[0][0]) if hits else text
    return text


def installed(box: Box) -> None:
    """Steps 4 and 5 of docs/installing.md: keys, certificates, users of the broker, and the broker itself."""
    for command in commands_of(ROOT / "docs/installing.md"):
        if re.match(r"\(umask|config/mosquitto/|sed |cp .*mosquitto|mv .*password", command.text):
            code, told = box.run(command.text)
            assert code == 0, told
    box.start_broker()
