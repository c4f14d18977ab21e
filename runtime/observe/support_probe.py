# SPDX-License-Identifier: BSD-3-Clause
"""What its supports do to a body: the force and the moment about the origin of its frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.observe.motion import Motion
from flexforge.runtime.results import Column
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.equations import equations_at

#: Of the product of stiffness and displacement: what forces of a rigid motion are at most.
_ROUND_OFF = 1e-13


@dataclass(frozen=True)
class SupportProbe:
    """A probe of the reaction of a body's supports, in components of its frame.

    The forces that are left over in the equations of all nodes, held ones among them, do work
    along unit motions of the body as a rigid one: that work is the reaction. Moments are of first
    order in the displacements, as the equations are.

    Attributes
    ----------
    spec : ProbeSpec
        As in the model.
    body : Body
        The body.
    loads : Loads
        What acts on the system.
    """

    of: ClassVar[Literal["supports"]] = "supports"
    spec: ProbeSpec
    body: Body
    loads: Loads

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, "N" if self.spec.quantity == "reaction_force" else "N m")

    @cached_property
    def motions(self) -> Floats:
        """Unit motions that the components do work along, (k, V, d): k = 1, or all of a size."""
        d = self.body.dimension
        turning = np.isin(self.body.nodes, self.body.rotations)
        if self.spec.quantity == "reaction_force":
            moved = np.zeros((d, *self.body.points.shape))
            moved[range(d), :, range(d)] = ~turning
        elif d == 2:
            x, y = self.body.points.T
            moved = np.stack([-y, x], axis=-1)[None]
            moved[:, turning] = [1.0, 0.0]
        else:
            moved = np.array([np.cross(axis, self.body.points) for axis in np.eye(3)])
            moved[:, turning] = np.eye(3)[:, None]
        if self.spec.component == "magnitude":
            return moved
        planar_moment = d == 2 and self.spec.quantity == "reaction_moment"
        k = 0 if planar_moment else "xyz".index(self.spec.component)
        return moved[k : k + 1]

    @cached_property
    def strains(self) -> bool:
        """Whether the unit motions strain the body, as springs to the ground do.

        Where they do not, forces of elasticity do no work along them, and are left out: they are
        larger than their sum by as much as elements are stiffer than bodies, which round-off is
        relative to.
        """
        none = np.zeros((self.body.dimension,) * 2)
        alone = Combination(1.0, none, np.zeros(len(self.body.patterns)))
        forces = np.array([self.body.apply(alone, one) for one in self.motions])
        least = _ROUND_OFF * np.abs(self.motions).max() * np.abs(self.body.stiffness).max()
        return bool(np.abs(forces).max() > least)

    def value(self, motion: Motion, time: float) -> float:
        """Return the figure at one time, s."""
        system = motion.system
        equations = equations_at(system, self.loads, time, system.frames(time))
        if not self.strains:
            elastic, viscous = (
                [
                    replace(one, stiffness=0.0) if body.name == self.body.name else one
                    for body, one in zip(system.bodies, combined, strict=True)
                ]
                for combined in (equations.elastic, equations.viscous)
            )
            equations = replace(equations, elastic=elastic, viscous=viscous)
        left = equations.unbalanced(motion.displacement, motion.velocity, motion.acceleration)
        found = -np.tensordot(self.motions, left[self.body.nodes], axes=2)
        return float(np.linalg.norm(found)) if len(found) > 1 else float(found[0])
