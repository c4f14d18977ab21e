# SPDX-License-Identifier: BSD-3-Clause
"""Natural frequencies and shapes of small vibrations about the moving frame.

At rest, ``k phi = omega^2 m phi``. Where the frame turns steadily, the Coriolis term couples the
shapes in quadrature: ``(lambda^2 m + 2 lambda c + k + k_omega + k_geo) phi = 0`` with imaginary
eigenvalues ``lambda = i omega`` while the motion is stable, and complex shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.analyses.rigid import free_motions
from flexforge.runtime.body import Combination
from flexforge.runtime.solvers import factorize
from flexforge.runtime.solvers.interface import Factorization
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

_DENSE = 400  # unknowns below which all eigenvalues are computed
_ROUND_OFF = 1e-12
_TOLERANCE = 1e-10  # of eigenvalues; round-off in the solves may forbid more
_STILL = 1e-9  # imaginary part relative to the largest eigenvalue that is no vibration
_UNSTABLE = 1e-6  # growth relative to frequency that is no round-off


@dataclass(frozen=True, slots=True)
class Modes:
    """Natural vibrations, ascending in frequency.

    Attributes
    ----------
    frequencies : ndarray, (count,)
        Hz.
    shapes : ndarray, (count, N, d)
        Displacements of unit modal mass; of a rotating system the real parts, largest at that time.
    growth : ndarray, (count,)
        Real part of the eigenvalue, 1/s; zero unless the motion is unstable.
    gyroscopic : bool
        Whether the Coriolis term took part.
    """

    frequencies: Floats
    shapes: Floats
    growth: Floats
    gyroscopic: bool


def solve_modes(system: System, count: int, shift: float | None, time: float, solver: str) -> Modes:
    """Return the vibrations of a system with the motion of its frames taken at a time.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    count : int
        How many.
    shift : float, optional
        Frequency near which they are sought, Hz; by default the lowest.
    time : float
        Time, s.
    solver : str
        Linear solver.

    Raises
    ------
    AnalysisError
        When the eigenvalue solver does not converge.
    InputError
        For a shift with a large body in a turning frame.
    """
    count = min(count, system.unknowns)
    spins = system.spins(time)
    gyroscopic = any(spin.coriolis.any() for spin in spins)
    elastic = [
        Combination(1.0, 0.5 * (spin.stiffness + spin.stiffness.T), spin.prestress)
        for spin in spins
    ]
    mass = [Combination(0.0, np.eye(system.dimension), np.zeros(0))] * len(spins)
    coriolis = [Combination(0.0, spin.coriolis, np.zeros(0)) for spin in spins]
    if gyroscopic:
        return _gyroscopic(system, count, shift, elastic, coriolis, mass, solver)
    return _real(system, count, shift, elastic, mass, solver)


def _real(
    system: System, count: int, shift: float | None, elastic: list[Combination],
    mass: list[Combination], solver: str,
) -> Modes:  # fmt: skip
    """Solve ``k phi = omega^2 m phi``."""
    stiffness, inertia = system.matrix(elastic), system.matrix(mass)
    # Near the square of the highest frequency of the mesh, which sets the round-off of all.
    highest = float(np.median(stiffness.diagonal() / inertia.diagonal()))
    noise = _ROUND_OFF * highest
    if system.unknowns <= max(_DENSE, 2 * count + 2):
        from scipy.linalg import eigh

        values, vectors = eigh(stiffness.toarray(), inertia.toarray())
        if shift is not None:
            nearest = np.argsort(np.abs(values - (2.0 * np.pi * shift) ** 2), kind="stable")
            chosen = np.sort(nearest[:count])
            values, vectors = values[chosen], vectors[:, chosen]
        return _real_modes(system, values[:count], vectors[:, :count], noise)
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    if shift is not None:
        sigma = (2.0 * np.pi * shift) ** 2
    else:
        # Below zero, free bodies can be factored although their k is singular.
        sigma = -1e-7 * highest if free_motions(system) else 0.0
    factors = factorize(
        stiffness - sigma * inertia, solver, system.threads, symmetric=True, check=False
    )
    inverse = LinearOperator(stiffness.shape, matvec=factors.solve)
    start = np.random.default_rng(0).standard_normal(system.unknowns)
    try:
        values, vectors = eigsh(
            stiffness, count, inertia, sigma=sigma, OPinv=inverse, v0=start, tol=_TOLERANCE
        )
    except ArpackError as error:
        raise AnalysisError(f"modes: the eigenvalue solver failed ({error})") from error
    finally:
        factors.close()
    order = np.argsort(values)
    return _real_modes(system, values[order], vectors[:, order], noise)


def _real_modes(system: System, values: Floats, vectors: Floats, noise: float) -> Modes:
    # A rigid motion is a zero to round-off, of either sign; a negative one beyond is unstable.
    values = np.where(np.abs(values) < noise, 0.0, values)
    omega = np.sqrt(np.maximum(values, 0.0))
    growth = np.sqrt(np.maximum(-values, 0.0))
    shapes = np.array([system.expand(column) for column in vectors.T])
    return Modes(omega / (2.0 * np.pi), shapes, growth, False)


def _gyroscopic(
    system: System, count: int, shift: float | None, elastic: list[Combination],
    coriolis: list[Combination], mass: list[Combination], solver: str,
) -> Modes:  # fmt: skip
    """Solve ``(lambda^2 m + lambda C + k) phi = 0`` with C = 2 c through its linearization.

    With z = (phi, lambda phi / s) the inverse of the linearization at zero, times s, is
    ``phi' = -k^-1 (s^2 m psi + s C phi), psi' = phi``: one solve with k an iteration. The scale s,
    near the lowest frequency, gives both halves of z the same weight.
    """
    stiffness, inertia, skew = (system.matrix(c) for c in (elastic, mass, coriolis))
    n = system.unknowns
    if n <= max(_DENSE, 2 * count + 4):
        values, vectors = _dense_pairs(stiffness.toarray(), skew.toarray(), inertia.toarray())
    else:
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

        if shift is not None:
            raise InputError(
                f"analysis.shift: found {shift:g} with a turning frame and {n} unknowns; expected "
                "none: of such a body the lowest modes are computed"
            )
        factors = factorize(stiffness, solver, system.threads, symmetric=True)
        scale = _lowest(factors, inertia)

        def inverse(z: Floats) -> Floats:
            force = scale * (scale * (inertia @ z[n:]) + skew @ z[:n])
            return np.concatenate([-factors.solve(force), z[:n]])

        operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(2 * n)
        try:
            reciprocals, vectors = eigs(operator, 2 * count + 4, v0=start, tol=_TOLERANCE)
        except ArpackError as error:
            raise AnalysisError(f"modes: the eigenvalue solver failed ({error})") from error
        finally:
            factors.close()
        values = scale / reciprocals
    noise = _STILL * np.abs(values).max(initial=1e-300)
    # One of every pair; and real positive ones, which are a divergence without vibration.
    diverging = (np.abs(values.imag) <= noise) & (values.real > 1e3 * noise)
    upper = np.flatnonzero((values.imag > noise) | diverging)
    values = np.where(diverging, values.real, values)
    target = 0.0 if shift is None else 2.0 * np.pi * shift
    nearest = upper[np.argsort(np.abs(values[upper].imag - target), kind="stable")][:count]
    chosen = nearest[np.argsort(values[nearest].imag)]
    shapes = np.array([_largest_real(system, vectors[:n, i], inertia) for i in chosen])
    growth = values[chosen].real
    growth[np.abs(growth) < _UNSTABLE * np.abs(values[chosen].imag)] = 0.0
    return Modes(values[chosen].imag / (2.0 * np.pi), shapes, growth, True)


def _dense_pairs(stiffness: Floats, skew: Floats, inertia: Floats) -> tuple[Complex, Complex]:
    """Return all eigenvalues and vectors of the linearization.

    The lowest are wanted, so its inverse is decomposed where there is one: the pencil itself would
    give them with the round-off of the highest.
    """
    from scipy.linalg import eig, eigvalsh

    n = len(stiffness)
    zero, one = np.zeros((n, n)), np.eye(n)
    squares = np.abs(eigvalsh(stiffness, inertia))
    if squares.min() > _ROUND_OFF * squares.max():
        scale = float(np.sqrt(squares.min()))
        solved = np.linalg.solve(stiffness, np.hstack([scale * skew, scale**2 * inertia]))
        reciprocals, vectors = eig(np.block([[-solved], [one, zero]]))
        return scale / reciprocals, vectors
    left = np.block([[zero, one], [-stiffness, -skew]])
    values, vectors = eig(left, np.block([[one, zero], [zero, inertia]]))
    return values, vectors


def _lowest(factors: Factorization, inertia: csr_matrix) -> float:
    """Return about the lowest frequency, rad/s, by a few steps of inverse iteration."""
    shape = np.random.default_rng(0).standard_normal(inertia.shape[0])
    for _ in range(4):
        following = factors.solve(inertia @ shape)
        quotient = abs(float(shape @ (inertia @ shape)) / float(shape @ (inertia @ following)))
        shape = following / np.linalg.norm(following)
    return float(np.sqrt(quotient))


def _largest_real(system: System, vector: Complex, inertia: csr_matrix) -> Floats:
    """Return the real part of a complex shape, turned so that it is largest."""
    phase = np.angle(np.sum(vector * vector)) / 2.0
    real = (vector * np.exp(-1j * phase)).real
    modal = float(real @ (inertia @ real))
    return system.expand(real / np.sqrt(modal))
