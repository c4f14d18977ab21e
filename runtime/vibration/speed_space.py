# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of large systems at many speeds, in a small space that is extended as needed.

The matrix at the speed W, ``k + W n + W^2 k_omega + k_geo(W^2) + i w (d + W g) - w^2 m`` and the
tables of bearings, is a sum of a few constant ones with factors. Solutions at all speeds are sought
in one space; where what is left of the equations is largest, the space takes the correction that
the factors of one of the matrices give for it. So a hundred speeds take the factors of a few, and
what is left says how good the answers are.

Stresses of the rotation are a smooth function of W^2: a parabola through those at three speeds.
Norms of what is left are those of random combinations of the equations (Johnson and Lindenstrauss),
which are a tenth off at most; the last ones are computed.
Source: Buffa, Maday, Patera, Prud'homme and Turinici, ESAIM M2AN 46 (2012), the greedy choice;
Balabanov and Nouy, Advances in Computational Mathematics 45 (2019), the norms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.speed_terms import across, parts_of

if TYPE_CHECKING:
    from flexforge.runtime.solvers import Factorization
    from scipy.sparse import csr_matrix

#: Largest rest of the equations, relative to the forces, and correction, relative to the answer.
_REST, _CHANGE = 1e-10, 1e-9
_ROUND_OFF = 4e-16  # of what balances, relative to the stiffness of nodes times their displacements
_MOST = 400  # vectors
_AT_ONCE = 6  # speeds whose corrections are taken before the rests are looked at again
_COMBINED = 160  # random combinations of the equations
_SLOW = 0.3  # ratio of the largest rest to that before, above which another matrix is factored
#: Constant matrices besides those of stresses: their places in ``parts_of``.
_ELASTIC, _HELD, _CIRCULATION, _INERTIA, _STRESS, _DAMPING, _GYROSCOPIC, _MASS = range(8)


@dataclass(frozen=True, eq=False)
class SpeedSpace:
    """The equations over the speed as sums of constant matrices.

    Attributes
    ----------
    systems : tuple of System
        The bodies at three speeds, ascending, with the stresses there.
    squares : ndarray, (3,)
        Squares of these speeds, (rad/s)^2.
    matrices : list of csr_matrix, (n, n) each
        The constant ones, and that of the bearings with tables by their axes.
    factors : callable
        Returns their factors at a speed (rad/s) and a frequency (rad/s), complex.
    bearings : tuple of (ndarray, BearingBody)
        Displacements along both axes of each bearing with a table, (2, n).
    solver : str
        Linear solver.
    """

    systems: tuple[System, ...]
    squares: Floats
    matrices: list[csr_matrix]
    factors: Callable[[float, float], Complex]
    bearings: tuple[tuple[Floats, BearingBody], ...]
    solver: str

    @classmethod
    def of(
        cls, at: Callable[[float], System], speeds: Sequence[float], time: float, solver: str
    ) -> SpeedSpace:
        """Return the equations between some speeds.

        Parameters
        ----------
        at : callable
            Returns the bodies at a speed, rad/s, with their stresses.
        speeds : sequence of float
            Ascending, rad/s.
        time : float
            Time at which frames are taken, s.
        solver : str
            Linear solver.
        """
        low, high = speeds[0], speeds[-1]
        nodes = np.sqrt(np.linspace(low**2, high**2, 3))
        systems = tuple(at(float(node)) for node in nodes)
        system = systems[-1]
        found = [(n, b) for n, b in enumerate(system.bodies) if isinstance(b, BearingBody)]
        varying = {n: b for n, b in found if b.bearing.varies}
        spins = system.spins(time)
        given = parts_of(system, spins, varying)
        pairs = zip(given[_ELASTIC], given[_HELD], strict=True)
        stiffness = [one if one.acts else other for one, other in pairs]
        others = (_CIRCULATION, _INERTIA, _DAMPING, _GYROSCOPIC, _MASS)
        kept = [stiffness, *(given[k] for k in others)]
        matrices = [system.matrix(one) for one in kept]
        stresses = []
        for one in systems:
            stressed = parts_of(one, one.spins(time), varying)[_STRESS]
            stresses.append(one.matrix(stressed))
        across_ = tuple((np.array(across(system, b)), b) for b in varying.values())

        def factors(speed: float, w: float) -> Complex:
            part = speed / high  # terms are those of the highest speed
            fixed = [1.0, part, part * part, 1j * w, 1j * w * part, -w * w]
            return np.array([*fixed, *_lagrange(nodes**2, speed**2)], dtype=complex)

        return cls(systems, nodes**2, [*matrices, *stresses], factors, across_, solver)

    @property
    def system(self) -> System:
        """The bodies at the highest speed."""
        return self.systems[-1]

    def stressed(self, speed: float) -> System:
        """Return the bodies at the highest speed with the stresses at another, rad/s."""
        parts, changed = _lagrange(self.squares, speed**2), {}
        for number, body in enumerate(self.system.bodies):
            if body.geometric and not len(body.patterns):  # others have factors of the speed
                each = [one.bodies[number].geometric for one in self.systems]
                found = [np.tensordot(parts, some, axes=1) for some in zip(*each, strict=True)]
                changed[number] = body.stressed(found)
        return self.system.with_bodies(changed)

    def solve(self, speeds: Floats, order: int, forces: Complex) -> Iterator[Complex]:
        """Yield the answers at speeds, (n,) each.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.
        order : int
            The frequency is this times the speed.
        forces : ndarray of complex, (S, n)
            Forces on the unknowns, N.

        Raises
        ------
        AnalysisError
            When the space grows too large.
        """
        space, small = _Greedy(self, speeds, order, forces).run()
        for one in small:
            yield space @ one

    def times(self, theta: Complex, speed: float, w: float, x: Complex) -> Complex:
        """Return the matrix at a speed times a vector (n,)."""
        total = np.zeros(len(x), dtype=complex)
        for factor, matrix in zip(theta, self.matrices, strict=True):
            if factor:
                total += factor * (matrix @ x.real) + (1j * factor) * (matrix @ x.imag)
        for rows, bearing in self.bearings:
            total += rows.T @ (self.law(bearing, speed, w) @ (rows @ x))
        return total

    def at(self, speed: float, w: float) -> csr_matrix:
        """Return the matrix at a speed, real where it is."""
        from scipy.sparse import csr_matrix

        theta = self.factors(speed, w)
        factors = theta.tolist() if theta.imag.any() else theta.real.tolist()
        total = sum(one * matrix for one, matrix in zip(factors, self.matrices, strict=True) if one)
        for rows, bearing in self.bearings:
            law = self.law(bearing, speed, w)
            some = csr_matrix(rows)
            total = total + some.T @ csr_matrix(law if w else law.real) @ some
        return total.tocsr()

    def law(self, bearing: BearingBody, speed: float, w: float) -> Complex:
        """Return the forces of a bearing along its axes for unit displacements, (2, 2), N/m."""
        ratio = bearing.speed / float(np.sqrt(self.squares[-1]))  # of its shaft
        k, c, m = bearing.bearing.at(ratio * speed)
        if not bearing.in_turning_frame:
            return np.asarray(k + 1j * w * c - w * w * m)
        turn = np.array([[0.0, -1.0], [1.0, 0.0]])
        axis = bearing.motion.rotation.axis
        assert axis is not None
        if np.cross(*bearing.across) @ axis < 0.0:
            turn = -turn
        rate = 1j * w * np.eye(2) + speed * turn  # of a displacement in the frame that turns
        return np.asarray(k + c @ rate + m @ rate @ rate)


class _Greedy:
    """A space for answers at some speeds, and what it leaves of their equations."""

    def __init__(self, family: SpeedSpace, speeds: Floats, order: int, forces: Complex) -> None:
        self._family, self._speeds, self._forces = family, speeds, forces
        self._w = order * speeds
        pairs = zip(speeds.tolist(), self._w.tolist(), strict=True)
        each = list(pairs)
        self._theta = np.array([family.factors(*pair) for pair in each])
        self._laws = [
            np.array([family.law(bearing, *pair) for pair in each])
            for _, bearing in family.bearings
        ]
        n, random = forces.shape[1], np.random.default_rng(1)
        self._combine = random.choice([-1.0, 1.0], (min(_COMBINED, n), n))
        self._combine /= np.sqrt(len(self._combine))
        self._real = not (self._theta.imag.any() or forces.imag.any())
        kind = float if self._real else complex
        terms = len(family.matrices)
        self._space = np.zeros((n, 0), dtype=kind)
        self._reduced = np.zeros((terms, 0, 0), dtype=kind)
        self._sketched = np.zeros((terms, len(self._combine), 0), dtype=kind)
        self._scale = np.linalg.norm(forces, axis=1)

    def run(self) -> tuple[Complex, Complex]:
        """Return the space, (n, m), and the answers within it, (S, m)."""
        middle = len(self._speeds) // 2
        factors, factored = self._factored(middle), {middle}
        self._extend([factors.solve(self._as_kind(self._forces[middle]))])
        before = np.inf
        try:
            while True:
                small = self._answers()
                sizes = np.linalg.norm(small, axis=1)  # of the answers: the basis is orthonormal
                round_off = _ROUND_OFF * self._family.system.stiffness_scale * sizes
                rests = self._rests(small) / np.maximum(_REST * self._scale, round_off)
                worst = self._worst(rests)
                largest = float(rests.max())
                if largest > _SLOW * before and worst[0] not in factored:
                    factors.close()
                    factors = self._factored(worst[0])
                    factored.add(worst[0])
                before = largest
                left = [self._left(place, self._space @ small[place]) for place in worst]
                new = [factors.solve(self._as_kind(one)) for one in left]
                changes = np.linalg.norm(new, axis=1) / np.where(sizes > 0.0, sizes, 1.0)[worst]
                if largest <= 1.0 or changes.max() <= _CHANGE:
                    return self._space, small
                if self._space.shape[1] >= min(_MOST, len(self._space)):
                    raise AnalysisError(
                        f"harmonic analysis: {self._space.shape[1]} vectors leave "
                        f"{largest * _REST:.1e} of the forces; expected fewer speeds at a time"
                    )
                self._extend(new)
        finally:
            factors.close()

    def _factored(self, place: int) -> Factorization:
        """Return the factors of the matrix at a speed."""
        matrix = self._family.at(float(self._speeds[place]), float(self._w[place]))
        solver = self._family.solver
        unsymmetric = solver if solver in ("pardiso", "scipy") else "auto"
        return factorize(matrix, unsymmetric, self._family.system.threads, check=False)

    def _as_kind(self, x: Complex) -> Any:
        """Return a vector as real where the equations are; factors are of either kind."""
        return np.ascontiguousarray(x.real) if self._real else x

    def _extend(self, vectors: Sequence[Floats | Complex]) -> None:
        """Add vectors to the space, orthonormal, and what the matrices make of them."""
        old = self._space.shape[1]
        basis = self._space
        for vector in vectors:
            x = np.asarray(vector, dtype=basis.dtype)
            size = np.linalg.norm(x)
            for _ in range(2):
                x = x - basis @ (basis.conj().T @ x)
            if size and np.linalg.norm(x) > 1e-10 * size:
                basis = np.column_stack([basis, x / np.linalg.norm(x)])
        self._space, new = basis, basis[:, old:]
        terms, m = len(self._family.matrices), basis.shape[1]
        reduced = np.zeros((terms, m, m), dtype=basis.dtype)
        reduced[:, :old, :old] = self._reduced
        sketched = np.zeros((terms, len(self._combine), m), dtype=basis.dtype)
        sketched[:, :, :old] = self._sketched
        for k, matrix in enumerate(self._family.matrices):
            moved = matrix @ new
            reduced[k, :, old:] = basis.conj().T @ moved
            reduced[k, old:, :old] = (matrix.T @ new.conj()).T @ basis[:, :old]
            sketched[k, :, old:] = self._combine @ moved
        self._reduced, self._sketched = reduced, sketched
        self._rows = [rows @ basis for rows, _ in self._family.bearings]

    def _answers(self) -> Complex:
        """Return the answers at all speeds within the space, (S, m)."""
        basis = self._space
        matrices = np.tensordot(self._theta, self._reduced, axes=1)
        for rows, laws in zip(self._rows, self._laws, strict=True):
            matrices = matrices + np.einsum("ai,sab,bj->sij", rows.conj(), laws, rows)
        forces = self._forces @ basis.conj()
        return np.asarray(np.linalg.solve(matrices, forces[:, :, None])[..., 0], dtype=complex)

    def _rests(self, small: Complex) -> Floats:
        """Return the estimated norms of what is left at every speed, (S,), N."""
        found = np.einsum("st,tcm,sm->sc", self._theta, self._sketched, small, optimize=True)
        each = zip(self._rows, self._laws, self._family.bearings, strict=True)
        for rows, laws, (full, _) in each:
            pushed = np.einsum("sab,bm,sm->sa", laws, rows, small)
            found = found + pushed @ (self._combine @ full.T).T
        found -= self._forces @ self._combine.T
        return np.asarray(np.linalg.norm(found, axis=1))

    def _left(self, place: int, answer: Complex) -> Complex:
        """Return what an answer (n,) leaves of the equations at a speed."""
        speed, w = float(self._speeds[place]), float(self._w[place])
        moved = self._family.times(self._theta[place], speed, w, answer.astype(complex))
        return np.asarray(self._forces[place] - moved)

    def _worst(self, rests: Floats) -> list[int]:
        """Return the places of the largest rests, those that are largest among their neighbours."""
        padded = np.concatenate([[-1.0], rests, [-1.0]])
        tops = np.flatnonzero((rests >= padded[:-2]) & (rests >= padded[2:]))
        return [int(one) for one in tops[np.argsort(-rests[tops])][:_AT_ONCE]]


def _lagrange(nodes: Floats, place: float) -> Floats:
    """Return the factors of values at nodes in the polynomial through them at a place."""
    found = np.ones(len(nodes))
    for i, one in enumerate(nodes):
        for j, other in enumerate(nodes):
            if i != j:
                found[i] *= (place - other) / (one - other)
    return found
