# SPDX-License-Identifier: BSD-3-Clause
"""flexforge solving the bake-off problems: ``DEGREE DIVISIONS ITERATIONS PROBLEM,..``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.bakeoff import Apply, Problem, asked, jobs, right_side
from support.contestant import serve


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Make meshes, kernels and operators, which are not timed."""
    import numpy as np
    from support.bakeoff_element import Operator

    degree, divisions, iterations, problems = asked(sys.argv[1:])

    operations = {}

    def make(problem: Problem) -> tuple[Apply, Any]:
        operator = Operator(problem, degree, divisions)
        operations[problem.name] = operator.kernel.operations
        return operator.apply, np.ascontiguousarray(right_side(operator.points, problem).T)

    found, unknowns = jobs(problems, iterations, make)
    return found, {"unknowns": unknowns, "operations per element": operations}


if __name__ == "__main__":
    serve(prepare)
