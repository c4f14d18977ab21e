# SPDX-License-Identifier: BSD-3-Clause
"""The momentum of tied bodies in space, and its balance with the impulse of external forces.

External forces are those of the ground through joints, drivers and actuators, of velocity
constraints, of loads, and of damping that resists motion relative to a frame from outside. Forces
between bodies are internal. Impulses are integrals of cubic splines through the forces at the ends
of steps.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.ground import force_of_ground
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.observe.moving import LEFT_OUT, Balance, Moving, integrals
from flexforge.runtime.system.body import Body
from flexforge.runtime.transient.tied_motion import TiedMotion


class Momentum(Balance):
    """Momenta and external forces of a motion at the recorded times.

    Directions held by supports in a frame at rest are left out, because the support forces act
    there. The balance is unknown where supports hold a body in a moving frame, where connectors
    act, and where inertia terms are left out.

    Parameters
    ----------
    motion : TiedMotion
        The motion.

    Attributes
    ----------
    known : bool
        Whether all forces can be accounted for.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("known", "_free", "_times", "_momenta", "_forces")

    def __init__(self, motion: TiedMotion) -> None:
        super().__init__(motion)
        connected = any(body.is_connector for body in motion.system.bodies)
        self.known = self.known and not connected
        self._free = np.arange(3) < motion.system.dimension
        if any(body.revolved for body in motion.system.bodies):  # circles pull at each other across
            self._free[[0, 2]] = False
        self._momenta: list[Floats] = []
        self._forces: list[Floats] = []

    def follow(self) -> None:
        """Record momentum and forces of the current state of the motion."""
        if not self.known:
            return
        bodies, d = self._moving(), self._motion.system.dimension
        momentum, force = np.zeros(3), self._of_ties(bodies)
        for number, one in enumerate(bodies):
            self._leave_out_held(one.body, one.frame)
            turn = one.frame.R[:, :d]
            momentum += turn @ one.momentum()
            force += self._of_loads(number, one.frame)
            force -= one.body.alpha * (turn @ one.body.momentum(one.rate))
        self.known = self.known and bool(self._free.any())
        self._times.append(self._motion.time)
        self._momenta.append(momentum)
        self._forces.append(force)

    def figures(self) -> dict[str, Any]:
        """Return the error of the momentum balance, or that not every step was recorded."""
        if not self.known or not self._times:
            return {}
        if self._motion.counts.steps >= len(self._times):
            return {"momentum balance": LEFT_OUT}
        left, size = self.imbalance()
        return {
            "largest momentum": [float(np.linalg.norm(self._momenta, axis=1).max()), "kg m/s"],
            "largest error of the momentum balance": float(np.abs(left).max()) / size,
        }

    def imbalance(self) -> tuple[Floats, float]:
        """Return the error of the momentum balance at every recorded time, and the scale.

        Returns
        -------
        left : ndarray, (n, k)
            In the directions that only ties hold, kg m/s.
        size : float
            The largest of all momenta and impulses, kg m/s.
        """
        momenta = np.array(self._momenta)[:, self._free]
        impulses = integrals(np.array(self._times), np.array(self._forces)[:, self._free])
        size = max(float(np.abs(momenta).max()), float(np.abs(impulses).max())) or 1.0
        return impulses - (momenta - momenta[0]), size

    def _of_ties(self, bodies: list[Moving]) -> Floats:
        """Return the force of the ground through joints, and of velocity constraints, N."""
        motion, state, total = self._motion, self._motion.state, np.zeros(3)
        if self._joints is not None:
            coupling = self._joints.coupling(motion.time)
            acting = np.zeros(0) if coupling is None else coupling.forces(state.q, state.z)
            total += force_of_ground(self._joints, motion.time, motion.multipliers, acting)
        if motion.rates is not None:
            given = motion.rates.at(motion.time, state.q, state.z)
            forces = motion.multipliers[-len(motion.rates.names) :]
            spread = motion.system.expand(given.transposed(forces, motion.system.unknowns))
            seen = np.zeros(motion.system.size, dtype=bool)
            for one in bodies:
                nodes = one.body.placed[~seen[one.body.placed]]  # what bodies share counts once
                seen[nodes] = True
                total += one.frame.R[:, : motion.system.dimension] @ spread[nodes].sum(axis=0)
        return total

    def _of_loads(self, number: int, frame: FrameState) -> Floats:
        """Return the resultant of the loads on a body, N."""
        motion, total = self._motion, np.zeros(3)
        body, d = motion.system.bodies[number], motion.system.dimension
        for load in motion.loads.forces:
            if load.body != number:
                continue
            given = np.zeros(3)
            given[:d] = load.on(body)
            amplitude = float(load.amplitude.derivative(motion.time, 0))
            total += amplitude * (given if load.turning else frame.R @ given)
        return total

    def _leave_out_held(self, body: Body, frame: FrameState) -> None:
        """Leave out the directions in which supports hold nodes of a body."""
        system = self._motion.system
        held = system.map.constrained[body.placed].any(axis=0)
        if held.any() and (frame.v_O.any() or frame.w.any() or (np.eye(3) != frame.R).any()):
            self.known = False
        self._free[: system.dimension] &= ~held
