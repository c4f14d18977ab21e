# SPDX-License-Identifier: BSD-3-Clause
"""The release script refuses what is not ready; its dry run changes nothing."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STATED = runpy.run_path(str(ROOT / "packaging" / "release.py"))["STATED"]
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with the files that a release looks at, and a heading for 9.1.0."""
    for name in ("packaging/release.py", *STATED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [9.1.0] - 2030-01-01\n")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "begin")
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=tester", "-c", "user.email=tester@example.org")
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def release(folder: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "packaging/release.py"), version, "--dry-run"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_dry_run_says_all_steps_and_changes_nothing(checkout: Path) -> None:
    """Versions, lint, tests, wheels, commit and tag are named in order; the tree stays clean."""
    done = release(checkout, "9.1.0")
    assert done.returncode == 0, done.stderr
    steps = ("codegen/version.py: ", "CITATION.cff: ", "make lint", "make test", "make wheels",
             "git commit", "git tag -a v9.1.0", "nothing was changed")  # fmt: skip
    places = [done.stdout.find(step) for step in steps]
    assert places == sorted(places)
    assert places[0] == 0
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "tag") == ""


@pytest.mark.parametrize(
    ("version", "prepare", "message"),
    [
        ("9.1", (), "version '9.1': expected three numbers"),
        ("9.2.0", (), "CHANGELOG.md: no heading `## [9.2.0]`"),
        ("0.0.1", (), "version: 0.0.1 is before"),
        ("9.1.0", ("tag", "v9.1.0"), "tag: v9.1.0 is there already"),
        ("9.1.0", ("switch", "--quiet", "--create", "other"), "branch: other, expected main"),
        ("9.1.0", ("rm", "--quiet", "CITATION.cff"), "checkout: 1 changed files, expected none"),
    ],
)
def test_what_is_not_ready_is_refused(
    checkout: Path, version: str, prepare: tuple[str, ...], message: str
) -> None:
    """The reason names what was found and what is expected."""
    if prepare:
        git(checkout, *prepare)
    done = release(checkout, version)
    assert done.returncode == 1
    assert message in done.stderr
