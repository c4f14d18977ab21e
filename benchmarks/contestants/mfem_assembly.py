# SPDX-License-Identifier: BSD-3-Clause
"""MFEM assembling the elasticity of a cube: ``CELL DIVISIONS``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

LAMBDA, MU = 0.3 / (1.3 * 0.4), 1 / 2.6


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make mesh and space, which are not timed; the quadrature is the usual one, as ours."""
    import mfem.ser as mfem
    import numpy as np

    cell, n = sys.argv[1], int(sys.argv[2])
    solid = cell == "hex8"
    kind = mfem.Element.HEXAHEDRON if solid else mfem.Element.TETRAHEDRON
    mesh = mfem.Mesh.MakeCartesian3D(n, n, n, kind, 1.0, 1.0, 1.0)
    collection = mfem.H1_FECollection(2 if cell == "tet10" else 1, 3)
    space = mfem.FiniteElementSpace(mesh, collection, 3, mfem.Ordering.byVDIM)
    first, second = mfem.ConstantCoefficient(LAMBDA), mfem.ConstantCoefficient(MU)
    geometry = mfem.Geometry.CUBE if solid else mfem.Geometry.TETRAHEDRON
    rule = mfem.IntRules.Get(geometry, {"hex8": 3, "tet4": 1, "tet10": 2}[cell])
    state: dict[str, Any] = {"keep": (collection, first, second)}

    def assemble(pattern_first: bool) -> None:
        state.pop("form", None)
        form = mfem.BilinearForm(space)
        integrator = mfem.ElasticityIntegrator(first, second)
        integrator.SetIntRule(rule)
        form.AddDomainIntegrator(integrator)
        if pattern_first:
            form.UsePrecomputedSparsity()
        form.Assemble(0)
        form.Finalize(0)
        state["form"] = form

    def check() -> dict[str, float]:
        matrix = state["form"].SpMat()
        values = np.array(matrix.GetDataArray())
        return {"frobenius": float(np.linalg.norm(values)), "nnz": matrix.NumNonZeroElems()}

    jobs = {
        "assemble": lambda: assemble(False),
        "assemble, pattern first": lambda: assemble(True),
        "check": check,
    }
    return jobs, {"elements": mesh.GetNE(), "unknowns": space.GetTrueVSize()}


if __name__ == "__main__":
    serve(prepare)
