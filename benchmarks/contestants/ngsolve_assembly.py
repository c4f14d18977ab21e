# SPDX-License-Identifier: BSD-3-Clause
"""NGSolve assembling the elasticity of a cube: ``CELL DIVISIONS THREADS SPACE``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.contestant import serve

LAMBDA, MU = 0.3 / (1.3 * 0.4), 1 / 2.6


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make mesh and space, which are not timed; symmetric storage is its best way."""
    import ngsolve as ng
    import numpy as np
    from ngsolve.meshes import MakeStructured3DMesh

    cell, divisions, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    ng.SetNumThreads(threads)
    mesh = MakeStructured3DMesh(hexes=cell == "hex8", nx=divisions, ny=divisions, nz=divisions)
    order = 2 if cell == "tet10" else 1
    blocks = sys.argv[4] == "H1dim3"
    space = ng.H1(mesh, order=order, dim=3) if blocks else ng.VectorH1(mesh, order=order)
    u, v = space.TnT()

    def strain(w: Any) -> Any:
        return 0.5 * (ng.Grad(w) + ng.Grad(w).trans)

    stress = 2 * MU * strain(u) + LAMBDA * ng.Trace(strain(u)) * ng.Id(3)
    integrand = ng.InnerProduct(stress, strain(v)).Compile() * ng.dx
    state: dict[str, Any] = {}

    def assemble() -> None:
        state.clear()
        form = ng.BilinearForm(space, symmetric=True)
        form += integrand
        with ng.TaskManager() if threads > 1 else Nothing():
            form.Assemble()
        state["form"] = form

    def refill() -> None:
        with ng.TaskManager() if threads > 1 else Nothing():
            state["form"].Assemble(reallocate=False)

    def check() -> dict[str, float]:
        values = state["form"].mat.AsVector().FV().NumPy()
        return {"frobenius of the half": float(np.linalg.norm(values)), "nnz": int(values.size)}

    facts = {"elements": mesh.ne, "unknowns": space.ndof * (3 if blocks else 1)}
    jobs = {"assemble": assemble, "refill": refill, "check": check}
    return jobs, facts | {"version": ng.__version__}


class Nothing:
    """A context that does nothing."""

    def __enter__(self) -> None:
        """Enter."""

    def __exit__(self, *_: object) -> None:
        """Leave."""


if __name__ == "__main__":
    serve(prepare)
