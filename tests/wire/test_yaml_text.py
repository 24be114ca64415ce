"""YAML as it is written here reads back as what was meant, whatever is in it."""

import re
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # it comes with amqtt, and only tests read YAML
from hypothesis import given
from hypothesis import strategies as st

from controller.wire.yaml_text import text

# What JSON can hold, and YAML's reader takes.
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"), max_size=20)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.just("a\nb"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXTS, DATA, min_size=1, max_size=4))
def test_what_is_written_reads_back(value: dict[str, Any]) -> None:
    assert yaml.safe_load(text(value)) == value


READ_OTHERWISE = re.findall(
    r"\S+", """on Off NO y null ~ true 1 0x1f 1e3 .5 - 2026-11-16 {a} [a] *a &a !a | > %a @a `a` 'a' "a" = ?"""
)
NOT_ONE_WORD = ["", " a", "- a", "a: b", "a #b", "a\n", "\na", "a\n\n b", "a \nb", "é\nb"]


@pytest.mark.parametrize("word", [*READ_OTHERWISE, *NOT_ONE_WORD])
def test_words_that_yaml_reads_otherwise_stay_words(word: str) -> None:
    value = {word: word, "list": [word, {word: [word]}]}
    assert yaml.safe_load(text(value)) == value


def test_it_reads_well() -> None:
    value = {
        "name": "Royal 9",
        "empty": {},
        "none": [],
        "about": "One.\n\n- Two.\n  More.",
        "list": [{"a": 1, "b": [2]}, "c"],
    }
    assert text(value) == (
        "name: Royal 9\nempty: {}\nnone: []\nabout: |-\n  One.\n\n  - Two.\n    More.\n"
        "list:\n  - a: 1\n    b:\n      - 2\n  - c\n"
    )
