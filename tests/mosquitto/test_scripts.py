"""Certificates and passwords of the broker: made once, never overwritten, and nobody else's to read."""

import subprocess
from pathlib import Path

import pytest

from tests.mosquitto.broker import BASE, MISSING, PATIENCE_S, USERS, WHY_SKIPPED, Broker, script, until

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def openssl(*words: str) -> str:
    command = ["openssl", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE_S).stdout


def test_certificates_are_made_once_and_kept(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--name", "table-7.pit", "--name", "10.1.2.3", "--client", "sign"]
    assert script("make-certificates", *words).returncode == 0
    made = contents(tmp_path)
    assert set(made) == {"ca.crt", "ca.key", "ca.srl", "server.crt", "server.key", "sign.crt", "sign.key"}
    assert script("make-certificates", *words).returncode == 0
    assert contents(tmp_path) == made


def test_a_certificate_says_what_it_is_for(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--name", "table-7.pit", "--name", "10.1.2.3", "--name", "fd00::7"]
    assert script("make-certificates", *words, "--client", "sign", "--days", "20").returncode == 0
    server, sign, ca = (
        openssl("x509", "-in", str(tmp_path / f"{name}.crt"), "-noout", "-text") for name in ("server", "sign", "ca")
    )
    assert "DNS:table-7.pit, IP Address:10.1.2.3, IP Address:FD00:0:0:0:0:0:0:7" in server
    assert "TLS Web Server Authentication" in server
    assert "TLS Web Client Authentication" not in server
    assert "TLS Web Client Authentication" in sign
    assert "CN = sign" in sign
    assert "CA:TRUE" in ca
    for name in ("server", "sign"):
        openssl("verify", "-CAfile", str(tmp_path / "ca.crt"), str(tmp_path / f"{name}.crt"))
    openssl("x509", "-in", str(tmp_path / "server.crt"), "-noout", "-checkend", str(19 * 86400))


def test_keys_are_their_owners_and_certificates_everybodys(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    assert script("make-certificates", "--dir", str(folder), "--name", "a", "--client", "sign").returncode == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes["ca.key"] == modes["sign.key"] == 0o600
    assert modes["server.key"] in {0o600, 0o640}  # the broker's group reads it, where there is one
    assert modes["ca.crt"] == modes["server.crt"] == 0o644
    assert folder.stat().st_mode & 0o777 == 0o755


def test_one_certificate_is_renewed_under_the_same_authority(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--name", "localhost"]
    assert script("make-certificates", *words).returncode == 0
    made = contents(tmp_path)
    (tmp_path / "server.crt").unlink()
    (tmp_path / "ca.key").rename(tmp_path / "in-a-safe")
    refused = script("make-certificates", *words)
    assert refused.returncode == 2
    assert "ca.key is not here" in refused.stderr
    (tmp_path / "in-a-safe").rename(tmp_path / "ca.key")
    assert script("make-certificates", *words).returncode == 0
    assert contents(tmp_path)["ca.crt"] == made["ca.crt"]
    assert contents(tmp_path)["server.crt"] != made["server.crt"]


def test_an_authority_without_its_certificate_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "ca.key").write_text("a key")
    refused = script("make-certificates", "--dir", str(tmp_path), "--name", "localhost")
    assert refused.returncode == 2
    assert contents(tmp_path) == {"ca.key": b"a key"}


@pytest.mark.parametrize("name", ["make-certificates", "make-passwords"])
def test_a_dry_run_tells_and_makes_nothing(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "not-there"
    more = ["--name", "localhost"] if name == "make-certificates" else []
    told = script(name, "--dir", str(folder), *more, "--dry-run")
    assert told.returncode == 0
    assert str(folder) in told.stdout
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("make-certificates", ["--name", "a"], "--dir is missing"),
        ("make-certificates", ["--dir", "DIR"], "--name is missing"),
        ("make-certificates", ["--dir", "DIR", "--name"], "--name needs a value"),
        ("make-certificates", ["--dir", "DIR", "--name", "a,DNS:b"], "a,DNS:b is no name"),
        ("make-certificates", ["--dir", "DIR", "--name", "a", "--client", "../b"], "../b is no name"),
        ("make-certificates", ["--dir", "DIR", "--name", "a", "--client", "server"], "--client server"),
        ("make-certificates", ["--dir", "DIR", "--name", "a", "--days", "0"], "--days 0 is no number"),
        ("make-certificates", ["--dir", "DIR", "--name", "a", "--days", "100000"], "--days 100000 is no number"),
        ("make-certificates", ["--force"], "--force is no option"),
        ("make-passwords", [], "--dir is missing"),
        ("make-passwords", ["--dir", "DIR", "--user", "a/b"], "a/b is no user"),
        ("make-passwords", ["--dir", "DIR", "--user", "#"], "# is no user"),
        ("make-passwords", ["--dir", "DIR", "--user"], "--user needs a value"),
        ("make-passwords", ["--force"], "--force is no option"),
    ],
)
def test_bad_usage_is_named_and_makes_nothing(tmp_path: Path, name: str, words: list[str], says: str) -> None:
    folder = tmp_path / "not-there"
    refused = script(name, *(str(folder) if word == "DIR" else word for word in words))
    assert refused.returncode == 2
    assert says in refused.stderr
    assert not folder.exists()


def test_the_longest_time_a_certificate_may_have(tmp_path: Path) -> None:
    words = ["--dir", str(tmp_path), "--name", "a", "--days", "99999"]
    assert script("make-certificates", *words).returncode == 0


def test_passwords_are_drawn_once_and_only_hashes_are_the_brokers(tmp_path: Path) -> None:
    assert script("make-passwords", "--dir", str(tmp_path)).returncode == 0
    made = contents(tmp_path)
    assert set(made) == {"passwords", *(f"{user}.password" for user in USERS)}
    assert sorted(line.split(b":")[0].decode() for line in made["passwords"].splitlines()) == sorted(USERS)
    drawn = {made[f"{user}.password"].strip() for user in USERS}
    assert len(drawn) == len(USERS)
    assert not any(password in made["passwords"] for password in drawn)
    assert {(tmp_path / f"{user}.password").stat().st_mode & 0o777 for user in USERS} == {0o600}
    assert (tmp_path / "passwords").stat().st_mode & 0o777 in {0o600, 0o640}
    assert script("make-passwords", "--dir", str(tmp_path)).returncode == 0
    assert contents(tmp_path) == made


def test_a_password_moved_away_is_not_drawn_again_and_a_new_user_is_added(tmp_path: Path) -> None:
    assert script("make-passwords", "--dir", str(tmp_path)).returncode == 0
    before = (tmp_path / "passwords").read_text()
    (tmp_path / "sign.password").unlink()
    assert script("make-passwords", "--dir", str(tmp_path), "--user", "sign", "--user", "console-2").returncode == 0
    assert not (tmp_path / "sign.password").exists()
    after = (tmp_path / "passwords").read_text()
    assert after.endswith(before)
    assert after.startswith("console-2:")


def test_a_password_is_changed_as_the_guide_has_it_and_the_old_one_opens_nothing(tmp_path: Path) -> None:
    """With a broker that runs: whoever is in with the old password is thrown out when it is reloaded."""
    broker = Broker(tmp_path)
    broker.start()
    try:
        before, others = broker.who("controller"), broker.who("console")
        with broker.lines(before) as lines:
            assert broker.publish(before, f"{BASE}/status", "there", "-r") == 0
            assert until((f"{BASE}/status", "there"), lines) == []
            passwords = tmp_path / "passwords"
            kept = [line for line in passwords.read_text().splitlines() if not line.startswith("controller:")]
            passwords.write_text("".join(f"{line}\n" for line in kept))
            assert script("make-passwords", "--dir", str(tmp_path), "--user", "controller").returncode == 0
            broker.reload()
            assert list(lines) == [], "the connection ended"
        assert broker.publish(before, f"{BASE}/status", "again") != 0
        assert broker.publish(broker.who("controller"), f"{BASE}/status", "again") == 0
        assert broker.publish(others, f"{BASE}/commands/console/login", "x") == 0, "nobody else's is another one"
    finally:
        broker.stop()
