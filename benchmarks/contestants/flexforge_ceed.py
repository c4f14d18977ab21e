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
    from flexforge.codegen.driver import compile_kernel
    from support.bakeoff_element import Operator, element_of

    degree, divisions, iterations, problems = asked(sys.argv[1:])

    def make(problem: Problem) -> tuple[Apply, Any]:
        operator = Operator(problem, degree, divisions)
        return operator.apply, np.ascontiguousarray(right_side(operator.points, problem).T)

    found, unknowns = jobs(problems, iterations, make)
    operations = {
        problem.name: compile_kernel(
            element_of(problem, degree), "stiffness_action"
        ).count.operations
        for problem in problems
    }
    return found, {"unknowns": unknowns, "operations per element": operations}


if __name__ == "__main__":
    serve(prepare)
