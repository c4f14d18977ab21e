# SPDX-License-Identifier: BSD-3-Clause
"""libCEED solving the bake-off problems: ``DEGREE DIVISIONS ITERATIONS PROBLEM,..``.

Operators of its gallery of quadrature functions on its own choice of backend for the processor.
Geometric factors are computed beforehand and stored at the quadrature points, as its users do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.bakeoff import Apply, Problem, asked, axes, inside, jobs, points_along, right_side
from support.contestant import serve


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make bases, restrictions and operators, which are not timed."""
    import importlib.metadata

    import libceed
    import numpy as np

    degree, divisions, iterations, problems = asked(sys.argv[1:])
    ceed = libceed.Ceed("/cpu/self")
    x, y, z = np.meshgrid(*axes(degree, divisions), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    side, nodes = degree * divisions + 1, degree + 1
    elements, rule = divisions**3, points_along(degree) ** 3
    first = degree * np.arange(divisions)
    corner = (first[:, None, None] * side + first[:, None]) * side + first
    within = np.arange(nodes)
    # The first axis of a tensor basis runs fastest: nodes of an element z, y, x from outside in.
    local = (within[None, None, :] * side + within[None, :, None]) * side + within[:, None, None]
    numbers = (corner.reshape(-1, 1) + local.reshape(1, -1)).astype("int32")

    def restriction(components: int) -> Any:
        # Components node by node, as in the other contestants.
        return ceed.ElemRestriction(
            elements, nodes**3, components, 1, components * len(points),
            (components * numbers).reshape(-1).astype("int32"), cmode=libceed.COPY_VALUES,
        )  # fmt: skip

    def make(problem: Problem) -> tuple[Apply, Any]:
        factors = 6 if problem.diffusion else 1
        strides = np.array([1, rule, rule * factors], dtype="int32")
        stored = ceed.StridedElemRestriction(
            elements, rule, factors, factors * elements * rule, strides
        )
        place, unknown = restriction(3), restriction(problem.components)
        basis_x = ceed.BasisTensorH1Lagrange(3, 3, nodes, points_along(degree), libceed.GAUSS)
        basis_u = ceed.BasisTensorH1Lagrange(
            3, problem.components, nodes, points_along(degree), libceed.GAUSS
        )
        kind = "Poisson3D" if problem.diffusion else "Mass"
        build = ceed.QFunctionByName(f"{'Poisson' if problem.diffusion else 'Mass'}3DBuild")
        prefix = "Vector3" if problem.components == 3 else ""
        work = ceed.QFunctionByName(f"{prefix}{kind}Apply")
        data = ceed.Vector(factors * elements * rule)
        data.set_value(0.0)
        setup = ceed.Operator(build)
        setup.set_field("dx", place, basis_x, libceed.VECTOR_ACTIVE)
        setup.set_field("weights", libceed.ELEMRESTRICTION_NONE, basis_x, libceed.VECTOR_NONE)
        setup.set_field("qdata", stored, libceed.BASIS_NONE, libceed.VECTOR_ACTIVE)
        coordinates = ceed.Vector(points.size)
        coordinates.set_array(points.reshape(-1), cmode=libceed.COPY_VALUES)
        setup.apply(coordinates, data)
        operator = ceed.Operator(work)
        into, out_of = ("du", "dv") if problem.diffusion else ("u", "v")
        operator.set_field(into, unknown, basis_u, libceed.VECTOR_ACTIVE)
        operator.set_field("qdata", stored, libceed.BASIS_NONE, data)
        operator.set_field(out_of, unknown, basis_u, libceed.VECTOR_ACTIVE)
        right = np.ascontiguousarray(right_side(points, problem).T)
        free = inside(points)[:, None] if problem.diffusion else None
        given, result = ceed.Vector(right.size), ceed.Vector(right.size)

        def apply(x: Any, out: Any) -> None:
            with given.array_write() as array:
                array[:] = x.reshape(-1)
            operator.apply(given, result)
            with result.array_read() as array:
                out[:] = array.reshape(out.shape)
            if free is not None:
                out *= free

        return apply, right

    found, unknowns = jobs(problems, iterations, make)
    return found, {
        "unknowns": unknowns,
        "version": importlib.metadata.version("libceed"),
        "backend": ceed.get_resource(),
    }


if __name__ == "__main__":
    serve(prepare)
