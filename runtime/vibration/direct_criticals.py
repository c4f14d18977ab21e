# SPDX-License-Identifier: BSD-3-Clause
"""Undamped critical speeds found directly, without a Campbell diagram.

They are those with the stiffness of the model's own bearings, and, for a map, those over a
stiffness that takes the place of some of them. Damping is left out, and so are the parts of the
laws of bearings that are not symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.statics.stress_state import StressSolver
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.bearing_law import TURN, BearingLaw
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.critical_pencil import CriticalPencil, Law
from flexforge.runtime.vibration.critical_solver import CriticalSolver, Found
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.steady_speeds import own_speed, turned, turning_axes

_PARTS = 4  # into which intervals of tables are divided, to see where they cross critical speeds
_DIGITS = 4e-15  # of a critical speed on a table
_PAIR = 1e-9  # relative difference of two speeds that are one
_MARGIN = 1.05  # above the highest critical speed, for stresses
_REPEATS, _SETTLED = 50, 1e-13  # of solutions with stresses at the last speed found
_UNIT = BearingLaw(np.array([[np.eye(2), np.zeros((2, 2)), np.zeros((2, 2))]]))


@dataclass(frozen=True, slots=True)
class CriticalSpeed:
    """A critical speed, and its shape.

    Attributes
    ----------
    speed : float
        rad/s.
    shape : ndarray of complex, (n,)
        Of the unknowns, of unit energy ``u^H k u``.
    law : Law
        Of the bearings that vary, there.
    """

    speed: float
    shape: Complex
    law: Law


class CriticalSpeeds:
    """Undamped critical speeds of an order.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        The loads that stress them.
    order : int
        Frequencies of loads are this times the speed.
    count : int
        Number of speeds.
    replaced : sequence of str
        Names of the bearings of which a map replaces the stiffness.
    solver : str
        Linear solver.
    time : float
        Time at which loads are taken, s.

    Attributes
    ----------
    matrices : SpeedMatrices
        The equations from rest to a speed.
    axes : list of ndarray or None
        Of their rotations.

    Raises
    ------
    InputError
        When nothing turns steadily, or frames at different speeds.
    AnalysisError
        When there are no stresses at the speed of the model, or none that are smooth.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        order: int,
        count: int,
        replaced: Sequence[str],
        solver: str,
        time: float,
    ) -> None:
        self.axes = turning_axes(system)
        self._order, self._count, self._solver = order, count, solver
        self._reference, self._time = own_speed(system), time
        bearings = {n: one for n, one in enumerate(system.bodies) if isinstance(one, BearingBody)}
        system = system.with_bodies({n: one.symmetric_part for n, one in bearings.items()})
        in_map = {n: one for n, one in bearings.items() if one.name in replaced}
        self._system = system
        self._held = system.with_bodies({n: one.with_law(_UNIT) for n, one in in_map.items()})
        self._varying = {
            n: one.symmetric_part
            for n, one in bearings.items()
            if one.bearing.varies or n in in_map
        }
        self._bearings = list(self._varying.values())
        self._replaced = [one.name in replaced for one in self._bearings]
        self._prepared: set[float | None] = set()
        self._stresses = StressSolver(system, loads, "modes", solver)
        try:
            ends = (turned(system, self.axes, speed) for speed in (0.0, 1.0))
            grows = self._stresses.grows_with_rotation(time, tuple(ends))
            self.matrices, self._solving = self._up_to(1.0 if grows else self._reference)
        except BaseException:
            self._stresses.close()
            raise

    @property
    def acted(self) -> bool:
        """Whether any of the stresses had an effect."""
        return self._stresses.acted

    @property
    def warnings(self) -> list[str]:
        """Loads left out of the stresses."""
        return self._stresses.warnings

    @property
    def varying(self) -> list[str]:
        """Names of the bearings of whose laws critical speeds tell."""
        return [one.name for one in self._bearings]

    def own(self) -> list[CriticalSpeed]:
        """Return the lowest critical speeds with the model's own bearings, ascending.

        Raises
        ------
        AnalysisError
            When there are no stresses at the highest of them, or none that are smooth.
        """
        return self._found(None)

    def over(self, stiffness: Sequence[float]) -> Iterator[list[CriticalSpeed]]:
        """Yield the lowest critical speeds for each stiffness of a map, ascending.

        Parameters
        ----------
        stiffness : sequence of float
            Of the springs in place of every bearing that is replaced, N/m; ascending.

        Raises
        ------
        AnalysisError
            As of :meth:`own`.
        """
        self._found(stiffness[-1])  # with the highest speeds, up to which stresses are found
        self._prepare(stiffness)
        for one in stiffness:
            yield self._found(one)

    def close(self) -> None:
        """Release the factors."""
        self._stresses.close()
        self._solving.close()

    def _up_to(self, speed: float) -> tuple[SpeedMatrices, CriticalSolver]:
        """Return the equations from rest to a speed, rad/s, and what solves them."""
        without = {n: one.without_forces for n, one in self._varying.items()}

        def at(speed: float) -> System:
            moved = turned(self._system, self.axes, speed)
            found = self._stresses.find(self._time, moved).system
            return found.with_bodies(
                {n: one.moving(found.bodies[n].motion) for n, one in without.items()}
            )

        matrices = SpeedMatrices.of(at, 0.0, speed, self._time)
        if matrices is None:
            raise AnalysisError(
                "critical speeds: the stresses are no polynomial of the speed, as where blades "
                'bend under it; expected include.prestress = "linear", or modes over speeds'
            )
        pencil = CriticalPencil.of(matrices, self._order, self._held, self._bearings)
        # Shapes of order 0 are free to lie in two directions where the machine is round.
        each = self._count if self._order else 2 * self._count
        return matrices, CriticalSolver(pencil, each, self._solver, self._system.threads)

    def _found(self, stiffness: float | None) -> list[CriticalSpeed]:
        """Return the lowest critical speeds, of one stiffness of a map or with own bearings."""
        for _ in range(_REPEATS):
            found = sorted(self._each(stiffness), key=lambda one: one.speed)
            speeds = np.array([one.speed for one in found])
            kept = [found[place] for place in self._distinct(speeds)]
            highest = kept[-1].speed if kept else 0.0
            if self.matrices.is_linear or highest <= self.matrices.highest:
                return kept
            self._solving.close()
            try:
                self.matrices, self._solving = self._up_to(_MARGIN * highest)
            except AnalysisError as error:
                raise _unsettled(len(kept), highest, f" ({error})") from None
            self._prepared = set()
        raise AnalysisError(
            "critical speeds: their stresses raise them without end; expected modes over speeds"
        )

    def _distinct(self, speeds: Floats) -> list[int]:
        """Return the places of the lowest speeds, of order 0 one of each pair of equal ones."""
        places = list(range(len(speeds)))
        if not self._order and places:
            last = np.concatenate([[-np.inf], speeds[:-1]])
            places = np.flatnonzero(speeds - last > _PAIR * speeds).tolist()
        return places[: self._count]

    def _each(self, stiffness: float | None) -> Iterator[CriticalSpeed]:
        """Yield critical speeds, where coefficients are those of their own speed."""
        knots = self._knots(stiffness)
        self._prepare([stiffness])
        each = [self._at(speed, stiffness) for speed in knots.tolist()]
        # Tables are constant beyond their ends.
        yield from self._outside(each[0], knots[0], (0.0, knots[0]), stiffness)
        for place in range(len(knots) - 1):
            ends = knots[place], knots[place + 1]
            yield from self._between(ends, (each[place], each[place + 1]), stiffness)
        yield from self._outside(each[-1], knots[-1], (knots[-1], np.inf), stiffness)

    def _prepare(self, stiffness: Sequence[float | None]) -> None:
        """Make the space large enough for stiffnesses of a map, or for own bearings (None)."""
        new = [one for one in stiffness if one not in self._prepared]
        self._solving.prepare(
            [self._law(knot, one) for one in new for knot in self._knots(one).tolist()]
        )
        self._prepared.update(new)

    def _at(self, speed: float, stiffness: float | None) -> Found:
        """Return critical speeds with what there is at a speed, rad/s."""
        return self._solving.at(self._law(speed, stiffness))

    def _outside(
        self, found: Found, knot: float, ends: tuple[float, float], stiffness: float | None
    ) -> Iterator[CriticalSpeed]:
        """Yield critical speeds above one speed, up to another, of constant coefficients."""
        for number, speed in enumerate(found.speeds.tolist()):
            if not self.matrices.is_linear:
                speed = self._settled(number, speed, knot, stiffness)
            if ends[0] < speed <= ends[1]:
                yield self._critical(number, speed, stiffness)

    def _settled(self, number: int, speed: float, knot: float, stiffness: float | None) -> float:
        """Return a critical speed with the stresses of that speed itself."""
        from scipy.optimize import newton

        law = self._law(knot, stiffness)

        def apart(speed: float) -> float:
            speeds = self._solving.at(replace(law, stress=self._stress(speed))).speeds
            return float(speeds[number]) - speed if number < len(speeds) else np.inf

        nearer = speed + apart(speed)
        try:
            return float(newton(apart, speed, x1=nearer, tol=_SETTLED * speed, maxiter=_REPEATS))
        except RuntimeError:
            raise _unsettled(number + 1, speed) from None

    def _between(
        self, ends: tuple[float, float], found: tuple[Found, Found], stiffness: float | None
    ) -> Iterator[CriticalSpeed]:
        """Yield critical speeds above one speed, up to another, between which tables vary."""
        from scipy.optimize import brentq

        def apart(speed: float, number: int) -> float:
            speeds = self._at(speed, stiffness).speeds
            return float(speeds[number]) - speed if number < len(speeds) else np.inf

        low, high = map(float, ends)
        for number in range(min(len(one.squares) for one in found)):
            below, above = (one.speeds[number] for one in found)
            if (below > low) != (above > high):
                speed = brentq(apart, low, high, (number,), xtol=_DIGITS * high, rtol=_DIGITS)
                self._solving.prepare([self._law(speed, stiffness)])
                yield self._critical(number, speed, stiffness)

    def _critical(self, number: int, speed: float, stiffness: float | None) -> CriticalSpeed:
        """Return a critical speed that is known within the space, rad/s."""
        law = self._law(speed, stiffness)
        square, shape = self._solving.exactly(law, number)
        return CriticalSpeed(float(np.sqrt(square)), shape, law)

    def _knots(self, stiffness: float | None) -> Floats:
        """Return the speeds at which tables are looked at, rad/s; one without tables."""
        every = [
            one.bearing.speeds * self._reference / one.speed
            for one, in_map in zip(self._bearings, self._replaced, strict=True)
            if one.bearing.varies and one.speed and not (in_map and stiffness is not None)
        ]
        if not every:
            return np.array([self.matrices.highest])
        rows = np.unique(np.concatenate(every))
        parts = np.arange(_PARTS) / _PARTS
        inner = rows[:-1, None] + parts * np.diff(rows)[:, None]
        return np.append(inner.ravel(), rows[-1])

    def _law(self, speed: float, stiffness: float | None) -> Law:
        """Return what depends on the speed, rad/s, and on the stiffness of a map."""
        count = len(self._bearings)
        stiff, heavy = np.zeros((count, 2, 2)), np.zeros((count, 2, 2), dtype=complex)
        each = zip(self._bearings, self._replaced, strict=True)
        for place, (one, in_map) in enumerate(each):
            if in_map and stiffness is not None:
                stiff[place] = stiffness * np.eye(2)
                continue
            stiff[place], _, m = one.bearing.at(one.speed / self._reference * speed)
            heavy[place] = self._order**2 * m
            if one.in_turning_frame:  # an acceleration is u'' + 2 W turn u' + W^2 turn turn u there
                heavy[place] += m - 2j * self._order * m @ TURN
        return Law(stiff, heavy, self._stress(speed))

    def _stress(self, speed: float) -> Floats:
        """Return what factors of stresses have grown by from the highest speed to another."""
        if self.matrices.is_linear:
            return np.zeros(0)
        return self.matrices.chord(speed) - self.matrices.chord(self.matrices.highest)


def _unsettled(number: int, speed: float, why: str = "") -> AnalysisError:
    """Return the error of a critical speed that its own stresses move on and on."""
    return AnalysisError(
        f"critical speeds: number {number} does not settle near {speed:g} rad/s, where stresses "
        f"change with the speed{why}; expected modes over speeds"
    )
