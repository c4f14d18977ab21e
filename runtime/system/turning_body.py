# SPDX-License-Identifier: BSD-3-Clause
"""A body of large displacements whose nodes may turn by any angle: beams, cables, shells.

Displacements have the mass of a line or a surface that they interpolate, a scalar matrix as that of
a continuum. The mass that is beside it is that of the nodes and turns with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.turned_sections import (
    accelerated,
    carried_along,
    moments_of,
    resisted,
    rotated,
)
from flexforge.runtime.system.vector_body import VectorBody

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix


@dataclass(frozen=True, eq=False)
class TurningBody(LargeBody, VectorBody):
    """What beams, cables and shells have in common; its attributes are those of ``VectorBody``.

    In space rotations are rotation vectors, their increments, rates and moments are those of spins
    in the frame; in the plane they are angles.
    """

    #: Largest angle by which an element may bend, rad.
    most_bent: ClassVar[float]

    @property
    def turns_about(self) -> bool:
        """Whether rotations of its nodes are about any axis, so that they do not add up."""
        return self.turns and self.dimension == 3

    @property
    def second_moments(self) -> Floats:
        """Second moments of the mass beside the middle, of the nodes (P, 3, 3), kg m^2.

        They are those at rest or, of a body at a state, at its rotations; in the plane only their
        trace matters.
        """
        raise NotImplementedError

    def assemble(self) -> None:
        """Assemble all constant matrices."""
        super().assemble()
        self._at_rest  # noqa: B018 (computed on first use)

    def at(self, u: Floats, acting: Combination) -> Self:
        """Return the body with stiffness and inertia at displacements and rotations (V, d).

        Parameters are those of ``LargeBody.at``.
        """
        self.assemble()
        second = self._turned(u)
        stiffness = self._tangent(u)
        if len(second) and acting.inertia.any():
            along = carried_along(second, _in_space(acting.inertia))
            self._add(stiffness.reshape(-1, self.dimension, self.dimension), along)
        return self._changed(stiffness=stiffness, second_moments=second)

    def fault(self, u: Floats) -> str:
        """Return which element bends too far at displacements and rotations (V, d), in words."""
        if not self.turns_about:
            return ""
        bends = self._bends(u)
        most = int(bends.argmax())
        if not bends[most] > self.most_bent:
            return ""
        return (
            f"element {int(self.part.labels[most])} of body '{self.name}' bends by more than "
            f"{self.most_bent:g} rad"
        )

    def _bends(self, u: Floats) -> Floats:
        """Return the angle by which each element bends, (E,), rad."""
        raise NotImplementedError

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces and moments for displacements, velocities and accelerations, (V, d).

        Parameters are those of ``Body.inner``.
        """
        found = super().inner(elastic, viscous, q, v, a)
        second = self._turned(q)
        if len(second):
            turning = slice(len(self.part.points), None)
            spin, rate = (self._vectors(x[turning]) for x in (v, a))
            blocks = _in_space(elastic.inertia), _in_space(viscous.inertia)
            moments = moments_of(second, accelerated(*blocks, spin, rate))
            found[turning] += moments if self.dimension == 3 else _planar(moments)
        return found

    def mass_times(self, x: Floats) -> Floats:
        """Return the mass matrix times vectors (V, k); with k = d also that of rotations."""
        found = super().mass_times(x)
        if self.turns and x.shape[1] == self.dimension:
            self._turn(np.eye(self.dimension), x, found)
        return found

    def apply(self, c: Combination, x: Floats) -> Floats:
        """Return a combination of its matrices times vectors (V, d)."""
        found = super().apply(c, x)
        if self.turns:
            self._turn(c.inertia, x, found)
        return found

    def blocks(self, c: Combination) -> bsr_matrix:
        """Return a combination of its matrices in blocks of nodes, with values of its own."""
        found = super().blocks(c)
        if self.turns and c.inertia.any():
            self._add(found.data, resisted(self.second_moments, _in_space(c.inertia)))
        return found

    def mass_diagonal(self) -> Floats:
        """Return the diagonal of the mass matrix, (V, d)."""
        found = super().mass_diagonal()
        if self.turns:
            inertia = resisted(self.second_moments, np.eye(3))
            own = inertia[:, range(3), range(3)]
            turning = slice(len(self.part.points), None)
            found[turning] += own if self.dimension == 3 else own[:, [2, 0]] * [1.0, 0.0]
        return found

    def _turned(self, u: Floats) -> Floats:
        """Return the second moments at displacements and rotations (V, d)."""
        if self.dimension == 2 or not self.turns:
            return self.second_moments
        return rotated(self._at_rest, u[len(self.part.points) :])

    @cached_property
    def _at_rest(self) -> Floats:
        return self.second_moments

    def _turn(self, block: Floats, x: Floats, out: Floats) -> None:
        """Add a block of inertia of rotations times vectors."""
        turning = slice(len(self.part.points), None)
        moved = self._vectors(x[turning])
        found = np.einsum("nij,nj->ni", resisted(self.second_moments, _in_space(block)), moved)
        out[turning] += found if self.dimension == 3 else _planar(found)

    def _vectors(self, turns: Floats) -> Floats:
        """Return rotations, spins or moments (P, d) as vectors in space, (P, 3)."""
        if self.dimension == 3:
            return turns
        found = np.zeros((len(turns), 3))
        found[:, 2] = turns[:, 0]
        return found

    def _add(self, data: Floats, blocks: Floats) -> None:
        """Add blocks (P, 3, 3) of rotations to the diagonal of a matrix, (nnz, d, d)."""
        where = self.diagonal[len(self.part.points) :]
        if self.dimension == 3:
            data[where] += blocks
        else:
            data[where, 0, 0] += blocks[:, 2, 2]


def _in_space(block: Floats) -> Floats:
    """Return a block of the plane as one of space."""
    found = np.zeros((3, 3))
    found[: len(block), : len(block)] = block
    return found


def _planar(vectors: Floats) -> Floats:
    """Return the rotations or moments about z (P, 3) as those of nodes in the plane, (P, 2)."""
    return np.column_stack([vectors[:, 2], np.zeros(len(vectors))])
