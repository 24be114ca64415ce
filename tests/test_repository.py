"""What the repository promises about itself: pinned packages without addresses, documented commands and targets."""

import re
from pathlib import Path

import pytest

from controller.cli import plot
from controller.cli.main import command_names
from controller.rules import catalog
from controller.rules.odds import odds

ROOT = Path(__file__).parent.parent
LOCKS = sorted(ROOT.glob("requirements*.lock"))
PINNED = re.compile(r"[a-z0-9][a-z0-9._-]*==[^ ;]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?|\s*#.*|")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_file_pins_with_hashes_and_names_no_index_or_address(lock: Path) -> None:
    lines = lock.read_text().splitlines()
    assert any("==" in line for line in lines)
    assert [line for line in lines if not PINNED.fullmatch(line)] == []
    assert "://" not in lock.read_text()
    pins, hashes = (sum(text in line for line in lines) for text in ("==", "--hash=sha256:"))
    assert hashes >= pins


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-link.lock"])
def test_what_runs_is_pinned_as_it_is_tested(name: str) -> None:
    run, dev = (
        set(re.findall(r"^[a-z0-9._-]+==\S+", (ROOT / each).read_text(), re.MULTILINE))
        for each in (name, "requirements-dev.lock")
    )
    assert run <= dev


@pytest.mark.parametrize("command", command_names())
def test_every_command_is_documented(command: str) -> None:
    assert f"jackpotd {command}" in (ROOT / "README.md").read_text()


def test_every_make_target_is_documented() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"run", "test", "lint", "format", "bench", "help", "lock"} <= set(targets)
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    assert [target for target in targets if f"make {target}" not in guide] == []


def test_every_module_begins_with_what_it_is() -> None:
    modules = [path for folder in ("controller", "drivers") for path in (ROOT / folder).rglob("*.py")]
    assert [path for path in modules if not path.read_text().startswith('"""')] == []


def test_the_drawing_in_the_documents_is_what_the_command_draws() -> None:
    drawn = plot.draw(odds(catalog.wagers()["harmony/B"]))
    assert (ROOT / "docs/house-edge-harmony-B.svg").read_text() == drawn
    assert "(house-edge-harmony-B.svg)" in (ROOT / "docs/rules.md").read_text()
