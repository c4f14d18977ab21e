# SPDX-License-Identifier: BSD-3-Clause
"""The public API changes on purpose only, and all of it is documented."""

from __future__ import annotations

import difflib
import runpy
from pathlib import Path

HERE = Path(__file__).parent
API = runpy.run_path(str(HERE / "public_api.py"))


def test_the_public_api_is_the_recorded_one() -> None:
    """Names, signatures and members of docs/api.md are those of public_api.txt."""
    recorded = (HERE / "public_api.txt").read_text(encoding="utf-8").splitlines()
    found = API["text"]().splitlines()
    changes = difflib.unified_diff(recorded, found, "recorded", "found", lineterm="", n=0)
    assert recorded == found, "\n".join([
        "the public API has changed; if it is meant to, name the change in CHANGELOG.md (see",
        "docs/releases.md) and record it:",
        "python tests/packaging/public_api.py > tests/packaging/public_api.txt",
        *changes,
    ])  # fmt: skip


def test_all_of_it_is_documented() -> None:
    """Every public name and member has a docstring and a place in docs/api.md: 100 %."""
    lacking, count = API["gaps"]()
    print(f"documented: {count - len(lacking)} of {count} public names and members")
    assert not lacking, f"{100 * (1 - len(lacking) / count):.0f} % documented, not: {lacking}"
