# SPDX-License-Identifier: BSD-3-Clause
"""scikit-fem assembling the elasticity of a cube: ``CELL DIVISIONS``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

LAMBDA, MU = 0.3 / (1.3 * 0.4), 1 / 2.6


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make mesh and basis, which are not timed; assembling is."""
    import numpy as np
    import skfem
    from skfem.helpers import ddot, eye, sym_grad, trace

    cell, divisions = sys.argv[1], int(sys.argv[2])
    grid = np.linspace(0, 1, divisions + 1)
    mesh = (skfem.MeshHex if cell == "hex8" else skfem.MeshTet).init_tensor(grid, grid, grid)
    element = {
        "hex8": skfem.ElementHex1,
        "tet4": skfem.ElementTetP1,
        "tet10": skfem.ElementTetP2,
    }[cell]()
    degree = {"hex8": 3, "tet4": 1, "tet10": 2}[cell]
    basis = skfem.Basis(mesh, skfem.ElementVector(element), intorder=degree)

    @skfem.BilinearForm
    def stiffness(u: Any, v: Any, w: Any) -> Any:
        strain = sym_grad(u)
        return ddot(2 * MU * strain + LAMBDA * eye(trace(strain), 3), sym_grad(v))

    state: dict[str, Any] = {}

    def assemble() -> dict[str, float]:
        state.clear()
        matrix = state["matrix"] = stiffness.assemble(basis)
        return {"frobenius": float(np.linalg.norm(matrix.data)), "nnz": int(matrix.nnz)}

    facts = {"elements": int(mesh.nelements), "unknowns": int(basis.N)}
    return {"assemble": assemble}, facts | {"version": skfem.__version__}


if __name__ == "__main__":
    serve(prepare)
