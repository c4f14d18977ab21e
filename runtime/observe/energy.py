# SPDX-License-Identifier: BSD-3-Clause
"""The energy of tied bodies in space, and its balance with the work done on them.

Kinetic and strain energy and the power of drivers, loads and dampers are evaluated at the kept
times. If these are all steps, the work is the integral of a cubic spline through the powers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.observe.moving import LEFT_OUT, Balance, Moving, integrals
from flexforge.runtime.system.body import Body
from flexforge.runtime.transient.tied_motion import TiedMotion


class Energy(Balance):
    """Energies and powers of a motion at the recorded times.

    The balance is unknown where a support or a connector ties a node to a moving frame, because no
    joint then supplies the work of the frame; where inertia terms are left out; and where bodies
    have thermal strains.

    Parameters
    ----------
    motion : TiedMotion
        The motion.

    Attributes
    ----------
    known : bool
        Whether all work can be accounted for.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("known", "_times", "_energies", "_powers")

    def __init__(self, motion: TiedMotion) -> None:
        super().__init__(motion)
        self.known = self.known and not motion.loads.heat
        self._energies: list[tuple[float, float]] = []
        self._powers: list[tuple[float, float, float]] = []

    def follow(self) -> None:
        """Record energies and powers of the current state of the motion."""
        if not self.known:
            return
        motion = self._motion
        kinetic = strain = loads = damping = 0.0
        for number, one in enumerate(self._moving()):
            moves = one.frame.v_O.any() or one.frame.w.any()
            if moves and self._is_tied_to_its_frame(one.body):
                self.known = False
                return
            kinetic += one.kinetic()
            strain += one.strain()
            damping += one.damping()
            loads += self._power_of_loads(number, one)
        coupling = motion.constraints.coupling(motion.time)
        if coupling is not None:
            loads += coupling.power(motion.state.q, motion.state.z)
        self._times.append(motion.time)
        self._energies.append((kinetic, strain))
        self._powers.append((self._power_of_drivers(), loads, damping))

    def figures(self) -> dict[str, Any]:
        """Return energies at the end, work done, and the error of their balance.

        If not every step was recorded, a text says so instead of work and balance.
        """
        if not self.known or not self._times:
            return {}
        energies = np.array(self._energies)
        found = {
            "kinetic energy": [float(energies[-1, 0]), "J"],
            "strain energy": [float(energies[-1, 1]), "J"],
        }
        if self._motion.counts.steps >= len(energies):  # powers of some steps are missing
            return found | {"energy balance": LEFT_OUT}
        worked, left, size = self._work_and_rest()
        names = ("work of drivers", "work of loads", "dissipated")
        found |= {name: [float(w), "J"] for name, w in zip(names, worked[-1], strict=True)}
        return found | {"largest error of the energy balance": float(np.abs(left).max()) / size}

    def imbalance(self) -> tuple[Floats, float]:
        """Return the error of the energy balance at every recorded time, and the scale.

        Returns
        -------
        left : ndarray, (n, 1)
            J.
        size : float
            The largest of all energies and works, J.
        """
        _, left, size = self._work_and_rest()
        return left[:, None], size

    def _work_and_rest(self) -> tuple[Floats, Floats, float]:
        times, energies, powers = map(np.array, (self._times, self._energies, self._powers))
        worked = integrals(times, powers)
        size = max(float(np.abs(energies).max()), float(np.abs(worked).max())) or 1.0
        gained = energies.sum(axis=1) - energies[0].sum()
        return worked, worked @ [1.0, 1.0, -1.0] - gained, size

    def _is_tied_to_its_frame(self, body: Body) -> bool:
        """Whether anything other than joints ties the body to its frame."""
        if body.is_connector:
            return True
        system, turns = self._motion.system, body.rotations
        each = np.arange(system.dimension)
        of_a_turn = each if system.dimension == 3 else each[:1]
        places = [
            (body.placed[:, None] * system.dimension + each).ravel(),
            (turns[:, None] * system.dimension + of_a_turn).ravel(),
        ]
        return bool(system.map.constrained.ravel()[np.concatenate(places)].any())

    def _power_of_drivers(self) -> float:
        """Return the power of drivers, and of equations with given velocities, W."""
        motion, total = self._motion, 0.0
        if self._joints is not None:
            parts = self._joints.mechanism.parts
            rates = parts.driven(np.array([motion.time]))[0, :, 1]
            total += sum(
                motion.multiplier(driver.name) * float(rate)
                for driver, rate in zip(parts.drivers, rates, strict=False)
            )
        if motion.rates is not None:
            given = motion.rates.at(motion.time, motion.state.q, motion.state.z)
            forces = [motion.multiplier(name) for name in motion.rates.names]
            total -= float(np.dot(forces, given.value))
        return total

    def _power_of_loads(self, number: int, one: Moving) -> float:
        """Return the power of the loads on a body, W."""
        loads, time, d = self._motion.loads, self._motion.time, self._motion.system.dimension
        total = 0.0
        for mass in (load for load in loads.mass if load.body == number):
            turn = one.frame.R if mass.turning else np.eye(3)
            work = float((turn.T @ mass.acceleration)[:d] @ one.momentum())
            total += float(mass.amplitude.derivative(time, 0)) * work
        for nodal in (load for load in loads.nodal if load.body == number):
            turn = one.frame.R if nodal.turning else np.eye(3)
            force = nodal.force @ turn[:d, :d]  # rows: R^T f
            work = float((force * one.velocity()[nodal.nodes]).sum())
            total += float(nodal.amplitude.derivative(time, 0)) * work
        return total
