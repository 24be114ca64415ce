"""The draw as the product makes it, and its scaling proven by counting every case."""

import inspect
import secrets
import subprocess
import sys
from collections import Counter
from itertools import islice
from random import SystemRandom

import pytest
from msgspec import json

from controller import vault
from controller.cli.main import main
from controller.rng.battery import LEAST_DRAWS
from controller.rng.drawing import MOST_DRAWS, sample, words
from controller.rules.errors import BadInputError
from tests.cli.calls import Said, refusal


class Counting(SystemRandom):
    """The generator behind `secrets.randbelow`, with bits that run through every case once."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []

    def getrandbits(self, k: int) -> int:
        assert k == self.bits
        return self.given.pop()

    bits = 0


@pytest.mark.parametrize("span", [1, 2, 3, 5, 7, 8, 9, 75, 100, 127, 128, 129, 750])
def test_scaling_is_exactly_uniform(span: int) -> None:
    """Every pattern of bits once: every value comes equally often, and what does not fit is drawn again."""
    counting = Counting()
    counting.bits = span.bit_length()
    seen: Counter[int] = Counter()
    for bits in range(2**counting.bits):
        counting.given = [0, bits]  # should it be refused, the next one is zero
        seen[counting._randbelow(span)] += 1  # type: ignore[attr-defined]  # noqa: SLF001 -- what secrets calls
        refused = not counting.given
        if refused:
            assert bits >= span
            seen[0] -= 1
    assert seen == Counter(dict.fromkeys(range(span), 1))


def test_the_vault_draws_with_that_very_generator() -> None:
    default = inspect.signature(vault.Vault.__init__).parameters["randbelow"].default
    assert default is secrets.randbelow
    assert inspect.getsource(secrets.randbelow).count("_sysrand._randbelow(") == 1
    assert isinstance(secrets._sysrand, SystemRandom)  # type: ignore[attr-defined]  # noqa: SLF001 -- the very one


def test_a_sample_is_drawn_within_the_filed_limits() -> None:
    found = sample("royal9-mystery/3", LEAST_DRAWS)
    assert (found.low, found.high) == (10_000, 20_000)
    assert min(found.values) >= found.low
    assert max(found.values) < found.high
    assert len(set(found.values)) > 5_000


@pytest.mark.parametrize(
    ("mystery", "draws"),
    [("royal9/5", LEAST_DRAWS), ("royal9-mystery/1", LEAST_DRAWS - 1), ("royal9-mystery/1", MOST_DRAWS + 1)],
)
def test_what_cannot_be_drawn_is_refused(mystery: str, draws: int) -> None:
    with pytest.raises(BadInputError):
        sample(mystery, draws)


def test_the_command_reports_every_test(capsys: Said) -> None:
    code = main(["rng", "test", "--draws", str(LEAST_DRAWS), "--json"])
    told = json.decode(capsys.readouterr().out)
    assert code == (0 if told["passes_99"] else 1)
    kinds = {each["test"].partition(",")[0] for each in told["tests"]}
    named = "frequency, chi-square, runs, serial correlation, gap, poker, coupon collector, Kolmogorov-Smirnov"
    assert kinds == set(named.split(", "))
    main(["rng", "test", "--draws", str(LEAST_DRAWS)])
    assert "all 12 together" in capsys.readouterr().out
    assert "is no mystery configuration" in refusal(capsys, "rng", "test", "--mystery", "x")


def test_a_stream_is_bits_and_ends_with_its_reader() -> None:
    first = b"".join(islice(words(), 4096))
    ones = sum(byte.bit_count() for byte in first)
    assert 64_000 < ones < 67_100  # of 131,072 bits: eight standard deviations either way
    command = [sys.executable, "-P", "-m", "controller", "rng", "stream"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(8192)) == 8192
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
