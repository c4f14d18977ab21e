# SPDX-License-Identifier: BSD-3-Clause
"""docs/support.md says what tiny runs say now, cell by cell, and every refusal is a message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.study.support import build as building
from flexforge.runtime.study.support.build import RUNS, build, cells_of, tables
from flexforge.runtime.study.support.models import Row, model
from flexforge.runtime.study.support.page import page_of
from flexforge.runtime.study.support.probe import Cell, probe
from flexforge.runtime.study.support.proofs import deformed
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.construct import build_mesh, build_system
from marks import slow

DOCS = Path(__file__).parents[3] / "docs"
DATA: dict[str, Any] = json.loads((DOCS / "support.json").read_text())
#: Rows of every family, with kernels in the installation.
SOME = {"elements": ["quad4, axisymmetric", "bar2", "timoshenko_beam"],
        "joints": ["revolute", "point_on_line", "velocity constraint"]}  # fmt: skip


def test_the_page_is_made_of_its_data() -> None:
    """Byte for byte; all rows and columns are there, and each cell runs or is refused in a line."""
    assert (DOCS / "support.md").read_text() == page_of(DATA), "run make pages"
    for table in tables():
        rows = DATA[table.key]
        assert [*rows] == [row.title for row in table.rows]
        for row in rows.values():
            assert [*row] == [column.key for column in table.columns]
            said = [text for text in row.values() if text != RUNS]
            assert all(
                "found" in one or "missing" in one or "has no" in one or "no rotation" in one
                for one in said
            )
            assert not any("\n" in one for one in said)


@pytest.mark.parametrize("key", SOME)
def test_some_rows_are_what_runs_say(key: str) -> None:
    """The columns that need no compiler, for a row of each family."""
    (table,) = (one for one in tables() if one.key == key)
    for row in table.rows:
        if row.title in SOME[key]:
            found = cells_of(table, row, quick=True)
            assert found == {column: DATA[key][row.title][column] for column in found}


@pytest.mark.slow
def test_the_whole_table_is_what_runs_say() -> None:
    """All cells, with exported solvers compiled: minutes."""
    assert build() == DATA


def test_what_is_neither_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception, an unproved run and a row that never runs are not written into the table."""

    def unbalanced(_: object) -> None:
        raise AssertionError("residual: 1.0e+00")

    def crashing(_: object) -> None:
        raise KeyError("mode 2")

    def refusing(_: object) -> None:
        raise InputError("body 'bar': found quad4 with 1,604 unknowns; expected element quad4")

    assert probe({}, unbalanced) == Cell("fault", "AssertionError: residual: 1.0e+00")
    assert probe({}, crashing) == Cell("fault", "KeyError: 'mode 2'")
    refused = probe({}, refusing)
    assert refused.status == "refused"
    assert "body 'NAME'" in refused.text and "N unknowns" in refused.text
    assert refused.text.endswith("expected element ELEMENT")
    table = tables()[0]
    monkeypatch.setattr(building, "probe", lambda *_: refused)
    with pytest.raises(AnalysisError, match="found no analysis that runs"):
        cells_of(table, table.rows[0])
    monkeypatch.setattr(building, "probe", lambda *_: Cell("fault", "KeyError: 'mode 2'"))
    with pytest.raises(AnalysisError, match="elements, tri3, plane stress, static: KeyError"):
        cells_of(table, table.rows[0])


def test_a_proof_wants_something_to_move() -> None:
    """A model without loads runs, and proves nothing."""
    still = model(Row("hex8")) | {"loads": [], "analysis": {"kind": "static"}}
    still["bodies"] = [still["bodies"][0] | {"frame": {}}]
    assert probe(still, deformed).status == "fault"


@pytest.mark.parametrize(
    ("name", "divisions", "loose"),
    [("quad8r", [1, 1], 1), ("quad8r", [2, 1], 0), slow("hex20r", [1, 1, 1], 6),
     slow("hex20r", [2, 1, 1], 3), slow("hex20r", [2, 2, 1], 0)],
)  # fmt: skip
def test_motions_without_strain_of_reduced_integration(
    name: str, divisions: list[int], loose: int
) -> None:
    """What docs/model.md says of them: zeros of the stiffness besides the rigid motions."""
    row = Row(name, "plane_stress" if name == "quad8r" else "")
    tables = model(row) | {"supports": [], "analysis": {"kind": "modes"}}
    tables["mesh"] = {"block": tables["mesh"]["block"] | {"divisions": divisions}}
    spec = model_from_dict(tables)
    system = build_system(spec, build_mesh(spec)).system
    for body in system.bodies:
        body.assemble()
    d = system.dimension
    matrix = system.matrix([Combination(1.0, np.zeros((d, d)), np.zeros(0))]).toarray()
    values = np.linalg.eigvalsh(matrix)
    assert int((values < 1e-10 * values[-1]).sum()) == (3 if d == 2 else 6) + loose
