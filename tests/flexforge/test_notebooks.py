# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of examples: committed without outputs, listed, each with a comparison.

``make docs`` executes them: a failing cell fails the documentation.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


def code(path: Path) -> list[dict[str, object]]:
    """Return the code cells of a notebook."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_there_are_five() -> None:
    """One for each kind of user, and one on counts; the page of notebooks lists each."""
    assert len(NOTEBOOKS) == 5
    page = (ROOT / "docs/notebooks.md").read_text("utf-8")
    assert all(f"notebooks/{path.name})" in page for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_no_outputs_and_compares(path: Path) -> None:
    """Outputs grow the repository and go stale; a command after ! may fail unnoticed."""
    cells = code(path)
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    sources = ["".join(cell["source"]) for cell in cells]  # type: ignore[arg-type]
    assert any("assert " in source for source in sources[-2:])
    assert not any(line.startswith("!") for source in sources for line in source.splitlines())
