# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of bodies that turn, with the frequency of the speed or a multiple of it.

At every speed frames and bodies that spin turn at it, the stresses are those there, and bearings
have its coefficients: ``(k + i W (2 c + damping) - W^2 m) u = f``, of unbalances ``f = m e w^2``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex
from flexforge.runtime.statics.stress_state import StressSolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.harmonic import directly
from flexforge.runtime.vibration.steady_speeds import at_speed, turning_axes


@dataclass(frozen=True, slots=True)
class Steady:
    """A steady vibration at a speed.

    Attributes
    ----------
    system : System
        The bodies at that speed, with their stresses.
    displacement, force : ndarray of complex, (N, d)
        Amplitudes of displacements, m, and of the forces that cause them, N.
    """

    system: System
    displacement: Complex
    force: Complex


class Synchronous:
    """Steady vibrations at several speeds.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        The loads on them that vary; unbalances are of order 1.
    constant : Loads
        The loads that stress the bodies alone.
    order : int
        The frequency is this times the speed.
    time : float
        Time at which loads are taken, s.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        When nothing turns steadily, or not all at one speed.
    """

    def __init__(
        self, system: System, loads: Loads, constant: Loads, order: int, time: float, solver: str
    ) -> None:
        self._system, self._loads, self._order = system, loads, order
        self._time, self._solver = time, solver
        self._axes = turning_axes(system)
        self._stresses = StressSolver(system, constant, "modes", solver)

    def at(self, speed: float, others: Complex) -> Steady:
        """Return the vibration at a speed, rad/s.

        Parameters
        ----------
        speed : float
            rad/s.
        others : ndarray of complex, (N, d)
            Amplitudes of the forces that are not of unbalances, N.

        Raises
        ------
        AnalysisError
            Naming the speed, where there is no steady vibration.
        """
        each = enumerate(zip(self._system.bodies, self._axes, strict=True))
        turning = {n: body.moving(at_speed(body.motion, axis, speed)) for n, (body, axis) in each}
        try:
            system = self._stresses.find(self._time, self._system.with_bodies(turning)).system
            force = others.copy()
            for one in self._loads.unbalances:
                body = system.bodies[one.body]
                force[body.nodes[one.node]] += one.rotating(body, speed)
            given = np.zeros(system.map.shape)
            answer = directly(system, force[None], given, self._time, self._solver)
            return Steady(system, answer(self._order * speed)[0], force)
        except AnalysisError as error:
            raise AnalysisError(f"at {speed:g} rad/s: {error}") from error

    def close(self) -> None:
        """Release the factors of the stresses."""
        self._stresses.close()
