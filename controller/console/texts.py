"""All words of the pages, in every language: `texts/<page>.<language>.json`, merged at start.

A key begins with its page: `table.phase_open`. A text may have places for values: `{position}`.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec import MsgspecError, json

FOLDER = Path(__file__).parent / "texts"
LANGUAGES = {"en": "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文"}
SHORT = {"en": "EN", "zh-Hans": "简", "zh-Hant": "繁"}  # where a phone has no room for more
DEFAULT = "en"
MOST_ACCEPTED = 200  # characters of Accept-Language that are looked at: a dozen languages
_TRADITIONAL = ("tw", "hk", "mo", "hant")  # regions and scripts of Chinese that are written so


class TextsError(Exception):
    """A catalog that cannot be used; the message names the file."""


class Texts:
    """Catalogs by language."""

    def __init__(self, catalogs: Mapping[str, Mapping[str, str]]) -> None:
        self._catalogs = catalogs
        self._encoded = {language: json.encode(catalog) for language, catalog in catalogs.items()}

    def catalog(self, language: str) -> Mapping[str, str]:
        """Every text of a language."""
        return self._catalogs[language]

    def encoded(self, language: str) -> bytes | None:
        """The same as JSON; none for a language there is not."""
        return self._encoded.get(language)

    def text(self, language: str, key: str, **values: object) -> str:
        """One text, with its values in place. A key there is not shows itself."""
        found = self._catalogs[language].get(key) or self._catalogs[DEFAULT].get(key, key)
        for name, value in values.items():
            found = found.replace(f"{{{name}}}", str(value))
        return found


def load(folder: Path = FOLDER) -> Texts:
    """The texts of every page."""
    catalogs: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
    for path in sorted(folder.glob("*.json")):
        page, _, language = path.name.removesuffix(".json").partition(".")
        if language not in catalogs:
            raise TextsError(f"{path.name}: {language!r} is none of {', '.join(LANGUAGES)}")
        try:
            texts = json.decode(path.read_bytes(), type=dict[str, str])
        except MsgspecError as error:
            raise TextsError(f"{path.name}: {error}") from error
        strange = [key for key in texts if not key.startswith(f"{page}.")]
        if strange:
            raise TextsError(f"{path.name}: {strange[0]!r} is to begin with {page}.")
        catalogs[language] |= texts
    return Texts(catalogs)


def choose(wanted: str | None, kept: str | None, accepted: str) -> str:
    """The language of a page: what its address says, or what was chosen before, or what the browser prefers."""
    for language in (wanted, kept):
        if language in LANGUAGES:
            return language
    for part in accepted[:MOST_ACCEPTED].split(","):  # browsers put the best first
        first, *more = part.partition(";")[0].strip().lower().replace("_", "-").split("-")
        if first == "zh":
            return "zh-Hant" if any(each in _TRADITIONAL for each in more) else "zh-Hans"
        if first == "en":
            return "en"
    return DEFAULT
