# SPDX-License-Identifier: BSD-3-Clause
"""Factors of a stiffness that must hold all motions, and names of the motions that it does not.

If a factorization fails, the zero-energy motions are found by inverse iteration on the matrix with
a small part of its diagonal added, and described per body, as rigid motions where they are. If a
body is so slender that round-off in the matrix affects the digits of its solutions, these are
refined with precise products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.solvers.interface import (
    LARGEST_ERROR,
    SingularMatrixError,
    known_error,
    singular,
)
from flexforge.runtime.solvers.kept import kept
from flexforge.runtime.statics.iterated import prepared
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.precise import PreciseStiffness
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.statics.rigid import (
    layout_of,
    motion_names,
    motions_of,
    name_equation,
    name_place,
)
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Error of a known solution up to which factors are used without refinement.
_RELIABLE = 1e-7
_SLIGHT = 1e-8  # stiffness that replaces a missing one, relative to the largest
_MOST = 7  # number of motions that are computed
_TURNS = 6  # iterations of the inverse iteration
_SHIFT = 1e-9  # of the diagonal
_NOTHING = 1e-12  # of the energy with the diagonal alone
_RIGID = 1e-3  # remainder of a motion besides a rigid one, relative
_NAMED = 0.1  # fraction of a rigid motion from which on it is named


def factor_held(
    pencil: Pencil,
    solver: str,
    analysis: str,
    *,
    positive_definite: bool = True,
    solves: int | None = None,
) -> Factorization | Refined:
    """Factor a stiffness that supports and elements must make regular.

    Parameters
    ----------
    pencil : Pencil
        The stiffness; where it loses digits, solutions are refined.
    solver : str
        Linear solver.
    analysis : str
        Purpose of the matrix, with which error messages begin.
    positive_definite : bool
        Whether it must also be positive definite, if it is symmetric.
    solves : int, optional
        Number of solutions that are asked for, where it is small.

    Raises
    ------
    AnalysisError
        When a motion costs no energy, naming the bodies and their motions; when a motion releases
        energy; or when only the equation is known.
    """
    from scipy.sparse import csr_matrix

    system = pencil.system
    positive_definite = positive_definite and pencil.is_symmetric
    try:
        factors = prepared(
            system,
            solver,
            pencil.blocked,
            partial(_factored, pencil, positive_definite=positive_definite),
            positive_definite=positive_definite,
            solves=solves,
        )
        if factors.iterative or system.ranks.count > 1:  # which tells where it does not solve
            return factors
        error, worst = known_error(factors, pencil.stiffness)
        if error <= _RELIABLE:
            return factors
        failure = singular(worst, f"a known solution returns with error {error:.1e}")
    except SingularMatrixError as caught:
        failure, error = caught, np.inf
    if system.ranks.count > 1:
        raise AnalysisError(f"{analysis}: {failure}")
    refined = _refined(pencil, solver, positive_definite)
    if refined is not None:
        return refined
    if error <= LARGEST_ERROR:
        return factors
    matrix = csr_matrix(pencil.stiffness)
    if not pencil.is_symmetric:
        matrix = 0.5 * (matrix + matrix.T).tocsr()  # which has the energy of motions
    raise _explained(system, matrix, solver, analysis, failure) from None


def _factored(pencil: Pencil, solver: str, *, positive_definite: bool) -> Factorization:
    """Return factors of the stiffness; those of a load case before with the same."""

    def factored() -> Factorization:
        return factorize(
            pencil.stiffness,
            solver,
            pencil.system.threads,
            symmetric=pencil.is_symmetric,
            positive_definite=positive_definite,
            check=False,
            layout=layout_of(pencil.system),
        )

    how = (solver, pencil.system.threads, pencil.is_symmetric, positive_definite)
    return kept(pencil.stiffness, how, factored)


def _refined(pencil: Pencil, solver: str, positive_definite: bool) -> Refined | None:
    """Return solutions by precise products; None if these do not help.

    They help if the matrix appears singular because of round-off: if its softest motion has
    positive or negative energy, but not zero.
    """
    if pencil.still.shape[1]:
        return None
    threads, symmetric = pencil.system.threads, pencil.is_symmetric
    try:
        factors = factorize(pencil.stiffness, solver, threads, symmetric=symmetric, check=False)
    except SingularMatrixError:
        return None
    refined = Refined(factors, pencil.times, symmetric=symmetric)
    with suppress(AnalysisError), np.errstate(all="ignore"):
        _, shape = pencil.rough(refined.solve)
        if np.isfinite(shape).all() and pencil.is_held(shape):
            (square,), _ = pencil.ritz(shape)
            if square > 0.0 or not positive_definite:
                return refined
    factors.close()
    return None


class SoftError(AnalysisError):
    """Motions cost no energy that are not those of rigid bodies, as those of reduced elements.

    Attributes
    ----------
    motions : ndarray, (n, k)
        Of the unknowns, in columns.
    """

    def __init__(self, said: str, motions: Floats) -> None:
        super().__init__(said)
        self.motions = motions


def factor_slightly_held(pencil: Pencil, solver: str) -> Factorization:
    """Factor a stiffness with free motions, with a small stiffness for these motions.

    Loads that do no work in those motions cause the same stresses as without it.
    """
    from scipy.sparse import identity

    system = pencil.system
    slight = _SLIGHT * system.stiffness_scale * identity(system.unknowns, format="csr")
    return factorize(
        pencil.stiffness + slight,
        solver,
        system.threads,
        symmetric=pencil.is_symmetric,
        layout=layout_of(system),
    )


def product_of(
    system: System, combinations: Sequence[Combination], factors: Factorization | Refined
) -> Callable[[Floats], Floats]:
    """Return the product of a combination of matrices with unknowns (n,).

    It loses no digits if the solutions with the factors lose none.
    """
    if isinstance(factors, Refined):
        return PreciseStiffness(system, combinations).__matmul__

    def product(x: Floats) -> Floats:
        return system.restrict(system.apply(combinations, system.expand(x)))

    return product


def _explained(
    system: System, matrix: csr_matrix, solver: str, analysis: str, error: SingularMatrixError
) -> AnalysisError:
    """Return the error for a matrix that is singular or not positive definite, by bodies."""
    try:
        energies, motions = soft_motions(matrix, solver, system.threads)
    except AnalysisError:
        energies, motions = np.zeros(0), np.zeros((system.unknowns, 0))
    free = np.abs(energies) <= _NOTHING
    if free.any():
        text = "; ".join(describe(system, motions[:, free]))
        said = f"{analysis}: {text}; expected supports and elements that hold it"
        # With as many as were looked for there may be more of them.
        known = free.sum() < motions.shape[1]
        return SoftError(said, motions[:, free]) if known else AnalysisError(said)
    if len(energies) and energies[0] < 0.0:
        where = name_equation(system, int(np.argmax(np.abs(motions[:, 0]))))
        return AnalysisError(
            f"{analysis}: unstable, most at {where}: a motion there releases energy; expected "
            "stiffness that exceeds what softens"
        )
    return AnalysisError(f"{analysis}: {name_equation(system, error.equation)}: {error}")


def soft_motions(matrix: csr_matrix, solver: str, threads: int) -> tuple[Floats, Floats]:
    """Return the motions that cost least energy, or release energy.

    Parameters
    ----------
    matrix : csr_matrix, (n, n)
        Symmetric; it may be singular.
    solver : str
        Linear solver.
    threads : int
        For the linear solver.

    Returns
    -------
    energies : ndarray, (k,)
        Ascending, relative to the energy with the diagonal of the matrix alone.
    motions : ndarray, (n, k)
        In columns.
    """
    from scipy.sparse import diags

    diagonal = np.abs(matrix.diagonal())
    diagonal[diagonal == 0.0] = diagonal.max() or 1.0
    raised = (matrix + diags(_SHIFT * diagonal)).tocsr()
    factors = factorize(raised, solver, threads, symmetric=True, check=False)
    count = min(_MOST, len(diagonal))
    scale = np.sqrt(diagonal)[:, None]  # makes displacements and rotations comparable
    found = np.random.default_rng(0).standard_normal((len(diagonal), count)) / scale
    try:
        for _ in range(_TURNS):
            found = np.linalg.qr(scale * factors.solve(scale**2 * found))[0] / scale
    finally:
        factors.close()
    energies, combined = np.linalg.eigh(found.T @ (matrix @ found))
    return energies, np.asarray(found @ combined)


def describe(system: System, motions: Floats) -> list[str]:
    """Return the motion of every body that takes part in motions (n, k) of the unknowns."""
    full = np.stack([system.expand(column) for column in motions.T], axis=-1)
    largest = np.abs(full).max()
    texts = []
    for body in system.bodies:
        own = full[body.nodes]
        if np.abs(own).max() > _RIGID * largest:
            texts.append(_described(system, body, own))
    return texts


def _described(system: System, body: Body, own: Floats) -> str:
    """Return the motion of a body in words: rigid, or where it is largest."""
    turning = np.isin(body.nodes, body.rotations)
    rigid = motions_of(body, body.points, turning)
    names = motion_names(system)
    flat = rigid.reshape(-1, rigid.shape[2])
    moved = own.reshape(len(flat), -1)
    amounts = np.linalg.lstsq(flat, moved, rcond=1e-10)[0]
    rest = np.linalg.norm(moved - flat @ amounts)
    if rest <= _RIGID * np.linalg.norm(moved):
        shares = np.linalg.norm(amounts, axis=1)
        named = [n for n, s in zip(names, shares, strict=True) if s > _NAMED * shares.max()]
        return f"body '{body.name}' is free to move ({', '.join(named)})"
    node, component = divmod(int(np.argmax(np.abs(own).max(axis=2))), system.dimension)
    return f"{name_place(system, int(body.nodes[node]), component)} is not held"
