"""PINs: their form, what is kept of them, and how they are tried."""

import asyncio
import threading
from typing import Literal

import pytest
from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import VerifyMismatchError

from controller.journal.memory import MemoryJournal
from controller.journal.pins import Pin
from controller.people import pins as module
from controller.people.pepper import pepper_id
from controller.people.pins import (
    FEWEST_DIGITS,
    HASHES_AT_ONCE,
    LANES,
    MEMORY_KIB,
    MOST_DIGITS,
    PASSES,
    BadPinError,
    Pins,
    refuse_bad_form,
)
from tests.people.tables import PEPPER, PIN, WRONG

AT = "2026-11-16T11:15:00.123456Z"


def cheap(store: MemoryJournal, pepper: bytes = PEPPER) -> Pins:
    return Pins(store, pepper, memory_kib=8, passes=1)


@pytest.mark.parametrize("pin", ["1" * FEWEST_DIGITS, "1" * MOST_DIGITS, "000000", "12345678"])
def test_a_pin_has_six_to_twelve_digits(pin: str) -> None:
    assert (FEWEST_DIGITS, MOST_DIGITS) == (6, 12)
    refuse_bad_form(pin)


@pytest.mark.parametrize(
    "pin",
    ["", "1" * (FEWEST_DIGITS - 1), "1" * (MOST_DIGITS + 1), "12345a", "123 456", "123456\n", "٤٢٣٤٥٦", "-123456"],
)
def test_what_is_no_pin_is_refused_kept_nowhere_and_not_repeated(pin: str) -> None:
    store = MemoryJournal()
    with pytest.raises(BadPinError) as refused:
        asyncio.run(cheap(store).keep("ana", pin, AT))
    assert store.pin("ana") is None
    assert not pin.strip() or pin not in str(refused.value)


def test_a_pin_that_was_kept_is_right_and_no_other() -> None:
    async def main() -> None:
        pins = cheap(MemoryJournal())
        await pins.keep("ana", PIN, AT)
        assert await pins.right("ana", PIN)
        for other in (WRONG, "", PIN + "0", PIN[:-1], "\ud800"):
            assert not await pins.right("ana", other)
        await pins.keep("ana", WRONG, AT)
        assert not await pins.right("ana", PIN)
        pins.drop("ana")
        assert not await pins.right("ana", WRONG)

    asyncio.run(main())


def test_what_is_kept_is_argon2id_of_the_stated_cost_and_not_the_pin() -> None:
    store = MemoryJournal()
    asyncio.run(Pins(store, PEPPER).keep("ana", PIN, AT))
    kept = store.pin("ana")
    assert kept is not None
    assert kept.changed_at == AT
    assert PIN not in kept.hash
    found = extract_parameters(kept.hash.partition(":")[2])
    assert (found.type, found.memory_cost, found.time_cost, found.parallelism) == (Type.ID, MEMORY_KIB, PASSES, LANES)


def test_the_same_pin_is_kept_differently_each_time() -> None:
    async def main() -> None:
        store = MemoryJournal()
        pins = cheap(store)
        hashes = set()
        for operator in ("ana", "bo", "ana"):
            await pins.keep(operator, PIN, AT)
            hashes.add(getattr(store.pin(operator), "hash", ""))
        assert len(hashes) == 3

    asyncio.run(main())


def test_a_hash_fits_nothing_under_another_pepper() -> None:
    async def main() -> None:
        store = MemoryJournal()
        await cheap(store).keep("ana", PIN, AT)
        assert not await cheap(store, bytes(reversed(PEPPER))).right("ana", PIN)

    asyncio.run(main())


def test_a_hash_put_in_another_operator_s_row_fits_nothing() -> None:
    async def main() -> None:
        store = MemoryJournal()
        pins = cheap(store)
        await pins.keep("dealer", PIN, AT)
        stolen = store.pin("dealer")
        assert stolen is not None
        store.keep_pin(Pin("boss", stolen.hash, AT))
        assert not await pins.right("boss", PIN)

    asyncio.run(main())


@pytest.mark.parametrize("hash_", ["nonsense", "$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA"])
def test_a_row_someone_has_changed_lets_nobody_in(hash_: str) -> None:
    store = MemoryJournal()
    store.keep_pin(Pin("ana", hash_, AT))
    assert not asyncio.run(cheap(store).right("ana", PIN))


def test_a_name_nobody_has_is_tried_at_the_same_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    class Watched(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 -- the library's name
            tried.append(str(hash))
            with pytest.raises(VerifyMismatchError) as other:  # computed to the end, not given up on at a glance
                super().verify(hash, password)
            raise other.value

    monkeypatch.setattr(module, "PasswordHasher", Watched)

    async def main() -> None:
        store = MemoryJournal()
        pins = Pins(store, PEPPER)
        await pins.keep("ana", PIN, AT)
        assert not await pins.right("ana", WRONG)
        assert not await pins.right("nobody", WRONG)
        assert not await pins.right("ana", PIN, known=False)

    asyncio.run(main())
    assert len(tried) == 3
    assert len(set(map(repr, map(extract_parameters, tried)))) == 1


def test_one_is_hashed_at_a_time_in_another_thread_even_if_a_caller_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, threads = 0, 0, set()
    counting = threading.Lock()
    entered, go_on = threading.Event(), threading.Event()

    class Slow(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002, ARG002 -- as above
            nonlocal running, most
            with counting:
                running += 1
                most = max(most, running)
                threads.add(threading.get_ident())
            entered.set()
            go_on.wait(30)
            with counting:
                running -= 1
            return True

    monkeypatch.setattr(module, "PasswordHasher", Slow)

    async def main() -> None:
        pins = cheap(MemoryJournal())
        async with asyncio.timeout(30):
            first = asyncio.create_task(pins.right("ana", PIN))
            while not entered.is_set():
                await asyncio.sleep(0.001)
            first.cancel()
            await asyncio.wait([first])
            others = [asyncio.create_task(pins.right("ana", PIN)) for _ in range(3)]
            await asyncio.sleep(0.05)
            go_on.set()
            assert await asyncio.gather(*others) == [True] * 3

    asyncio.run(main())
    assert most == HASHES_AT_ONCE == 1
    assert threading.get_ident() not in threads


@pytest.mark.parametrize("length", [31, 33])
def test_a_pepper_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match=f"32 bytes, not {length}"):
        Pins(MemoryJournal(), bytes(length))


# -- another pepper --

NEW = bytes(reversed(PEPPER))


def rotated(store: MemoryJournal, old: bytes | None = PEPPER) -> Pins:
    return Pins(store, NEW, old=old, memory_kib=8, passes=1)


def test_with_the_former_pepper_beside_it_pins_stay_right_and_move_at_the_next_sign_in() -> None:
    async def main() -> None:
        store = MemoryJournal()
        for operator in ("ana", "bo"):
            await cheap(store).keep(operator, PIN, AT)
        pins = rotated(store)
        assert pins.under_other_peppers() == (2, 0)
        assert not await pins.right("ana", WRONG)
        assert pins.under_other_peppers() == (2, 0), "a wrong one moves nothing"
        assert await pins.right("ana", PIN)
        assert pins.under_other_peppers() == (1, 0)
        kept = store.pin("ana")
        assert kept is not None
        assert (kept.hash.partition(":")[0], kept.changed_at) == (pepper_id(NEW), AT), "it is the same PIN as before"
        alone = rotated(store, old=None)
        assert await alone.right("ana", PIN)
        assert not await alone.right("ana", WRONG)
        assert not await alone.right("bo", PIN), "who did not sign in meanwhile needs a new PIN"
        assert alone.under_other_peppers() == (0, 1)
        await alone.keep("bo", WRONG, AT)
        assert await alone.right("bo", WRONG)
        assert alone.under_other_peppers() == (0, 0)

    asyncio.run(main())


def test_what_was_kept_before_peppers_had_ids_is_tried_with_the_older_one() -> None:
    async def main() -> None:
        store = MemoryJournal()
        await cheap(store).keep("ana", PIN, AT)
        kept = store.pin("ana")
        assert kept is not None
        store.keep_pin(kept._replace(hash=kept.hash.partition(":")[2]))
        assert cheap(store).under_other_peppers() == (1, 0)
        assert await rotated(store).right("ana", PIN)
        assert rotated(store).under_other_peppers() == (0, 0)

    asyncio.run(main())


def test_a_pin_that_was_changed_or_taken_while_it_moved_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(meanwhile: Pin | None) -> Pin | None:
        store = MemoryJournal()
        await cheap(store).keep("ana", PIN, AT)
        pins = rotated(store)
        made = pins._made  # noqa: SLF001 -- between the look and the change

        async def slow(operator: str, pin: str) -> str:
            hash_ = await made(operator, pin)
            store.drop_pin("ana")
            if meanwhile:
                store.keep_pin(meanwhile)
            return hash_

        monkeypatch.setattr(pins, "_made", slow)
        assert await pins.right("ana", PIN)
        return store.pin("ana")

    other = Pin("ana", "another", AT)
    assert [asyncio.run(main(each)) for each in (None, other)] == [None, other]


def test_a_hash_of_a_pepper_nobody_has_is_tried_at_the_same_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    class Watched(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 -- the library's name
            tried.append(str(hash))
            return super().verify(hash, password)

    monkeypatch.setattr(module, "PasswordHasher", Watched)

    async def main() -> None:
        store = MemoryJournal()
        await cheap(store).keep("ana", PIN, AT)
        for pins in (cheap(store), rotated(store), rotated(store, old=None)):
            assert not await pins.right("ana", WRONG)
            assert not await pins.right("nobody", WRONG)

    asyncio.run(main())
    assert len(tried) == 6, "one each, whatever peppers there are"
    assert len(set(map(repr, map(extract_parameters, tried)))) == 1


def test_the_former_pepper_has_32_bytes_too() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        rotated(MemoryJournal(), old=bytes(31))
