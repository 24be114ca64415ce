"""What people with bad intent try, one after the other. Nothing of it does anything, and what matters is recorded."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from msgspec import json
from playwright.async_api import Page, expect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from controller.console.api import BODY_SECONDS, MOST_BODY_BYTES, MOST_SUBMISSION_BYTES, RefusedError, typed
from controller.console.limits import (
    COMMANDS_PER_MINUTE,
    SIGN_INS_PER_MINUTE,
    SOCKETS_PER_ADDRESS,
)
from controller.console.patience import CONNECTIONS_PER_ADDRESS, REQUEST_SECONDS
from controller.console.security import MOST_HEADER_BYTES
from controller.console.server import MOST_SAID_BYTES
from controller.mqtt import Said, connection
from tests.console.browsers import needs_a_browser
from tests.console.house import NAME, Browser, Console, needs_a_house, serve, sign_in, visit
from tests.console.visitors import Answer, Visitor, alone, until_too_many
from tests.service.house import BASE, House

pytestmark = needs_a_house
REASON = {"round": 1, "reason": "a test"}


async def cut_off(reader: asyncio.StreamReader) -> bool:
    """Whether a connection ends without a word."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


async def actions(house: House) -> list[dict[str, Any]]:
    """What the journal says people did and were refused, the newest first."""
    await house.sign_in("abe")
    reply = await house.do("query-actions", "abe")
    found: list[dict[str, Any]] = reply["actions"]
    return found


def test_a_request_that_another_site_makes_the_browser_send_does_nothing(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        dealer = Visitor(console.port)
        assert (await dealer.sign_in("dora")).json["ok"]
        body = {"id": str(uuid4()), "table": NAME, "fields": {}}
        path = "/api/command/open-table"
        # With the cookie, as a browser sends it along; but the page it comes from is not ours, or knows no token.
        assert (await dealer.post(path, body, origin="http://evil.example")).status == 403
        assert (await dealer.post(path, body, origin="null")).status == 403
        assert (await dealer.post(path, body, origin="")).status == 403
        assert (await dealer.post(path, body, origin=f"https://127.0.0.1:{console.port}")).status == 403
        assert (await dealer.post(path, body, x_jackpotd_csrf="")).error == "forged"
        other = Visitor(console.port)
        await other.arrive()
        assert (await dealer.post(path, body, x_jackpotd_csrf=other.csrf)).error == "forged"
        # A form can send text, but not JSON that says so.
        assert (await dealer.post(path, body, content_type="text/plain")).status == 415
        assert (await dealer.post(path, body, content_type="application/x-www-form-urlencoded")).status == 415
        assert (await dealer.get(path)).status == 405
        assert house.sign.phase == "closed"
        refused = [(line["path"], line["error"]) for line in console.logged("refused")]
        assert refused.count((path, "forged")) == 2
        assert (await dealer.post(path, body)).json["ok"]
        await house.until(lambda: house.sign.phase == "open")

    serve(tmp_path, scene)


def test_a_command_sent_again_is_done_once_and_another_persons_id_is_of_no_use(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        dealer, other = Visitor(console.port), Visitor(console.port)
        await dealer.sign_in("dora")
        await other.sign_in("flo")
        id_ = str(uuid4())
        first = await dealer.command("open-table", id=id_)
        assert first.json["ok"]
        head = house.head()
        again = await dealer.command("open-table", id=id_)
        assert again.json == first.json
        assert house.head() == head
        # Another command under the id, by the same person and by another one: refused, and recorded.
        assert (await dealer.command("close-table", id=id_)).error == "bad-request"
        assert (await other.command("close-table", id=id_)).error == "bad-request"
        await house.until(lambda: house.sign.phase == "open")
        assert house.state().phase.value == "open"

    serve(tmp_path, scene)


def test_the_token_of_another_role_is_never_seen_and_cannot_be_used(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        floor = Visitor(console.port)
        signed_in = await floor.sign_in("flo")
        assert "token" not in signed_in.json
        await house.sign_in("sue")
        stolen = house.tokens["sue"]
        # Whoever knows a token has no field to put it in.
        for fields in ({"token": stolen}, {"second": stolen}, {"id": str(uuid4())}, {"at": "2026-01-01T00:00:00Z"}):
            assert (await floor.command("close-table", fields)).error == "bad-request"
        assert (await floor.command("close-table", token=stolen)).error == "bad-request"
        assert (await floor.command("close-table", second=stolen)).error == "bad-request"
        floor.cookies["jackpotd-token"] = stolen
        # A floorperson stays one, and the controller has it on record.
        refused = await floor.command("operator-disable", {"operator": "dora"})
        assert refused.json["error"] == "not-allowed"
        assert "flo is floorperson" in refused.json["message"]
        noted = [row for row in await actions(house) if row.get("refusal") == "not-allowed"]
        assert (noted[0]["person"], noted[0]["action"]) == ("flo", "operator-disable")
        # The cookie of somebody else's browser is theirs only with what their page shows.
        thief = Visitor(console.port)
        thief.cookies = dict(floor.cookies)
        assert (await thief.command("close-table")).error == "forged"
        assert stolen not in console.raw_log.decode()

    serve(tmp_path, scene)


def test_nobody_signs_in_by_the_door_of_commands_or_without_signing_in(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        visitor = Visitor(console.port)
        await visitor.arrive()
        for name in ("login", "logout", "nothing", "open-table%2f", "OPEN-TABLE"):
            assert (await visitor.command(name, {"operator": "sue", "pin": "444555"})).status == 404
        for name, fields in {"open-table": {}, "void-round": REASON, "query-hits": {}}.items():
            answer = await visitor.command(name, fields)
            assert (answer.status, answer.error) == (401, "not-signed-in")
        assert (await visitor.get(f"/audit/download?table={NAME}&what=hits&format=csv")).status == 401
        await visitor.sign_in("dora")
        assert (await visitor.command("open-table", table="valley-forge/mb-99")).status == 404
        await house.until(lambda: house.sign.phase == "closed")

    serve(tmp_path, scene)


def test_a_cookie_that_was_planted_is_never_the_one_somebody_is_signed_in_with(tmp_path: Path) -> None:
    async def scene(_house: House, console: Console) -> None:
        thief = Visitor(console.port)
        await thief.arrive()
        (planted,) = thief.cookies.values()
        victim = Visitor(console.port)
        victim.cookies, victim.csrf = dict(thief.cookies), thief.csrf
        assert (await victim.sign_in("flo")).json["ok"]
        (kept,) = victim.cookies.values()
        assert kept != planted
        assert "operator" not in (await thief.get("/api/session")).json
        assert (await thief.command("close-table")).error == "not-signed-in"
        # One that is no cookie of ours is not taken up.
        stranger = Visitor(console.port)
        stranger.cookies["jackpotd"] = "admin"
        await stranger.arrive()
        assert stranger.cookies["jackpotd"] != "admin"
        # After signing out, the old cookie is worth nothing.
        before = dict(victim.cookies)
        assert (await victim.post("/api/sign-out", {})).status == 200
        victim.cookies = before
        assert "operator" not in (await victim.get("/api/session")).json

    serve(tmp_path, scene)


def test_the_same_pin_cannot_be_tried_for_long(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        thief = Visitor(console.port)
        await thief.arrive()
        answers = await until_too_many(lambda guess: thief.sign_in("sue", pin=f"{guess:06}"), SIGN_INS_PER_MINUTE)
        assert {answer.status for answer in answers[:-1]} == {200}
        assert {answer.error for answer in answers[:4]} == {"wrong-pin"}
        assert answers[SIGN_INS_PER_MINUTE - 1].error == "locked-out"  # by the controller, which counts for itself
        assert (answers[-1].status, answers[-1].error) == (429, "too-many")
        assert answers[-1].header("retry-after") == "60"
        # The right one does not help any more, from elsewhere neither.
        assert (await Visitor(console.port, "127.0.0.2").sign_in("sue")).error == "locked-out"
        # As a second person the same count holds: a PIN tried is a PIN tried.
        floor = Visitor(console.port, "127.0.0.3")

        async def guess(number: int) -> Answer:
            if number == 0:
                return await floor.sign_in("flo")
            return await floor.command("close-table", second={"operator": "sid", "pin": f"{number - 1:06}"})

        tried = (await until_too_many(guess, SIGN_INS_PER_MINUTE))[1:]
        assert [answer.error for answer in tried[:5]] == ["wrong-pin"] * 4 + ["locked-out"]
        assert tried[-1].error == "too-many"
        noted = [row for row in await actions(house) if row.get("refusal") == "wrong-pin"]
        assert {row["person"] for row in noted} == {"sue", "sid"}
        assert b"000003" not in console.raw_log

    serve(tmp_path, scene)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../settings.py",
        "/static/..%2fsettings.py",
        "/static/%2e%2e/settings.py",
        "/static/....//settings.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..\\settings.py",
        "/static/base.css%00.js",
        "/static/",
        "/texts/../base.en.json",
        "/texts/..%2f..%2fsettings.json",
        "/texts/en.json%00",
        "/slip/..%2f..%2fetc%2fpasswd",
        "/slip/<script>alert(1)<%2fscript>",
        "/base",
        "/templates/base.html",
        "/.git/config",
        "//evil.example/table",
        "/table/",
    ],
)
def test_no_path_leads_out_of_what_is_served(console: Console, path: str) -> None:
    answer = asyncio.run(Visitor(console.port).get(path.replace("<", "%3C").replace(">", "%3E")))
    assert answer.status == 404
    assert b"script" not in answer.body
    assert b"root:" not in answer.body


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """One console for many small requests; its broker is not there."""
    folder = tmp_path_factory.mktemp("console")
    runner = asyncio.Runner()
    made = Console(folder, 1)
    runner.run(made.start())
    yield made
    assert runner.run(made.stop()) == 0
    runner.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b'{"operator": "sue"}',
        b'{"operator": 5, "pin": "1", "table": "a/b"}',
        b'{"operator": "sue", "pin": null, "table": "a/b"}',
        b'{"operator": "sue", "pin": "1", "table": "a/b", "role": "supervisor"}',
        b"[" * 30_000,
        b'{"operator": "\\ud800", "pin": "1", "table": "valley-forge/mb-07"}',
        b'{"operator": "sue", "pin": "1", "table": "../../x"}',
        json.encode({"operator": "s" * 81, "pin": "1", "table": NAME}),
        json.encode({"operator": "sue", "pin": "1" * 65, "table": NAME}),
    ],
)
def test_a_malformed_sign_in_is_refused_by_name(console: Console, body: bytes) -> None:
    async def scene() -> None:
        visitor = Visitor(console.port, f"127.0.1.{len(body) % 250 + 1}")
        await visitor.arrive()
        answer = await visitor.post("/api/sign-in", body)
        assert answer.status in (400, 404)
        assert answer.json["message"]

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("enter-hand", {"round": "1", "player": [], "banker": []}),
        ("enter-hand", {"round": -1, "player": ["KS"], "banker": ["9D"]}),
        ("enter-hand", {"round": 2**63, "player": ["KS"], "banker": ["9D"]}),
        ("enter-hand", {"round": 1, "player": "KS", "banker": {}}),
        ("validate", {"award": "x", "method": "cash", "base_wager": True}),
        ("validate", {"award": "x", "method": "slip", "base_wager": True, "amount_cents": 1}),
        ("adjust-meter", {"meter": "harmony", "delta_cents": 1.5, "expected_cents": 1, "reason": ""}),
        ("query-hits", {"limit": 201}),
        ("query-hits", {"limit": 0}),
        ("open-table", {"id": "x"}),
        ("open-table", {"force": True}),
    ],
)
def test_a_malformed_command_never_reaches_a_controller(name: str, fields: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refused:
        typed(name, str(uuid4()), fields, "token")
    assert (refused.value.status, refused.value.error) == (400, "bad-request")


@pytest.mark.parametrize("id_", ["", "1", "x" * 36, "../../replies/+", "#", "0f8fad5b-d9cb-469f-a165-70867728950"])
def test_an_id_that_is_no_uuid_never_becomes_part_of_a_topic(id_: str) -> None:
    with pytest.raises(RefusedError):
        typed("open-table", id_, {}, "token")
    assert typed("open-table", "0F8FAD5B-D9CB-469F-A165-70867728950E", {}, "token").id[:8] == "0f8fad5b"


def test_bodies_have_an_end(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        await visitor.arrive()

        def padded(size: int) -> bytes:
            bare = json.encode({"id": str(uuid4()), "table": NAME, "fields": {"reason": ""}})
            return bare.replace(b'""', b'"' + b"x" * (size - len(bare)) + b'"')

        for name, most in (("void-round", MOST_BODY_BYTES), ("change-submission", MOST_SUBMISSION_BYTES)):
            path = f"/api/command/{name}"
            # On this side it is read, and refused because nobody is signed in; on the other it is not even read.
            assert (await visitor.post(path, padded(most))).status == 401
            assert (await visitor.post(path, padded(most + 1))).status == 413
            # One that does not tell its length is counted while it comes.
            headers = {"content-type": "application/json", "origin": visitor.origin, "x-jackpotd-csrf": visitor.csrf}
            cookie = "; ".join(f"{key}={value}" for key, value in visitor.cookies.items())
            chunked = await asyncio.to_thread(
                _chunked, console.port, path, {**headers, "cookie": cookie, "host": visitor.host}, most + 1
            )
            assert chunked.startswith(b"HTTP/1.1 413")

    alone(tmp_path, scene)


def _chunked(port: int, path: str, headers: dict[str, str], size: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        head = f"POST {path} HTTP/1.1\r\ntransfer-encoding: chunked\r\n"
        line.sendall((head + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n").encode())
        try:
            while size > 0:
                part = min(size, 32768)
                line.sendall(f"{part:x}\r\n".encode() + b"x" * part + b"\r\n")
                size -= part
            line.sendall(b"0\r\n\r\n")
        except OSError:
            pass  # it does not want to hear more
        return line.recv(65536)


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b\r\n c\x00d\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /table HTTP/1.1\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1/..\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1:99999\r\n\r\n",
        b"GET /table HTTP/1.1\r\nHost: [::1\r\n\r\n",
        b"GET /\r\nX: y HTTP/1.1\r\n\r\n",
        b"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"GET /table HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * (MOST_HEADER_BYTES + 1) + b"\r\n\r\n",
    ],
)
def test_heads_that_are_not_right_get_no_page(console: Console, raw: bytes) -> None:
    with socket.create_connection(("127.0.0.1", console.port), timeout=30) as line:
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        came = b""
        while part := line.recv(65536):
            came += part
    assert b" 200 " not in came.partition(b"\r\n")[0]
    assert b"<html" not in came


def test_a_head_that_fits_is_taken(console: Console) -> None:
    fits = {"x": "a" * (MOST_HEADER_BYTES - 1024)}
    assert asyncio.run(Visitor(console.port).get("/api/session", **fits)).status == 200


def test_what_is_asked_for_never_becomes_a_header(console: Console) -> None:
    async def scene() -> None:
        for query in (
            "lang=en%0d%0aset-cookie:%20jackpotd=x",
            "table=valley-forge/mb-07%0d%0ax:%20y",
            "lang=zh-Hans%0aX",
            "theme=%22%3E%3Cscript%3E",
        ):
            answer = await Visitor(console.port).get(f"/proof?{query}")
            assert not [key for key, _ in answer.headers if key.lower() in ("x", "set-cookie")]
            assert b"<script>" not in answer.body

    asyncio.run(scene())


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1", "http://localhost.evil.example"]
)
def test_a_socket_from_another_site_is_refused(console: Console, origin: str) -> None:
    async def scene() -> None:
        with pytest.raises(InvalidStatus) as refused:
            async with Visitor(console.port).follow(origin=origin):
                pass
        assert refused.value.response.status_code == 403

    asyncio.run(scene())


def test_a_socket_without_an_origin_or_under_another_name_is_refused(console: Console) -> None:
    def upgrade(*headers: str) -> bytes:
        head = [
            f"GET /live?tables={NAME} HTTP/1.1",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            "Sec-WebSocket-Version: 13",
            *headers,
        ]
        with socket.create_connection(("127.0.0.1", console.port), timeout=30) as line:
            line.sendall("\r\n".join([*head, "", ""]).encode())
            return line.recv(4096)

    ours = f"127.0.0.1:{console.port}"
    assert upgrade(f"Host: {ours}", f"Origin: http://{ours}").startswith(b"HTTP/1.1 101")
    assert upgrade(f"Host: {ours}").startswith(b"HTTP/1.1 403")
    assert upgrade("Host: evil.example", "Origin: http://evil.example").startswith(b"HTTP/1.1 403")


def test_one_address_holds_so_many_sockets_and_others_still_get_theirs(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        greedy = Visitor(console.port)
        async with AsyncExitStack() as stack:
            held = [await stack.enter_async_context(greedy.follow()) for _ in range(SOCKETS_PER_ADDRESS)]
            with pytest.raises(InvalidStatus) as refused:
                await stack.enter_async_context(greedy.follow())
            assert refused.value.response.status_code == 429
            await stack.enter_async_context(Visitor(console.port, "127.0.0.2").follow())
            await held[0].close()
            async with asyncio.timeout(30):
                while True:
                    try:
                        await stack.enter_async_context(greedy.follow())
                        break
                    except InvalidStatus:
                        await asyncio.sleep(0.05)

    alone(tmp_path, scene)


def test_a_page_that_talks_over_its_socket_is_cut_off(console: Console) -> None:
    async def scene() -> None:
        for words in ("hello", "x" * (MOST_SAID_BYTES + 1)):
            async with Visitor(console.port).follow() as socket_, asyncio.timeout(30):
                await socket_.send(words)
                with suppress(ConnectionClosed):
                    while True:
                        await socket_.recv()
                assert socket_.close_code in (1008, 1009)

    asyncio.run(scene())


def test_commands_have_a_pace(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        await visitor.arrive()
        answers = await until_too_many(lambda _: visitor.command("open-table"), COMMANDS_PER_MINUTE)
        assert {answer.status for answer in answers[:-1]} == {401}
        assert (await visitor.get("/api/session")).status == 200  # looking is free

    alone(tmp_path, scene)


def test_who_does_not_finish_a_request_is_cut_off_and_who_takes_too_many_places_too(tmp_path: Path) -> None:
    async def scene(console: Console) -> None:
        visitor = Visitor(console.port)
        await visitor.arrive()
        cookie = "; ".join(f"{key}={value}" for key, value in visitor.cookies.items())
        head = (
            f"POST /api/sign-in HTTP/1.1\r\nHost: {visitor.host}\r\nOrigin: {visitor.origin}\r\nCookie: {cookie}\r\n"
            f"X-Jackpotd-Csrf: {visitor.csrf}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
        )
        # Someone who only thinks for a moment is waited for.
        hesitant = await asyncio.open_connection("127.0.0.1", console.port)
        hesitant[1].write(b"GET /api/session HTTP/1.1\r\n")
        await asyncio.sleep(min(REQUEST_SECONDS, BODY_SECONDS) / 4)
        hesitant[1].write(f"Host: {visitor.host}\r\n\r\n".encode())
        assert await hesitant[0].read(12) == b"HTTP/1.1 200"
        hesitant[1].close()
        silent, slow, dribbling = [await asyncio.open_connection("127.0.0.1", console.port) for _ in range(3)]
        slow[1].write(b"GET /table HTTP/1.1\r\n")
        dribbling[1].write(head.encode())

        async def dribble() -> None:
            while True:
                await asyncio.sleep(0.5)
                slow[1].write(b"a")
                dribbling[1].write(b" ")

        task = asyncio.create_task(dribble())
        try:
            async with asyncio.timeout(60):
                assert await cut_off(silent[0])
                assert await cut_off(slow[0])
                assert (await dribbling[0].read(12)) == b"HTTP/1.1 408"
        finally:
            task.cancel()
        for _, writer in (silent, slow, dribbling):
            writer.close()
        held = [await asyncio.open_connection("127.0.0.1", console.port) for _ in range(CONNECTIONS_PER_ADDRESS)]
        _, last = held[-1]
        assert not last.is_closing()
        more, beyond = await asyncio.open_connection("127.0.0.1", console.port)
        async with asyncio.timeout(30):
            assert await cut_off(more)
        assert (await Visitor(console.port, "127.0.0.2").get("/api/session")).status == 200
        for _, writer in (*held, (more, beyond)):
            writer.close()

    alone(tmp_path, scene)


MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
PAGES = ("/table", "/floor", "/audit", "/signage", "/proof")


async def drawn(page: Page) -> None:
    """Wait until what a page was told is on the screen, and what that would load or run has had its turn."""
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await page.wait_for_load_state("networkidle")


@needs_a_browser
def test_markup_in_every_text_a_table_can_say_stays_text(tmp_path: Path) -> None:
    place = {"v": 1, "epoch": 99, "seq": 1, "at": "2026-01-01T00:00:00.000000Z"}
    award = {
        **place,
        "award": "mb-07-1-1",
        "kind": "jackpot",
        "wager": MARKUP,
        "outcome": MARKUP,
        "round": 1,
        "position": 1,
        "amount_cents": 5,
        "needs_second": False,
        "meter": "harmony",
        "player": ["KS", "9S"],
        "banker": ["KD", "9D"],
        "reveal": {"value_cents": 1, "nonce": "ab" * 32, "cycle": 1, "commitment": "ab" * 32},
    }
    hit = {"award": "mb-07-1-1", "position": 1, "amount_cents": 5, "at": place["at"]}
    said = {
        "status": {**place, "state": "faulted", "reason": MARKUP, "mode": "live"},
        "meters/harmony": {**place, "display_cents": 5, "label": MARKUP, "state": "live", "hits": [hit]},
        "meters/unheard-of": {**place, "display_cents": 5, "label": MARKUP, "state": "live", "hits": []},
        "round": {
            **place,
            "round": 1,
            "phase": "open",
            "positions": {"1": {"royal9": "won"}},
            "out_of_service": {"2": MARKUP},
            "returns": [{"id": MARKUP, "position": 1, "wager": "royal9", "cents": 500, "why": MARKUP}],
        },
        "awards/mb-07-1-1": award,
        "proofs/harmony": {**place, "commitment": "ab" * 32, "cycle": 1, "reveals": [award["reveal"]]},
        f"devices/{MARKUP.replace('/', '')}": {
            **place,
            "state": "faulted",
            "driver": MARKUP,
            "port": MARKUP,
            "detail": MARKUP,
        },
    }

    async def scene(house: House, _console: Console, browser: Browser) -> None:
        pages = [await browser.page(path=path) for path in PAGES]
        settings, password = house.speaking_as("controller")
        async with connection(settings, "forger", password=password) as broker:
            for topic, message in said.items():
                await broker.publish(Said(f"{BASE}/{topic}", json.encode(message), retain=True))
            for page in pages:
                await page.wait_for_function(
                    """async (table) => {
                        const {connect} = await import("/static/live.js");
                        return connect([table]).get(table, "proofs/harmony")?.epoch === 99;
                    }""",
                    arg=NAME,
                )
                await drawn(page)
                assert await page.evaluate("window.pwned") is None
                assert await page.locator("img[src=x]").count() == 0
            for topic in said:
                await broker.publish(Said(f"{BASE}/{topic}", b"", retain=True))
        house.sign.messages.clear()  # they were never the controller's, and are not held against the schemas

    visit(tmp_path, scene, started=False)


@needs_a_browser
def test_markup_in_the_names_and_reasons_of_people_stays_text(tmp_path: Path) -> None:
    async def scene(house: House, _console: Console, browser: Browser) -> None:
        await house.open()
        await house.sign_in("sue", "flo")
        name = '<img src=x onerror="window.pwned=1">'
        await house.do("operator-add", "sue", operator="mallory", name=name, role="auditor", pin="987654")
        await house.do("position-service", "flo", position=3, on=False, reason=name)
        told = {"/audit#actions": "#panel", "/audit#operators": "#panel", "/table": "main"}  # where it stands as text
        asked = {"/audit#rounds": "#panel[aria-busy=false] table, #panel[aria-busy=false] p", "/floor": "#person .who"}
        for path in (*told, *asked):
            page = await browser.page(path=path)
            await sign_in(page, "flo")
            await page.reload()
            if path in told:
                await expect(page.locator(told[path])).to_contain_text(name)
            else:
                await expect(page.locator(asked[path]).first).to_be_visible()
            await drawn(page)
            assert await page.evaluate("window.pwned") is None
            assert await page.locator("img[src=x]").count() == 0

    visit(tmp_path, scene)
