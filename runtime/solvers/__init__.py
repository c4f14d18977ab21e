# SPDX-License-Identifier: BSD-3-Clause
"""Linear solvers behind one small interface, so that another engine can take their place.

Read in this order: `interface` (what a factorization is, and what is checked of a matrix), `select`
(`factorize` and `available`), then the backends `superlu` (SciPy, always there), `mkl` and
`pardiso`, `cholmod`; and `gmres`, which solves a matrix with the factors of a nearby one.
"""

from flexforge.runtime.solvers.gmres import GmresResult, gmres
from flexforge.runtime.solvers.interface import Backend, Factorization
from flexforge.runtime.solvers.select import available, factorize

__all__ = ["Backend", "Factorization", "GmresResult", "available", "factorize", "gmres"]
