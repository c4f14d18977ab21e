# SPDX-License-Identifier: BSD-3-Clause
"""Choosing a linear solver, and factoring with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.solvers import cholmod, pardiso, superlu
from flexforge.runtime.solvers.interface import (
    Backend,
    Factorization,
    Kind,
    check_regular,
    checked_matrix,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# In the order of preference: PARDISO is threaded and factors every kind of matrix.
_BACKENDS: dict[str, tuple[Any, Any]] = {
    "pardiso": (pardiso.probe, pardiso.Pardiso),
    "cholmod": (cholmod.probe, cholmod.Cholmod),
    "scipy": (superlu.probe, superlu.SuperLU),
}


def available() -> list[Backend]:
    """Return every backend with its version, or why it cannot be used; the preferred one first."""
    return [probe() for probe, _ in _BACKENDS.values()]


def factorize(
    matrix: csr_matrix,
    solver: str = "auto",
    threads: int | None = None,
    *,
    symmetric: bool = False,
    positive_definite: bool = False,
    check: bool = True,
) -> Factorization:
    """Factor a sparse matrix.

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix
        Square, with its full pattern even if symmetric; left unchanged.
    solver : str
        "pardiso", "cholmod" or "scipy"; "auto" is the first of them that is installed and suitable.
    threads : int, optional
        Number of threads, if the backend is threaded; by default its own choice.
    symmetric : bool
        The matrix is symmetric (not verified).
    positive_definite : bool
        It is symmetric and positive definite; a non-positive pivot is then an error.
    check : bool
        Solve for a known vector, at the cost of one solve, to refuse a matrix that is singular to
        working precision.

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
    factors: Factorization = _choose(solver, kind)(checked, kind, threads)
    if check:
        check_regular(factors, checked)
    return factors


def _choose(solver: str, kind: Kind) -> Any:
    if solver == "auto":
        for name, (probe, build) in _BACKENDS.items():
            if probe().version is not None and (kind.positive_definite or name != "cholmod"):
                return build
    if solver not in _BACKENDS:
        names = ("auto", *_BACKENDS)
        raise InputError(
            f"solver: found '{solver}'; expected one of {', '.join(names)}{nearest(solver, names)}"
        )
    probe, build = _BACKENDS[solver]
    found = probe()
    if found.version is None:
        raise InputError(
            f"solver: found '{solver}', which cannot be used here ({found.why_not}); expected auto "
            "or an installed one"
        )
    return build
