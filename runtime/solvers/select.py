# SPDX-License-Identifier: BSD-3-Clause
"""Choosing a linear solver, and factoring with it, or setting it up."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError, nearest
from flexforge.runtime.machine.threads import default_threads
from flexforge.runtime.solvers import amg, cholmod, gamg, pardiso, superlu
from flexforge.runtime.solvers.interface import (
    Backend,
    Factorization,
    Kind,
    check_regular,
    checked_matrix,
)
from flexforge.runtime.solvers.layout import Blocked, Layout
from flexforge.runtime.solvers.petsc import Mumps

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Multigrid: of a matrix that is kept, of one that is not, and that of PETSc.
ITERATED = ("amg", "matrix_free", "gamg")
_LARGE = 100_000  # unknowns that ranks share; factors of fewer take seconds
# Direct ones in the order of preference: PARDISO is threaded and factors every kind of matrix.
_DIRECT: dict[str, tuple[Any, Any]] = {
    "pardiso": (pardiso.probe, pardiso.Pardiso),
    "cholmod": (cholmod.probe, cholmod.Cholmod),
    "scipy": (superlu.probe, superlu.SuperLU),
}


def available() -> list[Backend]:
    """Return every backend with its version, or why it cannot be used; the preferred one first."""
    return [*(probe() for probe, _ in _DIRECT.values()), amg.probe(), gamg.probe()]


def factorize(
    matrix: csr_matrix,
    solver: str = "auto",
    threads: int | None = None,
    *,
    symmetric: bool = False,
    positive_definite: bool = False,
    check: bool = True,
    layout: Layout | None = None,
) -> Factorization:
    """Factor a sparse matrix, or prepare to solve with it iteratively.

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix
        Square, with its full pattern even if symmetric; left unchanged. A complex one is Hermitian
        where a real one would be symmetric.
    solver : str
        "pardiso", "cholmod", "scipy", "amg" or "gamg"; "auto" is the first of them that is
        installed and suitable. "amg" (or "matrix_free", of a matrix that is assembled nevertheless)
        and "gamg" are for symmetric matrices with a layout; others are factored directly.
    threads : int, optional
        Number of threads, if the backend is threaded; by default its own choice.
    symmetric : bool
        The matrix is symmetric (not verified).
    positive_definite : bool
        It is symmetric and positive definite; a non-positive pivot is then an error.
    check : bool
        Solve for a known vector, at the cost of one solve, to refuse a matrix that is singular to
        working precision.
    layout : Layout, optional
        Nodes and rigid motions, for multigrid.

    Returns
    -------
    Factorization
        The factors.

    Raises
    ------
    AnalysisError
        If the matrix is singular, not positive definite as claimed, or not finite; names the
        equation.
    InputError
        If the solver is unknown or not installed.
    """
    kind = Kind(symmetric or positive_definite, positive_definite)
    checked = checked_matrix(matrix)
    factors: Factorization
    is_complex = np.iscomplexobj(checked.data)
    if solver in ITERATED:
        _require_multigrid(solver)
        if kind.symmetric and layout is not None and not is_complex:
            direct = partial(
                factorize,
                checked,
                threads=threads,
                symmetric=True,
                positive_definite=positive_definite,
            )
            return multigrid(
                layout.blocked(checked),
                direct,
                threads,
                positive_definite=positive_definite,
                layout=layout,
                solver=solver,
            )
        solver = "auto"
    factors = _choose(solver, kind, is_complex=is_complex)(checked, kind, threads)
    if check:
        check_regular(factors, checked)
    return factors


def multigrid(
    blocked: Blocked,
    direct: Callable[[], Factorization],
    threads: int | None = None,
    *,
    positive_definite: bool = False,
    layout: Layout | None = None,
    remark: str = "",
    solver: str = "amg",
) -> Factorization:
    """Prepare conjugate gradients with algebraic multigrid.

    Parameters
    ----------
    blocked : Blocked
        The matrix, symmetric.
    direct : callable
        Factors the same matrix with a direct solver, for when the iteration stagnates.
    threads : int, optional
        Number of threads; by default all cores.
    positive_definite : bool
        Refuse a matrix that turns out not to be.
    layout : Layout, optional
        To update the matrix.
    remark : str
        Reason why it is taken, for its name.
    solver : str
        "gamg" for the levels of PETSc; else they are ours.

    Raises
    ------
    AnalysisError
        If the matrix is not finite, or not positive definite as claimed.
    InputError
        If pyamg, or petsc4py, is not installed.
    """
    _require_multigrid(solver)
    if not blocked.rows.is_finite:
        raise AnalysisError("found a value that is not finite in the matrix; expected finite ones")
    return amg.Amg(
        blocked,
        threads or default_threads(),
        direct,
        positive_definite=positive_definite,
        layout=layout,
        remark=remark,
        kind="gamg" if solver == "gamg" else "amg",
    )


def of_ranks(
    blocked: Blocked,
    solver: str,
    threads: int | None = None,
    *,
    positive_definite: bool = False,
    remark: str = "",
) -> Factorization:
    """Factor a symmetric matrix that ranks share, or prepare to iterate with it.

    Parameters
    ----------
    blocked : Blocked
        The rows of this rank.
    solver : str
        "amg", "matrix_free" or "gamg"; a direct one, in place of which MUMPS factors; or "auto",
        which factors small matrices.
    threads : int, optional
        Threads of every rank.
    positive_definite : bool
        Refuse a matrix that turns out not to be.
    remark : str
        Reason why multigrid is taken, for its name.

    Raises
    ------
    AnalysisError
        If the matrix is not finite, singular, or not positive definite as claimed.
    InputError
        For another solver, and if pyamg is not installed.
    """
    ranks = blocked.rows.ranks
    if solver not in ("auto", *ITERATED, *_DIRECT):
        raise InputError(
            f"analysis.solver: found '{solver}' with {ranks.count} processes; expected auto, amg, "
            "gamg or a direct one"
        )

    def factored() -> Factorization:
        return Mumps(blocked, positive_definite=positive_definite)

    small = ranks.total(float(len(blocked.slots))) <= _LARGE
    if solver in _DIRECT or (solver == "auto" and small):
        return factored()
    return multigrid(
        blocked,
        factored,
        threads,
        positive_definite=positive_definite,
        remark=remark,
        solver=solver,
    )


def _choose(solver: str, kind: Kind, *, is_complex: bool) -> Any:
    if solver == "auto":
        for name, (probe, build) in _DIRECT.items():
            suitable = name != "cholmod" or (kind.positive_definite and not is_complex)
            if probe().version is not None and suitable:
                return build
    if solver == "cholmod" and is_complex:
        raise InputError(
            "solver: found 'cholmod' with a complex matrix, as of a nodal diameter; expected "
            "auto, pardiso or scipy"
        )
    if solver not in _DIRECT:
        names = ("auto", *_DIRECT, "amg", "gamg")
        raise InputError(
            f"solver: found '{solver}'; expected one of {', '.join(names)}{nearest(solver, names)}"
        )
    probe, build = _DIRECT[solver]
    _require(probe())
    return build


def _require_multigrid(solver: str) -> None:
    """Refuse the levels of a library that is not installed."""
    _require((gamg if solver == "gamg" else amg).probe())


def _require(backend: Backend) -> None:
    if backend.version is None:
        raise InputError(
            f"solver: found '{backend.name}', which cannot be used here ({backend.why_not}); "
            "expected auto or an installed one"
        )
