# SPDX-License-Identifier: BSD-3-Clause
"""Linear solvers behind one small interface, so that backends are interchangeable.

Read in this order: `interface` (the interface of a factorization, and the checks of a matrix),
`select` (`factorize` and `available`), then the backends `superlu` (SciPy, always available), `mkl`
and `pardiso`, `cholmod`; `blocks`, `matmul`, `rows`, `layout`, `corners`, `vcycle`, `conjugate` and
`amg`, which iterates; `sharing` and `petsc` where ranks share a matrix; `estimate` of what factors
cost; `gmres`, which solves with the factors of a nearby matrix; `saddle`, with multipliers;
`independent` and `clear_rows`, which of some rows depend; `triangular`, dense triangles.
"""

from flexforge.runtime.solvers.gmres import GmresResult, gmres
from flexforge.runtime.solvers.interface import Backend, Factorization
from flexforge.runtime.solvers.layout import Layout
from flexforge.runtime.solvers.select import ITERATED, available, factorize, multigrid, of_ranks

__all__ = [
    "ITERATED",
    "Backend",
    "Factorization",
    "GmresResult",
    "Layout",
    "available",
    "factorize",
    "gmres",
    "multigrid",
    "of_ranks",
]
