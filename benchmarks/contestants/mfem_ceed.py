# SPDX-License-Identifier: BSD-3-Clause
"""MFEM solving the bake-off problems: ``DEGREE DIVISIONS ITERATIONS PROBLEM,..``.

Partial assembly: geometric factors are computed beforehand and stored at the quadrature points.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.bakeoff import LENGTHS, Apply, Problem, asked, inside, jobs, points_along, right_side
from support.contestant import serve

#: MFEM's objects hold bare pointers: what they refer to has to stay as long as the process.
KEPT: list[Any] = []


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make spaces and forms, which are not timed."""
    import importlib.metadata

    import mfem.ser as mfem
    import numpy as np

    degree, divisions, iterations, problems = asked(sys.argv[1:])
    kind = mfem.Element.HEXAHEDRON
    mesh = mfem.Mesh.MakeCartesian3D(divisions, divisions, divisions, kind, *LENGTHS)
    collection = mfem.H1_FECollection(degree, 3)
    rule = mfem.IntRules.Get(mfem.Geometry.CUBE, 2 * points_along(degree) - 1)
    integrators = {
        "BP1": mfem.MassIntegrator, "BP2": mfem.VectorMassIntegrator,
        "BP3": mfem.DiffusionIntegrator, "BP4": mfem.VectorDiffusionIntegrator,
    }  # fmt: skip

    class Place(mfem.VectorPyCoefficient):
        def EvalValue(self, x: Any) -> Any:  # noqa: N802 (MFEM's name)
            return [x[0], x[1], x[2]]

    nodes = mfem.FiniteElementSpace(mesh, collection, 3, mfem.Ordering.byNODES)
    places = mfem.GridFunction(nodes)
    places.ProjectCoefficient(Place(3))
    points = np.array(places.GetDataArray()).reshape(3, -1).T
    KEPT.extend([mesh, collection, rule])

    def make(problem: Problem) -> tuple[Apply, Any]:
        space = mfem.FiniteElementSpace(mesh, collection, problem.components, mfem.Ordering.byNODES)
        form = mfem.BilinearForm(space)
        form.SetAssemblyLevel(mfem.AssemblyLevel_PARTIAL)
        integrator = integrators[problem.name]()
        integrator.SetIntRule(rule)
        form.AddDomainIntegrator(integrator)
        form.Assemble()
        right = right_side(points, problem)
        free = inside(points)[None] if problem.diffusion else None
        p, q = np.zeros(right.size), np.zeros(right.size)
        given, result = mfem.Vector(p), mfem.Vector(q)
        KEPT.extend([space, form, integrator, p, q, given, result])

        def apply(x: Any, out: Any) -> None:
            p[:] = x.reshape(-1)
            form.Mult(given, result)
            out[:] = q.reshape(out.shape)
            if free is not None:
                out *= free

        return apply, right

    found, unknowns = jobs(problems, iterations, make)
    version = importlib.metadata.version("mfem")
    return found, {"unknowns": unknowns, "version": version}


if __name__ == "__main__":
    serve(prepare)
