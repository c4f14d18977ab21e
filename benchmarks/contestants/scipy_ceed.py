# SPDX-License-Identifier: BSD-3-Clause
"""SciPy solving the bake-off problems: ``DEGREE DIVISIONS ITERATIONS PROBLEM,..``.

The matrix of a box is a sum of products of Kronecker of matrices of its axes, which are known in
closed form: what all the others are checked with. Its product is that of a CSR matrix.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.bakeoff import Apply, Problem, asked, axes, inside, jobs, right_side
from support.contestant import serve


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make the matrices, which are not timed."""
    import numpy as np
    from support.bakeoff_box import matrix

    degree, divisions, iterations, problems = asked(sys.argv[1:])
    x, y, z = np.meshgrid(*axes(degree, divisions), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])

    def make(problem: Problem) -> tuple[Apply, Any]:
        scalar = matrix(problem.diffusion, degree, divisions)
        right = np.ascontiguousarray(right_side(points, problem).T)
        free = inside(points)[:, None] if problem.diffusion else None

        def apply(x: Any, out: Any) -> None:
            out[:] = scalar @ x
            if free is not None:
                out *= free

        return apply, right

    found, unknowns = jobs(problems, iterations, make)
    return found, {"unknowns": unknowns}


if __name__ == "__main__":
    serve(prepare)
