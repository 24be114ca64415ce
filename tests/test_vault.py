"""The vault keeps its promises: uniform draws, seals that open in one place only, commitments anyone can check."""

import errno
import hashlib
import inspect
import os
import random
import re
import secrets
import shutil
import stat
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import vault
from controller.core.chance import Draw, Ready
from controller.vault import KeyFileError, NoKeyError, SealBrokenError, Vault, VaultError, commitment

TABLE, METER = "valley-forge/mb-07", "must-hit-by"
NONCE = bytes(range(32))
VECTOR = "457f5d051bae924e1ac4f98ae63697f97222b89c662068f3db67b63f509907b4"
MOST = 2**63 - 1
KEY, OTHER_KEY = bytes(range(32)), bytes(range(100, 132))


def a_vault(randbelow: Callable[[int], int] = secrets.randbelow) -> Vault:
    return Vault({"first": KEY}, "first", randbelow=randbelow)


class Numbers:
    """A generator that gives the numbers it was made with, and remembers what it was asked for."""

    def __init__(self, *numbers: int) -> None:
        self.numbers: Iterator[int] = iter(numbers)
        self.asked: list[int] = []

    def __call__(self, asked: int) -> int:
        self.asked.append(asked)
        return next(self.numbers)


def told(error: BaseException) -> str:
    """All that a log could hold of an error: the message, its causes and the lines of code."""
    return "".join(traceback.format_exception(error))


# The commitment


def test_the_commitment_of_the_published_vector() -> None:
    assert commitment(TABLE, METER, 1, 43210, NONCE) == VECTOR


def restated(table: str, meter: str, cycle: int, cents: int, nonce: bytes) -> str:
    strings = [string.encode("utf-8") for string in ("jackpotd/mystery/v1", table, meter)]
    parts = [bytes([len(string) // 256, len(string) % 256]) + string for string in strings]
    numbers = bytes.fromhex(f"{cycle:016x}{cents:016x}")
    return hashlib.sha256(b"".join(parts) + numbers + nonce).hexdigest()


NAMES = st.text(max_size=300)
NUMBERS = st.integers(0, MOST)


@given(NAMES, NAMES, NUMBERS, NUMBERS, st.binary(min_size=32, max_size=32))
def test_the_commitment_is_what_its_description_says(
    table: str, meter: str, cycle: int, cents: int, nonce: bytes
) -> None:
    assert commitment(table, meter, cycle, cents, nonce) == restated(table, meter, cycle, cents, nonce)


def test_where_one_name_ends_and_the_next_begins_is_part_of_the_commitment() -> None:
    assert commitment("ab", "c", 1, 1, NONCE) != commitment("a", "bc", 1, 1, NONCE)


@pytest.mark.parametrize("cycle", [0, MOST])
@pytest.mark.parametrize("cents", [0, MOST])
def test_the_least_and_the_most_numbers_can_be_committed_to(cycle: int, cents: int) -> None:
    assert commitment(TABLE, METER, cycle, cents, NONCE) == restated(TABLE, METER, cycle, cents, NONCE)


@pytest.mark.parametrize("number", [-1, MOST + 1])
def test_numbers_outside_are_refused_and_a_value_is_not_told(number: int) -> None:
    with pytest.raises(VaultError, match="cycle must be from 0 to 9223372036854775807"):
        commitment(TABLE, METER, number, 1, NONCE)
    with pytest.raises(VaultError, match="value in cents must be from 0 to 9223372036854775807") as refused:
        commitment(TABLE, METER, 1, number, NONCE)
    assert str(number) not in str(refused.value)


@pytest.mark.parametrize("text", ["x" * 65535, "é" * 32767 + "x"])
def test_a_name_may_have_as_many_bytes_as_its_length_can_tell(text: str) -> None:
    assert commitment(text, text, 1, 1, NONCE) == restated(text, text, 1, 1, NONCE)
    draw = a_vault().draw(text, text, 1, 0, 5)
    assert a_vault().unseal(text, text, 1, draw.key_id, draw.sealed) == (draw.cents, draw.nonce)


@pytest.mark.parametrize(
    ("text", "why"), [("x" * 65536, "has 65536 bytes"), ("é" * 32768, "65536"), ("\ud800", "UTF-8")]
)
def test_a_name_that_cannot_be_written_is_refused(text: str, why: str) -> None:
    with pytest.raises(VaultError, match=rf"name of the table .*{why}"):
        commitment(text, METER, 1, 1, NONCE)
    with pytest.raises(VaultError, match=rf"name of the meter .*{why}"):
        a_vault().draw(TABLE, text, 1, 0, 1)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_nonce_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(VaultError, match=f"has 32 bytes, not {size}"):
        commitment(TABLE, METER, 1, 1, bytes(size))


# The document's own ways to check it

DOCUMENT = (Path(__file__).parent.parent / "docs/mystery.md").read_text()
SNIPPETS = dict(re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL))
RUNS = {"python": [sys.executable, "-c"], "javascript": ["node", "-e"], "sh": ["sh", "-c"]}
NEEDS = {"javascript": "node", "sh": "perl"}


def test_the_document_gives_the_vector_and_four_lines_of_python() -> None:
    assert f"\n{VECTOR}\n" in DOCUMENT
    assert set(RUNS) <= set(SNIPPETS)
    assert len(SNIPPETS["python"].splitlines()) == 4


@pytest.mark.parametrize("language", sorted(RUNS))
@pytest.mark.parametrize(
    ("table", "meter", "cycle", "cents"),
    [(TABLE, METER, 1, 43210), ("Pocono-日本/m" + "é" * 200, "royal9-mystery", 2**40, MOST)],
)
def test_the_document_s_snippets_compute_the_commitment(
    language: str, table: str, meter: str, cycle: int, cents: int
) -> None:
    if language in NEEDS and shutil.which(NEEDS[language]) is None:
        pytest.skip(f"{NEEDS[language]} is not on this machine")
    nonce = NONCE if table == TABLE else NONCE[::-1]
    code = SNIPPETS[language].replace(TABLE, table).replace(METER, meter).replace(NONCE.hex(), nonce.hex())
    code = re.sub(r"\b1(n?,?) 43210", rf"{cycle}\1 {cents}", code)
    ran = subprocess.run([*RUNS[language], code], capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert ran.stdout.split()[0] == commitment(table, meter, cycle, cents, nonce)


# The draw


def test_the_generators_are_the_operating_system_s_unless_given() -> None:
    parameters = inspect.signature(Vault).parameters
    assert parameters["randbelow"].default is secrets.randbelow
    assert parameters["token_bytes"].default is secrets.token_bytes


@pytest.mark.parametrize(("minimum", "maximum"), [(0, 1), (0, 7), (25_000, 25_001), (25_000, 25_256), (100, 1000)])
def test_every_cent_of_the_range_comes_from_exactly_one_number(minimum: int, maximum: int) -> None:
    size = maximum - minimum
    numbers = Numbers(*range(size))
    the_vault = a_vault(randbelow=numbers)
    values = [the_vault.draw(TABLE, METER, 1, minimum, maximum).cents for _ in range(size)]
    assert values == list(range(minimum, maximum))
    assert numbers.asked == [size] * size


@pytest.mark.parametrize("size", [*range(1, 35), 63, 64, 65, 100, 127, 128, 129])
def test_from_bits_to_cents_no_cent_has_more_words_than_another(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default generator's own scaling, over every word of random bits that it can take from the system."""
    came: list[int] = []
    for word in range(2 ** size.bit_length()):
        bits = Numbers(word)
        monkeypatch.setattr(random.SystemRandom, "getrandbits", lambda _, count, bits=bits: bits(count))
        try:
            came.append(Vault({"first": KEY}, "first").draw(TABLE, METER, 1, 500, 500 + size).cents)
        except StopIteration:
            assert word >= size  # thrown away for another word, not folded back onto some of the cents
        assert set(bits.asked) == {size.bit_length()}
    assert came == list(range(500, 500 + size))


@pytest.mark.parametrize(("minimum", "maximum"), [(5, 5), (6, 5), (0, 0), (-1, 5), (0, MOST + 1)])
def test_an_empty_or_impossible_range_is_refused(minimum: int, maximum: int) -> None:
    with pytest.raises(VaultError, match=re.escape(f"{METER} at {TABLE} in [{minimum}, {maximum}) cents")):
        a_vault().draw(TABLE, METER, 1, minimum, maximum)


@pytest.mark.parametrize("cycle", [0, MOST])
@pytest.mark.parametrize(("minimum", "maximum"), [(0, 1), (MOST - 1, MOST)])
def test_a_range_of_one_cent_gives_that_cent(cycle: int, minimum: int, maximum: int) -> None:
    draw = a_vault().draw(TABLE, METER, cycle, minimum, maximum)
    assert draw.cents == minimum
    assert a_vault().unseal(TABLE, METER, cycle, "first", draw.sealed) == (minimum, draw.nonce)


@pytest.mark.parametrize("cycle", [-1, MOST + 1])
def test_a_cycle_outside_is_refused(cycle: int) -> None:
    with pytest.raises(VaultError, match="cycle must be"):
        a_vault().draw(TABLE, METER, cycle, 0, 5)


@pytest.mark.parametrize("number", [-1, 500])
def test_a_generator_that_leaves_its_range_draws_nothing(number: int) -> None:
    with pytest.raises(VaultError, match="left its range"):
        a_vault(randbelow=lambda _: number).draw(TABLE, METER, 1, 500, 1000)


@pytest.mark.parametrize(("wrong", "why"), [(32, "nonce of a mystery value has 32 bytes, not 31"), (12, "gave 11")])
def test_a_generator_that_gives_too_few_bytes_draws_nothing(wrong: int, why: str) -> None:
    def short(size: int) -> bytes:
        return secrets.token_bytes(size - (size == wrong))

    with pytest.raises(VaultError, match=why):
        Vault({"first": KEY}, "first", token_bytes=short).draw(TABLE, METER, 1, 500, 1000)


def test_nonces_never_repeat() -> None:
    draws = [a_vault().draw(TABLE, METER, 1, 0, 2) for _ in range(3000)]
    assert len({draw.nonce for draw in draws}) == 3000
    assert len({draw.sealed[:24] for draw in draws}) == 3000
    assert not {draw.nonce[:24] for draw in draws} & {draw.sealed[:24] for draw in draws}


def test_one_vault_uses_no_nonce_twice() -> None:
    the_vault = a_vault()
    draws = [the_vault.draw(TABLE, METER, cycle, 0, 2) for cycle in range(3000)]
    assert len({draw.nonce for draw in draws} | {draw.sealed[:24] for draw in draws}) == 6000


def test_what_is_committed_to_is_what_was_drawn() -> None:
    draw = a_vault().draw(TABLE, METER, 7, 25_000, 50_000)
    assert draw.commitment == restated(TABLE, METER, 7, draw.cents, bytes.fromhex(draw.nonce))
    assert 25_000 <= draw.cents < 50_000
    assert draw.key_id == "first"


# The seal


@given(NAMES, NAMES, st.integers(0, MOST), st.integers(0, MOST - 1), st.data())
def test_what_was_drawn_is_what_is_unsealed(
    table: str, meter: str, cycle: int, minimum: int, data: st.DataObject
) -> None:
    draw = a_vault().draw(table, meter, cycle, minimum, data.draw(st.integers(minimum + 1, MOST)))
    assert a_vault().unseal(table, meter, cycle, draw.key_id, draw.sealed) == (draw.cents, draw.nonce)


DRAWN = a_vault().draw(TABLE, METER, 5, 25_000, 50_000)


@pytest.mark.parametrize(
    ("table", "meter", "cycle"),
    [
        ("valley-forge/mb-08", METER, 5),
        (TABLE, "royal9-mystery", 5),
        (TABLE, METER, 4),
        (TABLE, METER, 6),
        (TABLE + METER[0], METER[1:], 5),
        (METER, TABLE, 5),
    ],
)
def test_a_value_opens_at_its_own_table_meter_and_cycle_only(table: str, meter: str, cycle: int) -> None:
    with pytest.raises(SealBrokenError, match=f"{meter} at {table}, cycle {cycle}.*not drawn anew") as broken:
        a_vault().unseal(table, meter, cycle, "first", DRAWN.sealed)
    assert broken.value.__cause__ is None
    assert DRAWN.nonce not in told(broken.value)


def test_a_seal_with_any_byte_changed_is_broken() -> None:
    box = bytes.fromhex(DRAWN.sealed)
    assert len(box) == 68
    for at in range(len(box)):
        for bit in range(8):
            changed = bytearray(box)
            changed[at] ^= 1 << bit
            with pytest.raises(SealBrokenError):
                a_vault().unseal(TABLE, METER, 5, "first", changed.hex())


MALFORMED = {
    "empty": "",
    "no hex": "no hex",
    "a byte short": DRAWN.sealed[:-2],
    "half a byte short": DRAWN.sealed[:-1],
    "a byte too long": DRAWN.sealed + "00",
    "a line end": DRAWN.sealed + "\n",
    "a space": " " + DRAWN.sealed[1:],
    "upper case": DRAWN.sealed.upper(),
    "the nonce alone": DRAWN.sealed[:24],
    "accents": "é" * 136,
    "digits that are not ASCII": "\N{ARABIC-INDIC DIGIT ZERO}" * 136,
}


@pytest.mark.parametrize("sealed", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_seal_is_broken(sealed: str) -> None:
    with pytest.raises(SealBrokenError):
        a_vault().unseal(TABLE, METER, 5, "first", sealed)


def test_another_key_under_the_same_id_does_not_open_it() -> None:
    with pytest.raises(SealBrokenError):
        Vault({"first": OTHER_KEY}, "first").unseal(TABLE, METER, 5, "first", DRAWN.sealed)


def test_without_its_key_a_value_is_not_opened_and_the_error_names_the_key() -> None:
    with pytest.raises(NoKeyError) as missing:
        Vault({"second": OTHER_KEY}, "second").unseal(TABLE, METER, 5, "first", DRAWN.sealed)
    message = str(missing.value)
    assert "must-hit-by at valley-forge/mb-07, cycle 5, is sealed with key first" in message
    assert "these are: second" in message
    assert "vault-key-old-NAME" in message


def test_the_sealed_text_tells_neither_value_nor_nonce() -> None:
    cents = 123_456_789_012_345
    draw = a_vault().draw(TABLE, METER, 1, cents, cents + 1)
    for clear in (str(cents), f"{cents:x}", draw.nonce, NONCE.hex()):
        assert clear not in draw.sealed
    again = a_vault().draw(TABLE, METER, 1, cents, cents + 1)
    assert draw.sealed != again.sealed
    assert draw.commitment != again.commitment


def test_nothing_prints_a_value_or_a_key() -> None:
    cents = 123_456_789_012_345
    the_vault = a_vault()
    ready = the_vault.ready(TABLE, METER, 5, cents, cents + 1, sealed=DRAWN.sealed, key_id="first", draws=1)
    shown = f"{the_vault} {the_vault!r} {ready} {ready!r} {[ready]} {ready.draws[0]} { ({'m': ready}) }"
    assert "Vault(current=first, keys=first)" in shown
    assert ready.draws[0].commitment in shown
    for secret in (str(cents), ready.nonce, ready.draws[0].nonce, KEY.hex(), repr(KEY)):
        assert secret not in shown
    assert repr(Ready(43210, "aa", ())) == "Ready(standing, draws=())"
    assert repr(Ready(None, "", ())) == "Ready(opening, draws=())"
    assert repr(Draw(43210, "aa", "bb", "k", "cc")) == "Draw(sealed='bb', key_id='k', commitment='cc')"
    assert not hasattr(the_vault, "__dict__")


# Ready for a decision


def test_a_standing_value_and_the_draws_of_the_cycles_after_it() -> None:
    ready = a_vault().ready(TABLE, METER, 5, 100, 300, sealed=DRAWN.sealed, key_id="first", draws=3)
    assert (ready.cents, ready.nonce) == (DRAWN.cents, DRAWN.nonce)
    assert len(ready.draws) == 3
    for cycle, draw in enumerate(ready.draws, 6):
        assert 100 <= draw.cents < 300
        assert a_vault().unseal(TABLE, METER, cycle, draw.key_id, draw.sealed) == (draw.cents, draw.nonce)
        assert draw.commitment == restated(TABLE, METER, cycle, draw.cents, bytes.fromhex(draw.nonce))


def test_a_meter_being_opened_has_no_standing_value_and_draws_from_the_next_cycle() -> None:
    ready = a_vault().ready(TABLE, METER, 0, 100, 300, sealed=None, key_id="", draws=2)
    assert (ready.cents, ready.nonce) == (None, "")
    assert [
        a_vault().unseal(TABLE, METER, cycle, "first", draw.sealed)[0] for cycle, draw in enumerate(ready.draws, 1)
    ] == [draw.cents for draw in ready.draws]


def test_no_draws_are_made_when_none_are_asked_for() -> None:
    ready = a_vault().ready(TABLE, METER, 5, 100, 300, sealed=DRAWN.sealed, key_id="first", draws=0)
    assert ready == (DRAWN.cents, DRAWN.nonce, ())


def test_a_standing_value_that_cannot_be_opened_is_not_replaced_by_a_draw() -> None:
    drawn = Numbers()
    watched = Vault({"second": OTHER_KEY}, "second", randbelow=drawn)
    with pytest.raises(NoKeyError):
        watched.ready(TABLE, METER, 5, 100, 300, sealed=DRAWN.sealed, key_id="first", draws=1)
    with pytest.raises(SealBrokenError):
        watched.ready(TABLE, METER, 5, 100, 300, sealed=DRAWN.sealed, key_id="second", draws=1)
    assert drawn.asked == []


# Keys


def test_a_vault_needs_its_current_key_and_keys_of_32_bytes() -> None:
    with pytest.raises(VaultError, match="current key second is not among the keys given: first"):
        Vault({"first": KEY}, "second")
    with pytest.raises(VaultError, match="not among the keys given: none"):
        Vault({}, "first")
    for size in (0, 16, 24, 31, 33):
        with pytest.raises(VaultError, match="32 bytes: short has another length"):
            Vault({"first": KEY, "short": bytes(size)}, "first")


def written(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("content", [KEY, KEY.hex().encode(), KEY.hex().encode() + b"\n", KEY.hex().upper().encode()])
@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_key_file_holds_hex_digits_or_raw_bytes(content: bytes, mode: int, tmp_path: Path) -> None:
    written(tmp_path / "vault-key", content, mode)
    loaded = vault.load(tmp_path)
    name = hashlib.sha256(b"jackpotd/vault-key/v1" + KEY).hexdigest()[:16]
    assert repr(loaded) == f"Vault(current={name}, keys={name})"
    sealed = loaded.draw(TABLE, METER, 1, 0, 9)
    assert Vault({name: KEY}, name).unseal(TABLE, METER, 1, sealed.key_id, sealed.sealed)[0] == sealed.cents


def test_after_a_change_of_key_old_values_open_and_new_ones_are_sealed_with_the_new_key(tmp_path: Path) -> None:
    written(tmp_path / "vault-key", KEY)
    before = vault.load(tmp_path).draw(TABLE, METER, 1, 100, 300)
    (tmp_path / "vault-key").rename(tmp_path / "vault-key-old-2026")
    written(tmp_path / "vault-key-old-2025", bytes(range(200, 232)))
    written(tmp_path / "vault-key", OTHER_KEY.hex().encode())
    written(tmp_path / "pepper", b"another credential of the service", 0o644)
    changed = vault.load(tmp_path)
    ready = changed.ready(TABLE, METER, 1, 100, 300, sealed=before.sealed, key_id=before.key_id, draws=1)
    assert (ready.cents, ready.nonce) == (before.cents, before.nonce)
    assert before.key_id == vault.key_id(KEY)
    (new,) = ready.draws
    assert new.key_id == vault.key_id(OTHER_KEY)
    assert Vault({new.key_id: OTHER_KEY}, new.key_id).unseal(TABLE, METER, 2, new.key_id, new.sealed) == (
        new.cents,
        new.nonce,
    )
    (tmp_path / "vault-key-old-2026").unlink()
    with pytest.raises(NoKeyError, match=before.key_id):
        vault.load(tmp_path).unseal(TABLE, METER, 1, before.key_id, before.sealed)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "holds no key"),
        (bytes(range(31)), "holds no key"),
        (bytes(range(33)), "holds no key"),
        (KEY.hex().encode()[:-1], "holds no key"),
        (KEY.hex().encode() + b"0", "holds no key"),
        (KEY.hex().encode() + b"\n\n", "holds no key"),
        (KEY.hex().encode() + b"\r\n", "holds no key"),
        (KEY.hex().encode()[:-1] + b"g", "holds no key"),
        (KEY.hex().encode()[:32], "holds no key"),  # half a key, which by its length might be raw
        (b"correct horse battery staple, ok", "holds no key"),
        (b"correct horse battery staple ok\n", "holds no key"),
        (bytes(32), "too regular"),
        (b"0" * 64, "too regular"),
        (b"\xff" * 32, "too regular"),
        (b"deadbeef" * 8, "too regular"),
        (bytes(range(15)) + bytes(17), "too regular"),
    ],
)
def test_what_is_no_key_is_refused_with_its_file_and_the_remedy(content: bytes, why: str, tmp_path: Path) -> None:
    for name in ("vault-key", "vault-key-old-1"):
        written(tmp_path / "vault-key", KEY)
        path = written(tmp_path / name, content)
        with pytest.raises(KeyFileError, match=rf"^{re.escape(str(path))} .*{why}.*openssl rand -hex 32") as refused:
            vault.load(tmp_path)
        assert not content.strip() or content.strip().decode("latin-1") not in told(refused.value)


def test_a_key_with_just_enough_different_bytes_is_taken(tmp_path: Path) -> None:
    written(tmp_path / "vault-key", bytes(range(16)) + bytes(16))
    vault.load(tmp_path)


def test_a_missing_key_is_told_with_the_remedy(tmp_path: Path) -> None:
    written(tmp_path / "vault-key-old-1", KEY)
    with pytest.raises(KeyFileError, match=r"/vault-key is missing: .*LoadCredential=vault-key:FILE"):
        vault.load(tmp_path)
    with pytest.raises(KeyFileError, match=r"nowhere cannot be read \(No such file or directory\)"):
        vault.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("directory_mode", "mode", "taken"),
    [
        (0o700, 0o600, True),
        (0o755, 0o400, True),
        (0o700, 0o440, False),
        (0o700, 0o604, False),
        (0o700, 0o644, False),
        (0o700, 0o620, False),
        (0o700, 0o601, False),
        (0o700, 0o610, False),
        (0o550, 0o440, True),  # as systemd hands it over
        (0o500, 0o440, True),
        (0o551, 0o440, False),
        (0o570, 0o440, False),
        (0o552, 0o440, False),
        (0o555, 0o440, False),
        (0o550, 0o444, False),
        (0o550, 0o640, False),
        (0o550, 0o460, False),
    ],
)
def test_a_key_file_others_can_read_is_refused(directory_mode: int, mode: int, taken: bool, tmp_path: Path) -> None:
    directory = tmp_path / "credentials"
    directory.mkdir()
    written(directory / "vault-key", KEY, mode)
    directory.chmod(directory_mode)
    try:
        if taken:
            vault.load(directory)
        else:
            with pytest.raises(KeyFileError, match=rf"vault-key is open to others \(mode {mode:04o}\).*chmod 600"):
                vault.load(directory)
    finally:
        directory.chmod(0o700)


def test_a_key_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "vault-key", KEY)
    if os.geteuid() == 0:
        monkeypatch.setattr(os, "geteuid", lambda: 4322)
        vault.load(tmp_path)  # root's own serves every user
        os.chown(path, 4321, -1)
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner)
    vault.load(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(KeyFileError, match=f"vault-key belongs to user {owner}: chown it"):
        vault.load(tmp_path)


def test_what_is_not_a_plain_file_is_refused_without_waiting(tmp_path: Path) -> None:
    path = tmp_path / "vault-key"
    os.mkfifo(path, 0o600)
    with pytest.raises(KeyFileError, match="vault-key is not a plain file"):
        vault.load(tmp_path)
    path.unlink()
    path.mkdir(0o700)
    with pytest.raises(KeyFileError, match="vault-key is not a plain file"):
        vault.load(tmp_path)
    path.rmdir()
    path.symlink_to(path)
    with pytest.raises(KeyFileError, match=r"vault-key cannot be read \(.+\): "):
        vault.load(tmp_path)


def test_a_created_key_is_private_durable_and_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[os.stat_result] = []

    def fsync(file: int) -> None:
        synced.append(os.fstat(file))

    monkeypatch.setattr(os, "fsync", fsync)
    path = tmp_path / "vault-key"
    name = vault.create_key(path)
    file, directory = synced
    assert file.st_size == len(path.read_bytes())
    assert directory.st_ino == tmp_path.stat().st_ino
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}\n", path.read_text())
    assert repr(vault.load(tmp_path)) == f"Vault(current={name}, keys={name})"
    assert vault.create_key(tmp_path / "another") != name


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path / "vault-key", KEY)
    with pytest.raises(KeyFileError, match="vault-key is there already and is not overwritten"):
        vault.create_key(path)
    assert path.read_bytes() == KEY
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFileError, match="link is there already"):
        vault.create_key(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_key_that_cannot_be_written_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyFileError, match=r"cannot be made \(No such file or directory\)"):
        vault.create_key(tmp_path / "nowhere" / "vault-key")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KeyFileError, match=r"vault-key cannot be written \(No space left on device\)"):
        vault.create_key(tmp_path / "vault-key")
    assert list(tmp_path.iterdir()) == []
