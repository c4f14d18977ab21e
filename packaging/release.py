# SPDX-License-Identifier: BSD-3-Clause
"""Make a release: ``python packaging/release.py VERSION [--dry-run]``.

Checks that the checkout is a clean main and that CHANGELOG.md has a heading of the version, writes
the version where it is stated, runs lint and tests, builds the source distribution and the wheels,
commits and tags. Nothing leaves this machine: pushing and uploading is left to a person.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Where the version is stated: the first is the source, the others repeat it for other programs.
STATED = {
    "codegen/version.py": r'(?<=^VERSION = ")[^"]+(?="$)',
    "CITATION.cff": r"(?<=^version: ).+$",
    "packaging/conda/meta.yaml": r'(?<=^{% set version = ")[^"]+(?=" %}$)',
}
BUILT = ("lint", "test", "wheels")


def parts(version: str) -> tuple[int, ...]:
    """Return major, minor and patch of a version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"version {version!r}: expected three numbers, such as 1.2.0")
    return tuple(map(int, version.split(".")))


def output(*command: str) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def stated(name: str) -> str:
    """Return the version that a file states."""
    found = re.search(STATED[name], (ROOT / name).read_text(encoding="utf-8"), re.M)
    if found is None:
        sys.exit(f"{name}: states no version")
    return found[0]


def problems(version: str) -> list[str]:
    """Return why this version cannot be released from this checkout."""
    found = []
    branch, current = output("git", "branch", "--show-current"), stated("codegen/version.py")
    if branch != "main":
        found.append(f"branch: {branch or 'none'}, expected main")
    if changed := output("git", "status", "--porcelain"):
        found.append(f"checkout: {len(changed.splitlines())} changed files, expected none")
    if parts(version) < parts(current):
        found.append(f"version: {version} is before {current} of codegen/version.py")
    if output("git", "tag", "--list", f"v{version}"):
        found.append(f"tag: v{version} is there already")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\]", changes, re.M):
        found.append(f"CHANGELOG.md: no heading `## [{version}]`")
    return found


def run(*command: str, dry: bool) -> None:
    """Print a command, and run it unless this is a dry run."""
    print(*command, flush=True)
    if not dry and subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(f"release stopped: `{' '.join(command)}` failed; no commit and no tag was made")


def state(name: str, version: str, *, dry: bool) -> None:
    """Write the version into a file that states it."""
    print(f"{name}: {stated(name)} -> {version}")
    if not dry:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(STATED[name], version, text, flags=re.M), encoding="utf-8")


def main() -> None:
    """Check, write, build and tag."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 1.2.0")
    parser.add_argument("--dry-run", action="store_true", help="check, and print what would be run")
    given = parser.parse_args()
    version, dry = given.version, given.dry_run
    parts(version)
    if found := problems(version):
        sys.exit("\n".join(found))
    for name in STATED:
        state(name, version, dry=dry)
    for target in BUILT:
        run("make", target, dry=dry)
    run("git", "commit", "--allow-empty", "-m", f"Release {version}", *STATED, dry=dry)
    run("git", "tag", "-a", f"v{version}", "-m", f"flexforge {version}", dry=dry)
    print(
        "left to you, after a look at dist: git push origin main --tags; twine upload dist/*"
        + (" (dry run: nothing was changed)" if dry else "")
    )


if __name__ == "__main__":
    main()
