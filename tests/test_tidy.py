"""The rules and the core stay pure: their imports come from a short list, and no float, clock or file is in them."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PURE = [folder for folder in (ROOT / "controller" / "rules", ROOT / "controller" / "core") if folder.is_dir()]

# hashlib and msgspec compute and nothing else: digests of content, and typed values that can be written down.
ALLOWED = {
    "collections",
    "datetime",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "itertools",
    "operator",
    "msgspec",
    "re",
    "typing",
}
OWN = ("controller.rules", "controller.core")
# What one file may do beyond that, and why.
EXCEPTIONS = {
    "controller/rules/catalog/__init__.py": {"os", "tomllib", "open"},  # reads the package's own data files
    "controller/rules/lawful.py": {"tomllib"},  # a submission is TOML
    "controller/rules/lawful_table.py": {"zoneinfo"},  # a filed time zone must exist
}
FORBIDDEN_NAMES = {"float", "complex", "Decimal", "open", "print", "input", "eval", "exec", "__import__", "globals"}
FORBIDDEN_ATTRIBUTES = {"today", "now", "utcnow", "fromtimestamp"}  # a clock, by any name


def untidy(source: str, may: frozenset[str] = frozenset()) -> list[str]:
    """Everything in a module's source that a pure module may not have."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names if not _importable(alias.name, may)]
            case ast.ImportFrom(module=module, level=level):
                if level or module is None or not _importable(module, may):
                    found.append("." * level + (module or ""))
            case ast.Constant(value=float() | complex()):
                found.append(f"line {node.lineno}: {node.value!r}")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                found.append(f"line {node.lineno}: true division")
            case ast.Name(id=name) if name in FORBIDDEN_NAMES - may:
                found.append(name)
            case ast.Attribute(attr=name) if name in FORBIDDEN_ATTRIBUTES:
                found.append(name)
    return found


def _importable(module: str, may: frozenset[str]) -> bool:
    return module.partition(".")[0] in ALLOWED | may or module.startswith(OWN)


@pytest.mark.parametrize("path", [path for folder in PURE for path in sorted(folder.rglob("*.py"))], ids=str)
def test_pure_modules_are_tidy(path: Path) -> None:
    may = frozenset(EXCEPTIONS.get(path.relative_to(ROOT).as_posix(), set()))
    assert untidy(path.read_text(), may) == []


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio",
        "from sqlite3 import connect",
        "import random as typing",
        "from . import catalog",
        "import importlib; importlib.import_module('time')",
        "rate = 0.05",
        "def half(cents: int) -> object:\n    return cents / 2",
        "cents = 5\ncents /= 2",
        "cents = float('1')",
        "from datetime import date\ntoday = date.today()",
        "from decimal import Decimal",
        "__import__('time')",
        "from controller.cli import main",
    ],
)
def test_what_is_untidy_is_found(source: str) -> None:
    assert untidy(source)


def test_every_exception_is_still_needed() -> None:
    for name, may in EXCEPTIONS.items():
        source = (ROOT / name).read_text()
        for each in may:
            assert untidy(source, frozenset(may - {each})), f"{name} no longer needs {each}"
