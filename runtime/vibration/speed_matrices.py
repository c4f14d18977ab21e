# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of large systems at any speed of rotation: a few constant ones, added up with factors.

At the speed W of bodies that turn steadily, displacements, velocities and accelerations have

    k + W n + W^2 k_omega + k_geo(W^2),   d + W g,   m

beside what tables of bearings give. Stresses of the rotation are a smooth function of W^2: a
polynomial through those at a few speeds, of which one more is added until it gives the stresses at
the next. Stiffness of elements is applied without their rigid motions (:mod:`precise`): a fine mesh
takes digits of a stiffness matrix that products in a small space would miss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.statics.precise import PreciseStiffness
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.bearing_law import TURN, alike_part
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.speed_terms import Part, across, parts_of

if TYPE_CHECKING:
    from flexforge.runtime.solvers import Factorization
    from scipy.sparse import csr_matrix

#: Places in the range of W^2 at which stresses are known, the first three at once.
_PLACES = (0.0, 1.0, 0.5, 0.8, 0.2, 0.93, 0.07)
_LEAST = 3
#: Of the stresses, at the next place.
_SMOOTH = 1e-8
#: Of products with a symmetric matrix and its transpose.
_ALIKE = 1e-12
#: Matrices: of displacements, velocities and accelerations.
_MATRICES = 3


@dataclass(frozen=True, eq=False)
class SpeedMatrices:
    """The equations over the speed as sums of constant matrices.

    Attributes
    ----------
    systems : tuple of System
        The bodies at some speeds with the stresses there, at the highest speed first.
    squares : ndarray
        Squares of these speeds, (rad/s)^2.
    bearings : tuple of (ndarray, BearingBody)
        Displacements along both axes of each bearing with a table, (2, n).
    matrices : list of csr_matrix, (n, n) each
        The constant ones.
    elastic : PreciseStiffness
        The first of them as an operator.
    spins : list of Spin
        Inertia blocks of the bodies at the highest speed.
    order : int
        Frequencies of vibrations are this times the speed.
    """

    systems: tuple[System, ...]
    squares: Floats
    bearings: tuple[tuple[Floats, BearingBody], ...]
    matrices: list[csr_matrix]
    elastic: PreciseStiffness
    spins: list[Spin]
    order: int = 0
    _known: dict[float, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls, at: Callable[[float], System], low: float, high: float, time: float, order: int = 0
    ) -> SpeedMatrices | None:
        """Return the equations between two speeds; None where stresses are not smooth there.

        Parameters
        ----------
        at : callable
            Returns the bodies at a speed, rad/s, with their stresses.
        low, high : float
            Speeds, rad/s.
        time : float
            Time at which frames are taken, s.
        order : int
            Frequencies of vibrations are this times the speed.
        """
        found = _stressed(at, low**2, high**2)
        if found is None:
            return None
        systems, squares = found
        system = systems[0]
        numbered = enumerate(system.bodies)
        each = ((n, b) for n, b in numbered if isinstance(b, BearingBody))
        varying = {n: b for n, b in each if b.has_table or b.swings}
        spins = system.spins(time)
        given = parts_of(system, spins, varying)
        pairs = zip(given[Part.ELASTIC], given[Part.HELD], strict=True)
        stiffness = [one if one.acts else other for one, other in pairs]
        kept = [stiffness, *(given[part] for part in _CONSTANT)]
        matrices = [_matrix(system, one) for one in kept]
        for one in systems:
            stresses = parts_of(one, one.spins(time), varying)[Part.STRESS]
            matrices.append(_matrix(one, stresses))
        bearings = tuple((np.array(across(system, b)), b) for b in varying.values())
        elastic = PreciseStiffness(system, stiffness)
        return cls(systems, squares, bearings, matrices, elastic, spins, order)

    @property
    def system(self) -> System:
        """The bodies at the highest speed."""
        return self.systems[0]

    @property
    def highest(self) -> float:
        """The highest speed, rad/s."""
        return float(np.sqrt(self.squares[0]))

    def stressed(self, speed: float) -> System:
        """Return the bodies at the highest speed with the stresses at another, rad/s."""
        return _with_stresses(self.systems, _lagrange(self.squares, speed**2))

    def factors(self, speed: float) -> Floats:
        """Return the factors of the constant matrices at a speed, (3, terms).

        They are those in the matrices of displacements, velocities and accelerations.
        """
        part = speed / self.highest  # terms are those of the highest speed
        found = np.zeros((_MATRICES, len(self.matrices)))
        found[0, :3] = 1.0, part, part * part
        found[1, 3:5] = 1.0, part
        found[2, 5] = 1.0
        found[0, _STRESSES:] = _lagrange(self.squares, speed**2)
        return found

    def laws(self, speed: float) -> Floats:
        """Return what bearings add to these matrices along their axes, (bearings, 3, 2, 2)."""
        if speed not in self._known:
            found = [self._law(bearing, speed) for _, bearing in self.bearings]
            self._known[speed] = np.array(found).reshape(-1, _MATRICES, 2, 2)
        return self._known[speed]

    def _law(self, bearing: BearingBody, speed: float) -> Floats:
        about = bearing.speed / self.highest * speed
        law = bearing.bearing.vibrating(np.array([about]), np.array([self.order * speed]))[0]
        if not bearing.in_turning_frame:
            return np.asarray(law)
        return _turning(alike_part(law), about)

    def swings(self, speed: float) -> Complex:
        """Return the factors of ``exp(2 i W t)`` in what laws are along axes that turn.

        A law that is not the same in all directions has a part D, symmetric without a trace, that
        varies: ``R^T D R = D R^2`` with the turn R of the axes, ``R^2 = cos 2Wt 1 + sin 2Wt J``.

        Returns
        -------
        ndarray of complex, (bearings, 3, 2, 2)
        """
        found = np.zeros((len(self.bearings), _MATRICES, 2, 2), dtype=complex)
        for into, (_, bearing) in zip(found, self.bearings, strict=True):
            if bearing.swings:
                about = bearing.speed / self.highest * speed
                law = bearing.bearing.at(about)
                half = 0.5 * (np.eye(2) - 1j * np.sign(about) * TURN)
                into[:] = _turning(law - alike_part(law), about) @ half
        return found

    def mass(self, speed: float) -> csr_matrix:
        """Return the matrix of accelerations at a speed, rad/s."""
        if not self.laws(speed)[:, 2].any():
            return self.matrices[_PLACE_OF_MASS]
        return self.assembled([0.0, 0.0, 1.0], speed)

    def critical(self, order: int) -> csr_matrix:
        """Return ``o^2 m - i o g - k_omega`` of 1 rad/s: the factor of W^2 where loads have oW."""
        inertia, gyroscopic, mass = (
            self.matrices[1 + _CONSTANT.index(part)]
            for part in (Part.INERTIA, Part.GYROSCOPIC, Part.MASS)
        )
        found = float(order**2) * mass - inertia / self.squares[0]
        if order and gyroscopic.nnz:
            found = found - 1j * order / self.highest * gyroscopic
        return found.tocsr()

    @property
    def stresses(self) -> list[csr_matrix]:
        """Geometric stiffness at the speeds of :attr:`systems`; the second is the lowest."""
        return self.matrices[_STRESSES:]

    @cached_property
    def is_linear(self) -> bool:
        """Whether stresses are linear in the square of the speed."""
        places = (self.squares - self.squares[1]) / (self.squares[0] - self.squares[1])
        change, least = self.stresses[0] - self.stresses[1], _SMOOTH * abs(self.stresses[0]).max()
        return all(
            abs(one - self.stresses[1] - place * change).max() <= least
            for one, place in zip(self.stresses[2:], places[2:].tolist(), strict=True)
        )

    def chord(self, speed: float) -> Floats:
        """Return the factors of :attr:`stresses` in what those of a speed have grown by, per W^2.

        Parameters
        ----------
        speed : float
            rad/s; of no account where stresses are linear in W^2.
        """
        linear = self.is_linear or speed**2 == self.squares[1]
        square = self.squares[0] if linear else speed**2
        found = _lagrange(self.squares, square)
        found[1] -= 1.0
        return np.asarray(found / (square - self.squares[1]))

    def is_symmetric(self, speed: float) -> bool:
        """Whether matrices of displacements are symmetric at a speed, rad/s."""
        varying = {bearing for _, bearing in self.bearings}
        constant = all(body.is_symmetric for body in self.system.bodies if body not in varying)
        alike = all((law == law.T).all() for law in self.laws(speed)[:, 0])
        return constant and alike and not any(spin.circulation for spin in self.spins)

    def assembled(self, powers: Sequence[complex], speed: float) -> csr_matrix:
        """Return the sum of the three matrices at a speed with factors, real if these are."""
        from scipy.sparse import csr_matrix

        factors = (np.array(powers) @ self.factors(speed)).tolist()
        total = sum(one * matrix for one, matrix in zip(factors, self.matrices, strict=True) if one)
        for (rows, _), law in zip(self.bearings, self.laws(speed), strict=True):
            some = csr_matrix(rows)
            added = np.tensordot(np.array(powers), law, axes=1)
            total = total + some.T @ csr_matrix(added) @ some
        return total.tocsr()

    def factored(self, powers: Sequence[complex], speed: float, solver: str) -> Factorization:
        """Return the factors of such a sum; of the solver if it is one for unsymmetric matrices."""
        chosen = solver if solver in ("pardiso", "scipy") else "auto"
        matrix = self.assembled(powers, speed)
        return factorize(matrix, chosen, self.system.threads, check=False)

    def times(self, number: int, x: Floats | Complex) -> Floats | Complex:
        """Return one of the constant matrices times vectors (n, k)."""
        return _times(self.matrices[number] if number else self.elastic, x)

    def turned_times(self, number: int, x: Floats | Complex) -> Floats | Complex:
        """Return the transpose of one of the constant matrices times vectors (n, k)."""
        return _times(self.matrices[number].T if number else self.elastic.T, x)

    @cached_property
    def signs(self) -> tuple[int, ...]:
        """1 of a constant matrix that is symmetric, -1 of one that is skew, 0 of others."""
        x = np.random.default_rng(2).standard_normal((self.system.unknowns, 1))
        found = []
        for one in self.matrices:
            forth, back = one @ x, one.T @ x
            least = _ALIKE * np.abs(forth).max()
            alike = (np.abs(forth - sign * back).max() <= least for sign in (1.0, -1.0))
            found.append(1 if next(alike) else -1 if next(alike) else 0)
        return tuple(found)

    def left(self, powers: Complex, speeds: Floats, x: Complex) -> Complex:
        """Return sums of the three matrices, each of a speed, times vectors.

        Parameters
        ----------
        powers : ndarray of complex, (3, k)
            Factors of the matrices of displacements, velocities and accelerations.
        speeds : ndarray, (k,)
            rad/s.
        x : ndarray, (n, k)
            One vector per speed.
        """
        each = [self.factors(speed) for speed in speeds.tolist()]
        factors = np.einsum("pk,kpt->tk", powers, np.array(each))
        total = np.zeros(x.shape, dtype=complex)
        for number, some in enumerate(factors):
            if some.any():
                total += self.times(number, x) * some
        laws = np.array([self.laws(speed) for speed in speeds.tolist()])
        for place, (rows, _) in enumerate(self.bearings):
            pushed = np.einsum("pk,kpab,bk->ak", powers, laws[:, place], rows @ x)
            total += rows.T @ pushed
        return total


#: Besides the stiffness, in the order in which :meth:`SpeedMatrices.factors` counts them.
_CONSTANT = (Part.CIRCULATION, Part.INERTIA, Part.DAMPING, Part.GYROSCOPIC, Part.MASS)
_PLACE_OF_MASS = 1 + _CONSTANT.index(Part.MASS)
_STRESSES = 1 + len(_CONSTANT)


def _matrix(system: System, combinations: Sequence[Combination]) -> csr_matrix:
    """Return a matrix of the unknowns; one without entries where nothing acts."""
    from scipy.sparse import csr_matrix

    if any(one.acts for one in combinations):
        return system.matrix(combinations)
    return csr_matrix((system.unknowns, system.unknowns))


def _times(matrix: Any, x: Floats | Complex) -> Floats | Complex:
    """Return a real matrix times vectors (n, k); SciPy would convert the matrix to complex."""
    if not np.iscomplexobj(x):
        return np.asarray(matrix @ x)
    both = matrix @ np.hstack([x.real, x.imag])
    return np.asarray(both[:, : x.shape[1]] + 1j * both[:, x.shape[1] :])


def _turning(law: Floats, about: float) -> Floats:
    """Return a law (3, 2, 2) along axes that turn about its axis, rad/s, and with its forces.

    A velocity is ``u' + W J u`` there, an acceleration ``u'' + 2 W J u' + W^2 J J u``.
    """
    k, c, m = law
    turn = about * TURN
    return np.array([k + c @ turn + m @ turn @ turn, c + 2.0 * m @ turn, m])


def _stressed(
    at: Callable[[float], System], low: float, high: float
) -> tuple[tuple[System, ...], Floats] | None:
    """Return the bodies at speeds whose stresses give those between, and squares of these speeds.

    None where as many speeds as there may be do not give those at the next.
    """
    squares = high - np.array(_PLACES) * (high - low)
    systems: list[System] = []
    for number, square in enumerate(squares.tolist()):
        system = at(float(np.sqrt(square)))
        if number >= _LEAST:
            expected = _with_stresses(systems, _lagrange(squares[:number], square))
            if _alike(expected, system):
                return tuple(systems), squares[:number]
        systems.append(system)
        if number + 1 == _LEAST and not any(_varies(body) for body in system.bodies):
            return tuple(systems), squares[:_LEAST]
    return None


def _varies(body: Body) -> bool:
    """Whether its stresses are those of a state; others have factors of the speed."""
    return bool(body.geometric) and not len(body.patterns)


def _stresses_of(body: Body, like: Body) -> tuple[Floats, ...]:
    """Return the geometric stiffness of a body, zeros where it has none at rest."""
    return body.geometric or tuple(np.zeros_like(one) for one in like.geometric)


def _with_stresses(systems: Sequence[System], parts: Floats) -> System:
    """Return the first bodies with sums of the stresses of all."""
    changed = {}
    for number, body in enumerate(systems[0].bodies):
        if _varies(body):
            each = [_stresses_of(one.bodies[number], body) for one in systems]
            found = [np.tensordot(parts, some, axes=1) for some in zip(*each, strict=True)]
            changed[number] = body.stressed(found)
    return systems[0].with_bodies(changed)


def _alike(expected: System, found: System) -> bool:
    """Whether two systems have the same stresses."""
    for one, other in zip(expected.bodies, found.bodies, strict=True):
        if _varies(one):
            pairs = zip(one.geometric, _stresses_of(other, one), strict=True)
            for stresses, exact in pairs:
                if np.abs(stresses - exact).max() > _SMOOTH * np.abs(exact).max():
                    return False
    return True


def _lagrange(nodes: Floats, place: float) -> Floats:
    """Return the factors of values at nodes in the polynomial through them at a place."""
    found = np.ones(len(nodes))
    for i, one in enumerate(nodes):
        for j, other in enumerate(nodes):
            if i != j:
                found[i] *= (place - other) / (one - other)
    return found
