"""Words in three languages: none missing, none strange, and each page in the one its reader wants."""

import re
from pathlib import Path

import pytest
from msgspec import json

from controller.console.assets import FOLDER as CONSOLE
from controller.console.texts import DEFAULT, FOLDER, LANGUAGES, MOST_ACCEPTED, TextsError, choose, load
from controller.explained import GIVEN_BACK
from controller.link.deriving import ADJUSTED, CARRIED, LEFT, OPENED, RELEASED, RETURNED, SEEDED, SHARED_ANEW, SPILL

PAGES = sorted({path.name.partition(".")[0] for path in FOLDER.glob("*.json")})
SOURCES = [*(CONSOLE / "static").glob("*.js"), *(CONSOLE / "templates").glob("*.html")]
# `text("table.open")`, `t('table.open')`: a whole key, not the beginning of one that is put together.
_USED = re.compile(r"""(?<![\w.])(?:text|t|has)\(\s*["'`]([a-z]+\.[a-z0-9_]+)["'`]\s*[,)]""")


def catalog(page: str, language: str) -> dict[str, str]:
    return json.decode((FOLDER / f"{page}.{language}.json").read_bytes(), type=dict[str, str])


@pytest.mark.parametrize("page", PAGES)
def test_every_language_has_the_same_texts_with_the_same_places(page: str) -> None:
    first = catalog(page, DEFAULT)
    for language in LANGUAGES:
        found = catalog(page, language)
        assert found.keys() == first.keys()
        for key, text in found.items():
            assert text.strip(), key
            places, wanted = (set(re.findall(r"\{(\w+)\}", each)) for each in (text, first[key]))
            assert places == wanted, (language, key)


@pytest.mark.parametrize("page", PAGES)
def test_chinese_is_chinese_and_the_two_ways_of_writing_it_are_not_mixed(page: str) -> None:
    # Of each pair only one way of writing belongs into a catalog.
    simplified, traditional = "这个们会时间台验证签开关单与为录请发总输", "這個們會時間檯驗證簽開關單與為錄請發總輸"
    for language, wrong in (("zh-Hans", traditional), ("zh-Hant", simplified)):
        shared = set(simplified) & set(traditional)
        for key, text in catalog(page, language).items():
            assert not [letter for letter in text if letter in wrong and letter not in shared | {"台", "为"}], key


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_text_a_page_asks_for_is_there(path: Path) -> None:
    known = load().catalog(DEFAULT)
    missing = [key for key in _USED.findall(path.read_text()) if key not in known]
    assert missing == []


@pytest.mark.parametrize("kind", ["audit.why", "floor.line"])
def test_every_word_of_a_linked_jackpot_has_its_text(kind: str) -> None:
    known = load().catalog(DEFAULT)
    words = (OPENED, SEEDED, RELEASED, LEFT, SPILL, CARRIED, RETURNED, GIVEN_BACK, SHARED_ANEW, ADJUSTED)
    assert [word for word in words if f"{kind}_{word.replace(' ', '-')}" not in known] == []


def test_the_check_sees_keys() -> None:
    assert _USED.findall('text("a.b") t(\'c.d_e\', x=1) text(`f.${g}`) context("h.i")') == ["a.b", "c.d_e"]


def test_a_catalog_that_is_not_right_is_refused_by_name(tmp_path: Path) -> None:
    for name, content, why in (
        ("base.fr.json", "{}", "'fr'"),
        ("base.en.json", '{"table.x": "y"}', "table.x"),
        ("base.en.json", '{"base.x": 5}', "base.en.json"),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(TextsError, match=why):
            load(tmp_path)
        (tmp_path / name).unlink()


def test_values_stand_in_their_places_and_what_is_missing_shows_itself(tmp_path: Path) -> None:
    (tmp_path / "base.en.json").write_text('{"base.x": "{a} and {b}"}')
    texts = load(tmp_path)
    assert texts.text("zh-Hans", "base.x", a=1, b="{a}") == "1 and {a}"
    assert texts.text("en", "base.y") == "base.y"


@pytest.mark.parametrize(
    ("wanted", "kept", "accepted", "chosen"),
    [
        ("zh-Hant", "en", "en", "zh-Hant"),
        (None, "zh-Hans", "en", "zh-Hans"),
        ("xx", "yy", "zh-TW,zh;q=0.9", "zh-Hant"),
        (None, None, "zh-HK", "zh-Hant"),
        (None, None, "zh-CN,en;q=0.8", "zh-Hans"),
        (None, None, "zh-Hant-CN", "zh-Hant"),
        (None, None, "de-DE,en-GB;q=0.7,zh;q=0.1", "en"),
        (None, None, "de", DEFAULT),
        (None, None, "", DEFAULT),
        (None, None, "d," * MOST_ACCEPTED + "zh", DEFAULT),
    ],
)
def test_the_language_is_the_addresss_then_the_one_chosen_before_then_the_browsers(
    wanted: str | None, kept: str | None, accepted: str, chosen: str
) -> None:
    assert choose(wanted, kept, accepted) == chosen
