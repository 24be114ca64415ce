"""An audit counts only where every package was looked at. What pip-audit says is held against the lock."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from release.auditing import CLEAN, FOUND, NOT_DONE, judged
from release.lock import read
from release.project import ROOT

LOCK = ROOT / "requirements.lock"
Answer = list[dict[str, Any]]


def whole() -> Answer:
    """What pip-audit 2.10 says where there is nothing to say."""
    return [{"name": each.name, "version": each.version, "vulns": []} for each in read(LOCK).values()]


def verdict(answer: Answer, complained: str = "") -> tuple[int, str]:
    code, told = judged(LOCK, json.dumps({"dependencies": answer, "fixes": []}), complained)
    return code, "\n".join(told)


def test_all_packages_without_a_vulnerability_are_clean() -> None:
    code, told = verdict(whole())
    assert (code, told) == (CLEAN, f"requirements.lock: {len(read(LOCK))} packages, none with a known vulnerability")


def test_a_vulnerability_is_named_with_where_it_is_mended() -> None:
    answer = whole()
    answer[0]["vulns"] = [{"id": "PYSEC-2026-1", "fix_versions": ["9.9"], "aliases": [], "description": "…"}]
    answer[1]["vulns"] = [{"id": "PYSEC-2026-2", "fix_versions": [], "aliases": [], "description": "…"}]
    code, told = verdict(answer)
    assert code == FOUND
    assert f"{answer[0]['name']} {answer[0]['version']}: PYSEC-2026-1, mended in 9.9" in told
    assert "PYSEC-2026-2, mended in no version" in told


def _skip(answer: Answer) -> None:
    answer[3] = {"name": answer[3]["name"], "skip_reason": "Dependency not found on the index"}


def _leave_out(answer: Answer) -> None:
    del answer[3]


def _another_version(answer: Answer) -> None:
    answer[3]["version"] = "0.0.1"


def _nothing_about_it(answer: Answer) -> None:
    del answer[3]["vulns"]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_skip, "Dependency not found on the index"),
        (_leave_out, "left out of the answer"),
        (_another_version, "answered for 0.0.1 instead of"),
        (_nothing_about_it, "answered for"),
    ],
)
def test_a_package_that_was_not_looked_at_is_no_audit(spoil: Callable[[Answer], None], why: str) -> None:
    answer = whole()
    name = answer[3]["name"]
    spoil(answer)
    code, told = verdict(answer)
    assert code == NOT_DONE
    assert f"NOT AUDITED: {name} " in told
    assert why in told


def test_a_vulnerability_beside_a_package_left_out_is_told_too() -> None:
    answer = whole()
    answer[0]["vulns"] = [{"id": "PYSEC-2026-1", "fix_versions": []}]
    _leave_out(answer)
    code, told = verdict(answer)
    assert code == NOT_DONE
    assert "PYSEC-2026-1" in told


@pytest.mark.parametrize("said", ["", "no JSON", "[]", "{}", '{"dependencies": [1]}', '{"dependencies": null}'])
def test_no_answer_is_no_audit(said: str) -> None:
    code, (told,) = judged(LOCK, said, "ERROR:pip_audit._cli:\nCould not connect to the service\n")
    assert code == NOT_DONE
    assert "NOT AUDITED" in told
    assert "Could not connect to the service" in told


def test_without_a_network_the_command_fails_and_says_so(tmp_path: Path) -> None:
    """The real pip-audit, sent to a proxy where nobody listens."""
    nowhere = "http://127.0.0.1:9"
    environ = {"PATH": "/usr/bin:/bin", "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere, "HOME": str(tmp_path)}
    code = (
        "import sys; from pathlib import Path; from release.auditing import audit; "
        "verdict, told = audit(Path(sys.argv[1])); print(*told); sys.exit(verdict)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(LOCK)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == NOT_DONE, done.stderr
    assert "NOT AUDITED: pip-audit gave no answer" in done.stdout
