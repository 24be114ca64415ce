"""Who is signed in at which browser, for how long, and what a page may know of it."""

from pathlib import Path
from typing import Any

from controller.console.sessions import MOST_SESSIONS, Sessions
from tests.console.house import NAME, Console, needs_a_house, serve
from tests.console.visitors import Visitor
from tests.service.house import House


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def reply(token: str = "t", role: str = "floorperson", seconds: int = 300) -> dict[str, Any]:  # noqa: S107 -- no secret
    return {"token": token, "role": role, "name": "Flo", "seconds": seconds, "epoch": 3}


def test_a_sign_in_ends_by_idleness_and_each_command_puts_that_off() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    cookie, _ = sessions.sign_in(None, "a/1", "flo", reply())
    clock.now += 299
    session = sessions.find(cookie)
    assert session is not None
    assert sessions.told(cookie)["seconds"] == 1
    sessions.used(session, "a/1")
    clock.now += 299
    assert sessions.find(cookie) is session
    clock.now += 1
    assert sessions.find(cookie) is None
    assert len(sessions) == 0
    assert "operator" not in sessions.told(cookie)


def test_a_dealers_ends_when_it_ends() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    cookie, _ = sessions.sign_in(None, "a/1", "dora", reply(role="dealer", seconds=600))
    clock.now += 599
    session = sessions.find(cookie)
    assert session is not None
    sessions.used(session, "a/1")
    clock.now += 1
    assert sessions.find(cookie) is None


def test_the_same_person_may_be_signed_in_at_several_tables_and_another_one_ends_that() -> None:
    sessions = Sessions()
    first, left = sessions.sign_in(None, "a/1", "flo", reply("one"))
    assert left == []
    second, left = sessions.sign_in(first, "a/2", "flo", reply("two"))
    assert left == []
    assert second != first
    assert sessions.find(first) is None
    assert set(sessions.told(second)["tables"]) == {"a/1", "a/2"}
    again, left = sessions.sign_in(second, "a/2", "flo", reply("three"))
    assert [each.token for each in left] == ["two"]
    other, left = sessions.sign_in(again, "a/1", "finn", reply("four"))
    assert sorted(each.token for each in left) == ["one", "three"]
    assert set(sessions.told(other)["tables"]) == {"a/1"}
    assert [each.token for each in sessions.sign_out(other)] == ["four"]
    assert sessions.sign_out(other) == []
    assert sessions.sign_out(None) == []


def test_one_more_than_there_is_room_for_signs_out_the_longest_idle() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    cookies = []
    for number in range(MOST_SESSIONS):
        clock.now += 0.01
        cookie, left = sessions.sign_in(None, "a/1", f"flo-{number}", reply(f"token-{number}"))
        assert left == []
        cookies.append(cookie)
    session = sessions.find(cookies[0])
    assert session is not None
    sessions.used(session, "a/1")
    _, left = sessions.sign_in(None, "a/1", "one-more", reply("more"))
    assert [each.token for each in left] == ["token-1"]
    assert len(sessions) == MOST_SESSIONS
    assert sessions.find(cookies[0]) is not None
    assert sessions.find(cookies[1]) is None


def test_what_a_page_shows_is_its_own_cookies_and_this_processes() -> None:
    sessions = Sessions()
    cookie, other = sessions.new_cookie(), sessions.new_cookie()
    assert sessions.is_csrf(cookie, sessions.csrf(cookie))
    assert not sessions.is_csrf(cookie, sessions.csrf(other))
    assert not sessions.is_csrf(cookie, Sessions().csrf(cookie))
    assert not sessions.is_csrf(cookie, "")
    assert not sessions.is_csrf(cookie, "é")
    assert not sessions.is_csrf(None, sessions.csrf(cookie))
    assert sessions.is_cookie(cookie)
    assert not any(map(sessions.is_cookie, (None, "", "x", cookie + "x", cookie[:-1], "é" * len(cookie))))


def test_no_repr_shows_a_token() -> None:
    sessions = Sessions()
    cookie, _ = sessions.sign_in(None, "a/1", "flo", reply("secret-token"))
    session = sessions.find(cookie)
    assert session is not None
    shown = [repr(each) for each in (session, session.tables, *sessions.sign_out(cookie))]
    assert "secret-token" not in str(shown)


@needs_a_house
def test_signing_in_and_out_reaches_the_controller_and_nothing_secret_reaches_the_log(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        floor = Visitor(console.port)
        answer = await floor.sign_in("flo")
        told = answer.json
        assert (told["operator"], told["name"], told["role"]) == ("flo", "Flo", "floorperson")
        assert 290 <= told["seconds"] <= 300
        assert told["tables"][NAME]["role"] == "floorperson"
        (set_cookie,) = [value for key, value in answer.headers if key.lower() == "set-cookie"]
        assert {part.strip().lower() for part in set_cookie.split(";")[1:]} == {"httponly", "path=/", "samesite=strict"}
        assert (await floor.get("/api/session")).json["operator"] == "flo"
        wrong = await Visitor(console.port).sign_in("finn", pin="000000")
        assert (wrong.status, wrong.json["ok"], wrong.error) == (200, False, "wrong-pin")
        assert "token" not in wrong.json
        before = house.head()
        out = await floor.post("/api/sign-out", {})
        assert "operator" not in out.json
        assert (await floor.command("query-hits")).error == "forged"  # the cookie is another one now
        floor.csrf = out.json["csrf"]
        assert (await floor.command("query-hits")).status == 401
        assert house.head() == before
        for secret in ("222333", "000000", *floor.cookies.values(), out.json["csrf"]):
            assert secret not in console.raw_log.decode()
        signed = [(line["operator"], line["ok"]) for line in console.logged("sign-in")]
        assert signed == [("flo", True), ("finn", False)]

    serve(tmp_path, scene)


@needs_a_house
def test_two_people_sign_what_takes_two_and_the_second_is_signed_out_after_it(tmp_path: Path) -> None:
    async def scene(house: House, console: Console) -> None:
        await house.open()
        meter = house.sign.meter("royal9-mega")
        supervisor = Visitor(console.port)
        await supervisor.sign_in("sue")
        fields = {"meter": "royal9-mega", "delta_cents": 100, "expected_cents": meter, "reason": "a test"}
        alone = await supervisor.command("adjust-meter", fields)
        assert alone.error == "second-person"
        herself = await supervisor.command("adjust-meter", fields, second={"operator": "sue", "pin": "444555"})
        assert herself.error == "second-person"
        wrong = await supervisor.command("adjust-meter", fields, second={"operator": "sid", "pin": "000000"})
        assert wrong.error == "wrong-pin"
        dealer = await supervisor.command("adjust-meter", fields, second={"operator": "dora", "pin": "111222"})
        assert dealer.error == "second-person"
        done = await supervisor.command("adjust-meter", fields, second={"operator": "sid", "pin": "555666"})
        assert done.json["ok"], done
        assert "token" not in done.json
        await house.until(lambda: house.sign.meter("royal9-mega") == meter + 100)
        assert list((await supervisor.get("/api/session")).json["tables"]) == [NAME]
        for pin in ("555666", "444555"):
            assert pin not in console.raw_log.decode()

    serve(tmp_path, scene)
