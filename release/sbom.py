"""The bill of materials: a CycloneDX document of every package the locks pin, the same bytes each time.

Names, versions, hashes and who wants whom are the locks'. Licences are what each package says of itself where it is
installed, so the development packages must be the ones that are pinned.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import Any
from uuid import UUID

from release.lock import Pinned, read, running
from release.project import NAME, ROOT, ReleaseError, version

SPECIFICATION = "1.6"
RUN, LINK = "requirements.lock", "requirements-link.lock"
# What packages wrote before there were licence expressions, where it can mean only one licence.
_PLAIN = {
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "BSD-3-Clause": "BSD-3-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT": "MIT",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


def document(when: int, wheel: Path | None = None, root: Path = ROOT) -> str:
    """The document, with the time it bears and, if it is built, the wheel it is of."""
    runs, linked = read(root / RUN), read(root / LINK)
    needed = running(runs)
    packages = {**linked, **runs}
    ours = f"pkg:pypi/{NAME}@{version(root)}"
    told: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lifecycles": [{"phase": "build"}],
            "component": _ourselves(ours, root, wheel),
        },
        "components": [_component(packages[name], _scope(name, needed, runs)) for name in sorted(packages)],
        "dependencies": list(_dependencies(packages, ours)),
    }
    whole = json.dumps(told, sort_keys=True).encode()
    told["serialNumber"] = UUID(bytes=sha256(whole).digest()[:16], version=4).urn  # of the content: no two differ
    return json.dumps(told, indent=1, sort_keys=True) + "\n"


def _ourselves(ours: str, root: Path, wheel: Path | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "type": "application",
        "bom-ref": ours,
        "name": NAME,
        "version": version(root),
        "purl": ours,
        "licenses": [{"expression": "MIT"}],
    }
    if wheel is not None:
        told["hashes"] = [_hash(sha256(wheel.read_bytes()).hexdigest())]
    return told


def _scope(name: str, needed: set[str], runs: Mapping[str, Pinned]) -> str:
    """Always there, there only with a link, or there only while it is built."""
    if name in needed:
        return "required"
    return "excluded" if name in runs else "optional"


def _component(pinned: Pinned, scope: str) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": pinned.purl,
        "name": pinned.name,
        "version": pinned.version,
        "purl": pinned.purl,
        "scope": scope,
        "licenses": _licences(pinned),
        # A package is one of several files, by machine and Python: any of these may be installed, and no other.
        "externalReferences": [
            {"type": "distribution", "url": pinned.purl, "hashes": [_hash(each) for each in pinned.digests]}
        ],
    }


def _hash(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _licences(pinned: Pinned) -> list[dict[str, Any]]:
    try:
        told = metadata(pinned.name)
    except PackageNotFoundError:
        raise ReleaseError(f"{pinned.name} is not installed: install what the locks pin, then try again") from None
    if told["Version"] != pinned.version:
        raise ReleaseError(f"{pinned.name} {told['Version']} is installed, {pinned.version} is pinned: install that")
    expression = _said(told, "License-Expression")
    if expression:
        return [{"expression": expression}]
    named = [found[1] for each in told.get_all("Classifier") or [] if (found := _CLASSIFIER.fullmatch(each))]
    plain = _said(told, "License")
    if plain in _PLAIN or (plain and not named):
        named = [plain]
    if not named or "\n" in named[0]:
        raise ReleaseError(f"{pinned.name} {pinned.version} does not say its licence: look into it before it ships")
    return [{"license": {"id": _PLAIN[each]} if each in _PLAIN else {"name": each}} for each in named]


def _said(told: PackageMetadata, field: str) -> str:
    """A field, or nothing where it is not there."""
    return (told[field] or "").strip() if field in told else ""


def _dependencies(packages: Mapping[str, Pinned], ours: str) -> Iterable[dict[str, Any]]:
    refs = {NAME: ours, **{name: each.purl for name, each in packages.items()}}
    for name, ref in sorted(refs.items()):
        wants = sorted(each.purl for each in packages.values() if name in each.wanted_by)
        yield {"ref": ref, "dependsOn": wants}
