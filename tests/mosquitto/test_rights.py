"""Who may say and hear what at the broker, refusal by refusal.

Mosquitto grants a forbidden subscription and acknowledges a forbidden message: only what others receive is proof.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mosquitto.broker import BASE, MISSING, SHIPPED, USERS, WHY_SKIPPED, WITNESS, Broker, until

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY_SKIPPED)

STAFF = {"console", "auditor-tool"}
ASKED = ("hits", "derive", "readings", "rounds", "actions", "operators")
QUERIES = ["login", "logout", *(f"query-{what}" for what in ASKED)]
CHANGES = ["validate", "reject", "adjust-meter", "change-submission", "operator-add"]
# Each topic below the table's base: who may publish there, and who may read it.
RIGHTS: dict[str, tuple[set[str], set[str]]] = {
    "status": ({"controller"}, set(USERS)),
    "meters/royal9-mega": ({"controller"}, set(USERS)),
    "round": ({"controller"}, {"controller", *STAFF}),
    "awards/mb-07-12-1": ({"controller"}, {"controller", *STAFF}),
    "proofs/must-hit-by": ({"controller"}, {"controller", "public", *STAFF}),
    "devices/rail": ({"controller"}, {"controller", *STAFF}),
    "journal/head": ({"controller"}, {"controller", *STAFF}),
    "events": ({"controller"}, {"auditor-tool"}),
    "replies/console/1": ({"controller"}, {"console"}),
    "replies/auditor-tool/1": ({"controller"}, {"auditor-tool"}),
    "replies/sign/1": ({"controller"}, set()),
    "replies/public/1": ({"controller"}, set()),
    "commands/sign/login": (set(), {"controller"}),
    "commands/public/login": (set(), {"controller"}),
    "commands/controller/validate": (set(), {"controller"}),
    "commands/console": (set(), set()),
    "commands/console/validate/more": (set(), set()),
    "journal": (set(), set()),
    "secrets": (set(), set()),
    **{f"commands/console/{name}": ({"console"}, {"controller"}) for name in ("login", "validate", "adjust-meter")},
    **{f"commands/auditor-tool/{name}": ({"auditor-tool"}, {"controller"}) for name in QUERIES},
    **{f"commands/auditor-tool/{name}": (set(), {"controller"}) for name in CHANGES},
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    running = Broker(tmp_path_factory.mktemp("broker"))
    running.start()
    yield running
    running.stop()


@pytest.mark.parametrize("topic", RIGHTS)
@pytest.mark.parametrize("user", USERS)
def test_a_message_goes_through_only_from_whom_it_may_come(broker: Broker, user: str, topic: str) -> None:
    message = (f"{BASE}/{topic}", "word")
    heard = broker.heard(broker.who(WITNESS), lambda: broker.publish(broker.who(user), *message))
    assert (message in heard) == (user in RIGHTS[topic][0])


@pytest.mark.parametrize("user", USERS)
def test_a_user_hears_what_it_may_and_nothing_else(broker: Broker, user: str) -> None:
    def act() -> None:
        for topic, (writers, _) in RIGHTS.items():
            for writer in writers:
                broker.publish(broker.who(writer), f"{BASE}/{topic}", "word")

    heard = {topic for topic, payload in broker.heard(broker.who(user), act) if payload == "word"}
    published = {topic: readers for topic, (writers, readers) in RIGHTS.items() if writers}
    assert heard == {f"{BASE}/{topic}" for topic, readers in published.items() if user in readers}


@pytest.mark.parametrize("user", USERS)
def test_what_is_retained_reaches_only_who_may_read_it(broker: Broker, user: str) -> None:
    kept = [topic for topic, (writers, _) in RIGHTS.items() if "controller" in writers and topic != "status"]
    for topic in kept:
        broker.publish(broker.who("controller"), f"{BASE}/{topic}", "kept", "-r")
    try:
        heard = {topic for topic, _ in broker.heard(broker.who(user), lambda: None)}
    finally:
        for topic in kept:
            broker.publish(broker.who("controller"), f"{BASE}/{topic}", "", "-r")
    assert heard == {f"{BASE}/{topic}" for topic in kept if user in RIGHTS[topic][1]}


def test_nobody_can_leave_a_retained_meter_but_the_controller(broker: Broker) -> None:
    for user in USERS[1:]:
        broker.publish(broker.who(user), f"{BASE}/meters/harmony", "forged", "-r")
    assert broker.heard(broker.who(WITNESS), lambda: None) == []


def test_the_name_a_client_gives_itself_counts_for_nothing(broker: Broker) -> None:
    def act() -> None:
        broker.publish(broker.who("controller"), f"{BASE}/replies/console/1", "token")
        broker.publish(broker.who("sign"), f"{BASE}/commands/console/validate", "forged", "-i", "console")
        broker.publish(broker.who("sign"), f"{BASE}/meters/harmony", "forged", "-i", "controller")

    assert broker.heard(broker.who("sign"), act, "-i", "console-of-the-pit") == []
    assert broker.heard(broker.who(WITNESS), act) == [(f"{BASE}/replies/console/1", "token")]


def test_a_last_will_needs_the_same_right(broker: Broker) -> None:
    status = f"{BASE}/status"

    def die_with_a_will(user: str, payload: str) -> None:
        will = ["--will-topic", status, "--will-payload", payload, "--will-qos", "1"]
        broker.heard(broker.who(user), lambda: None, *will)

    broker.publish(broker.who("controller"), status, "ready", "-r")
    with broker.lines(broker.who(WITNESS)) as lines:
        until((status, "ready"), lines)
        for user in USERS[1:]:
            die_with_a_will(user, "forged")
        die_with_a_will("controller", "offline")
        assert (status, "forged") not in until((status, "offline"), lines)


def test_a_second_table_at_the_broker_is_apart(broker: Broker) -> None:
    other = BASE.replace("mb-07", "mb-08")

    def act() -> None:
        for topic in (f"{BASE}/commands/console/validate", f"{BASE}/commands/console-mb-08/validate"):
            broker.publish(broker.who("console-mb-08"), topic, "forged")
        broker.publish(broker.who("console"), f"{other}/commands/console/validate", "forged")
        broker.publish(broker.who("controller"), f"{other}/meters/harmony", "forged")
        broker.publish(broker.who("console-mb-08"), f"{other}/commands/console-mb-08/validate", "word")

    assert broker.heard(broker.who(WITNESS), act) == [(f"{other}/commands/console-mb-08/validate", "word")]


def test_a_sign_may_show_the_meters_of_every_table(broker: Broker) -> None:
    other = BASE.replace("mb-07", "mb-08")

    def act() -> None:
        broker.publish(broker.who("controller"), f"{BASE}/meters/harmony", "word")
        broker.publish(broker.who("controller-mb-08"), f"{other}/meters/harmony", "word")
        broker.publish(broker.who("controller-mb-08"), f"{other}/events", "word")

    assert broker.heard(broker.who("sign"), act) == [(f"{table}/meters/harmony", "word") for table in (BASE, other)]


def test_the_brokers_own_topics_are_nobodys(broker: Broker) -> None:
    for user in USERS:
        heard = broker.heard(broker.who(user), lambda: None, "-t", "$SYS/#")
        assert [topic for topic, _ in heard if topic.startswith("$SYS")] == []


def test_every_right_is_under_a_user_and_for_one_table() -> None:
    lines = [line for line in (SHIPPED / "acl").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0].startswith("user ")
    assert [line.split()[1] for line in lines if line.startswith("user ")] == list(USERS)
    rights = [line.split() for line in lines if not line.startswith("user ")]
    assert all(len(right) == 3 and right[0] == "topic" for right in rights)
    assert {right[1] for right in rights} == {"read", "write", "readwrite"}
    assert all(right[2].startswith("jackpot/SITE/TABLE/") for right in rights)


def test_before_its_table_is_named_the_file_allows_nothing(tmp_path: Path) -> None:
    running = Broker(tmp_path)
    (tmp_path / "acl").write_text(f"{(SHIPPED / 'acl').read_text()}\nuser {WITNESS}\ntopic #\n")
    running.start()
    try:
        message = (f"{BASE}/meters/harmony", "word")
        act = lambda: running.publish(running.who("controller"), *message)  # noqa: E731 -- read best in its line
        assert running.heard(running.who(WITNESS), act, speaker=running.who(WITNESS)) == []
    finally:
        running.stop()
