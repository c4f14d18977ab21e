# SPDX-License-Identifier: BSD-3-Clause
"""Equations of bodies in prescribed frames, and of machines whose angles are unknowns.

With the coordinates q of the bodies and the angle phi of a machine (`runtime.system.machines`),

    m q'' + p phi'' + (..) q' + (..) q = f,     p . q'' + (J - r^2 q.z q) phi'' = T + Q

p is ``r (l + a q + u')`` and Q what damping, centrifugal terms and loads do on the angle. The first
are `equations_at` with the forces of unbalances; the second is here, with all derivatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.spin import MachineSpin, Turn
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.machines import Machine, Machines
from flexforge.runtime.system.nodal_loads import NodalForce
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class Nodal:
    """Displacements of all nodes with their rates, (N, d) each, m, m/s and m/s^2."""

    d: Floats
    v: Floats
    a: Floats


@dataclass(frozen=True, slots=True)
class Slopes:
    """Derivatives of the residuals of a step by its averaged accelerations.

    Attributes
    ----------
    columns : ndarray, (n, m)
        Of the equations of the bodies by the accelerations of machines, with the sign reversed.
    rows : ndarray, (m, n)
        Of the equations of machines by the accelerations of the unknowns.
    corner : ndarray, (m, m)
        Of the equations of machines by their accelerations.
    """

    columns: Floats
    rows: Floats
    corner: Floats


class MachineModel:
    """Bodies in prescribed frames, some of which turn with machines.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    machines : Machines
        Torques, and what turns with them.
    """

    def __init__(self, system: System, loads: Loads, machines: Machines) -> None:
        self.system, self.loads, self.machines = system, loads, machines

    def nodal(self, time: float, q: Floats, v: Floats, a: Floats) -> Nodal:
        """Return nodal vectors of the unknowns (n,) and their rates at a time, s."""
        found = [self.system.expand(x) for x in (q, v, a)]
        if self.loads.given is not None:
            given = self.loads.given.at(time)
            found = [one + other for one, other in zip(found, given, strict=True)]
        return Nodal(*found)

    def equations(self, time: float, turn: Turn, displacement: Floats | None = None) -> Equations:
        """Return the equations of the bodies at a time, s, where machines turned so.

        Parameters
        ----------
        time : float
            Time, s.
        turn : Turn
            Angles of the machines.
        displacement : ndarray, (N, d), optional
            As of `equations_at`.
        """
        frames = self.machines.frames(self.system, time, turn)
        found = equations_at(self.system, self.loads, time, frames, displacement=displacement)
        acting = np.zeros_like(found.nodal)
        for one, angle, w, e in self._each(turn):
            if one.unbalances:
                (_, place), (along, _) = one.beside(angle, (1, 2))
                acting += w * w * place - e * along
        if not acting.any():
            return found
        force = found.force + self.system.restrict(acting)
        return replace(found, nodal=found.nodal + acting, force=force)

    def _each(self, turn: Turn) -> Iterator[tuple[Machine, float, float, float]]:
        """Yield the machines with their angles, speeds and accelerations."""
        values = (one.tolist() for one in (turn.angle, turn.speed, turn.acceleration))
        yield from zip(self.machines.each, *values, strict=True)

    def coupling(self, turn: Turn, d: Floats) -> Floats:
        """Return p of every machine at displacements (N, d), (m, N, d)."""
        return np.array(
            [
                one.load + times(one.gyroscopic, d) + one.beside(angle, (1,))[1][0]
                for one, angle, _, _ in self._each(turn)
            ]
        )

    def inertia(self, d: Floats) -> Floats:
        """Return ``J - r^2 d.z d`` of every machine, (m,), kg m^2."""
        each = self.machines.each
        return np.array([one.inertia - float((d * times(one.centre, d)).sum()) for one in each])

    def torques(self, time: float, turn: Turn) -> Floats:
        """Return the torque on every machine, (m,), N m."""
        return np.array([one.torque(time, angle, w) for one, angle, w, _ in self._each(turn)])

    def loaded(self, time: float, turn: Turn) -> Floats:
        """Return what loads do on the angle of every machine, (m,), N m.

        Moments about axes, and gravity on unbalances.
        """
        found = []
        for one, angle, _, _ in self._each(turn):
            total = sum(
                float(load.amplitude.derivative(time, 0)) * float((load.force * turned).sum())
                for load, turned in self._rotated(one)
            )
            for _, ratio, body, beside in one.unbalances:
                along = beside.place(ratio * angle)[1]
                total += ratio * float(along @ self._gravity(body, time))
            found.append(total)
        return np.array(found)

    def balance(self, time: float, turn: Turn, at: Nodal) -> Floats:
        """Return what is left of the equations of the machines, (m,), N m."""
        inner = (self.coupling(turn, at.d) * at.a).sum(axis=(1, 2))
        found: Floats = self.torques(time, turn) + self.loaded(time, turn) - inner
        found -= self.inertia(at.d) * turn.acceleration
        d, v = at.d, at.v
        for k, (one, _, w, _) in enumerate(self._each(turn)):
            carried = 2.0 * w * times(one.centre, d) - times(one.circulation, d)
            found[k] += float((v * carried).sum()) - w * float((d * times(one.slipping, d)).sum())
        return found

    def slopes(
        self, time: float, turn: Turn, at: Nodal, equations: Equations, factors: Floats
    ) -> Slopes:
        """Return the derivatives of both residuals.

        Parameters
        ----------
        time : float
            Time, s.
        turn : Turn
            Angles of the machines.
        at : Nodal
            Motion of the nodes.
        equations : Equations
            Those of the bodies there.
        factors : ndarray, (3,)
            What a unit of the averaged acceleration adds to accelerations, velocities, positions.
        """
        a0, b0, c0 = factors
        d, v, a = at.d, at.v, at.a
        coupling = self.coupling(turn, d)
        columns, rows = a0 * coupling, -a0 * coupling
        corner = -a0 * np.diag(self.inertia(d))
        for k, (one, angle, w, e) in enumerate(self._each(turn)):
            centre, circulating = times(one.centre, d), times(one.circulation, d)
            slipping = times(one.slipping, d)
            (second, _), (_, third) = one.beside(angle, (2, 3))
            columns[k] += b0 * (2.0 * times(one.gyroscopic, v) + 2.0 * w * (centre - second))
            columns[k] += b0 * circulating
            columns[k] -= c0 * (e * second + w * w * third)
            rows[k] += b0 * (2.0 * w * centre - circulating)
            carried = e * centre + w * times(one.centre, v) - w * slipping
            rows[k] += c0 * (times(one.gyroscopic, a) + 2.0 * carried)
            rows[k] -= c0 * times(one.circulation.T, v)
            by_angle, by_speed = one.slopes(time, angle, w)
            by_speed += float((2.0 * v * centre - d * slipping).sum())
            by_angle += float((second * a).sum()) - self._pulled(one, angle, time)
            corner[k, k] += b0 * by_speed + c0 * by_angle
        self._follow_bearings(columns, at, equations, b0)
        restrict = self.system.restrict
        return Slopes(
            np.array([restrict(one) for one in columns]).T,
            np.array([restrict(one) for one in rows]),
            corner,
        )

    def _follow_bearings(
        self, columns: Floats, at: Nodal, equations: Equations, factor: float
    ) -> None:
        """Add what bearings change with the speed of their shafts."""
        for number in self.machines.bearings:
            body, motion = equations.system.bodies[number], self.system.bodies[number].motion
            axis, nodes = motion.rotation.axis, body.nodes
            assert isinstance(body, BearingBody) and isinstance(motion, MachineSpin)
            assert axis is not None
            laws = equations.elastic[number], equations.viscous[number]
            force = body.slope.inner(*laws, at.d[nodes], at.v[nodes], at.a[nodes])
            columns[motion.machine][nodes] += factor * motion.ratio * body.about(axis) * force

    def _rotated(self, machine: Machine) -> list[tuple[NodalForce, Floats]]:
        """Return the loads on nodes that turn with a machine, with displacements of these."""
        bodies = self.system.bodies
        each = ((load, bodies[load.body].nodes[load.nodes]) for load in self.loads.nodal)
        found = [(load, machine.rotated[nodes]) for load, nodes in each]
        return [(load, turned) for load, turned in found if turned.any()]

    def _pulled(self, machine: Machine, angle: float, time: float) -> float:
        """Return the stiffness of gravity on the unbalances of a machine, N m."""
        return sum(
            ratio**2 * float(beside.place(ratio * angle)[0] @ self._gravity(body, time))
            for _, ratio, body, beside in machine.unbalances
        )

    def _gravity(self, body: int, time: float) -> Floats:
        """Return gravity on a body, (3,), m/s^2."""
        found = np.zeros(3)
        for load in self.loads.mass:
            if load.body == body:
                found += float(load.amplitude.derivative(time, 0)) * load.acceleration
        return found


def times(matrix: csr_matrix, x: Floats) -> Floats:
    """Return a matrix times nodal vectors, (N, 3)."""
    return np.asarray(matrix @ x.ravel()).reshape(x.shape)
