"""The package works however it is installed: from a wheel and from an editable checkout."""

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from controller.rules import catalog
from controller.simulation.layout import SUBMISSIONS

ROOT = Path(__file__).parent.parent
DATA = sorted(path.name for path in (ROOT / "controller/rules/catalog").glob("*.toml"))
ASK = (
    "import json; from controller.rules import catalog; "
    "print(json.dumps([catalog.__file__, len(catalog.wagers()), len(catalog.mysteries()), len(catalog.sections())]))"
)
EXPECTED = [len(catalog.wagers()), len(catalog.mysteries()), len(catalog.sections())]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (built,) = folder.glob("jackpotd-*.whl")
    return built


def test_a_wheel_carries_the_catalog_and_both_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert DATA
    tables = [f"controller/simulation/tables/{name}.toml" for name in SUBMISSIONS]
    wanted = [*(f"controller/rules/catalog/{name}" for name in DATA), *tables]
    assert [name for name in names if name.endswith(".toml")] == wanted
    assert {name.split("/")[0].split("-")[0] for name in names} == {"controller", "drivers", "jackpotd"}


def test_the_catalog_is_found_from_a_wheel(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    answer = subprocess.run([python, "-I", "-c", ASK], cwd=tmp_path, capture_output=True, check=True)
    where, *counts = json.loads(answer.stdout)
    assert Path(where).is_relative_to(tmp_path / "env")
    assert counts == EXPECTED
    command = [str(tmp_path / "env/bin/jackpotd"), "settle", "player", "--amount", "5", "--player", "9S KS"]
    settled = subprocess.run([*command, "--banker", "2H 3D"], cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(settled.stdout)["returns_cents"] == 1000


def test_the_catalog_is_found_from_an_editable_install(tmp_path: Path) -> None:
    answer = subprocess.run([sys.executable, "-I", "-c", ASK], cwd=tmp_path, capture_output=True, check=True)
    where, *counts = json.loads(answer.stdout)
    assert Path(where).is_relative_to(ROOT), "the test environment holds the project as an editable install"
    assert counts == EXPECTED
