# SPDX-License-Identifier: BSD-3-Clause
"""The page of licences names every dependency; none under the GPL is needed or among the extras."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def names(requirements: list[str]) -> list[str]:
    """Return the names of packages without their versions."""
    return [re.split(r"[<>=~!\[ ;]", one, maxsplit=1)[0] for one in requirements]


def test_every_dependency_has_a_row() -> None:
    """Those of the package and of all extras, each in the row of its extra."""
    rows = [
        line for line in (ROOT / "docs" / "licences.md").read_text().splitlines() if "|" in line
    ]
    for extra, requirements in PROJECT["optional-dependencies"].items():
        for name in names(requirements):
            assert any(name in row and f"flexforge[{extra}]" in row for row in rows), name
    for name in names(PROJECT["dependencies"]):
        assert any(re.match(rf"\| {name}\b.*\| always \|", row) for row in rows), name


def test_the_gpl_is_only_beside() -> None:
    """Rows that name it are of documentation, or of what users install themselves."""
    for row in (ROOT / "docs" / "licences.md").read_text().splitlines():
        if row.startswith("|") and "GPL" in row:
            assert "[docs]" in row or "yourself" in row
