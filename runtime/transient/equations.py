# SPDX-License-Identifier: BSD-3-Clause
"""The equations of a system at one time, in the form that constrained steps need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.actuators import Coupling
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of, viscous_of
from flexforge.runtime.system.free_body import FreeBody
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.step_matrix import StepMatrix


@dataclass(frozen=True, slots=True)
class Equations:
    """``m d'' + (2 c + damping) d' + (k + k_eps + k_omega + k_geo) d = f`` at one time.

    Attributes
    ----------
    system : System
        The bodies, with the stresses that they have then.
    spins : list of Spin
        Inertia blocks of every body.
    elastic, viscous : list of Combination
        Matrices of displacements and of velocities.
    nodal : ndarray, (N, d)
        f of all nodal coordinates, held ones too, N.
    force : ndarray, (n,)
        f of the unknowns, N, less what given displacements of supports take.
    coupling : Coupling, optional
        What springs and dampers at joints add to the left-hand side.
    """

    system: System
    spins: list[Spin]
    elastic: list[Combination]
    viscous: list[Combination]
    nodal: Floats
    force: Floats
    coupling: Coupling | None = None

    def in_part(self, part: float) -> Equations:
        """Return the equations with a part of all that acts: loads, and motions of frames."""
        if part == 1.0:
            return self
        elastic = [one.in_part(part) for one in self.elastic]
        return replace(self, elastic=elastic, nodal=part * self.nodal)

    def left(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return the residual of the equations of motion in the unknowns, (n,), N.

        It is the force of the constraints, with the sign of what acts on the bodies reversed.
        """
        return self.force - self.inner(q, v, a)

    def unbalanced(self, d: Floats, v: Floats, a: Floats) -> Floats:
        """Return the residual of the equations of motion at the nodes, (N, d), N.

        Of coordinates that supports hold it is the reaction, with its sign reversed.
        """
        return self.nodal - self.system.inner(self.elastic, self.viscous, d, v, a)

    def inner(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return the left-hand side of the equations for unknowns and their rates, (n,), N."""
        system = self.system
        moving = (system.expand(x) for x in (q, v, a))
        found = system.restrict(system.inner(self.elastic, self.viscous, *moving))
        return found if self.coupling is None else found + self.coupling.inner(q, v)

    @property
    def is_viscous(self) -> bool:
        """Whether velocities cause forces."""
        damped = any(body.is_damped for body in self.system.bodies)
        turning = any(c.inertia.any() for c in self.viscous)
        return self.coupling is not None or damped or turning

    def resting(self, q: Floats, v: Floats) -> Floats:
        """Return the left-hand side without accelerations, (n,), N."""
        system = self.system
        if not self.is_viscous:
            return system.restrict(system.apply(self.elastic, system.expand(q)))
        return self.inner(q, v, np.zeros_like(q))

    def gyroscopic(self, factor: float) -> Callable[[Floats], Floats] | None:
        """Return the operator of the skew velocity matrix, or None without one.

        Parameters
        ----------
        factor : float
            Of the product.
        """
        skew = [
            Combination(0.0, 0.5 * factor * (c.inertia - c.inertia.T), np.zeros(0))
            for c in self.viscous
        ]
        if not any(c.inertia.any() for c in skew):
            return None
        system = self.system
        return lambda x: system.restrict(system.apply(skew, system.expand(x)))

    def magnitude(self, inner: Floats, q: Floats) -> float:
        """Return the norm of what balances: forces inside the elements nearly cancel.

        Parameters
        ----------
        inner : ndarray, (n,)
            The left-hand side at some state, N.
        q : ndarray, (n,)
            Its displacements, m.
        """
        ranks = self.system.ranks
        size = ranks.norm(self.force) + ranks.norm(inner)
        return size + self.system.stiffness_scale * ranks.norm(q)

    def combine(self, mass: float, viscous: float, elastic: float) -> StepMatrix:
        """Return a combination of the matrices of accelerations, velocities and displacements."""
        identity = np.eye(self.system.dimension)
        combined = [
            Combination(
                elastic * e.stiffness + viscous * v.stiffness,
                mass * identity + viscous * v.inertia + elastic * e.inertia,
                elastic * e.geometric,
                viscous * v.damping,
                elastic * e.circulation,
            )
            for e, v in zip(self.elastic, self.viscous, strict=True)
        ]
        return StepMatrix(self.system, ((combined,),))


def equations_at(
    system: System,
    loads: Loads,
    time: float,
    frames: Sequence[FrameState],
    coupling: Coupling | None = None,
    displacement: Floats | None = None,
) -> Equations:
    """Return the equations at a time.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    time : float
        Time, s.
    frames : sequence of FrameState
        Motion of every body's frame at that time.
    coupling : Coupling, optional
        What actuators at joints do then.
    displacement : ndarray, (N, d), optional
        Coordinates with which loads turn, m: those on bodies in free frames, and pressures that
        follow surfaces.
    """
    system = loads.warmed(system, time).under(frames)
    if displacement is not None:
        frames = [
            body.placed_frame(displacement[body.nodes]) if isinstance(body, FreeBody) else frame
            for body, frame in zip(system.bodies, frames, strict=True)
        ]
    spins = system.spins_of(frames)
    nodal = loads.at(time, spins, frames)
    if loads.followers and displacement is not None:
        nodal = nodal + loads.following(time, displacement)
    elastic, viscous = elastic_of(spins), viscous_of(system.bodies, spins)
    acting = nodal
    if loads.given is not None and displacement is None:
        acting = nodal - system.inner(elastic, viscous, *loads.given.at(time))
    force = system.restrict(acting)
    if coupling is not None:
        force = force + coupling.load
    return Equations(system, spins, elastic, viscous, nodal, force, coupling)
