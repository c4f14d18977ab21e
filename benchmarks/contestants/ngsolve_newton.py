# SPDX-License-Identifier: BSD-3-Clause
"""NGSolve in a step of Newton's method of a neo-Hookean cube: ``DIVISIONS THREADS``."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.bent import LAME, MU, bent
from support.contestant import serve


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make mesh, space and form; the jobs are the parts of a step, and the whole of it."""
    import ngsolve as ng
    import numpy as np
    from ngsolve.meshes import MakeStructured3DMesh

    divisions, threads = int(sys.argv[1]), int(sys.argv[2])
    ng.SetNumThreads(threads)
    many = ng.TaskManager if threads > 1 else nullcontext
    mesh = MakeStructured3DMesh(hexes=True, nx=divisions, ny=divisions, nz=divisions)
    space = ng.VectorH1(mesh, order=1, dirichlet="bottom")
    points = np.array([vertex.point for vertex in mesh.vertices])
    field = ng.GridFunction(space)
    field.vec.FV().NumPy()[:] = bent(points).T.ravel()
    trial = space.TrialFunction()
    F = ng.Id(3) + ng.Grad(trial)
    J = ng.Det(F)
    energy = MU / 2 * (ng.Trace(F.trans * F) - 3) - MU * ng.log(J) + LAME / 2 * ng.log(J) ** 2
    # Compiled by gcc, as its manual says for speed, by a script beside its Python.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    energy = energy.Compile(realcompile=True, wait=True)
    form = ng.BilinearForm(space, symmetric=True)
    form += ng.Variation(energy * ng.dx)
    left, correction = field.vec.CreateVector(), field.vec.CreateVector()
    free = space.FreeDofs()
    held = ~np.array(list(free), dtype=bool)
    kinds = ("pardiso", "sparsecholesky")
    state: dict[str, Any] = {}

    def forces() -> None:
        with many():
            form.Apply(field.vec, left)

    def tangent() -> None:
        with many():
            form.AssembleLinearization(field.vec)

    def solve() -> None:
        with many():
            correction.data = -form.mat.Inverse(free, inverse=state["solver"]) * left

    def step() -> None:
        forces()
        tangent()
        solve()

    def check() -> dict[str, float]:
        step()
        residual = left.FV().NumPy().copy()
        residual[held] = 0.0
        rows, columns, values = (np.array(one) for one in form.mat.COO())
        diagonal = (rows == columns) & ~held[rows]
        return {
            "norm of the forces": float(np.linalg.norm(residual)),
            "trace of the tangent": float(values[diagonal].sum()),
            "norm of the correction": float(np.linalg.norm(correction.FV().NumPy())),
        }

    for kind in kinds:
        state["solver"] = kind
        try:
            step()
            break
        except Exception:  # the wheel of this machine may come without PARDISO
            if kind == kinds[-1]:
                raise
    jobs = {"forces": forces, "tangent": tangent, "solve": solve, "step": step, "check": check}
    facts = {"elements": mesh.ne, "unknowns": int((~held).sum()), "solver": state["solver"]}
    return jobs, facts | {"version": ng.__version__}


if __name__ == "__main__":
    serve(prepare)
