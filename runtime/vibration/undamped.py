# SPDX-License-Identifier: BSD-3-Clause
"""The real eigenvalue problem ``k phi = omega^2 m phi`` of undamped vibrations.

The stiffness may be indefinite, as beyond buckling: squared frequencies are then negative, and
motions grow. Unrestrained motions are known and excluded from the iterations; their squared
frequencies are zero. No other square is set to zero because it is small: where round-off in the
matrix would affect its digits, products are computed element by element (``precise``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.solvers.interface import SingularMatrixError
from flexforge.runtime.solvers.kept import kept
from flexforge.runtime.statics.iterated import prepared
from flexforge.runtime.statics.pencil import Pencil, dense
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.statics.rigid import layout_of
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.lanczos import largest
from flexforge.runtime.vibration.massless import dense_singular
from flexforge.runtime.vibration.preconditioned import lowest
from flexforge.runtime.vibration.quadratic import not_all

_TOLERANCE = 1e-10  # of eigenvalues; round-off in the solves may prevent more
_RESTARTS = 100  # of Lanczos's method
_BELOW = 1e-7  # first shift below zero for a singular stiffness, relative to the mesh
_STEEPER = 10.0  # growth factor of a shift that is not below all eigenvalues
_FARTHEST = 1e3  # shift at which the search ends, relative to the mesh
_POLISHED = 2  # steps of inverse iteration on the shapes where digits are lost
_BESIDE = 20  # additional shapes in these steps


@dataclass(frozen=True, slots=True)
class Undamped:
    """The computed modes, ascending.

    Attributes
    ----------
    squares : ndarray, (count,)
        Squared circular frequencies, (rad/s)^2; exactly zero for unrestrained motions.
    vectors : ndarray, (n, count)
        Shapes of unit modal mass, in columns.
    missing : str
        Why there are fewer than requested; empty if all are there.
    solver : str
        What solved: the backend that factored, or LAPACK for small problems.
    """

    squares: Floats
    vectors: Floats
    missing: str = ""
    solver: str = quadratic.COMPLETE


def solve_undamped(pencil: Pencil, count: int, shift: float | None, solver: str) -> Undamped:
    """Return the lowest modes, or those nearest to a frequency.

    Parameters
    ----------
    pencil : Pencil
        Symmetric stiffness and inertia; the inertia may be singular.
    count : int
        Number of modes.
    shift : float, optional
        Frequency, Hz.
    solver : str
        Sparse solver.

    Returns
    -------
    Undamped
        With the converged modes only, if some do not converge.

    Raises
    ------
    AnalysisError
        When the eigenvalue solver fails.
    """
    still = pencil.still
    near = None if shift is None else (2.0 * np.pi * shift) ** 2
    left = count if near is not None else max(count - still.shape[1], 0)
    unknowns = len(still)
    missing, used = "", quadratic.COMPLETE
    if unknowns <= max(quadratic.DENSE, 2 * count + 2):
        values, vectors = solve_dense(pencil, left, near, pencil.inertia @ still)
    elif left:
        values, vectors, used = _nearest(pencil, left, near, solver)
        if len(values) < left:
            missing = not_all(count - left + len(values), count, "")
    else:
        values, vectors = np.zeros(0), still[:, :0]
    values = np.append(np.zeros(still.shape[1]), values)
    vectors = np.hstack([still, vectors])
    wanted = np.abs(values - near) if near is not None else values
    chosen = np.argsort(wanted, kind="stable")[:count]
    chosen = chosen[np.argsort(values[chosen], kind="stable")]
    return Undamped(values[chosen], vectors[:, chosen], missing, used)


def solve_dense(
    pencil: Pencil, count: int, near: float | None, conditions: Floats
) -> tuple[Floats, Floats]:
    """Return the eigenpairs of a small problem under conditions.

    Parameters
    ----------
    pencil : Pencil
        Symmetric stiffness and inertia.
    count : int
        Number of modes: the lowest, or those nearest to a square.
    near : float, optional
        That square, (rad/s)^2.
    conditions : ndarray, (n, c)
        B of ``B^T phi = 0``, such as the momenta of unrestrained motions.

    Returns
    -------
    squares, vectors : ndarray, (count,), (n, count)
        Ascending, or the nearest first; of unit modal mass.

    Raises
    ------
    AnalysisError
        When the mass matrix is singular.
    """
    from scipy.linalg import LinAlgError, eigh

    stiffness, inertia = dense(pencil.stiffness), dense(pencil.inertia)
    others = np.eye(len(stiffness))
    held = conditions.shape[1]
    if held:
        others = np.linalg.qr(conditions, mode="complete")[0][:, held:]
        stiffness, inertia = (others.conj().T @ one @ others for one in (stiffness, inertia))
    bodies = pencil.system.bodies
    # Round-off may leave a mass where there is none: that it is missing is known beforehand.
    singular = any(body.turns or body.lacks_mass for body in bodies)
    try:
        values, vectors = (dense_singular if singular else eigh)(stiffness, inertia)
    except LinAlgError:
        if all(body.declared is None or body.lacks_mass for body in bodies):
            values, vectors = dense_singular(stiffness, inertia)
        else:
            raise _few_points() from None
    order = np.argsort(values if near is None else np.abs(values - near), kind="stable")
    chosen = order[:count]
    vectors = others @ vectors
    highest = float(np.abs(values).max(initial=0.0))
    if pencil.lost(values[chosen], vectors[:, chosen], highest):
        chosen = order[: count + _BESIDE]
        values, vectors = pencil.ritz(vectors[:, chosen])
        order = np.argsort(values if near is None else np.abs(values - near), kind="stable")
        chosen = order[:count]
    return values[chosen], vectors[:, chosen]


def _few_points() -> AnalysisError:
    """Return the error of a mass matrix that is singular."""
    return AnalysisError(
        "modes: the mass matrix is singular; expected a mass for every motion: if a body has an "
        "element of your own, flexforge check-element says whether its quadrature of the mass has "
        "enough points"
    )


def _nearest(
    pencil: Pencil, count: int, near: float | None, solver: str
) -> tuple[Floats, Floats, str]:
    """Return the lowest eigenpairs or those nearest to a square, by Lanczos's method; its solver.

    If it does not converge, fewer eigenpairs than the count are returned. Unrestrained motions are
    known and excluded.
    """
    if near is None:
        factors, sigma, lost = _below(pencil, solver)
    else:
        factors, sigma = _shifted(pencil, near, solver), near
        lost = pencil.lost(*pencil.rough(factors.solve, sigma))
    if factors.iterative and near is None and not lost:
        iterated = lowest(pencil, count, factors, sigma)
        if iterated is not None:
            factors.close()
            return *iterated, factors.name
    solving = Refined(factors, partial(_times, pencil, sigma), symmetric=True) if lost else factors

    def solve(x: Floats) -> Floats:
        return pencil.without_still(solving.solve(x))

    found = largest(
        solve,
        pencil.weighed,
        len(pencil.still),
        count,
        tolerance=_TOLERANCE,
        restarts=_RESTARTS,
        kind=complex if pencil.system.map.is_complex else float,
    )
    values, vectors = sigma + 1.0 / found.inverses, found.vectors
    if lost and len(values):
        # Krylov's method leaves 1e-7 of other shapes: too much for a motion with hardly any strain.
        for _ in range(_POLISHED):
            # Others are exact already, and the softest would outgrow them.
            soft = pencil.which_lost(values, vectors)
            if not soft.any():
                break
            vectors[:, soft] = solving.solve(pencil.inertia @ vectors[:, soft])
            values, vectors = pencil.ritz(pencil.without_still(vectors))
    factors.close()
    order = np.argsort(values)
    return values[order], vectors[:, order], factors.name


def _below(pencil: Pencil, solver: str) -> tuple[Factorization, float, bool]:
    """Factor ``k - sigma m`` with sigma near the lowest eigenvalue, and below all.

    Sigma is zero for a positive definite stiffness. Unrestrained motions, mechanisms and
    instabilities require a shift below zero, which is found by trial and moved closer if the lowest
    eigenvalues turn out to be much closer to zero.

    Returns
    -------
    factors : Factorization
    sigma : float
        (rad/s)^2.
    lost : bool
        Whether products with the matrix lose digits.
    """
    sigma, factors = 0.0, None
    if not pencil.still.shape[1]:
        factors = _definite(pencil, sigma, solver)
    sigma = -_BELOW * pencil.typical if factors is None else sigma
    while factors is None:
        factors = _definite(pencil, sigma, solver)
        if factors is None:
            sigma *= _STEEPER
            if -sigma > _FARTHEST * pencil.typical:
                raise AnalysisError(
                    "modes: found no bound of the growth rate; expected a stiffness that holds the "
                    "bodies, or softens them less"
                )
    values, vectors = pencil.rough(factors.solve, sigma)
    lowest = float(values.min())
    if sigma and 0.0 < lowest < -sigma / _STEEPER:
        nearer = _definite(pencil, -lowest, solver)
        if nearer is not None:
            factors.close()
            factors, sigma = nearer, -lowest
    return factors, sigma, pencil.lost(values, vectors)


def _times(pencil: Pencil, sigma: float, x: Floats) -> Floats:
    """Return ``k - sigma m`` times a vector, without loss of digits."""
    return np.asarray(pencil.times(x) - sigma * (pencil.inertia @ x))


def _definite(pencil: Pencil, sigma: float, solver: str) -> Factorization | None:
    """Factor ``k - sigma m``; None where it is not positive definite."""
    try:
        factors = _shifted(pencil, sigma, solver, positive_definite=True)
        if factors.iterative:  # shows directions of negative energy when it solves
            factors.solve(np.random.default_rng(0).standard_normal(pencil.system.unknowns))
    except SingularMatrixError:
        return None
    return factors


def _shifted(
    pencil: Pencil, sigma: float, solver: str, *, positive_definite: bool = False
) -> Factorization:
    """Factor ``k - sigma m``, which may be nearly singular close to an eigenvalue."""
    system = pencil.system

    def factored(solver: str) -> Factorization:
        matrix = pencil.stiffness - sigma * pencil.inertia if sigma else pencil.stiffness

        def new() -> Factorization:
            return factorize(
                matrix,
                solver,
                system.threads,
                symmetric=True,
                positive_definite=positive_definite,
                check=False,
                layout=layout_of(system),
            )

        return kept(matrix, (solver, system.threads, True, positive_definite), new)

    return prepared(
        system,
        solver,
        partial(pencil.blocked, sigma),
        factored,
        positive_definite=positive_definite,
    )
