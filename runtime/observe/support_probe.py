# SPDX-License-Identifier: BSD-3-Clause
"""Reactions of the supports of a body: force, and moment about the origin of its frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.observe.motion import (
    AnyState,
    Samples,
    SeveralAtRest,
    each_of,
    equations_of,
    forces_beside,
)
from flexforge.runtime.results import Column
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.loads import Loads

#: Bound for forces of a rigid motion, relative to the product of stiffness and displacement.
_ROUND_OFF = 1e-13


@dataclass(frozen=True)
class SupportProbe:
    """A probe of the reaction of a body's supports, in components of its frame.

    The residual forces in the equations of all nodes, including held ones, do work in unit rigid
    motions of the body: this work is the reaction. Moments are of first order in the displacements,
    like the equations.

    Attributes
    ----------
    spec : ProbeSpec
        Specification in the model.
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
        """Unit motions in which the components do work, (k, V, d): k = 1, all for a magnitude."""
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
        """Whether the unit motions strain the body, as they strain springs to the ground.

        Where they do not, elastic forces do no work in them and are left out: these forces are
        larger than their resultant by the ratio of element to body stiffness, and so is their
        round-off.
        """
        none = np.zeros((self.body.dimension,) * 2)
        alone = Combination(1.0, none, np.zeros(len(self.body.patterns)))
        body = self.body
        forces = np.array([body.of_own(body.apply(alone, one)) for one in self.motions])
        sizes = (np.abs(one).max(initial=0.0) for one in (forces, self.motions, body.stiffness))
        most, moved, stiff = (self.loads.system.ranks.largest(float(one)) for one in sizes)
        return most > _ROUND_OFF * moved * stiff

    def over(self, samples: Samples) -> Floats:
        """Return the values at several times, (T,)."""
        each = each_of(samples)
        if not isinstance(samples, SeveralAtRest):
            return np.array([self._value(motion, time, 1.0) for time, motion in each])
        acting = zip(each, samples.moments.tolist(), samples.factors.tolist(), strict=True)
        return np.array([self._value(motion, time, part) for (_, motion), time, part in acting])

    def _value(self, motion: AnyState, time: float, part: float) -> float:
        system = motion.system
        free = any(body.is_free for body in system.bodies)
        turned = motion.displacement if free or self.loads.followers else None
        equations = equations_of(motion, self.loads, time, turned).in_part(part)
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
        left = left + forces_beside(motion)
        own = self.body.of_own(left[self.body.nodes])
        found = -system.ranks.total(np.tensordot(self.motions, own, axes=2))
        return float(np.linalg.norm(found)) if len(found) > 1 else float(found[0])
