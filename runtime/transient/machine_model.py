# SPDX-License-Identifier: BSD-3-Clause
"""Equations of bodies in prescribed frames, and of machines whose angles are unknowns.

With the coordinates q of the bodies and the angle phi of a machine (`runtime.system.machines`),

    m q'' + p phi'' + (..) q' + (..) q = f,     p . q'' + (J - r^2 q.z q) phi'' = T + Q

p is ``r (l + a q + u')`` and Q what damping, centrifugal terms and loads do on the angle. The first
are `equations_at` with the forces of unbalances; the second is here, with all derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.spin import Turn
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.machines import Machines, Turning
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at


@dataclass(frozen=True, slots=True)
class Nodal:
    """Displacements of all nodes with their rates, (N, d) each, m, m/s and m/s^2."""

    d: Floats
    v: Floats
    a: Floats

    def of(self, one: Turning) -> tuple[Floats, Floats, Floats]:
        """Return those of the vectors of a body."""
        nodes = one.body.nodes
        return self.d[nodes], self.v[nodes], self.a[nodes]


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
        for one in self.machines.turning:
            if one.unbalances:
                angle, w, e = self._of(one, turn)
                place, along = one.unbalanced(angle)
                acting[one.body.nodes] += w * w * place - e * along
        if not acting.any():
            return found
        force = found.force + self.system.restrict(acting)
        return replace(found, nodal=found.nodal + acting, force=force)

    def coupling(self, turn: Turn, d: Floats) -> Floats:
        """Return p of every machine at displacements (N, d), (m, N, d)."""
        found = np.zeros((len(self.machines.each), *d.shape))
        for one in self.machines.turning:
            nodes = one.body.nodes
            along = one.unbalanced(self._of(one, turn)[0])[1]
            part = one.load + one.gyroscopic(d[nodes]) + along
            found[one.machine][nodes] += one.ratio * part
        return found

    def inertia(self, d: Floats) -> Floats:
        """Return ``J - r^2 d.z d`` of every machine, (m,), kg m^2."""
        found = np.array([self.machines.inertia(k) for k in range(len(self.machines.each))])
        for one in self.machines.turning:
            own = d[one.body.nodes]
            found[one.machine] -= one.ratio**2 * float((own * one.centre(own)).sum())
        return found

    def torques(self, time: float, turn: Turn) -> Floats:
        """Return the torque on every machine, (m,), N m."""
        each = zip(self.machines.each, turn.angle.tolist(), turn.speed.tolist(), strict=True)
        return np.array([one.torque(time, angle, speed) for one, angle, speed in each])

    def loaded(self, time: float, turn: Turn) -> Floats:
        """Return what loads do on the angle of every machine, (m,), N m.

        Moments about axes, and gravity on unbalances.
        """
        found = np.zeros(len(self.machines.each))
        for one in self.machines.turning:
            for load in self.loads.nodal:
                if load.body == one.number:
                    moment = float((load.force * one.rotated[load.nodes]).sum())
                    amplitude = float(load.amplitude.derivative(time, 0))
                    found[one.machine] += one.ratio * amplitude * moment
            if one.unbalances:
                along = one.unbalanced(self._of(one, turn)[0])[1]
                found[one.machine] += one.ratio * float((along @ self._pull(one, time)).sum())
        return found

    def balance(self, time: float, turn: Turn, at: Nodal) -> Floats:
        """Return what is left of the equations of the machines, (m,), N m."""
        inner = (self.coupling(turn, at.d) * at.a).sum(axis=(1, 2))
        found = self.torques(time, turn) + self.loaded(time, turn) - inner
        found -= self.inertia(at.d) * turn.acceleration
        for one in self.machines.turning:
            d, v, _ = at.of(one)
            _, w, _ = self._of(one, turn)
            turned = one.across(d)
            acting = 2.0 * w * (v * one.centre(d)).sum()
            acting += (turned * one.damped(v - w * turned)).sum()
            found[one.machine] += one.ratio * float(acting)
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
        coupling, size = self.coupling(turn, at.d), len(self.machines.each)
        columns, rows = a0 * coupling, -a0 * coupling
        corner = -a0 * np.diag(self.inertia(at.d))
        for one in self.machines.turning:
            r, k, nodes = one.ratio, one.machine, one.body.nodes
            angle, w, e = self._of(one, turn)
            d, v, a = at.of(one)
            turned, centre = one.across(d), one.centre(d)
            place, along = one.unbalanced(angle)
            resisting = one.damped(turned)  # -N d, of the matrix N of damping that turns
            by_speed = 2.0 * one.gyroscopic(v) + 2.0 * w * centre - resisting - 2.0 * w * place
            columns[k][nodes] += r * b0 * by_speed
            columns[k][nodes] -= r * c0 * (e * place + w * w * along)
            rows[k][nodes] += r * b0 * (2.0 * w * centre + resisting)
            back = -one.across(one.damped(v) - 2.0 * w * resisting)
            moved = one.gyroscopic(a) + 2.0 * e * centre + 2.0 * w * one.centre(v) + back
            rows[k][nodes] += r * c0 * moved
            by_speed_alone = float((2.0 * v * centre - turned * resisting).sum())
            by_angle = float((place * a).sum() - (place @ self._pull(one, time)).sum())
            corner[k, k] += r * r * (b0 * by_speed_alone + c0 * by_angle)
        self._follow_bearings(columns, at, equations, b0)
        for k in range(size):
            by_angle, by_speed = self.machines.each[k].slopes(
                time, float(turn.angle[k]), float(turn.speed[k])
            )
            corner[k, k] += c0 * by_angle + b0 * by_speed
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
            body = equations.system.bodies[number]
            assert isinstance(body, BearingBody)
            motion, nodes = self.system.bodies[number].motion, body.nodes
            axis = motion.rotation.axis
            elastic, viscous = equations.elastic[number], equations.viscous[number]
            force = body.slope.inner(elastic, viscous, at.d[nodes], at.v[nodes], at.a[nodes])
            columns[motion.machine][nodes] += factor * motion.ratio * body.about(axis) * force

    def _of(self, one: Turning, turn: Turn) -> tuple[float, float, float]:
        """Return angle, speed and acceleration of a body."""
        each = (turn.angle, turn.speed, turn.acceleration)
        angle, w, e = (one.ratio * float(values[one.machine]) for values in each)
        return angle, w, e

    def _pull(self, one: Turning, time: float) -> Floats:
        """Return gravity on a body, (3,), m/s^2."""
        found = np.zeros(3)
        for load in self.loads.mass:
            if load.body == one.number:
                found += float(load.amplitude.derivative(time, 0)) * load.acceleration
        return found
