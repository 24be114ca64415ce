"""Reading TOML strictly: every key is asked for by name and type, and all that is wrong is noted with its path."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from controller.rules.money import AmountError, parse_cents, parse_rate

RULES_SUBMISSION = "§ 601a.2"  # what a casino files, and so what a malformed file falls short of


class Finding(NamedTuple):
    """Something wrong, or worth a warning: where, what stands there, which section, and what is demanded."""

    key: str
    value: object
    section: str
    message: str


class BareNumber(NamedTuple):
    """A number written with a decimal point and without quotes. It is never made a float."""

    text: str


_TYPES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    str: "text in quotes",
    dict: "a table",
    list: "a list",
    BareNumber: "a bare decimal number",
}


def _type_name(value: object) -> str:
    return _TYPES.get(type(value), f"a {type(value).__name__}")


def shown(value: object) -> object:
    """A value as a finding reports it: as it was written, in types JSON has."""
    match value:
        case BareNumber(text=text):
            return text
        case dict():
            return {key: shown(each) for key, each in value.items()}
        case list():
            return [shown(each) for each in value]
        case None | str() | int():
            return value
    return str(value)  # a date or a time


class Fields:
    """One table of the file. Ask for every key it may have, then call `done`, which notes the keys nobody asked for."""

    def __init__(self, path: str, data: Mapping[str, Any], findings: list[Finding]) -> None:
        self.path = path
        self._data = data
        self._findings = findings
        self._known: set[str] = set()

    def key(self, name: str) -> str:
        """The dotted path of a key."""
        return f"{self.path}.{name}" if self.path else name

    def note(self, name: str, message: str, section: object = RULES_SUBMISSION) -> None:
        """Note that the value at a key is wrong."""
        self._findings.append(Finding(self.key(name), shown(self._data.get(name)), str(section), message))

    def know(self, name: str) -> None:
        """Take a key as known, whatever stands there."""
        self._known.add(name)

    def has(self, name: str) -> bool:
        """Whether the key is there."""
        return name in self._data

    def names(self) -> Sequence[str]:
        """Every key that is there."""
        return list(self._data)

    def value(self, name: str, kind: type, *, required: bool = True, like: str = "") -> Any:  # noqa: ANN401 -- the caller names the type
        """The value at a key if it is there and of that type; None, noted, if not."""
        self.know(name)
        wanted = _TYPES[kind] + (f" like {like}" if like else "")
        if name not in self._data:
            if required:
                self.note(name, f"missing: give {wanted}")
            return None
        found = self._data[name]
        if type(found) is not kind:  # a bool is no whole number here, though Python says so
            self.note(name, f"wrong type: {wanted} is demanded, {_type_name(found)} is given")
            return None
        return found

    def text(self, name: str, *, required: bool = True) -> str | None:
        """Text."""
        found: str | None = self.value(name, str, required=required)
        return found

    def words(self, name: str) -> list[str]:
        """One text or a list of texts; none, noted, where it is neither."""
        self.know(name)
        found = self._data.get(name)
        several: list[Any] = found if isinstance(found, list) else [found]
        if not all(type(each) is str for each in several):
            self.note(name, f"wrong type: {_TYPES[str]}, or a list of such, is demanded, {_type_name(found)} is given")
            return []
        return several

    def choice(
        self, name: str, choices: Sequence[str], default: str | None = None, section: object = RULES_SUBMISSION
    ) -> str | None:
        """One of some words; the default, if there is one, where the key is absent."""
        found = self.text(name, required=default is None)
        if found is None:
            return default if not self.has(name) else None
        if found not in choices:
            self.note(name, f"{found!r} is unknown: {', '.join(choices)} can be chosen", section)
            return None
        return found

    def whole(
        self, name: str, least: int, most: int, *, section: object = RULES_SUBMISSION, default: int | None = None
    ) -> int | None:
        """A whole number between two limits."""
        found: int | None = self.value(name, int, required=default is None)
        if found is None:
            return default if not self.has(name) else None
        if not least <= found <= most:
            self.note(name, f"{found} is outside {least} to {most}", section)
            return None
        return found

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        found: bool | None = self.value(name, bool, required=False)
        return default if found is None else found

    def money(self, name: str, *, required: bool = True) -> int | None:
        """Whole cents, written as text: "450.00"."""
        return self._parsed(name, parse_cents, '"450.00"', required=required)

    def rate(self, name: str, *, required: bool = True) -> int | None:
        """Millionths, written as text: "4%"."""
        return self._parsed(name, parse_rate, '"4%"', required=required)

    def _parsed(self, name: str, parse: Callable[[str], int], like: str, *, required: bool) -> int | None:
        text = self.value(name, str, required=required, like=like)
        if text is None:
            return None
        try:
            return parse(text)
        except AmountError as error:
            self.note(name, str(error))
            return None

    def table(self, name: str, *, required: bool = True) -> "Fields | None":
        """A table inside this one."""
        found = self.value(name, dict, required=required)
        return None if found is None else Fields(self.key(name), found, self._findings)

    def done(self) -> None:
        """Note every key that was not asked for."""
        for name in self._data:
            if name not in self._known:
                known = ", ".join(sorted(self._known))
                self.note(name, f"unknown key: {self.path or 'the file'} has {known}")
