"""Who can reach the broker at all, and what outlives it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mosquitto.broker import BASE, MISSING, PATIENCE_S, SHIPPED, USERS, WHY_SKIPPED, WITNESS, Broker, script

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)

METER = f"{BASE}/meters/harmony"
CONFIG = (SHIPPED / "jackpotd.conf").read_text()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    running = Broker(tmp_path_factory.mktemp("broker"))
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize("user", USERS)
def test_a_user_gets_in_with_its_password_and_not_with_another(broker: Broker, user: str) -> None:
    assert broker.publish(broker.who(user), METER, "word") == 0
    assert broker.publish(["-u", user, "-P", "wrong"], METER, "word") != 0
    other = USERS[USERS.index(user) - 1]
    assert broker.publish(["-u", user, "-P", broker.password(other)], METER, "word") != 0


def test_nobody_gets_in_without_a_name_or_with_one_unheard_of(broker: Broker) -> None:
    assert broker.publish([], METER, "word") != 0
    assert broker.publish(["-u", "controller"], METER, "word") != 0
    assert broker.publish(["-u", "stranger", "-P", "word"], METER, "word") != 0


def test_plain_text_is_refused(broker: Broker) -> None:
    words = ["mosquitto_pub", "-h", "localhost", "-p", str(broker.port), *broker.who("controller")]
    done = subprocess.run(
        [*words, "-q", "1", "-t", METER, "-m", "x"], check=False, capture_output=True, timeout=PATIENCE_S
    )
    assert done.returncode != 0


def test_tls_older_than_1_2_is_refused(broker: Broker) -> None:
    words = ["openssl", "s_client", "-connect", f"localhost:{broker.port}", "-cipher", "DEFAULT@SECLEVEL=0"]

    def shakes_hands(version: str) -> bool:
        done = subprocess.run([*words, version], input=b"", check=False, capture_output=True, timeout=PATIENCE_S)
        return done.returncode == 0

    assert not shakes_hands("-tls1_1")
    assert shakes_hands("-tls1_2")
    assert shakes_hands("-tls1_3")


def test_a_client_does_not_trust_a_broker_of_another_authority(broker: Broker, tmp_path: Path) -> None:
    assert script("make-certificates", "--dir", str(tmp_path), "--name", "localhost").returncode == 0
    more = ["--cafile", str(tmp_path / "ca.crt")]
    assert broker.publish(broker.who("controller"), METER, "word", *more) != 0


def test_a_client_trusts_the_broker_only_by_its_names(broker: Broker) -> None:
    assert broker.publish(broker.who("controller"), METER, "word", "-h", "127.0.0.1") == 0
    assert broker.publish(broker.who("controller"), METER, "word", "-h", "127.0.0.2") != 0


def test_a_packet_may_have_four_mebibytes_and_no_more(broker: Broker, tmp_path: Path) -> None:
    found = re.search(r"^max_packet_size (\d+)$", CONFIG, re.MULTILINE)
    assert found
    most = int(found[1])
    frame = 1 + 4 + 2 + len(METER) + 2  # type, length, the topic with its length, and the packet's number

    def publish(payload: int) -> int:
        (tmp_path / "payload").write_bytes(b"x" * payload)
        words = ["mosquitto_pub", *broker.where(), *broker.who("controller"), "-q", "1", "-t", METER]
        command = [*words, "-f", str(tmp_path / "payload")]
        return subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE_S).returncode

    assert publish(most - frame) == 0
    assert publish(most - frame + 64) != 0


def test_what_is_retained_outlives_the_broker(tmp_path: Path) -> None:
    running = Broker(tmp_path)
    head = (f"{BASE}/journal/head", '{"seq": 12}')
    running.start()
    try:
        assert running.publish(running.who("controller"), *head, "-r") == 0
        running.stop()
        running.start()
        assert head in running.heard(running.who("controller"), lambda: None)
    finally:
        running.stop()


def test_a_client_can_be_known_by_its_certificate(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    running = Broker(tmp_path / "broker", certificates_only=True)
    controller, console, witness = (running.who(user, certificate=True) for user in ("controller", "console", WITNESS))
    running.start()
    try:
        assert running.publish(running.who("controller"), METER, "word") != 0  # a password is no certificate
        assert (
            script("make-certificates", "--dir", str(tmp_path), "--name", "a", "--client", "controller").returncode == 0
        )
        foreign = ["--cert", str(tmp_path / "controller.crt"), "--key", str(tmp_path / "controller.key")]
        assert running.publish(foreign, METER, "word") != 0

        def act() -> None:
            running.publish(console, METER, "forged")
            running.publish([*console, "-u", "controller"], METER, "forged")  # the certificate is the name
            running.publish(controller, METER, "word")

        assert running.heard(witness, act, speaker=controller) == [(METER, "word")]
    finally:
        running.stop()


def test_small_messages_are_not_held_back_and_nobody_is_anonymous() -> None:
    lines = CONFIG.splitlines()
    assert "set_tcp_nodelay true" in lines
    assert "allow_anonymous false" in lines
    assert [line for line in lines if line.startswith("listener")] == ["listener 8883"]
