# SPDX-License-Identifier: BSD-3-Clause
"""Modes of large systems at many speeds, in a small space that is extended as needed.

The space begins with the Krylov space of a speed in the middle, and with what bearings with tables
move, of which a change is then exact. Where what modes leave of their equations is largest, it
takes the corrections that the factors of the middle give. At every speed the problem within it is
solved completely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import count_of_free
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modes import (
    Modes,
    in_phase,
    rates,
    real_shapes,
)
from flexforge.runtime.vibration.quadratic import (
    Eigenvalues,
    QuadraticProblem,
    about_zero,
    solve_complete,
    space_about,
)
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_space import MOST, SpeedSpace
from flexforge.runtime.vibration.unrestrained import Unrestrained

MANY = 8
"""Speeds from which on a space for all of them pays."""

#: Largest rest of the equations relative to the inertia forces, and correction of a shape.
_REST, _CHANGE = 1e-12, 1e-9
_ROUND_OFF = 4e-16  # of what balances, relative to the stiffness of nodes times their displacements
_SLOW = 0.5  # ratio of the largest correction to that before, above which the factors are renewed
_VECTORS = 4  # of the space that it begins with, per mode
_FIRST = 15  # speeds for which it is grown first


class SpeedModes:
    """Modes at speeds between the lowest and the highest of some.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    speeds : sequence of float
        Ascending, rad/s.
    count : int
        Number of modes.
    solver : str
        Linear solver.
    tell : callable, optional
        Called with a text, the number of things done and their number.
    free : Pencil, optional
        Of a system with motions that nothing restrains at any speed: at the one in the middle.

    Raises
    ------
    AnalysisError
        When the space grows too large, or a matrix is singular.
    """

    def __init__(
        self,
        matrices: SpeedMatrices,
        speeds: Sequence[float],
        count: int,
        solver: str,
        tell: Callable[[str, int, int], None] | None = None,
        free: Pencil | None = None,
    ) -> None:
        self._matrices, self._count, self._solver = matrices, count, solver
        self._still = 0 if free is None else free.still.shape[1]
        self._damped = any(body.is_damped for body in matrices.system.bodies)
        self._space = SpeedSpace(matrices, float)
        self._allowed = 1.0  # rest, of the largest one that needs no correction
        self._known: dict[float, tuple[Eigenvalues, Floats, float]] = {}
        self._middle = speeds[len(speeds) // 2]
        k, c, m = (matrices.assembled(one, self._middle) for one in np.eye(3).tolist())
        paired = self._is_paired(self._middle)
        problem = QuadraticProblem(
            m, c, k, paired=paired, singular=self._still > 0, still=self._still, pencil=free
        )
        self._noise = problem.noise
        self._shift, self._factors = about_zero(problem, solver, matrices.system.threads)
        try:
            self._begin(problem)
            some = max(1, len(speeds) // _FIRST)
            for chosen in ([*speeds[::some], speeds[-1]], speeds):
                self._grow(np.array(chosen), tell)
        except BaseException:
            self.close()
            raise

    @classmethod
    def of(
        cls,
        at: Callable[[float], System],
        speeds: Sequence[float],
        count: int,
        time: float,
        solver: str,
        tell: Callable[[str, int, int], None] | None = None,
    ) -> SpeedModes | None:
        """Return the modes of a large system at many speeds.

        Parameters
        ----------
        at : callable
            Returns the bodies at a speed, rad/s, with their stresses.
        time : float
            Time at which frames are taken, s.
        speeds, count, solver, tell
            As of the class.

        Returns
        -------
        SpeedModes or None
            None where there is no such space. Modes are found speed by speed then, where a failure
            names its speed and leaves the results of others.
        """
        if 2 * _VECTORS * count > MOST:
            return None
        try:
            matrices = SpeedMatrices.of(at, speeds[0], speeds[-1], time)
            if matrices is None:
                return None
            free = cls._free(matrices, at, speeds[len(speeds) // 2], time)
            return cls(matrices, speeds, count, solver, tell, free)
        except AnalysisError:
            return None

    @staticmethod
    def _free(
        matrices: SpeedMatrices, at: Callable[[float], System], speed: float, time: float
    ) -> Pencil | None:
        """Return the pencil at a speed of a system with motions that nothing restrains.

        Raises
        ------
        AnalysisError
            Where rotation restrains some of them: at other speeds it may not.
        """
        loose = count_of_free(matrices.system)
        if not loose:
            return None
        system = at(speed)
        found = Pencil.of(system, elastic_of(system.spins(time)))
        if found.still.shape[1] != loose:
            raise AnalysisError(
                "modes: found a motion that rotation alone restrains; expected a support"
            )
        return found

    def at(self, speed: float) -> Modes:
        """Return the modes at a speed, rad/s.

        Raises
        ------
        AnalysisError
            When the space grows too large.
        """
        while True:
            found, rests, residual = self._seen(speed)
            if rests.max() <= self._allowed:
                break
            left = self._left(np.full(len(rests), speed), found.values, found.vectors)
            changes = self._corrected(left, found.vectors)
            if changes <= _CHANGE:
                break
        return self._modes(speed, replace(found, solver=self._factors.name), residual)

    @property
    def mass(self) -> Floats:
        """Mass of the vectors of the space, (m, m)."""
        return np.asarray(self._projected(self._matrices.highest)[2])

    @property
    def basis(self) -> Floats:
        """Vectors of the space, (n, m): shapes are factors of them."""
        return np.asarray(self._space.basis)

    def at_nodes(self, vectors: Complex) -> Floats:
        """Return real shapes at all nodes (k, N, d) of shapes of the unknowns, (k, n)."""
        matrices = self._matrices
        return real_shapes(matrices.system, vectors, matrices.mass(matrices.highest))

    def expanded(self, small: Complex) -> Complex:
        """Return shapes of the unknowns (k, n) from factors of the first vectors of the space."""
        some = self.basis[:, : small.shape[1]]
        return np.asarray((some @ small.real.T + 1j * (some @ small.imag.T)).T)

    def padded(self, shapes: Sequence[Complex] | Complex) -> Complex:
        """Return shapes as factors of all vectors of the space, which may have grown, (k, m)."""
        return np.array([np.pad(one, (0, self._space.size - len(one))) for one in shapes])

    def reduced(self, vectors: Complex) -> Complex:
        """Return the nearest shapes of the space (k, m) to shapes of the unknowns (k, n)."""
        return np.asarray((self.basis.T @ vectors.T).T)

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()

    def _modes(self, speed: float, found: Eigenvalues, residual: float) -> Modes:
        """Return modes whose shapes are factors of the vectors of the space."""
        paired = self._is_paired(speed)
        growth, ratio = rates(found.values, self._noise if paired else None)
        return Modes(
            found.values.imag / (2.0 * np.pi),
            np.zeros((0, 0, 0)),
            growth,
            ratio,
            speed != 0.0,
            in_phase(found.vectors.T),
            residual=residual,
            solver=found.solver,
        )

    def _begin(self, problem: QuadraticProblem) -> None:
        """Begin the space with what bearings move, and with vectors of a speed."""
        moved = [self._factors.solve(rows.T) for rows, _ in self._matrices.bearings]
        krylov = space_about(problem, self._shift, self._factors)
        krylov.extend(_VECTORS * self._count)
        if problem.pencil is not None:
            self._space.extend(problem.pencil.still)  # the first vectors, alone
        self._space.extend(np.hstack([*moved, krylov.basis]))

    def _grow(self, speeds: Floats, tell: Callable[[str, int, int], None] | None) -> None:
        """Extend the space until the modes at some speeds need no correction."""
        before, factored = np.inf, {self._middle}
        while True:
            each = []
            for number, speed in enumerate(speeds.tolist()):
                if tell is not None:
                    tell(f"modes in a space of {self._space.size} vectors", number, len(speeds))
                each.append(self._seen(speed)[:2])
            fewest = min(len(rest) for _, rest in each)
            rests = np.array([rest[:fewest] for _, rest in each])
            worst = rests.argmax(axis=0)  # of every mode
            values = np.array([each[place][0].values[mode] for mode, place in enumerate(worst)])
            small = [each[place][0].vectors[:, mode] for mode, place in enumerate(worst)]
            shapes = self._alike(small)
            largest = float(rests.max())
            changes = 0.0
            if largest > 1.0:
                left = self._left(speeds[worst], values, shapes)
                changes = self._corrected(left, shapes)
            if changes <= _CHANGE:
                self._allowed = max(1.0, largest)
                return
            at = float(speeds[worst[rests.max(axis=0).argmax()]])
            if changes > _SLOW * before and at not in factored:
                self._refactor(at)
                factored.add(at)
            before = changes

    def _alike(self, vectors: list[Complex]) -> Complex:
        """Return vectors found at different speeds as columns."""
        return np.array(vectors).T

    def _refactor(self, speed: float) -> None:
        """Take the factors of another speed."""
        shift = self._shift.real
        self._factors.close()
        self._factors = self._matrices.factored([1.0, shift, shift**2], speed, self._solver)

    def _seen(self, speed: float) -> tuple[Eigenvalues, Floats, float]:
        """Return the eigenvalues at a speed, and what they leave, for the space as it is."""
        if speed not in self._known:
            found = self._within(speed)
            self._known[speed] = found, *self._rests(speed, found)
        return self._known[speed]

    def _projected(self, speed: float) -> Floats:
        """Return the three matrices at a speed within the space, (3, m, m)."""
        laws = np.swapaxes(self._matrices.laws(speed), 0, 1)
        return np.asarray(self._space.projected(self._matrices.factors(speed), laws))

    def _within(self, speed: float) -> Eigenvalues:
        """Return the eigenvalues at a speed within the space, of unit modal mass."""
        return self._solved(self._projected(speed), speed)

    def _solved(self, terms: Floats, speed: float) -> Eigenvalues:
        """Return the eigenvalues of matrices within the space, (3, m, m)."""
        k, c, m = terms
        m, count, rest = 0.5 * (m + m.T), self._count, None
        if self._still:
            rest = Unrestrained.of(k, c, m, self._still)
        if rest is not None:
            k, c, m, count = rest.stiffness, rest.viscous, rest.mass, count - self._still
        still = self._still if rest is None else 0
        small = QuadraticProblem(
            mass=m,
            viscous=c,
            stiffness=k,
            paired=self._is_paired(speed),
            singular=still > 0,
            still=still,
            inherited=self._noise,
        )
        found = solve_complete(small, count, None)
        assert found is not None  # products lose no digits
        if rest is None:
            return found
        values, vectors = rest.completed(found.values, found.vectors)
        return replace(found, values=values, vectors=vectors)

    def _is_paired(self, speed: float) -> bool:
        return not self._damped and self._matrices.is_symmetric(speed)

    def _powers(self, values: Complex) -> Complex:
        return np.array([np.ones_like(values), values, values**2])

    def _rests(self, speed: float, found: Eigenvalues) -> tuple[Floats, float]:
        """Return what modes leave of their equations, in units of what they may, and a residual."""
        powers, small = self._powers(found.values), found.vectors.T
        factors = self._matrices.factors(speed)
        laws = self._matrices.laws(speed)
        whole = np.einsum("pk,bpij->kbij", powers, laws)
        left = self._space.combined((powers.T @ factors), whole, small)
        inert = self._space.combined(
            powers[2][:, None] * factors[2], powers[2][:, None, None, None] * laws[:, 2], small
        )
        norms, forces, sizes = (np.linalg.norm(one, axis=1) for one in (left, inert, small))
        return self._allowance(norms, forces, sizes)

    def _allowance(self, left: Floats, inertia: Floats, sizes: Floats) -> tuple[Floats, float]:
        """Return rests of equations in units of what they may be, and the largest residual."""
        inside = self._matrices.system.stiffness_scale * sizes
        residual = float((left / (inertia + inside)).max())
        return left / np.maximum(_REST * inertia, _ROUND_OFF * inside), residual

    def _left(self, speeds: Floats, values: Complex, small: Complex) -> Complex:
        """Return what modes leave of their equations, (n, modes)."""
        shapes = self._space.basis @ small
        return self._matrices.left(self._powers(values), speeds, shapes)

    def _corrected(self, left: Complex, small: Complex) -> float:
        """Extend the space by corrections of shapes, if needed; return the largest one."""
        both = self._factors.solve(np.hstack([left.real, left.imag]))
        count = left.shape[1]
        sizes = np.hypot(
            np.linalg.norm(both[:, :count], axis=0), np.linalg.norm(both[:, count:], axis=0)
        )
        return self._extended(both, float((sizes / np.linalg.norm(small, axis=0)).max()))

    def _extended(self, vectors: Floats, largest: float) -> float:
        """Extend the space by vectors (n, k) if the largest change of a shape matters; return it.

        Raises
        ------
        AnalysisError
            When the space has as many vectors as it may have.
        """
        if largest > _CHANGE:
            if self._space.is_full:
                raise AnalysisError(
                    f"modes: {self._space.size} vectors leave shapes that change by "
                    f"{largest:.1e}; expected fewer speeds at a time"
                )
            self._space.extend(vectors)
            self._known.clear()
        return largest
