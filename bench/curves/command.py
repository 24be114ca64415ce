"""`python -m bench curves [--quick] [--resume] [--draw] [--into FOLDER] [PART …]`.

Measures every part, or those named, one after another; each is written to its file as soon as it is done, and the
document and the drawings after it, so that one that fails costs nothing but itself.
"""

import argparse
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.curves import data, document, history, link, signs, tables
from bench.curves.charts import HISTORY, LINK, PARTS, SIGNS, TABLES
from bench.curves.data import Series
from bench.report import progress

MEASURE: dict[str, Callable[[Series, bool], None]] = {
    HISTORY: history.measure,
    SIGNS: signs.measure,
    TABLES: tables.measure,
    LINK: link.measure,
}
FRESH_SECONDS = 6 * 3600  # --resume leaves what is no older than that


def main(arguments: Sequence[str]) -> int:
    """Measure and write; 1 where something failed, or grows faster than it should."""
    parser = _arguments()
    wanted = parser.parse_args(arguments)
    if unknown := set(wanted.parts) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    docs: Path = wanted.into
    _prepare(docs)
    failed = False
    for part in () if wanted.draw else wanted.parts or PARTS:
        if wanted.resume and _fresh(docs, part):
            progress(f"{part}: measured a while ago, left as it is")
            continue
        failed |= not _measured(docs, part, quick=wanted.quick)
    steep = document.refresh(docs)
    for said in steep:
        print(said)
    print(f"{docs / document.DOCUMENT} is as the data say")
    return 1 if failed or steep else 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench curves", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="small sizes, to try it out; see --into")
    parser.add_argument("--resume", action="store_true", help="leave parts that were measured in the last hours")
    parser.add_argument("--draw", action="store_true", help="measure nothing: draw and fill in what there is")
    parser.add_argument("--into", type=Path, default=document.ROOT / "docs", help="instead of docs")
    return parser


def _prepare(docs: Path) -> None:
    (docs / document.FOLDER).mkdir(parents=True, exist_ok=True)
    if not (docs / document.DOCUMENT).exists():
        shutil.copy(document.ROOT / "docs" / document.DOCUMENT, docs)


def _fresh(docs: Path, part: str) -> bool:
    path = docs / document.FOLDER / f"{part}.json"
    found = data.load(docs / document.FOLDER, part)
    return found is not None and not found.quick and time.time() - path.stat().st_mtime < FRESH_SECONDS


def _measured(docs: Path, part: str, *, quick: bool) -> bool:
    progress(f"{part}: begins")
    series, began, load = Series(), time.monotonic(), os.getloadavg()[0]
    try:
        MEASURE[part](series, quick)
    except Exception:  # noqa: BLE001 -- the other parts are still worth measuring
        traceback.print_exc(file=sys.stderr)
        progress(f"{part}: failed; python -m bench curves {part} tries it again")
        return False
    data.save(docs / document.FOLDER, data.measured(part, began, series, load, quick=quick))
    document.refresh(docs)
    progress(f"{part}: done after {time.monotonic() - began:.0f} s")
    return True
