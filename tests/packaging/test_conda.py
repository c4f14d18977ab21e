# SPDX-License-Identifier: BSD-3-Clause
"""The conda recipe, which no test builds, requires what pyproject.toml requires."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def recipe(section: str) -> set[str]:
    """Return the requirements of a section, without those that only conda has."""
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", text, re.M)
    assert lines is not None, section
    found = {line.removeprefix("    - ").replace(" ", "") for line in lines[1].splitlines()}
    return found - {"python", "pip"}


def test_the_recipe_requires_the_same() -> None:
    """To run and to build, with the same lowest versions; names are in small letters there."""
    project = PYPROJECT["project"]
    plain = {one.partition(";")[0] for one in project["dependencies"]}  # conda has all of them
    assert recipe("run") == {f"python{project['requires-python']}", *plain}
    assert recipe("host") == {one.lower() for one in PYPROJECT["build-system"]["requires"]}
