"""The bill of materials: as the specification has it, complete, the same each time, and without an address."""

import json
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from jsonschema import Draft7Validator
from referencing import Registry, Resource

from release import sbom
from release.lock import read
from release.project import ROOT, ReleaseError, version

WHEN = 1_790_000_000
LOCKS = [read(ROOT / name) for name in ("requirements.lock", "requirements-link.lock")]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sbom.document(WHEN))
    return found


def _schema(name: str) -> dict[str, Any]:
    """The published schema, as the library of its makers carries it."""
    found: dict[str, Any] = json.loads((files("cyclonedx.schema._res") / name).read_text())
    return found


def validator() -> Draft7Validator:
    names = ("bom-1.6.SNAPSHOT.schema.json", "spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")
    schemas = {name: _schema(name) for name in names}
    base = schemas[names[0]]["$id"]
    known = {urljoin(base, name): Resource.from_contents(schema) for name, schema in schemas.items()}
    return Draft7Validator(schemas[names[0]], registry=Registry().with_resources(known.items()))


def test_it_is_a_cyclonedx_document_by_the_published_schema(told: dict[str, Any]) -> None:
    assert [f"{'/'.join(map(str, each.path))}: {each.message}" for each in validator().iter_errors(told)] == []
    told = json.loads(json.dumps(told))
    told["components"][0]["scope"] = "perhaps"
    del told["components"][1]["name"]
    assert len(list(validator().iter_errors(told))) >= 2, "the schema finds what is wrong"


def test_it_lists_exactly_what_the_locks_pin(told: dict[str, Any]) -> None:
    pinned = {(each.name, each.version) for lock in LOCKS for each in lock.values()}
    listed = [(each["name"], each["version"]) for each in told["components"]]
    assert len(listed) == len(set(listed))
    assert set(listed) == pinned
    assert told["metadata"]["component"]["version"] == version()


def test_each_package_has_its_licence_and_the_hashes_of_its_lock(told: dict[str, Any]) -> None:
    digests = {each.name: set(each.digests) for lock in reversed(LOCKS) for each in lock.values()}
    for each in told["components"]:
        (reference,) = each["externalReferences"]
        assert {one["content"] for one in reference["hashes"]} == digests[each["name"]]
        assert each["purl"] == each["bom-ref"] == f"pkg:pypi/{each['name']}@{each['version']}"
        assert each["licenses"]
    licences = {each["name"]: each["licenses"] for each in told["components"]}
    assert licences["cryptography"] == [{"expression": "Apache-2.0 OR BSD-3-Clause"}]
    assert licences["rich"] == [{"license": {"id": "MIT"}}]
    assert licences["psycopg"] == [{"expression": "LGPL-3.0-only"}]


def test_what_runs_what_builds_and_what_a_link_needs_are_told_apart(told: dict[str, Any]) -> None:
    scopes = {each["name"]: each["scope"] for each in told["components"]}
    assert scopes["cryptography"] == scopes["cffi"] == "required"
    assert scopes["hatchling"] == "excluded"
    assert scopes["psycopg"] == scopes["psycopg-binary"] == "optional"


def test_who_wants_whom_leads_from_us_to_every_package(told: dict[str, Any]) -> None:
    graph = {each["ref"]: each["dependsOn"] for each in told["dependencies"]}
    assert set(graph) == {told["metadata"]["component"]["bom-ref"], *(each["bom-ref"] for each in told["components"])}
    reached: set[str] = set()
    waiting = [told["metadata"]["component"]["bom-ref"]]
    while waiting:
        here = waiting.pop()
        reached.add(here)
        waiting += set(graph[here]) - reached
    assert reached == set(graph)


def test_it_is_the_same_each_time_and_names_no_address() -> None:
    first = sbom.document(WHEN)
    assert sbom.document(WHEN) == first
    other = sbom.document(WHEN + 1)
    serials = [json.loads(each)["serialNumber"] for each in (first, other)]
    assert serials[0] != serials[1], "another document has another number"
    assert "://" not in first
    assert json.loads(first)["metadata"]["timestamp"] == "2026-09-21T14:13:20Z"


def test_it_tells_the_wheel_it_is_of(tmp_path: Path) -> None:
    wheel = tmp_path / "a.whl"
    wheel.write_bytes(b"a wheel")
    ours = json.loads(sbom.document(WHEN, wheel))["metadata"]["component"]
    assert ours["hashes"] == [{"alg": "SHA-256", "content": sha256(b"a wheel").hexdigest()}]


@pytest.mark.parametrize("is_", ["aiomqtt==0.0.1", "nobody-has-this==1"])
def test_what_is_not_installed_as_pinned_has_no_licence_to_tell(tmp_path: Path, is_: str) -> None:
    for name in ("pyproject.toml", "requirements.lock", "requirements-link.lock"):
        text = (ROOT / name).read_text()
        (tmp_path / name).write_text(re.sub(r"^aiomqtt==\S+", is_, text, flags=re.MULTILINE))
    with pytest.raises(
        ReleaseError, match=r"aiomqtt \S+ is installed, 0\.0\.1 is pinned|nobody-has-this is not installed"
    ):
        sbom.document(WHEN, root=tmp_path)
