"""Every command of every document is run as written, or falls into a class that says why not.

A new document needs nothing here: its commands are run on a box with a table in play.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from tests.documents.box import Box
from tests.documents.classes import FOR_EVER, INSTEAD, LEFT, SAID
from tests.documents.reading import PAGES, ROOT, Command, spans
from tests.documents.walking import commands_of, follow, installed, walk
from tests.journal.closed_days import archived, week
from tests.journal.played import Played, eventful, write
from tests.link.server import Server
from tests.mosquitto.broker import MISSING, WHY_SKIPPED

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)
# Documents that are a story of their own; tests/documents/test_wiring.py follows the last.
STORIES = ("docs/installing.md", "docs/operations.md", "docs/operators.md", "docs/link.md", "docs/wiring.md")
OTHERS = [each for each in PAGES if str(each.relative_to(ROOT)) not in STORIES and commands_of(each)]
ALL = [command for each in PAGES for command in commands_of(each)]
LINKED = """
[link]
name = "pit-3"
meter = "harmony"
dsn = "host=127.0.0.1 port={port} dbname=jackpot user=jackpotd"
"""


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Box]:
    """A box on which nothing is installed; the adapter with two boards is plugged in."""
    box = Box(tmp_path)
    try:
        box.plug_in()
        yield box
    finally:
        box.close()


@pytest.fixture(scope="module")
def in_play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box whose table is on, a second board, and what an auditor and a maker of signs were given."""
    box = Box(tmp_path_factory.mktemp("box"))
    try:
        box.plug_in()
        installed(box)
        box.configure()
        box.start_controller()
        for name in ("ca.crt", "sign.password", "auditor-tool.password"):
            shutil.copy(box.root / "etc/mosquitto/jackpotd" / name, box.here)
        (box.root / "etc/jackpotd/public.key").touch()  # of a certificate that the house bought
        board = box.begin("exec jackpotd devices simulate modbus --path /dev/ttyUSB0")
        box.running["board"] = board
        assert board.stdout is not None
        told = "".join(
            iter(board.stdout.readline, "Words it obeys: on, off, pulse, restart, silence, answer, unplug, plug.\n")
        )
        shutil.copy(ROOT / "config/minibaccarat-royal9-5.toml", box.here / "table.toml")
        (box.here / "table.service.toml").write_text(told[told.index("[devices") :])
        table, snapshots = eventful()
        write(box.here / "table.journal", table.facts, snapshots)
        yield box
    finally:
        box.close()


def test_the_documents_have_their_commands() -> None:
    assert len(ALL) > 100
    assert len(OTHERS) > 5


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.verify
def test_the_commands_of_a_document_run(page: Path, in_play: Box) -> None:
    assert walk(page, in_play) == []


@pytest.mark.verify
def test_a_box_installed_as_described_keeps_its_table(fresh: Box) -> None:
    def said(payload: str) -> Callable[[Box], None]:
        """A message for the sign to hear, and its end: nobody is at the table yet."""
        words = (
            "mosquitto_pub -h localhost -p 8883 --cafile /etc/jackpotd/ca.crt -u controller"
            ' -P "$(cat /etc/credstore/jackpotd.mqtt-password)" -r'
        )

        def say(box: Box) -> None:
            assert box.run(f"{words} -t jackpot/valley-forge/mb-07/status {payload}")[0] == 0

        return say

    between = {"mosquitto_sub": said("-m hello"), "^ls -l /dev": said("-n")}
    assert walk(ROOT / "docs/installing.md", fresh, between) == []
    assert fresh.run("jackpotd status --config /etc/jackpotd/table.toml")[0] == 0  # started after the update


@pytest.mark.verify
def test_people_are_let_in_as_described(fresh: Box) -> None:
    """The journal, the pepper and the supervisor are those the document's own commands have made."""
    installed(fresh)
    fresh.configure()

    def start(box: Box) -> None:
        if "controller" not in box.running:
            etc = box.root / "etc"
            for suffix in (".toml", ".service.toml"):
                made = etc / f"jackpotd/table{suffix}"
                made.write_text(made.read_text().replace("var/lib/jackpotd/journal.db", "../release/table.journal"))
                (box.here / made.name).symlink_to(made)
            shutil.copy(box.here / "pin-pepper", etc / "credstore/jackpotd.pin-pepper")
            shutil.copy(etc / "credstore/jackpotd-console.mqtt-password", box.here / "console-password")
            box.start_controller()

    assert walk(ROOT / "docs/operators.md", fresh, {"--by ana.ruiz": start}) == []


@pytest.mark.verify
def test_a_table_is_copied_and_put_back_as_described(fresh: Box) -> None:
    """Its own journal is copied while it plays; what an auditor has been given has archives beside it."""
    installed(fresh)
    fresh.configure()
    fresh.start_controller()
    archived(week(fresh.here / "table.journal"))

    def newest(box: Box) -> None:
        """The copy of the night is as new as the stop: otherwise the broker knows more, and the start is refused."""
        for suffix in ("", "-wal"):
            path = box.root / f"var/lib/jackpotd/journal.db{suffix}"
            (box.root / f"backup/journal.db{suffix}").unlink(missing_ok=True)
            if path.exists():
                shutil.copy(path, box.root / f"backup/journal.db{suffix}")

    (fresh.root / "var/lib/jackpotd/archive").mkdir()
    assert walk(ROOT / "docs/operations.md", fresh, {"^mkdir .*aside": newest}) == []


@pytest.mark.verify
def test_a_link_is_set_up_read_and_copied_as_described(fresh: Box, own_server: Server) -> None:
    """As the administrator of a database server; the table is one of the examples."""
    server = {"PGHOST": "127.0.0.1", "PGPORT": str(own_server.port), "PGUSER": "postgres"}
    fresh.environ |= server
    owner = f"host=127.0.0.1 port={own_server.port} dbname=jackpot user=jackpot_owner"
    fresh.words["host=db1.pit dbname=jackpot user=jackpot_owner …"] = owner
    example = (ROOT / "config/minibaccarat-royal9-5.toml").read_text()
    etc = fresh.root / "etc/jackpotd"
    for name in ("mb-07", "mb-08"):
        (etc / f"{name}.toml").write_text(example.replace("mb-07", name))
        (etc / f"{name}.service.toml").write_text(LINKED.format(port=own_server.port))
    for suffix in (".toml", ".service.toml"):
        (etc / f"table{suffix}").symlink_to(etc / f"mb-07{suffix}")

    def another(box: Box) -> None:
        """The second table is added, and both have journals; they have asked the link for nothing yet."""
        assert box.run(f'jackpotd link init --config /etc/jackpotd/mb-08.toml --dsn "{owner}"')[0] == 0
        for name in ("mb-07", "mb-08"):
            table = Played(example.replace("mb-07", name).partition("[harmony]")[0])
            table.play(1, 2)
            write(box.here / f"{name}.db", table.facts)

    assert walk(ROOT / "docs/link.md", fresh, {"link audit": another}) == []


@pytest.mark.parametrize(
    "text",
    [
        "jackpotd odds no-such-wager",
        "jackpotd check config/no-such-file.toml",
        "jackpotd audit verify table.journal --head 7:0000",
        "frobnicate --all",
        "systemctl restart jackpotdd",
        "chown root:nobody-there /etc/jackpotd/table.toml",
        "/opt/jackpotd/bin/pip install -r no-such.lock",
        "make no-such-target",
        "cp 'one two",
    ],
)
def test_a_command_that_does_not_work_is_found(text: str, in_play: Box) -> None:
    assert follow([Command("a document", 1, text)], in_play) != []


def test_every_class_is_still_needed() -> None:
    patterns = [each.pattern for each in (*INSTEAD, *LEFT)] + [*FOR_EVER, *SAID]
    assert [pattern for pattern in patterns if not any(re.match(pattern, command.text) for command in ALL)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_named_in_the_text_has_the_options_it_is_named_with(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`jackpotd odds --all` between backticks is no block, but it must be there."""
    wrong = []
    for span in spans(page):
        if span.startswith("jackpotd "):
            plain = re.sub(r"\\\|\w+", "", span)  # of several commands in a row of a table, the first
            words = re.split(r"[\s|]+", re.sub(r"[\[\]()]", " ", plain).strip())[1:]
            known = _help(words, capsys)
            wrong += [f"{span}: {word}" for word in words if word.startswith("--") and word.rstrip("….,") not in known]
            wrong += [] if known else [span]
    assert wrong == []


def _help(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command's own help says: of as many words as name it."""
    named = [word for word in words[:2] if re.fullmatch(r"[a-z]+", word)]
    for many in range(len(named), -1, -1):
        try:
            main([*named[:many], "--help"])
        except SystemExit as ended:
            told = capsys.readouterr().out
            if ended.code == 0:
                return told
    return ""
