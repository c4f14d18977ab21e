# SPDX-License-Identifier: BSD-3-Clause
"""Flexible GMRES preconditioned from the right: one preconditioner solve per iteration, no more.

Here the preconditioner is a direct solver's pair of triangular solves with the factors of a nearby
matrix, by far the most expensive part of an iteration, and two or three iterations suffice. SciPy's
``gmres`` is preconditioned from the left: it needs one more solve for the norm of the
preconditioned right-hand side and one more at each (re)start, two solves in addition to the
iterations (6 for 4 iterations, 9 for 7 in a check with SciPy 1.17), and does not count them. With
preconditioning from the right, the minimised residual is the true one, a start needs only a
product, and storing ``z = M^-1 v`` (the flexible variant, Saad, *Iterative Methods for Sparse
Linear Systems*, 2nd ed., algorithm 9.6) saves the last solve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks import ONE, Ranks

Operator = Callable[[Floats], Floats]

ROUND_OFF = 1e-14


@dataclass(frozen=True, slots=True)
class GmresResult:
    """Result of a solve.

    Attributes
    ----------
    solution : (n,) array
        The last iterate.
    iterations : int
        Number of Krylov directions.
    preconditioner_solves : int
        Number of preconditioner calls: one per iteration.
    products : int
        Number of products with the matrix.
    residual : float
        ``||b - A x|| / ||b||``, computed from the final iterate, unless an estimate was allowed.
    converged : bool
        Whether it is within the tolerance.
    """

    solution: Floats
    iterations: int
    preconditioner_solves: int
    products: int
    residual: float
    converged: bool


def gmres(
    matrix: Operator,
    rhs: Floats,
    precondition: Operator,
    *,
    guess: Floats | None = None,
    tolerance: float = 1e-8,
    least_iterations: int = 0,
    restart: int = 20,
    most_iterations: int = 100,
    estimated: bool = False,
    ranks: Ranks = ONE,
) -> GmresResult:
    """Solve ``A x = b`` to ``||b - A x|| <= tolerance * ||b||``.

    Parameters
    ----------
    matrix : callable
        Takes x (n,), returns A x.
    rhs : (n,) array
        Right-hand side b.
    precondition : callable
        Takes r (n,), returns an approximation of ``A^-1 r``; may vary from call to call.
    guess : (n,) array, optional
        Initial guess, used if it is closer than zero; left unchanged.
    tolerance : float
        Relative residual at which the iteration stops.
    least_iterations : int
        Minimum number of iterations, even if the guess already satisfies the tolerance.
    restart : int
        Largest dimension of the Krylov space; two vectors are stored per dimension.
    most_iterations : int
        Largest number of iterations.
    estimated : bool
        Whether the residual that the iteration itself knows will do at its end: a product less.
        It is true but for round-off, which matters for tolerances near that.
    ranks : Ranks
        The processes that share the vectors.

    Returns
    -------
    GmresResult
        The iterate and the counts; check ``converged``.

    Raises
    ------
    AnalysisError
        If a non-finite value occurs.
    """
    rhs = np.asarray(rhs, dtype=np.float64)
    norm = _norm(rhs, "right-hand side", ranks)
    solution = np.zeros_like(rhs) if guess is None else np.array(guess, dtype=np.float64)
    if norm == 0.0:
        return GmresResult(np.zeros_like(rhs), 0, 0, 0, 0.0, True)
    iterations = products = 0
    residual, size = rhs, norm
    if ranks.any(solution.any()):
        following = rhs - matrix(solution)
        products += 1
        after = _norm(following, "residual", ranks)
        if after < norm:
            residual, size = following, after
        else:  # zero is closer
            solution = np.zeros_like(rhs)
    while size > 0.0 and iterations < most_iterations:
        if size <= tolerance * norm and iterations >= least_iterations:
            break
        dimension = min(restart, most_iterations - iterations)
        goal = tolerance * norm
        change, used, left = _cycle(matrix, precondition, residual, size, goal, dimension, ranks)
        iterations += used
        candidate = solution + change
        if estimated and left <= goal:
            products += used
            solution, size = candidate, left
            break
        following = rhs - matrix(candidate)
        products += used + 1
        before, after = size, _norm(following, "residual", ranks)
        if after < before:
            solution, residual, size = candidate, following, after
        if after > 0.999 * before:  # a singular matrix, or round-off: more does not help
            break
    return GmresResult(
        solution, iterations, iterations, products, size / norm, size <= tolerance * norm
    )


def _cycle(
    matrix: Operator,
    precondition: Operator,
    residual: Floats,
    size: float,
    goal: float,
    dimension: int,
    ranks: Ranks,
) -> tuple[Floats, int, float]:
    """Return the best change in the Krylov space of a cycle, its number of solves, the rest."""
    basis = [residual / size]
    directions: list[Floats] = []
    hessenberg = np.zeros((dimension + 1, dimension))
    reduced = np.zeros(dimension + 1)
    reduced[0] = size
    rotations: list[tuple[float, float]] = []
    for column in range(dimension):
        directions.append(precondition(basis[column]))
        vector = np.array(matrix(directions[column]))
        before = _norm(vector, "product of the matrix", ranks)
        following = _orthogonalise(vector, basis, hessenberg[:, column], before, ranks)
        entries = hessenberg[:, column]
        for row, (cosine, sine) in enumerate(rotations):
            upper, lower = entries[row], entries[row + 1]
            entries[row] = cosine * upper + sine * lower
            entries[row + 1] = cosine * lower - sine * upper
        length = float(np.hypot(entries[column], following))
        if length <= ROUND_OFF * before:  # the direction adds nothing: A is singular on the space
            directions.pop()
            break
        cosine, sine = entries[column] / length, following / length
        rotations.append((cosine, sine))
        entries[column] = length
        reduced[column + 1] = -sine * reduced[column]
        reduced[column] *= cosine
        if abs(reduced[column + 1]) <= goal or following == 0.0:
            break
        basis.append(vector / following)
    used = len(directions)
    weights = np.linalg.solve(hessenberg[:used, :used], reduced[:used])
    change = np.zeros_like(residual)
    for weight, direction in zip(weights, directions, strict=True):
        change += weight * direction
    return change, column + 1, float(abs(reduced[used]))


def _orthogonalise(
    vector: Floats, basis: list[Floats], entries: Floats, before: float, ranks: Ranks
) -> float:
    """Apply modified Gram-Schmidt in place, twice after much cancellation; return the norm left."""
    for _ in range(2):
        for row, direction in enumerate(basis):
            overlap = ranks.dot(direction, vector)
            entries[row] += overlap
            vector -= overlap * direction
        after = ranks.norm(vector)
        if after > 0.1 * before:
            return after
    # The round-off of a vector that lies in the space is not a direction.
    return after if after > ROUND_OFF * before else 0.0


def _norm(vector: Floats, what: str, ranks: Ranks) -> float:
    norm = ranks.norm(vector)
    if not np.isfinite(norm):
        raise AnalysisError(f"found a non-finite {what} in the iterative solution")
    return norm
