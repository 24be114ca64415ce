"""A release, built once for the tests that look at it: as it is committed, or would be."""

import shutil
import subprocess
from pathlib import Path

import pytest

from release import building
from release.project import ROOT

WHEN = 1_790_000_000  # 2026-09-21 14:13:20 UTC
PATIENCE_S = 300


def tree(into: Path) -> Path:
    """The sources as a checkout has them, without what is ignored."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, capture_output=True, check=True).stdout.decode().split("\0"):
        source = ROOT / name
        if name and source.is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, into / name)
    return into


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release."""
    folder = tmp_path_factory.mktemp("release")
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("SOURCE_DATE_EPOCH", str(WHEN))
        building.build(folder / "dist", tree(folder / "tree"))
    return folder / "dist"
