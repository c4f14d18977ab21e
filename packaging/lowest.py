# SPDX-License-Identifier: BSD-3-Clause
"""Print the lowest versions that pyproject.toml allows, as requirements for pip.

``python packaging/lowest.py [build] [EXTRA]...``: those of the package, of building it, of extras.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())


def lowest(requirement: str) -> str:
    """Return the lowest version of one requirement, without what it says of platforms."""
    name, separator, version = requirement.partition(";")[0].partition(">=")
    if not separator or not version.replace(".", "").isdigit():
        sys.exit(f"pyproject.toml: {requirement!r}, expected NAME>=VERSION")
    return f"{name}=={version}"


def main(others: list[str]) -> None:
    """Print one requirement per line, each package once."""
    wanted = list(PYPROJECT["project"]["dependencies"])
    for one in others:
        extras = PYPROJECT["project"]["optional-dependencies"]
        wanted += PYPROJECT["build-system"]["requires"] if one == "build" else extras[one]
    print(*dict.fromkeys(map(lowest, wanted)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
