# SPDX-License-Identifier: BSD-3-Clause
"""Linear buckling: the factors of the loads at which a stressed body loses its stiffness.

``(k + lambda k_geo) phi = 0`` with the geometric stiffness of the stresses that all loads cause by
k alone. The lowest positive factors are the largest positive ``mu = 1/lambda`` of
``-k_geo phi = mu k phi``, whose right-hand matrix is positive definite: one factorization of k
serves Lanczos' method. Negative factors, of loads in the opposite sense, are left out.
Source: Bathe, Finite Element Procedures, section 6.8.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil, dense
from flexforge.runtime.statics.rigid import require_held
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import require_symmetric
from flexforge.runtime.system.system import System

#: Unknowns up to which LAPACK solves the whole problem.
_DENSE = 300
_TOLERANCE = 1e-10  # of factors, relative
#: Largest mu of round-off, relative to the sizes of both matrices.
_NONE = 1e-12


@dataclass(frozen=True, slots=True)
class Buckling:
    """Buckling factors and shapes.

    Attributes
    ----------
    factors : ndarray, (count,)
        Positive factors of all loads, ascending.
    shapes : ndarray, (count, N, d)
        Displacements, the largest component of each shape 1 m.
    solver : str
        What solved.
    """

    factors: Floats
    shapes: Floats
    solver: str


def buckling(stressed: System, count: int, solver: str) -> Buckling:
    """Return the lowest buckling factors of a system under its stresses.

    Parameters
    ----------
    stressed : System
        The bodies, with the geometric stiffness of the stresses of all loads.
    count : int
        Number of factors.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When supports leave a motion free, and for matrices that are not symmetric.
    AnalysisError
        When no load stresses the bodies, when none of their motions buckles under these loads, or
        the iteration does not converge.
    """
    require_held(stressed, "in a buckling analysis")
    d = stressed.dimension
    none = np.zeros((d, d))
    stresses = [Combination(0.0, none, np.ones(len(body.geometric))) for body in stressed.bodies]
    softened = -stressed.matrix(stresses)
    if not softened.nnz or not np.abs(softened.data).max():
        raise AnalysisError(
            "buckling: no load stresses the bodies; expected loads, and elements with a geometric "
            "stiffness"
        )
    pencil = Pencil.at_rest(stressed)
    require_symmetric(
        stressed.bodies, pencil.combinations, "analysis.kind: found buckling with",
        "expected a transient or modal analysis, which tells instabilities of such systems",
    )  # fmt: skip
    if pencil.stiffness.shape[0] <= max(_DENSE, 2 * count + 2):
        values, vectors = _dense(pencil, softened.toarray())
        used = "LAPACK"
    else:
        values, vectors, used = _lowest(pencil, softened, count, solver)
    scale = np.abs(softened.data).max() / np.abs(pencil.stiffness.data).max()
    chosen = np.flatnonzero(values > _NONE * scale)
    chosen = chosen[np.argsort(-values[chosen])][:count]
    if not len(chosen):
        raise AnalysisError(
            "buckling: no motion buckles under these loads, whatever their size; expected loads "
            "that press"
        )
    shapes = np.array([stressed.expand(vectors[:, i]) for i in chosen])
    placed = np.unique(np.concatenate([body.placed for body in stressed.bodies]))
    moved = shapes[:, placed].reshape(len(shapes), -1)  # rotations are no displacements
    sizes = moved[np.arange(len(moved)), np.abs(moved).argmax(axis=1)]
    return Buckling(1.0 / values[chosen], shapes / sizes[:, None, None], used)


def _dense(pencil: Pencil, softened: Floats) -> tuple[Floats, Floats]:
    """Return all eigenpairs of a small problem."""
    from scipy.linalg import LinAlgError, eigh

    try:
        values, vectors = eigh(softened, dense(pencil.stiffness))
    except LinAlgError:
        raise AnalysisError(
            "buckling: the stiffness is not positive definite; expected supports and elements that "
            "resist every motion"
        ) from None
    return values, vectors


def _lowest(
    pencil: Pencil, softened: Floats, count: int, solver: str
) -> tuple[Floats, Floats, str]:
    """Return the largest eigenvalues of a large problem and their vectors."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    factors = factor_held(pencil, solver, "buckling analysis")
    n = softened.shape[0]
    inverse = LinearOperator((n, n), matvec=factors.solve, dtype=float)
    start = np.random.default_rng(0).standard_normal(n)
    try:
        values, vectors = eigsh(
            softened, count, M=pencil.stiffness, Minv=inverse, which="LA", v0=start, tol=_TOLERANCE
        )
    except ArpackNoConvergence as error:
        raise AnalysisError(
            f"buckling: {len(error.eigenvalues)} of {count} factors converge; expected all"
        ) from None
    finally:
        factors.close()
    return values, vectors, f"{factors.name} and ARPACK"
