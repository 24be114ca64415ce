"""The units as systemd itself sees them: whole, hardened, and with users and folders to match."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.people.pepper import PEPPER_FILE
from controller.service.starting import LINK_PASSWORD_FILE
from controller.vault import KEY_FILE, LINK_KEY_FILE, OLD_KEY_FILES, OLD_KEYS

ROOT = Path(__file__).parent.parent.parent
UNITS = ("jackpotd.service", "jackpotd-console.service", "jackpotd-public.service")
MOST_EXPOSURE = 1.5  # of 10, in the words of systemd-analyze; a plain unit has 9.6
SYSTEM_UNITS = Path("/usr/lib/systemd/system")
PATIENCE_S = 60  # for a loaded machine; nothing here takes a second


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed (Debian: systemd)")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system with the units installed, the command in its place and systemd's own units."""
    assert run(sys.executable, str(ROOT / "systemd/install"), "--destdir", str(tmp_path)).returncode == 0
    command = tmp_path / "opt/jackpotd/bin/jackpotd"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    if SYSTEM_UNITS.is_dir():
        shutil.copytree(SYSTEM_UNITS, tmp_path / "usr/lib/systemd/system", symlinks=True)
    return tmp_path


def settings(unit: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", (ROOT / "systemd" / unit).read_text(), re.MULTILINE):
        found.setdefault(key, []).append(value)
    return found


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_has_nothing_to_say_against_a_unit(root: Path, unit: str) -> None:
    verdict = run("systemd-analyze", "verify", "--man=no", f"--root={root}", unit)
    assert (verdict.returncode, verdict.stderr) == (0, "")


@needs("systemd-analyze")
def test_what_this_systemd_does_not_know_would_be_seen(root: Path) -> None:
    unit = root / "etc/systemd/system/jackpotd.service"
    unit.write_text(unit.read_text().replace("[Service]\n", "[Service]\nRestartStops=5\n"))
    assert "RestartStops" in run("systemd-analyze", "verify", "--man=no", f"--root={root}", unit.name).stderr


@needs("systemd-analyze")
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_hardened(unit: str) -> None:
    verdict = run("systemd-analyze", "security", "--offline=true", "--no-pager", str(ROOT / "systemd" / unit))
    found = re.search(rf"Overall exposure level for {unit}: ([\d.]+)", verdict.stdout)
    assert found, verdict.stdout + verdict.stderr
    assert float(found[1]) <= MOST_EXPOSURE


@needs("systemd-sysusers")
@pytest.mark.skipif(os.geteuid() != 0, reason="systemd-sysusers writes as root")
def test_the_users_are_made_and_only_the_controller_reaches_serial_ports(root: Path) -> None:
    made = run("systemd-sysusers", f"--root={root}", str(root / "etc/sysusers.d/jackpotd.conf"))
    assert made.returncode == 0, made.stderr
    users = {line.split(":")[0]: line for line in (root / "etc/passwd").read_text().splitlines()}
    groups = {line.split(":")[0]: line.split(":")[3] for line in (root / "etc/group").read_text().splitlines()}
    for unit in UNITS:
        (user,) = settings(unit)["User"]
        assert users[user].endswith("/usr/sbin/nologin")
        assert settings(unit)["Group"] == [user]
        assert user in groups
    assert groups["dialout"] == "jackpotd"


@needs("systemd-tmpfiles")
@pytest.mark.skipif(os.geteuid() != 0, reason="systemd-tmpfiles gives folders to root")
def test_keys_have_a_folder_only_root_can_enter(root: Path) -> None:
    store = root / "etc/credstore"
    store.mkdir()
    (store / "jackpotd.vault-key").write_text("a key")
    (store / "jackpotd.vault-key").chmod(0o644)
    made = run("systemd-tmpfiles", f"--root={root}", "--create", "jackpotd.conf")
    assert made.returncode == 0, made.stderr
    assert store.stat().st_mode & 0o777 == 0o700
    assert (store / "jackpotd.vault-keys-old").stat().st_mode & 0o777 == 0o700
    assert (store / "jackpotd.vault-key").stat().st_mode & 0o777 == 0o600
    assert (root / "etc/jackpotd").stat().st_mode & 0o777 == 0o755


def test_secrets_have_the_names_under_which_the_service_looks_for_them() -> None:
    credentials = dict(each.split(":") for each in settings("jackpotd.service")["LoadCredential"])
    assert KEY_FILE in credentials
    assert OLD_KEY_FILES in credentials, "a folder: each file in it becomes this name, _ and its own"
    assert credentials[OLD_KEY_FILES].startswith("/etc/credstore/")
    assert {PEPPER_FILE, "mqtt-password", LINK_KEY_FILE, LINK_PASSWORD_FILE} <= set(credentials)
    assert credentials[f"{LINK_KEY_FILE}{OLD_KEYS}"].startswith("/etc/credstore/")


def test_the_guide_names_every_secret() -> None:
    guide = (ROOT / "docs/installing.md").read_text()
    places = [each.partition(":")[2] for unit in UNITS for each in settings(unit)["LoadCredential"]]
    assert [place for place in places if place.rpartition("/")[2] not in guide] == []


def test_serial_ports_are_all_the_controller_may_open_and_the_consoles_none() -> None:
    controller, *consoles = (settings(unit) for unit in UNITS)
    assert controller["DeviceAllow"] == ["char-ttyUSB rw", "char-ttyACM rw", "char-ttyS rw"]
    assert controller["PrivateDevices"] == ["no"]
    for console in consoles:
        assert "DeviceAllow" not in console
        assert console["PrivateDevices"] == ["yes"]
        assert "SupplementaryGroups" not in console


def test_no_service_reaches_what_another_keeps() -> None:
    folders = {f"/var/lib/{name}" for unit in UNITS for name in settings(unit)["StateDirectory"]}
    for unit, hidden in (("jackpotd-console.service", {"/var/lib/jackpotd"}), ("jackpotd-public.service", folders)):
        shut = {path.removeprefix("-") for line in settings(unit)["InaccessiblePaths"] for path in line.split()}
        assert hidden - {f"/var/lib/{settings(unit)['User'][0]}"} <= shut
        assert {"/etc/credstore", "/etc/credstore.encrypted"} <= shut


def test_only_the_public_service_may_listen_below_1024_and_then_in_no_user_namespace() -> None:
    for unit in UNITS:
        public = unit == "jackpotd-public.service"
        found = settings(unit)
        assert found["AmbientCapabilities"] == found["CapabilityBoundingSet"]
        assert found["AmbientCapabilities"] == ["CAP_NET_BIND_SERVICE" if public else ""]
        assert (found["PrivateUsers"] == ["no"]) == public  # there the capability would count for nothing


def test_drivers_of_the_allowed_ports_are_loaded_at_boot() -> None:
    lines = (ROOT / "systemd/jackpotd.modules").read_text().splitlines()
    modules = {line for line in lines if line and not line.startswith("#")}
    assert modules == {"usbserial", "ftdi_sio", "cp210x", "ch341", "cdc_acm"}
    assert "systemd-modules-load.service" in settings("jackpotd.service")["After"][0]


@pytest.mark.parametrize("unit", UNITS)
def test_a_service_is_started_again_for_ever(unit: str) -> None:
    found = settings(unit)
    assert found["Restart"] == ["always"]
    assert found["StartLimitIntervalSec"] == ["0"]
    assert found["Type"] == ["notify"]
    assert found["WatchdogSec"] == ["10s" if unit == "jackpotd.service" else "30s"]


def test_adapters_get_names_that_stay_and_answer_at_once() -> None:
    text = (ROOT / "systemd/70-jackpotd.rules").read_text().replace("\\\n", "")
    rules = [line for line in text.splitlines() if line and not line.startswith("#")]
    match_or_set = re.compile(r'[A-Z]+(\{[\w.]+\})?(==|!=|\+=|=)"[^"]*"')
    assert [part for rule in rules for part in re.split(r",\s*", rule) if not match_or_set.fullmatch(part)] == []
    assert {label for rule in rules for label in re.findall('GOTO="(.*?)"', rule)} == {"jackpotd_end"}
    assert rules[-1] == 'LABEL="jackpotd_end"'
    (latency,) = [rule for rule in rules if "latency_timer" in rule]
    assert 'ATTR{latency_timer}="1"' in latency
    names = re.findall(r'SYMLINK\+="(.*?)"', text)
    assert names
    assert all(name.startswith("jackpotd/") for name in names)
