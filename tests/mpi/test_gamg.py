# SPDX-License-Identifier: BSD-3-Clause
"""The levels of PETSc's GAMG beside factors, in one process and in several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.ranks.mpi import petsc
from flexforge.runtime.run import run_model
from flexforge.runtime.solvers import available, factorize
from flexforge.runtime.solvers.gamg import Gamg
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import layout_of
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.system import System
from mpi_runs import IMPLICIT, STATIC, TURNING, compare, needs_mpi, results, written

pytestmark = needs_mpi


def block(cell: str, divisions: list[int], solver: str = "auto") -> ModelSpec:
    """Return a block that is held on one face and sheared on the other."""
    corners = [[0, 0], [2, 0], [2, 1], [0, 1]]
    if len(divisions) == 3:
        corners = [[*xy, z] for z in (0, 1) for xy in corners]
    body = {"name": "b", "element": cell, "material": "m"}
    return model_from_dict({
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": divisions}},
        "materials": {"m": {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}},
        "bodies": [body if len(divisions) == 3 else body | {"thickness": 0.1}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0.0, 1e5, 0.0]}],
        "analysis": {"kind": "static", "solver": solver},
        "probes": [{"name": "y", "group": "xmax", "component": "y"}],
    })  # fmt: skip


def system_of(spec: ModelSpec) -> System:
    """Return the system of a model."""
    return build_system(spec, build_mesh(spec)).system


@pytest.mark.parametrize(
    ("cell", "divisions"), [("hex8", [12, 10, 9]), ("tet10", [7, 6, 5]), ("quad4", [40, 30])]
)
def test_statics(tmp_path: Path, cell: str, divisions: list[int]) -> None:
    """Displacements of one process are those of factors."""
    assert available()[-1].name == "gamg" and available()[-1].version
    found, wanted = (
        run_model(block(cell, divisions, solver), output=tmp_path / solver)
        for solver in ("gamg", "scipy")
    )
    assert found.figures["solver"] == "gamg"
    np.testing.assert_allclose(found.probes["y"].values, wanted.probes["y"].values, rtol=1e-9)


def test_several_processes(tmp_path: Path) -> None:
    """The levels are over all of them; a support's reaction and stresses too."""
    compare(written(tmp_path, "hex8", STATIC + 'solver = "gamg"\n'), (2, 3), 1e-9)


def test_steps(tmp_path: Path) -> None:
    """A spin-up, an iteration of whose steps takes a V-cycle."""
    steps = IMPLICIT.replace("METHOD", 'newmark"\nsolver = "gamg')
    found = results(1, written(tmp_path, "hex8", steps, TURNING))
    (tmp_path / "factors").mkdir()
    known = IMPLICIT.replace("METHOD", "newmark")
    wanted = results(1, written(tmp_path / "factors", "hex8", known, TURNING))
    for name, values in wanted[1].items():
        size = np.abs(values).max()
        np.testing.assert_allclose(found[1][name], values, rtol=0.0, atol=1e-9 * size)


def test_iterations_are_those_of_elasticity() -> None:
    """With rigid motions as near null space; without them it takes several times as many."""
    system = system_of(block("hex8", [16, 12, 10]))
    stiffness, layout = Pencil.at_rest(system).stiffness, layout_of(system)
    factors = factorize(stiffness, "gamg", positive_definite=True, layout=layout)
    factors.solve(np.random.default_rng(0).standard_normal(system.unknowns))
    assert 5 < factors.iterations < 40


def test_what_a_user_sets_goes_first() -> None:
    """Options of PETSc's database; ours are gone from it afterwards."""
    blocked = Pencil.at_rest(system_of(block("hex8", [6, 5, 4]))).blocked()
    options = petsc().Options()
    options["flexforge_pc_type"] = "jacobi"
    try:
        cycle = Gamg(blocked)
        diagonal = np.einsum("ijj->ij", blocked.rows.diagonal()).ravel()
        residual = np.random.default_rng(0).standard_normal(blocked.rows.size)
        np.testing.assert_allclose(cycle(residual), residual / diagonal, rtol=1e-14)
        cycle.close()
        assert options.hasName("flexforge_pc_type")
        assert not options.hasName("flexforge_mg_levels_pc_type")
    finally:
        del options["flexforge_pc_type"]
