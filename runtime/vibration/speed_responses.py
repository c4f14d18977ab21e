# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of large systems at many speeds, in a small space that is extended as needed.

Where what is left of the equations is largest, the space takes the correction that the factors of
one of the matrices give for it. What is left says how good the answers are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_space import SpeedSpace

if TYPE_CHECKING:
    from flexforge.runtime.solvers import Factorization

#: Largest rest of the equations, relative to the forces, and correction, relative to the answer.
_REST, _CHANGE = 1e-10, 1e-9
_ROUND_OFF = 4e-16  # of what balances, relative to the stiffness of nodes times their displacements
_AT_ONCE = 6  # speeds whose corrections are taken before the rests are looked at again
_SLOW = 0.3  # ratio of the largest rest to that before, above which another matrix is factored


def solve_responses(
    matrices: SpeedMatrices, speeds: Floats, order: int, forces: Complex, solver: str
) -> Iterator[Complex]:
    """Yield the answers at speeds, (n,) each.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    speeds : ndarray, (S,)
        rad/s.
    order : int
        The frequency is this times the speed.
    forces : ndarray of complex, (S, n)
        Forces on the unknowns, N.
    solver : str
        Linear solver.

    Raises
    ------
    AnalysisError
        When the space grows too large.
    """
    space, small = _Greedy(matrices, speeds, order, forces, solver).run()
    for one in small:
        yield space @ one


class _Greedy:
    """A space for answers at some speeds, and what it leaves of their equations."""

    def __init__(
        self, matrices: SpeedMatrices, speeds: Floats, order: int, forces: Complex, solver: str
    ) -> None:
        self._matrices, self._speeds, self._forces = matrices, speeds, forces
        self._solver = solver
        w = order * speeds
        self._powers = np.array([np.ones_like(w), 1j * w, -w * w])
        each = speeds.tolist()
        factors = np.array([matrices.factors(speed) for speed in each])
        self._factors = np.einsum("ps,spt->st", self._powers, factors)
        laws = np.array([matrices.laws(speed) for speed in each])
        self._laws = np.einsum("ps,sbpij->sbij", self._powers, laws)
        self._real = not (self._factors.imag.any() or self._laws.imag.any() or forces.imag.any())
        if self._real:
            self._factors, self._laws = self._factors.real, self._laws.real
        self._space = SpeedSpace(matrices, float if self._real else complex)
        self._scale = np.linalg.norm(forces, axis=1)

    def run(self) -> tuple[Complex, Complex]:
        """Return the space, (n, m), and the answers within it, (S, m)."""
        middle = len(self._speeds) // 2
        factors, factored = self._factored(middle), {middle}
        self._space.extend(factors.solve(self._as_kind(self._forces[middle]))[:, None])
        before = np.inf
        try:
            while True:
                small = self._answers()
                sizes = np.linalg.norm(small, axis=1)  # of the answers: the basis is orthonormal
                round_off = _ROUND_OFF * self._matrices.system.stiffness_scale * sizes
                rests = self._rests(small) / np.maximum(_REST * self._scale, round_off)
                worst = _worst(rests)
                largest = float(rests.max())
                if largest > _SLOW * before and worst[0] not in factored:
                    factors.close()
                    factors = self._factored(worst[0])
                    factored.add(worst[0])
                before = largest
                left = self._left(worst, self._space.basis @ small[worst].T)
                new = factors.solve(self._as_kind(left))
                changes = np.linalg.norm(new, axis=0) / np.where(sizes > 0.0, sizes, 1.0)[worst]
                if largest <= 1.0 or changes.max() <= _CHANGE:
                    return self._space.basis, small
                if self._space.is_full:
                    raise AnalysisError(
                        f"harmonic analysis: {self._space.size} vectors leave "
                        f"{largest * _REST:.1e} of the forces; expected fewer speeds at a time"
                    )
                self._space.extend(new)
        finally:
            factors.close()

    def _factored(self, place: int) -> Factorization:
        """Return the factors of the matrix at a speed."""
        powers = self._powers[:, place]
        given = (powers.real if self._real else powers).tolist()
        return self._matrices.factored(given, float(self._speeds[place]), self._solver)

    def _as_kind(self, x: Complex) -> Any:
        """Return vectors as real where the equations are; factors are of either kind."""
        return np.ascontiguousarray(x.real) if self._real else x

    def _answers(self) -> Complex:
        """Return the answers at all speeds within the space, (S, m)."""
        matrices = self._space.projected(self._factors, self._laws)
        forces = self._forces @ self._space.basis.conj()
        return np.asarray(np.linalg.solve(matrices, forces[:, :, None])[..., 0], dtype=complex)

    def _rests(self, small: Complex) -> Floats:
        """Return the estimated norms of what is left at every speed, (S,), N."""
        found = self._space.combined(self._factors, self._laws, small)
        found -= self._forces @ self._space.combinations.T
        return np.asarray(np.linalg.norm(found, axis=1))

    def _left(self, places: list[int], answers: Complex) -> Complex:
        """Return what answers (n, k) leave of the equations at speeds."""
        moved = self._matrices.left(self._powers[:, places], self._speeds[places], answers)
        return np.asarray(self._forces[places].T - moved)


def _worst(rests: Floats) -> list[int]:
    """Return the places of the largest rests, those that are largest among their neighbours."""
    padded = np.concatenate([[-1.0], rests, [-1.0]])
    tops = np.flatnonzero((rests >= padded[:-2]) & (rests >= padded[2:]))
    return [int(one) for one in tops[np.argsort(-rests[tops])][:_AT_ONCE]]
