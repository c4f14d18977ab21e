# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of bodies that turn, with the frequency of the speed or a multiple of it.

At every speed frames and bodies that spin turn at it, the stresses are those there, and bearings
have its coefficients: ``(k + i W (2 c + damping) - W^2 m) u = f``, of unbalances ``f = m e w^2``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.statics.stress_state import Stresses
from flexforge.runtime.system.bearing import bearings_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.bearing_loads import loaded_bearings
from flexforge.runtime.vibration.harmonic import directly, require_steady
from flexforge.runtime.vibration.hill_responses import HillResponses
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_responses import solve_responses
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from flexforge.runtime.vibration.steady_speeds import is_plain, turned, turning_axes

#: Entries of the matrices of small systems that are solved together.
_TOGETHER = 1 << 20
_SAME = 1e-12  # relative difference of two speeds that are one
#: Speeds from which on a space for all of them pays.
_MANY = 8


@dataclass(frozen=True, slots=True)
class Steady:
    """Steady vibrations at several speeds, one after the other.

    Attributes
    ----------
    system : System
        The bodies at the first of these speeds, with their stresses.
    speeds : ndarray, (S,)
        rad/s.
    displacement, force : ndarray of complex, (S, N, d)
        Amplitudes of displacements, m, and of the forces that cause them, N.
    multiples : mapping of int to ndarray of complex, (S, N, d)
        Amplitudes at other multiples of the speed, m, where coefficients vary with the angle.
    """

    system: System
    speeds: Floats
    displacement: Complex
    force: Complex
    multiples: Mapping[int, Complex] = field(default_factory=dict)


class Synchronous:
    """Steady vibrations at several speeds.

    Parameters
    ----------
    system : System
        The bodies, without stresses; a sector at the nodal diameters of the loads.
    loads : Loads
        The loads on them that vary; unbalances are of order 1.
    stresses : Stresses
        Finds the stresses of the bodies.
    order : int
        The frequency is this times the speed.
    time : float
        Time at which loads are taken, s.
    solver : str
        Linear solver.

    Attributes
    ----------
    bearings : list of LoadedBearing
        The bearings whose forces are known.

    Raises
    ------
    InputError
        When nothing turns steadily, frames not all at one speed, or unbalances are on bodies of
        other speeds than the first.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stresses: Stresses,
        order: int,
        time: float,
        solver: str,
    ) -> None:
        self._system, self._loads, self._order = system, loads, order
        self._time, self._solver = time, solver
        self._axes = turning_axes(system)
        for one in loads.unbalances:
            axis, body = self._axes[one.body], system.bodies[one.body]
            if axis is not None and abs(np.linalg.norm(axis) - 1.0) > _SAME:
                raise InputError(
                    f"{one.key}: found an unbalance on body '{body.name}', which spins at another "
                    "speed than the first body that does; expected one on those of its speed"
                )
        self.bearings = loaded_bearings(system, self._axes)
        self._stresses = stresses
        self._terms = SpeedTerms.of(system, self._axes, self._stresses, time)

    def run(self, speeds: Sequence[float], others: Complex, most: int) -> Iterator[Steady]:
        """Yield the vibrations at speeds, rad/s, ascending; those of small systems some at a time.

        Parameters
        ----------
        speeds : sequence of float
            rad/s.
        others : ndarray of complex, (N, d)
            Amplitudes of the forces that are not of unbalances, N.
        most : int
            Number of speeds that may be solved together, with one system for all; with 1 there is
            the system of every speed.

        Raises
        ------
        AnalysisError
            Naming the speed, where there is no steady vibration.
        """
        if any(one.swings for one in bearings_of(self._system)):
            yield from self._over_angle(np.array(speeds), others)
            return
        if self._terms is None and len(speeds) >= _MANY and is_plain(self._system):
            yield from self._in_a_space(np.array(speeds), others)
            return
        if self._terms is None or most == 1:
            for speed in speeds:
                yield self._at(speed, others)
            return
        size = max(1, min(most, _TOGETHER // max(self._system.unknowns, 1) ** 2))
        for first in range(0, len(speeds), size):
            yield from self._together(self._terms, np.array(speeds[first : first + size]), others)

    def bearing_forces(self, found: Steady) -> list[tuple[tuple[int, ...], Complex]]:
        """Return the forces of `bearings` at rest: multiples of the speed, amplitudes (S, F, 2)."""
        return [
            (one.multiples(self._order), one.forces(found.speeds, self._order, found.displacement))
            for one in self.bearings
        ]

    def _stressed(self, speed: float) -> System:
        """Return the bodies at a speed, rad/s, with their stresses."""
        try:
            turning = turned(self._system, self._axes, speed)
            return self._stresses.find(self._time, turning).system
        except AnalysisError as error:
            raise _named(speed, error) from error

    def _over_angle(self, speeds: Floats, others: Complex) -> Iterator[Steady]:
        """Yield vibrations of machines whose coefficients vary with the angle."""
        low = speeds[0] if speeds[0] < speeds[-1] else 0.0
        matrices = SpeedMatrices.of(self._stressed, low, speeds[-1], self._time, self._order)
        if matrices is None or not speeds[0]:
            raise InputError(
                "speeds: found bearings that differ along x and y in a frame that turns; expected "
                "speeds above 0, and stresses of the rotation that are smooth"
            )
        system = matrices.system
        force = self._forces(system, speeds, others)
        rhs = system.restrict(force.real) + 1j * system.restrict(force.imag)
        solving = HillResponses(matrices, speeds, self._order, rhs, self._solver)
        for number, found in enumerate(solving.run()):
            some, speed = slice(number, number + 1), float(speeds[number])
            moved = {
                multiple: (system.expand(one.real) + 1j * system.expand(one.imag))[None]
                for multiple, one in found.items()
            }
            there = turned(matrices.stressed(speed), self._axes, speed)
            main = moved.pop(self._order)
            yield Steady(there, speeds[some], main, force[some], moved)

    def _in_a_space(self, speeds: Floats, others: Complex) -> Iterator[Steady]:
        """Yield vibrations of a large system."""
        ends = speeds[0], speeds[-1]
        matrices = SpeedMatrices.of(self._stressed, *ends, self._time, self._order)
        if matrices is None:
            yield from (self._at(speed, others) for speed in speeds.tolist())
            return
        system = matrices.system
        force = self._forces(system, speeds, others)
        rhs = [system.restrict(one.real) + 1j * system.restrict(one.imag) for one in force]
        answers = solve_responses(matrices, speeds, self._order, np.array(rhs), self._solver)
        at_rest = np.array([[1.0], [0.0], [0.0]], dtype=complex)
        for number, found in enumerate(answers):
            moved = system.expand(found.real) + 1j * system.expand(found.imag)
            some, speed = slice(number, number + 1), float(speeds[number])
            elastic = matrices.left(at_rest, speeds[some], found[:, None])
            try:
                require_steady(self._order * speed, elastic, rhs[number])
            except AnalysisError as error:
                raise _named(speed, error) from error
            there = turned(matrices.stressed(speed), self._axes, speed)
            there = there.vibrating(self._order * speed)
            yield Steady(there, speeds[some], moved[None], force[some])

    def _at(self, speed: float, others: Complex) -> Steady:
        """Return the vibration at a speed, rad/s, with forces (N, d) beside unbalances."""
        system = self._stressed(speed).vibrating(self._order * speed)
        try:
            force = self._forces(system, np.array([speed]), others)
            given = np.zeros(system.map.shape)
            answer = directly(system, force, given, self._time, self._solver)
            return Steady(system, np.array([speed]), answer(self._order * speed), force)
        except AnalysisError as error:
            raise _named(speed, error) from error

    def _together(self, terms: SpeedTerms, speeds: Floats, others: Complex) -> Iterator[Steady]:
        """Yield vibrations of a small system, and fail after those before the first without one."""
        system = terms.system
        force = self._forces(system, speeds, others)
        rhs = system.restrict(force.real) + 1j * system.restrict(force.imag)
        stiffness, matrices = terms.dynamic(speeds, self._order)
        found = np.zeros_like(rhs)
        for part in terms.parts:
            if rhs[:, part].any():  # others are at rest
                some = matrices[:, part[:, None], part]
                found[:, part] = _solved(some, rhs[:, part])
        elastic = (stiffness @ found[:, :, None])[..., 0]
        failed: AnalysisError | None = None
        count = len(speeds)
        for number, speed in enumerate(speeds.tolist()):
            try:
                require_steady(self._order * speed, elastic[number], rhs[number])
            except AnalysisError as error:
                failed, count = _named(speed, error), number
                break
        if count:
            moved = system.expand(found[:count].real) + 1j * system.expand(found[:count].imag)
            yield Steady(system, speeds[:count], moved, force[:count])
        if failed is not None:
            raise failed

    def _forces(self, system: System, speeds: Floats, others: Complex) -> Complex:
        """Return the amplitudes of forces at speeds, (S, N, d), N: of unbalances, and others."""
        force = np.repeat(others[None], len(speeds), axis=0)
        for one in self._loads.unbalances:
            body = system.bodies[one.body]
            force[:, body.nodes[one.node]] += speeds[:, None] ** 2 * one.rotating(body, 1.0)
        return force


def _named(speed: float, error: AnalysisError) -> AnalysisError:
    return AnalysisError(f"at {speed:g} rad/s: {error}")


def _solved(matrices: Complex, rhs: Complex) -> Complex:
    """Return solutions of equations (S, n, n) for right-hand sides (S, n); nan where singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, rhs[:, :, None])[..., 0])
    except np.linalg.LinAlgError:
        if len(matrices) == 1:
            return np.full_like(rhs, np.nan)
        each = zip(matrices, rhs, strict=True)
        return np.array([_solved(one[None], other[None])[0] for one, other in each])
