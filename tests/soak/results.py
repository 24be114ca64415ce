"""What soaks came to, in `docs/soak.md`: a row for each part, with the commit it ran at and the date.

What only a soak runs is seen by nobody on other days. The file shows how long ago each part was run, and on what.
"""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FILE = ROOT / "docs/soak.md"
HEAD = """# What soaks came to

`make soak` writes this file: the newest run of each part, the commit it ran at (with a `+` where the tree held changes
that were not committed) and the date. Commit it with what you did about it.

| part | result | commit | date |
|---|---|---|---|
"""


def _git(*words: str) -> str:
    done = subprocess.run(["/usr/bin/env", "git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def commit() -> str:
    """The commit that is checked out, or `unknown` where there is no repository."""
    name = _git("rev-parse", "--short", "HEAD") or "unknown"
    changed = [line for line in _git("status", "--porcelain").splitlines() if not line.endswith(f"docs/{FILE.name}")]
    return f"{name}+" if changed else name


def rows(text: str) -> dict[str, str]:
    """The rows of the table, by their part."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return {line.split("`")[1]: line for line in lines}


def record(part: str, result: str, file: Path = FILE) -> None:
    """Write down what a part came to, in the place of what it came to before."""
    kept = rows(file.read_text()) if file.exists() else {}
    said = " ".join(result.split()).replace("|", "\\|")
    kept[part] = f"| `{part}` | {said} | {commit()} | {datetime.now(UTC):%Y-%m-%d} |"
    file.write_text(HEAD + "".join(f"{kept[name]}\n" for name in sorted(kept)))
