"""What tables say, on its way to browsers: the newest of everything, never more than there is room for, and the truth
about what is not known."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
import structlog
from msgspec import json
from structlog.testing import capture_logs

from controller.console.live import MOST_MESSAGE_BYTES, MOST_TOPICS, SETTLED_SECONDS, Follower, Live
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, needs_a_house, serve, visit
from tests.console.visitors import Visitor, said
from tests.service.house import House

LOG = structlog.get_logger()


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


AT = "2026-11-16T21:04:05.123456Z"
OWN: dict[str, dict[str, object]] = {  # what a message of each kind has besides its place
    "status": {"state": "online"},
    "meters": {"display_cents": 5, "label": "Harmony", "state": "live"},
    "round": {"round": 1, "phase": "open", "positions": {"1": {"royal9": "off"}}},
    "awards": {
        "kind": "fixed",
        "wager": "royal9/5",
        "outcome": "any-royal9",
        "round": 1,
        "position": 1,
        "amount_cents": 5,
        "needs_second": False,
    },
    "proofs": {"commitment": "ab" * 32, "cycle": 1},
    "devices": {"state": "online", "driver": "modbus", "port": "rail"},
    "journal/head": {"hash": "ab" * 32},
}


def message(topic: str, seq: int = 1, **more: object) -> bytes:
    """A message as a controller says it under a topic."""
    kind, _, id_ = ("journal/head", "", "") if topic == "journal/head" else topic.partition("/")
    named = {"award": id_} if kind == "awards" else {}
    return json.encode({"v": 1, "epoch": 1, "seq": seq, "at": AT, **OWN[kind], **named, **more})


def told(follower: Follower) -> list[dict[str, Any]]:
    """Everything that waits for a browser."""

    async def all_of_it() -> list[dict[str, Any]]:
        return [json.decode(await follower.next()) for _ in range(len(follower))]

    return asyncio.run(all_of_it())


def test_who_comes_late_is_told_first_how_everything_stands() -> None:
    clock = Clock()
    live = Live(["a/1", "a/2"], LOG, clock)
    live.connect(there=True)
    live.hear("a/1", "meters/harmony", message("meters/harmony"), retained=True)
    live.hear("a/1", "status", message("status"), retained=False)
    live.hear("a/2", "status", message("status"), retained=True)
    clock.now += 1.5
    (snapshot,) = told(live.follow(["a/1", "a/2"]))
    assert snapshot["type"] == "snapshot"
    assert snapshot["broker"] is True
    assert snapshot["tables"]["a/1"]["meters/harmony"]["display_cents"] == 5
    assert snapshot["heard"] == {"a/1": 1500, "a/2": None}  # a retained status is no sign of life


def test_a_change_is_told_to_who_follows_the_table_and_to_nobody_else() -> None:
    live = Live(["a/1", "a/2"], LOG)
    here, there = live.follow(["a/1"]), live.follow(["a/2"])
    assert [len(told(each)) for each in (here, there)] == [1, 1]
    live.hear("a/1", "round", message("round"), retained=False)
    live.hear("a/1", "round", b"", retained=False)
    live.hear("a/1", "round", b"", retained=False)  # gone already
    assert [each["message"] for each in told(here)] == [None]
    assert told(there) == []
    live.leave(here)
    live.hear("a/1", "round", message("round"), retained=False)
    assert told(here) == []


def test_a_slow_browser_keeps_one_place_for_each_topic_and_gets_the_newest() -> None:
    live = Live(["a/1"], LOG)
    slow = live.follow(["a/1"])
    for seq in range(1000):
        live.hear("a/1", "meters/harmony", message("meters/harmony", seq), retained=False)
        live.hear("a/1", "round", message("round", seq), retained=False)
        live.connect(there=bool(seq % 2))
    assert len(slow) == 4  # snapshot, two topics, the broker
    assert [each.get("message", {}).get("seq") for each in told(slow)] == [None, 999, 999, None]


def test_what_is_no_message_is_left_out_and_the_log_says_so() -> None:
    live = Live(["a/1"], LOG)
    topic = "meters/harmony"
    padding = MOST_MESSAGE_BYTES - len(message(topic, label=""))
    with capture_logs() as log:
        for payload in (b"{", b"[]", b"\xff", b"5", message(topic, label="x" * (padding + 1))):
            live.hear("a/1", topic, payload, retained=False)
    assert [line["event"] for line in log] == ["message-left-out"] * 5
    (snapshot,) = told(live.follow(["a/1"]))
    assert snapshot["tables"]["a/1"] == {}
    live.hear("a/1", topic, message(topic, label="x" * padding), retained=False)
    (snapshot,) = told(live.follow(["a/1"]))
    assert topic in snapshot["tables"]["a/1"]


@pytest.mark.parametrize("kind", OWN)
def test_what_is_not_of_the_form_of_its_topic_is_left_out_and_what_stood_there_stands(kind: str) -> None:
    topic = kind + {"meters": "/harmony", "proofs": "/harmony", "awards": "/mb-1-1", "devices": "/rail"}.get(kind, "")
    live = Live(["a/1"], LOG)
    good = json.decode(message(topic))
    forged = [{key: value for key, value in good.items() if key != left_out} for left_out in good if left_out != "v"]
    for key, value in good.items():
        wrong: tuple[object, ...] = (None, 5, -1, 1.5) if isinstance(value, str) else (None, "five", -1, [], {"x": []})
        forged += [{**good, key: each} for each in wrong if type(each) is not type(value) or each == -1]
    forged.remove({**good, "v": -1})  # its number is for people to compare
    with capture_logs() as log:
        live.hear("a/1", topic, message(topic), retained=False)
        assert log == []
        for each in forged:
            live.hear("a/1", topic, json.encode(each), retained=False)
        for raw in (b'{"x":' + b"9" * 5000 + b"}", b'{"x":' + b"[" * 90_000, b'{"x":"\xff"}', b'{"v":1}'):
            live.hear("a/1", topic, raw, retained=False)
    assert [line["event"] for line in log] == ["message-left-out"] * (len(forged) + 4)
    assert all(line["why"] for line in log)
    (snapshot,) = told(live.follow(["a/1"]))
    known = snapshot["tables"]["a/1"][topic]
    assert {key: known[key] for key in good} == good
    live.hear("a/1", topic, message(topic, 7, unheard_of=[1]), retained=False)  # a newer controller may say more
    (snapshot,) = told(live.follow(["a/1"]))
    assert snapshot["tables"]["a/1"][topic] == {**known, "seq": 7}


def test_what_a_message_may_leave_out_is_there_for_the_page() -> None:
    live = Live(["a/1"], LOG)
    live.hear("a/1", "meters/harmony", message("meters/harmony"), retained=False)
    live.hear("a/1", "status", message("status"), retained=False)
    (snapshot,) = told(live.follow(["a/1"]))
    known = snapshot["tables"]["a/1"]
    assert known["meters/harmony"]["hits"] == []
    assert known["status"]["mode"] == "live"
    assert "health" not in known["status"]


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("round", message("round", positions={"x": {}})),
        ("round", message("round", positions={"1": {"royal9": "blinking"}})),
        ("round", message("round", positions={"__proto__": {"royal9": "off"}})),
        ("meters/__proto__", message("meters/harmony")),
        ("meters/harmony\n", message("meters/harmony")),
        ("proofs/<b>", message("proofs/harmony")),
        ("awards/mb-1-1", message("awards/mb-1-2")),  # a validation would be of the other one
        ("unheard-of", message("round")),
    ],
)
def test_what_would_trip_a_page_up_does_not_get_there(topic: str, payload: bytes) -> None:
    live = Live(["a/1"], LOG)
    with capture_logs() as log:
        live.hear("a/1", topic, payload, retained=False)
    assert [line["event"] for line in log] == ["message-left-out"]
    (snapshot,) = told(live.follow(["a/1"]))
    assert snapshot["tables"]["a/1"] == {}


def test_topics_have_an_end_and_known_ones_still_change() -> None:
    live = Live(["a/1"], LOG)
    with capture_logs() as log:
        for number in range(MOST_TOPICS + 1):
            topic = f"awards/mb-1-{number + 1}"
            live.hear("a/1", topic, message(topic), retained=False)
        live.hear("a/1", "awards/mb-1-1", message("awards/mb-1-1", 2), retained=False)
    assert [line["event"] for line in log] == ["too-many-topics"]
    (snapshot,) = told(live.follow(["a/1"]))
    assert len(snapshot["tables"]["a/1"]) == MOST_TOPICS
    assert snapshot["tables"]["a/1"]["awards/mb-1-1"]["seq"] == 2


def test_what_was_emptied_while_the_broker_was_away_goes_once_everything_was_heard_again() -> None:
    clock = Clock()
    live = Live(["a/1"], LOG, clock)
    live.connect(there=True)
    first, second = "awards/mb-1-1", "awards/mb-1-2"
    for topic in (first, second):
        live.hear("a/1", topic, message(topic), retained=True)
    live.connect(there=False)
    live.connect(there=True)
    follower = live.follow(["a/1"])
    told(follower)
    live.hear("a/1", second, message(second), retained=True)
    for seconds, state in ((0, "online"), (SETTLED_SECONDS / 2, "online"), (0, "offline"), (SETTLED_SECONDS, "online")):
        clock.now += seconds
        live.hear("a/1", "status", message("status", state=state), retained=False)
        assert all(each["topic"] != first for each in told(follower))
    clock.now += SETTLED_SECONDS
    live.hear("a/1", "status", message("status"), retained=False)
    gone = [each["topic"] for each in told(follower) if each["message"] is None]
    assert gone == [first]


@needs_a_house
def test_a_socket_tells_everything_and_ticks(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        async with Visitor(console.port).follow() as socket:
            first = json.decode(await socket.recv())
            assert first["type"] == "snapshot"
            await said(socket, lambda each: each["type"] == "tick")
            await house.open()
            await said(socket, lambda each: each.get("topic") == "round" and each["message"]["phase"] == "open")
            await house.bet(1)
            await said(socket, lambda each: "placed" in str(each.get("message")))
            await said(socket, lambda each: each.get("topic") == "status" and not each["retained"])

    serve(tmp_path, scene)


@needs_a_house
def test_a_public_console_tells_no_more_than_a_sign_shows(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        visitor = Visitor(console.port)
        async with visitor.follow() as socket:
            before = house.sign.meter("royal9-mega")
            await house.open()
            await house.bet(1)
            await house.lock()
            mega = await said(socket, lambda each: each.get("topic") == "meters/royal9-mega")
            assert mega["message"]["display_cents"] >= before
        async with visitor.follow() as socket:
            snapshot = json.decode(await socket.recv())
        kinds = {topic.partition("/")[0] for topic in snapshot["tables"][NAME]}
        assert kinds == {"status", "meters", "proofs"}
        for path in ("/signage", "/proof", "/static/live.js", "/texts/en.json"):
            assert (await visitor.get(path)).status == 200, path
        assert (await visitor.get("/")).header("location") == "/signage"
        for path in ("/table", "/floor", "/audit", "/slip/a-1-1", "/api/session", "/audit/download"):
            assert (await visitor.get(path)).status == 404, path
        for path in ("/api/sign-in", "/api/command/open-table", "/api/command/preview-hand"):
            assert (await visitor.post(path, {})).status == 404, path

    serve(tmp_path, scene, settings="public = true")


# Where a page has not drawn anything yet its own script is as good: it is the same connection.
UNTIL = """async ([table, state, reason]) => {
    const {connect} = await import("/static/live.js");
    const found = connect([table]).state(table);
    return found.state === state && (!reason || found.reason.includes(reason));
}"""


@needs_a_browser
def test_a_page_says_when_controller_broker_or_console_are_gone_and_recovers_by_itself(tmp_path: Path) -> None:
    async def scene(house: House, console: Console, browser: Browser) -> None:
        page = await browser.page(path="/table")

        async def until(state: str, reason: str = "") -> None:
            await page.wait_for_function(UNTIL, arg=[NAME, state, reason])
            await page.locator(f"#banner[data-state={state}]").wait_for()

        await until("live")
        await house.stop()
        await until("offline", "stopped")
        await house.start(heard=False)
        await until("live")
        await house.kill()  # its last will says so
        await until("offline", "lost")
        await house.start(heard=False)
        await until("live")
        assert house.process is not None
        house.process.send_signal(signal.SIGSTOP)  # it says nothing at all
        await until("stale", "silence")
        house.process.send_signal(signal.SIGCONT)
        await until("live")
        house.broker.kill()
        await until("stale", "broker")
        await house.broker.start()
        await until("live")
        house.broker.signal(signal.SIGSTOP)  # a broker that neither answers nor goes
        await until("stale")
        house.broker.signal(signal.SIGCONT)
        await until("live")
        await console.kill()
        await until("stale", "socket")
        await console.start()
        await until("live")
        assert console.process is not None
        console.process.send_signal(signal.SIGSTOP)
        await until("stale", "socket")
        console.process.send_signal(signal.SIGCONT)
        await until("live")
        house.lines["rail"].unplug()
        await until("faulted")
        house.lines["rail"].plug()
        await until("live")

    visit(tmp_path, scene)


@needs_a_browser
def test_a_page_drops_what_is_older_and_takes_a_retained_status_for_no_sign_of_life(tmp_path: Path) -> None:
    async def scene(_house: House, _console: Console, browser: Browser) -> None:
        page = await browser.page(path="/table")
        await page.locator("[data-state=live]").first.wait_for()  # until its socket speaks everything is stale
        script = """async (table) => {
            const {connect} = await import("/static/live.js");
            const live = connect([table]);
            const seen = [];
            live.on((_, topic, message) => topic === "test/x" && seen.push(message?.seq ?? null));
            const say = (topic, message, retained) => live.take({type: "said", table, topic, message, retained});
            for (const [epoch, seq] of [[5, 2], [5, 1], [4, 9], [5, 2], [6, 1], [5, 9]]) say("test/x", {epoch, seq});
            say("test/x", null);
            say("status", {epoch: 50, seq: 7, state: "online"});
            const status = [live.get(table, "status").seq];
            say("status", {epoch: 50, seq: 3, state: "offline", reason: "lost"});  // a last will is as old as that
            status.push(live.get(table, "status").seq, live.state(table).state);
            say("status", {epoch: 51, seq: 1, state: "online"}, true);
            live.tables.get(table).aliveAt = -Infinity;
            live.look();
            status.push(live.state(table).state);
            return [seen, status];
        }"""
        seen, status = await page.evaluate(script, NAME)
        assert seen == [2, 2, 1, None]
        assert status == [7, 3, "offline", "stale"]

    visit(tmp_path, scene)
