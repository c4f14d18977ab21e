# SPDX-License-Identifier: BSD-3-Clause
"""Equations of bodies of large displacements in prescribed frames, as a `Model` of steppers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.balance import Balance, deformed
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at
from flexforge.runtime.transient.linear.mass import lacking_mass
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Point, Rows, Values
from flexforge.runtime.transient.nodal import Nodal
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State


class FiniteModel(Model):
    """The bodies of a system, some of them with an energy.

    Parameters
    ----------
    system : System
        The bodies, with the prestress of linear ones.
    loads : Loads
        What acts on them.
    """

    linear = None

    def __init__(self, system: System, loads: Loads) -> None:
        self.system, self.loads = system, loads
        self._balance = Balance(system, loads, 0.0)
        points = np.concatenate([body.points for body in system.bodies])
        size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
        owner = ", ".join(body.name for body in system.bodies if not body.is_linear)
        turning = system.turning
        manifold = Nodal(system) if turning.size else Euclidean(system.unknowns)
        self.blocks = (Block("displacement", owner, manifold, size),)
        self.space = SerialSpace(system.unknowns)
        short = any(body.lacks_mass for body in system.bodies)
        self.lacking = lacking_mass(system) if short else None
        names = ", ".join(body.name for body in system.bodies)
        self.identity = sha256(f"finite {names} {system.unknowns}".encode()).digest()

    def nodal(self, t: float, values: Floats, order: int = 0) -> Floats:
        """Return nodal displacements, or their rates, of the unknowns; given ones included."""
        found = self.system.expand(values)
        if self.loads.given is not None:
            found = found + self.loads.given.at(t)[order]
        return found

    def equations(self, system: System, t: float, u: Floats) -> Equations:
        """Return loads and matrices of bodies at a time, with nodal displacements (N, d)."""
        return equations_at(system, self.loads, t, self.system.frames(t), displacement=u)

    def residual(self, at: Point, out: Values) -> None:
        """Set what inertia and elasticity need beyond the loads; nothing where elements invert."""
        u, v, a = (self.nodal(at.t, x, k) for k, x in enumerate((at.q, at.z, at.rate)))
        if not np.isfinite(u).all() or self._balance.fault(u):
            out[:] = np.nan
            return
        forces = self.equations(self.system, at.t, u).unbalanced(u, v, a)
        if self.system.curved is not None and len(at.force):
            forces += (self.system.curved.slopes(u).T @ at.force).reshape(u.shape)
        out[:] = -self.system.restrict(forces)

    def constraints(self, at: Point) -> Rows:
        """Return the equations of nodes that follow points as these turn."""
        curved = self.system.curved
        if curved is None:
            return Rows.none(len(at.rate))
        u, v = (self.nodal(at.t, x, k) for k, x in enumerate((at.q, at.z)))
        slopes, given = curved.slopes(u), self.loads.given
        moving = [np.zeros(curved.count)] * 2
        if given is not None:
            moving = [slopes @ rate.ravel() for rate in given.at(at.t)[1:]]
        return Rows(
            curved.names,
            curved.values(u),
            (slopes @ self.system.map.sparse).tocsr(),
            -moving[0],
            -moving[1] - curved.bent(u, v),
            curved.scales,
            np.zeros(curved.count, dtype=bool),
        )

    def at(self, state: State) -> System:
        """Return the bodies with their stiffness at a state."""
        u = self.nodal(state.t, state.q)
        equations = self.equations(self.system, state.t, u)
        return deformed(equations.system, u, equations.elastic)

    def begin_step(self, state: State) -> None:
        """Hold nothing during a step."""

    def switch(self, at: Point, which: Sequence[int]) -> State:
        """Raise: such a model has no events."""
        raise ValueError(f"found events {list(which)} at t = {at.t:g} s; expected none")

    def linearize(self, at: Point) -> Linearization:
        """Return the matrices, with the stiffness at the displacements."""
        u = self.nodal(at.t, at.q)
        equations = self.equations(self.system, at.t, u)
        system = deformed(equations.system, u, equations.elastic)
        d = system.dimension
        nothing = Combination(0.0, np.zeros((d, d)), np.zeros(0))
        mass = [Combination(0.0, np.eye(d), np.zeros(0)) for _ in system.bodies]
        viscous = equations.viscous if equations.is_viscous else [nothing] * len(system.bodies)
        place = system.matrix(equations.elastic)
        if self.loads.followers:
            place = place - system.map.reduce(self.loads.following_slope(at.t, u))
        force, curved = None, system.curved
        if curved is not None and len(at.force):
            place = place - system.map.reduce(curved.second(u, at.force))
            force = -(curved.slopes(u) @ system.map.sparse).T.tocsc()
        constant = not self.loads.followers and not self.system.turning.size
        symmetric = constant and all(c.is_symmetric for c in (*viscous, *equations.elastic))
        return Linearization(
            rate=system.matrix(mass),
            speed=system.matrix(viscous),
            place=place,
            force=force,
            symmetric=symmetric,
        )
