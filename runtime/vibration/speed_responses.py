# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of large systems at many speeds, in a small space that is extended as needed.

Where what is left of the equations is largest, the space takes the correction that the factors of
one of the matrices give for it. What is left says how good the answers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    found = answers_of(matrices, speeds, order, [forces], solver)
    for (one,) in found.small:
        yield found.basis @ one


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to several loads at speeds, in a space for all of them.

    Attributes
    ----------
    basis : ndarray, (n, m)
        Vectors of the space.
    small : ndarray of complex, (S, c, m)
        Factors of them.
    """

    basis: Any
    small: Complex


def answers_of(
    matrices: SpeedMatrices, speeds: Floats, order: int, forces: Sequence[Complex], solver: str
) -> Answers:
    """Return the answers to several loads at speeds.

    Parameters
    ----------
    matrices, speeds, order, solver
        As of :func:`solve_responses`.
    forces : sequence of ndarray, (S, n)
        Of each load, c of them; (1, n) of one that is the same at all speeds.

    Raises
    ------
    AnalysisError
        When the space grows too large.
    """
    return _Greedy(matrices, speeds, order, forces, solver).run()


class _Greedy:
    """A space for answers at some speeds, and what it leaves of their equations."""

    def __init__(
        self,
        matrices: SpeedMatrices,
        speeds: Floats,
        order: int,
        forces: Sequence[Complex],
        solver: str,
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
        given = [self._factors, self._laws, *forces]
        self._real = not any(one.imag.any() for one in given)
        if self._real:
            self._factors, self._laws = self._factors.real, self._laws.real
        self._space = SpeedSpace(matrices, float if self._real else complex)
        norms = [np.linalg.norm(one, axis=1) for one in forces]
        self._scale = np.array([np.broadcast_to(one, len(speeds)) for one in norms]).T

    def run(self) -> Answers:
        """Return the answers."""
        middle = len(self._speeds) // 2
        factors, factored = self._factored(middle), {middle}
        loads = np.array([_at(one, middle) for one in self._forces]).T
        self._space.extend(factors.solve(self._as_kind(loads)))
        before = np.inf
        try:
            while True:
                small = self._answers()
                sizes = np.linalg.norm(small, axis=2)  # of the answers: the basis is orthonormal
                round_off = _ROUND_OFF * self._matrices.system.stiffness_scale * sizes
                rests = self._rests(small) / np.maximum(_REST * self._scale, round_off)
                worst = _worst(rests)
                largest = float(rests.max())
                place = worst[0][0]
                if largest > _SLOW * before and place not in factored:
                    factors.close()
                    factors = self._factored(place)
                    factored.add(place)
                before = largest
                chosen = tuple(np.array(worst).T)  # speeds, and loads
                left = self._left(worst, self._space.basis @ small[chosen].T)
                new = factors.solve(self._as_kind(left))
                answered = np.where(sizes > 0.0, sizes, 1.0)[chosen]
                changes = np.linalg.norm(new, axis=0) / answered
                if largest <= 1.0 or changes.max() <= _CHANGE:
                    return Answers(self._space.basis, small)
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
        """Return the answers at all speeds within the space, (S, c, m)."""
        matrices = self._space.projected(self._factors, self._laws)
        each = [one @ self._space.basis.conj() for one in self._forces]
        forces = np.stack([np.broadcast_to(one, matrices.shape[:2]) for one in each], axis=2)
        found = np.linalg.solve(matrices, forces)
        return np.ascontiguousarray(np.swapaxes(found, 1, 2), dtype=complex)

    def _rests(self, small: Complex) -> Floats:
        """Return the estimated norms of what is left at every speed, (S, c), N."""
        found = []
        for number, one in enumerate(self._forces):
            left = self._space.combined(self._factors, self._laws, small[:, number])
            found.append(np.linalg.norm(left - one @ self._space.combinations.T, axis=1))
        return np.array(found).T

    def _left(self, worst: list[tuple[int, int]], answers: Complex) -> Complex:
        """Return what answers (n, k) leave of the equations at speeds and of loads."""
        places = [place for place, _ in worst]
        moved = self._matrices.left(self._powers[:, places], self._speeds[places], answers)
        forces = [_at(self._forces[load], place) for place, load in worst]
        return np.asarray(np.array(forces).T - moved)


def _at(forces: Complex, place: int) -> Complex:
    """Return the forces of a load (S, n) at one of the speeds; of (1, n) at all of them."""
    return np.asarray(forces[place if len(forces) > 1 else 0])


def _worst(rests: Floats) -> list[tuple[int, int]]:
    """Return speeds and loads of the largest rests (S, c): more than those of the speeds beside."""
    padded = np.pad(rests, ((1, 1), (0, 0)), constant_values=-1.0)
    tops = np.argwhere((rests >= padded[:-2]) & (rests >= padded[2:]))
    order = np.argsort(-rests[tops[:, 0], tops[:, 1]], kind="stable")
    return [(int(place), int(load)) for place, load in tops[order][:_AT_ONCE]]
