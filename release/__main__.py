"""`python -m release`: build a release, its bill of materials or its Debian package; audit what is pinned."""

import argparse
import sys
from pathlib import Path

from release import auditing, building, debian, sbom
from release.project import ROOT, ReleaseError, epoch, refuse_changes

LOCKS = ("requirements.lock", "requirements-link.lock", "requirements-dev.lock")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    doing = parser.add_subparsers(dest="doing", required=True)
    build = doing.add_parser("build", help="wheel, sdist, bill of materials, digests")
    build.add_argument("--deb", action="store_true", help="and the Debian package, which needs the network")
    build.add_argument("--unclean", action="store_true", help="for a trial: also from changes that are not committed")
    build.add_argument("--into", type=Path, default=ROOT / "dist", help="a folder that is empty or not there")
    doing.add_parser("sbom", help="the bill of materials, to standard output")
    doing.add_parser("audit", help="ask a vulnerability service about every pinned package")
    return parser.parse_args()


def main() -> int:
    """The exit code: 0 done, 1 vulnerable, 2 not done."""
    given = _arguments()
    try:
        if given.doing == "sbom":
            sys.stdout.write(sbom.document(epoch()))
            return 0
        if given.doing == "audit":
            return _audited()
        if not given.unclean:
            refuse_changes()
        made = building.build(given.into)
        if given.deb:
            made = debian.build(given.into)
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("".join(f"{path}\n" for path in made))
    return 0


def _audited() -> int:
    worst = auditing.CLEAN
    for name in LOCKS:
        verdict, told = auditing.audit(ROOT / name)
        worst = max(worst, verdict)
        sys.stdout.write("".join(f"{line}\n" for line in told))
        sys.stdout.flush()
    return worst


if __name__ == "__main__":
    sys.exit(main())
