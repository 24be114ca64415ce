"""The software's check of itself, on a wheel that is built, installed with pip, and then tampered with."""

import importlib.util
import json
import marshal
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from controller.service.software import MOST_FILE_BYTES, MOST_NAMED, SoftwareError, check
from controller.settings import SoftwareSettings

ROOT = Path(__file__).parent.parent.parent
TAG = sys.implementation.cache_tag
ASK = """
import json, sys
from controller.service.software import SoftwareError, check
from controller.settings import SoftwareSettings
try:
    found = check(SoftwareSettings(**json.loads(sys.argv[1])))
    print(json.dumps({name: getattr(found, name) for name in found.__struct_fields__}))
except SoftwareError as error:
    print(json.dumps(str(error)))
"""
PATIENCE_S = 120


class Installed:
    """A virtual environment with the wheel in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin/python"
        (self.site,) = folder.glob("lib/python3*/site-packages")
        (self.record,) = self.site.glob("jackpotd-*.dist-info/RECORD")

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.python), *words]
        return subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def check(self, *, digest: str = "", allow_unsigned: bool = False, **environment: str) -> dict[str, object] | str:
        """What it found, or the refusal."""
        settings = json.dumps({"digest": digest, "allow_unsigned": allow_unsigned})
        done = self.run("-c", ASK, settings, **environment)
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] | str = json.loads(done.stdout)
        return answer

    def refusal(self) -> str:
        answer = self.check(allow_unsigned=True)  # which excuses no change
        assert isinstance(answer, str), "the check found nothing"
        return answer

    def digest(self) -> str:
        return sha256(self.record.read_bytes()).hexdigest()

    def compiled(self, name: str, level: str = "") -> Path:
        source = self.site / name
        return source.parent / "__pycache__" / f"{source.stem}.{TAG}{level}.pyc"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip"]
    build = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = folder.glob("jackpotd-*.whl")
    venv.create(folder / "env", with_pip=False)
    into = ["--python", str(folder / "env/bin/python"), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*pip, *into], check=True)
    (site,) = (folder / "env").glob("lib/python3*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")  # those of the tests, behind its own
    return folder / "env"


@pytest.fixture
def installed(untouched: Path, tmp_path: Path) -> Installed:
    """One to tamper with: a copy to the byte, times included."""
    return Installed(shutil.copytree(untouched, tmp_path / "env", symlinks=True))


def test_an_installed_wheel_is_signed_and_its_digest_is_that_of_its_record(installed: Installed) -> None:
    assert installed.check() == {"version": "0.1.0", "digest": installed.digest(), "signed": True, "pinned": False}


def test_a_pinned_digest_is_that_of_the_record_and_no_other(installed: Installed) -> None:
    found = installed.check(digest=installed.digest())
    assert isinstance(found, dict)
    assert found["pinned"]
    refused = installed.check(digest="0" * 64, allow_unsigned=True)
    assert "software.digest: 000" in refused
    assert installed.digest() in refused


def test_the_module_prints_the_line_for_the_settings(installed: Installed) -> None:
    done = installed.run("-I", "-m", "controller.service.software")
    assert (done.returncode, done.stdout) == (0, f'digest = "{installed.digest()}"  # jackpotd 0.1.0\n')
    (installed.site / "controller/cli/plot.py").unlink()
    done = installed.run("-I", "-m", "controller.service.software")
    assert (done.returncode, done.stdout) == (2, "")
    assert "plot.py: is listed in RECORD and cannot be read: install the wheel again" in done.stderr


def _append(name: str, text: str = "\n") -> Callable[[Installed], Path]:
    def tamper(installed: Installed) -> Path:
        path = installed.site / name
        with path.open("a") as file:
            file.write(text)
        return path

    return tamper


def _new(name: str) -> Callable[[Installed], Path]:
    def tamper(installed: Installed) -> Path:
        path = installed.site / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
        return path

    return tamper


def _same_length(installed: Installed) -> Path:
    path = installed.site / "controller/rules/catalog/progressive.toml"
    path.write_bytes(path.read_bytes().replace(b"5", b"6", 1))
    return path


def _script(installed: Installed) -> Path:
    path = installed.folder / "bin/jackpotd"
    path.write_text(path.read_text() + "\n")
    return path


def _folder_elsewhere(installed: Installed) -> Path:
    path = installed.site / "drivers/more"
    path.symlink_to(installed.folder / "bin")
    return path


def _too_long(installed: Installed) -> Path:
    path = installed.site / "controller/py.typed"
    path.write_bytes(bytes(MOST_FILE_BYTES + 1))
    return path


def _a_folder_instead(installed: Installed) -> Path:
    path = installed.site / "controller/py.typed"
    path.unlink()
    path.mkdir()
    return path


TAMPERED = {
    "a source with a line more": (_append("controller/rules/money.py"), "was changed: install the wheel again"),
    "the catalog, as long as before": (_same_length, "was changed: install the wheel again"),
    "the command's script": (_script, "was changed: install the wheel again"),
    "the entry points": (
        _append("jackpotd-0.1.0.dist-info/entry_points.txt"),
        "was changed: install the wheel again",
    ),
    "a file too long to read": (_too_long, "is listed in RECORD and cannot be read"),
    "a folder in a file's place": (_a_folder_instead, "is listed in RECORD and cannot be read"),
    "a module more": (_new("drivers/extra.py"), "is not listed in RECORD: remove it"),
    "a module in a folder more": (_new("controller/extra/__init__.py"), "is not listed in RECORD: remove it"),
    "an extension more": (_new("controller/vault.abi3.so"), "is not listed in RECORD: remove it"),
    "compiled code without a source": (_new("controller/extra.pyc"), "is not listed in RECORD: remove it"),
    "compiled code of no source": (
        _new(f"controller/__pycache__/extra.{TAG}.pyc"),
        "is compiled code without a source: remove it",
    ),
    "compiled code of another Python": (
        _new("controller/__pycache__/vault.cpython-39.pyc"),
        "is compiled code of another Python: remove it",
    ),
    "no compiled code at all": (
        _new(f"controller/__pycache__/vault.{TAG}.opt-1.pyc"),
        "is no compiled code of this Python: remove it",
    ),
    "a folder from elsewhere": (_folder_elsewhere, "is not listed in RECORD: remove it"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_what_was_tampered_with_is_named_with_the_remedy(installed: Installed, how: str) -> None:
    tamper, why = TAMPERED[how]
    path = tamper(installed)
    named, _, found = installed.refusal().partition(": ")
    assert Path(named).resolve() == path.resolve()
    assert found.startswith(why)


# -- compiled code --

PLACE = "controller/rules/mystery.py"  # the check does not import it, so Python does not rewrite it either


def _compile(installed: Installed, source: bytes, *, level: int = 0, flags: int = 0) -> bytes:
    """Compiled code that Python takes for that of the source as installed."""
    path = installed.site / PLACE
    stat = path.stat()
    of = int(stat.st_mtime).to_bytes(4, "little") + stat.st_size.to_bytes(4, "little")
    if flags:
        of = importlib.util.source_hash(path.read_bytes())
    code = compile(source, str(path), "exec", dont_inherit=True, optimize=level)
    return importlib.util.MAGIC_NUMBER + flags.to_bytes(4, "little") + of + marshal.dumps(code)


@pytest.mark.parametrize("flags", [0, 1, 3])
def test_compiled_code_that_is_not_its_sources_would_run_and_is_refused(installed: Installed, flags: int) -> None:
    source = (installed.site / PLACE).read_bytes()
    path = installed.compiled(PLACE)
    path.write_bytes(_compile(installed, source + b"\nFORGED = True\n", flags=flags))
    ran = installed.run("-c", "from controller.rules.mystery import FORGED; print(FORGED)")
    assert ran.stdout == "True\n", ran.stderr
    assert f"{path}: is not what its source compiles to: remove it" in installed.refusal()


@pytest.mark.parametrize("flags", [0, 1, 3])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_compiled_code_of_its_source_is_taken(installed: Installed, level: int, flags: int) -> None:
    source = (installed.site / PLACE).read_bytes()
    path = installed.compiled(PLACE, f".opt-{level}" if level else "")
    path.write_bytes(_compile(installed, source, level=level, flags=flags))
    assert isinstance(installed.check(), dict)


def test_compiled_code_of_another_level_is_refused(installed: Installed) -> None:
    source = (installed.site / PLACE).read_bytes()
    installed.compiled(PLACE, ".opt-2").write_bytes(_compile(installed, source, level=0))
    assert "opt-2.pyc: is not what its source compiles to: remove it" in installed.refusal()


@pytest.mark.parametrize("flags", [2, 4, 1 << 31])
def test_compiled_code_with_flags_nobody_knows_is_refused(installed: Installed, flags: int) -> None:
    source = (installed.site / PLACE).read_bytes()
    installed.compiled(PLACE).write_bytes(_compile(installed, source, flags=flags))
    assert "mystery.cpython" in (refused := installed.refusal())
    assert "is no compiled code of this Python: remove it" in refused


@pytest.mark.parametrize("left", [0, 3, 8, 16, 17, 200])
def test_compiled_code_cut_short_is_refused(installed: Installed, left: int) -> None:
    path = installed.compiled(PLACE)
    path.write_bytes(path.read_bytes()[:left])
    assert str(path) in installed.refusal()


def test_something_else_than_code_is_refused(installed: Installed) -> None:
    path = installed.compiled(PLACE)
    path.write_bytes(path.read_bytes()[:16] + marshal.dumps("no code"))
    assert f"{path}: is not what its source compiles to" in installed.refusal()


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        (b"LEAST = 0.0", b"LEAST = -0.0"),
        (b"LEAST = 1", b"LEAST = True"),
        (b"def f(a, b): return a", b"def f(b, a): return a"),
        (b"FOUND = 1 in {1, 2}", b"FOUND = 1 in {1, 3}"),
        (b"try:\n    A = 1\nexcept ValueError:\n    A = 2", b"try:\n    A = 1\nexcept TypeError:\n    A = 2"),
    ],
)
def test_the_smallest_difference_is_seen(was: bytes, is_: bytes) -> None:
    from controller.service.software import _same  # noqa: PLC0415 -- what is too small for an installed file

    ours, theirs = (compile(source, name, "exec", dont_inherit=True) for source, name in ((was, "a"), (is_, "b")))
    again = marshal.loads(marshal.dumps(compile(was, "c", "exec", dont_inherit=True)))  # noqa: S302 -- made here
    assert _same(ours, again)
    assert not _same(ours, theirs)


def test_an_exception_table_of_another_code_is_seen() -> None:
    from controller.service.software import _same  # noqa: PLC0415 -- as above

    code = compile("try:\n    A = 1\nexcept ValueError:\n    A = 2", "a", "exec", dont_inherit=True)
    assert code.co_exceptiontable
    assert not _same(code, code.replace(co_exceptiontable=b""))
    assert not _same(code, code.replace(co_stacksize=code.co_stacksize + 1))


def test_compiled_code_from_elsewhere_is_refused(installed: Installed, tmp_path: Path) -> None:
    refused = installed.check(PYTHONPYCACHEPREFIX=str(tmp_path / "elsewhere"))
    assert f"{tmp_path / 'elsewhere'}: " in refused
    assert "unset PYTHONPYCACHEPREFIX" in refused


# -- the list itself --


def test_a_package_without_its_record_is_refused(installed: Installed) -> None:
    installed.record.unlink()
    assert f"{installed.record}: cannot be read" in installed.refusal()


@pytest.mark.parametrize("content", [b"", b"\xff\n", b'"never closed\n', b"\n", b"a,b,c,d\n"])
def test_a_record_that_is_no_list_of_its_files_is_refused(installed: Installed, content: bytes) -> None:
    installed.record.write_bytes(content)
    assert "RECORD" in installed.refusal()


@pytest.mark.parametrize("hash_", ["", "md5=1B2M2Y8AsgTpgAmY7PhCfg"])
def test_a_file_listed_without_its_sha_256_is_refused(installed: Installed, hash_: str) -> None:
    lines = installed.record.read_text().splitlines()
    changed = [f"controller/vault.py,{hash_}," if line.startswith("controller/vault.py,") else line for line in lines]
    assert changed != lines
    installed.record.write_text("\n".join(changed))
    assert "controller/vault.py: is not listed in RECORD with a SHA-256 and a size" in installed.refusal()


def test_two_versions_beside_each_other_are_refused(installed: Installed) -> None:
    shutil.copytree(installed.record.parent, installed.site / "jackpotd-0.0.9.dist-info")
    assert "are both there: remove all but the version installed last" in installed.refusal()


def test_a_refusal_names_a_few_files_and_counts_the_rest(installed: Installed) -> None:
    names = [installed.site / f"drivers/extra{number}.py" for number in range(MOST_NAMED + 1)]
    for path in names[:-1]:
        path.write_bytes(b"")
    assert (refused := installed.refusal()).count("remove it") == MOST_NAMED
    assert "more" not in refused
    names[-1].write_bytes(b"")
    assert (refused := installed.refusal()).count("remove it") == MOST_NAMED
    assert refused.endswith("; and 1 more")


# -- without a list --


def test_a_checkout_is_refused_unless_the_settings_allow_it() -> None:
    with pytest.raises(SoftwareError, match=r"is a checkout or an editable install.*software.allow_unsigned = true"):
        check(SoftwareSettings())
    found = check(SoftwareSettings(allow_unsigned=True))
    assert (found.version, found.digest, found.signed, found.pinned) == ("", "", False, False)


def test_a_checkout_never_has_a_pinned_digest() -> None:
    with pytest.raises(SoftwareError, match=r"software\.digest: .* is a checkout"):
        check(SoftwareSettings(digest="0" * 64, allow_unsigned=True))


def test_an_installed_wheel_does_not_vouch_for_a_checkout_that_runs_instead(installed: Installed) -> None:
    refused = installed.check(PYTHONPATH=str(ROOT))
    assert f"{ROOT} is a checkout" in refused


def test_drivers_from_elsewhere_are_not_vouched_for(installed: Installed, tmp_path: Path) -> None:
    shutil.copytree(installed.site / "drivers", tmp_path / "other/drivers")
    refused = installed.check(PYTHONPATH=str(tmp_path / "other"))
    assert f"drivers from {tmp_path / 'other/drivers'}: install a wheel" in refused


def test_pip_leaves_compiled_code_for_every_source(untouched: Path) -> None:
    """Otherwise nothing above would have been compared."""
    (site,) = untouched.glob("lib/python3*/site-packages")
    sources = [path for package in ("controller", "drivers") for path in (site / package).rglob("*.py")]
    assert len(sources) > 100
    assert [path for path in sources if not Installed(untouched).compiled(str(path.relative_to(site))).exists()] == []
