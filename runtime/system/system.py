# SPDX-License-Identifier: BSD-3-Clause
"""All bodies together: numbering of the unknowns, and operators for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints, Number
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.curved.rows import CurvedRows
from flexforge.runtime.system.inertia import Spin, spin
from flexforge.runtime.system.rotation_vectors import between, composed
from flexforge.runtime.system.summed_pattern import SummedPattern
from flexforge.runtime.system.unknown_map import UnknownMap
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix


_SMALL = 3000  # coordinates of nodes up to which the pattern of matrices is kept


@dataclass(frozen=True, eq=False)
class System:
    """Bodies with prescribed motion of their frames.

    Bodies in the same frame share their common nodes; bodies in different frames share none.

    Attributes
    ----------
    bodies : tuple of Body
        The bodies.
    map : UnknownMap
        Map from the unknowns to the displacements of all nodes.
    include : IncludeSpec
        Inertia terms that are included.
    threads : int
        Number of threads.
    curved : CurvedRows, optional
        Equations between displacements that are not linear.
    small_map : UnknownMap, optional
        The map of small displacements, in which these are linear too.
    """

    bodies: tuple[Body, ...]
    map: UnknownMap
    include: IncludeSpec
    threads: int
    curved: CurvedRows | None = None
    small_map: UnknownMap | None = None

    @property
    def small(self) -> System:
        """The system of small displacements, all of whose equations are linear."""
        if self.small_map is None:
            return self
        return replace(self, map=self.small_map, curved=None, small_map=None)

    @property
    def size(self) -> int:
        """Number of nodes, N."""
        return self.map.shape[0]

    @property
    def dimension(self) -> int:
        """Coordinates per node, d."""
        return self.map.shape[1]

    @property
    def unknowns(self) -> int:
        """Number of unknowns, n; of those of this rank, where several share the run."""
        return self.map.size

    @property
    def ranks(self) -> Ranks:
        """The processes that share its unknowns."""
        return self.map.ranks

    @property
    def total_mass(self) -> float:
        """Mass of all bodies, kg."""
        return self.ranks.total(sum(body.total_mass for body in self.bodies))

    @property
    def elements(self) -> int:
        """Number of elements."""
        return int(self.ranks.total(sum(body.elements for body in self.bodies)))

    def with_bodies(self, changed: Mapping[int, Body]) -> System:
        """Return the system with some bodies under other stresses or in other frames.

        It shares the data of nodes and stiffness.

        Parameters
        ----------
        changed : mapping
            Bodies by number.
        """
        if not changed:
            return self
        self._alone, self._places, self._varying, self.stiffness_scale, self._pattern  # noqa: B018 (computed on first use)
        found = copy(self)
        bodies = tuple(changed.get(n, body) for n, body in enumerate(self.bodies))
        vars(found).update(bodies=bodies)  # computed attributes, though frozen
        return found

    @property
    def varies(self) -> bool:
        """Whether matrices of bodies vary in time, other than by inertia and its stresses."""
        return bool(self._varying)

    def under(self, frames: Sequence[FrameState]) -> System:
        """Return the system with matrices that vary in time as they are then.

        Parameters
        ----------
        frames : sequence of FrameState
            Motion of every body's frame at that time.
        """
        return self.with_bodies({n: self.bodies[n].under(frames[n]) for n in self._varying})

    @property
    def vibrates(self) -> bool:
        """Whether matrices depend on the frequency of vibrations; they are those of rest then."""
        return any(body.vibrates for body in self.bodies)

    def vibrating(self, frequency: float) -> System:
        """Return the system with the matrices of vibrations of a frequency, rad/s."""
        numbered = enumerate(self.bodies)
        return self.with_bodies({n: b.vibrating(frequency) for n, b in numbered if b.vibrates})

    @cached_property
    def internal(self) -> Ints:
        """Unknowns that are no motions of nodes."""
        none = np.zeros(0, dtype=np.int64)
        places = self.map.numbers[np.concatenate([none, *(b.internal for b in self.bodies)])]
        return np.asarray(places[places >= 0])

    @property
    def idle(self) -> int:
        """Number of vibrations of these alone that may be found."""
        return sum(body.idle for body in self.bodies)

    def differs(self, then: System) -> bool:
        """Whether matrices that vary in time differ much from those at another time."""
        return any(self.bodies[n].differs(then.bodies[n]) for n in self._varying)

    @cached_property
    def _varying(self) -> list[int]:
        """Numbers of the bodies whose matrices vary in time."""
        return [number for number, body in enumerate(self.bodies) if body.varies]

    @cached_property
    def _alone(self) -> bool:
        """Whether there is only one body, so that nothing has to be gathered."""
        nodes = self.bodies[0].nodes
        return len(self.bodies) == 1 and bool((nodes == np.arange(self.size)).all())

    @cached_property
    def _places(self) -> list[NDArray[np.int64] | slice]:
        """Nodes of every body, as a slice if they are consecutive, which avoids copies."""
        return [
            slice(int(body.nodes[0]), int(body.nodes[-1]) + 1)
            if len(body.nodes) and (np.diff(body.nodes) == 1).all()
            else body.nodes
            for body in self.bodies
        ]

    def frames(self, time: float) -> list[FrameState]:
        """Return the motion of the frame of every body at a time, s."""
        return [body.motion.at(time) for body in self.bodies]

    def spins(self, time: float) -> list[Spin]:
        """Return the inertia blocks of every body at a time, s."""
        return self.spins_of(self.frames(time))

    def spins_of(self, frames: Sequence[FrameState]) -> list[Spin]:
        """Return the inertia blocks of every body, for one frame per body.

        The geometric stiffness of a body's own state, which has no load pattern, has the factor 1.
        """
        found = []
        for frame, body in zip(frames, self.bodies, strict=True):
            blocks = spin(frame, self.include, body.unpatterned, self.dimension)
            if body.geometric and not len(body.patterns):
                blocks = replace(blocks, prestress=np.ones(1))
            axis = body.motion.rotation.axis
            if body.circulates and axis is not None:
                blocks = replace(blocks, circulation=float(frame.w @ axis))
            found.append(blocks)
        return found

    @property
    def is_symmetric(self) -> bool:
        """Whether the stiffness and damping matrices of all bodies are symmetric."""
        return all(body.is_symmetric for body in self.bodies)

    @property
    def symmetric_part(self) -> System:
        """The system with the symmetric parts of these matrices."""
        changed = {n: b.symmetric_part for n, b in enumerate(self.bodies) if not b.is_symmetric}
        return self.with_bodies(changed)

    def apply(self, combinations: Sequence[Combination], x: Floats) -> Floats:
        """Return a combination of the matrices times nodal vectors.

        Parameters
        ----------
        combinations : sequence of Combination
            One per body.
        x : ndarray, (N, d)
            Nodal vectors.
        """
        if self._alone:
            return self.bodies[0].apply(combinations[0], x)
        y = np.zeros_like(x)
        for body, at, combination in zip(self.bodies, self._places, combinations, strict=True):
            y[at] += body.apply(combination, x[at])
        return y

    def inner(
        self,
        elastic: Sequence[Combination],
        viscous: Sequence[Combination],
        q: Floats,
        v: Floats,
        a: Floats,
    ) -> Floats:
        """Return the forces for displacements, velocities and accelerations, (N, d) each.

        Parameters are those of ``Body.inner``, one combination per body.
        """
        if self._alone:
            return self.bodies[0].inner(elastic[0], viscous[0], q, v, a)
        y = np.zeros_like(q)
        for body, at, one, other in zip(self.bodies, self._places, elastic, viscous, strict=True):
            y[at] += body.inner(one, other, q[at], v[at], a[at])
        return y

    def mass_times(self, x: Floats) -> Floats:
        """Return the mass matrix times nodal vectors (N, d)."""
        if self._alone:
            return self.bodies[0].mass_times(x)
        y = np.zeros_like(x)
        for body, at in zip(self.bodies, self._places, strict=True):
            y[at] += body.mass_times(x[at])
        return y

    @cached_property
    def stiffness_scale(self) -> float:
        """Largest diagonal entry of the stiffness matrices, N/m, the reference of round-off."""
        return self.ranks.largest(max((body.stiffest for body in self.bodies), default=0.0))

    def mass_diagonal(self) -> Floats:
        """Return the diagonal of the mass matrix, (N, d), kg."""
        diagonal = np.zeros((self.size, self.dimension))
        for body in self.bodies:
            diagonal[body.nodes] += body.mass_diagonal()
        return diagonal

    def matrix(self, combinations: Sequence[Combination]) -> csr_matrix:
        """Return a combination of the matrices for the unknowns."""
        from scipy.sparse import csr_matrix

        count = self.size * self.dimension
        if self._pattern is not None:
            summed = self._pattern.matrix(self.bodies, combinations)
            return summed if self.map.matrix is None else self.map.reduce(summed)
        if self._alone:
            (body,), (combination,) = self.bodies, combinations
            if summed := body.summed(combination):
                return self.map.reduce_sum(summed, self.threads)
            blocks, dense = body.blocks(combination), bool(combination.stiffness)
            return self.map.reduce_blocks(blocks, self.threads, dense=dense)
        total = csr_matrix((count, count))
        for body, combination in zip(self.bodies, combinations, strict=True):
            if len(self.bodies) > 1 and not combination.acts:
                continue
            found = self._spread(body, body.matrix(combination))
            total = found if len(self.bodies) == 1 else total + found
        return self.map.reduce(total)

    @cached_property
    def _pattern(self) -> SummedPattern | None:
        """Pattern of the matrices of small systems of several bodies."""
        small = self.size * self.dimension <= _SMALL and not self._alone
        if not small or self.ranks.count > 1:
            return None
        return SummedPattern.of(self.bodies, self.map)

    @property
    def is_blocked(self) -> bool:
        """Whether unknowns move nothing but their own nodes, so that matrices have blocks."""
        return self.map.is_blocked

    def blocks(self, combinations: Sequence[Combination]) -> bsr_matrix:
        """Return a combination of the matrices for all places, in blocks of nodes."""
        if self._alone:
            return self.bodies[0].blocks(combinations[0])
        each = zip(self.bodies, combinations, strict=True)
        first, *others = (self._placed(body, body.blocks(c)) for body, c in each)
        return sum(others, start=first)

    def some_rows(self, combinations: Sequence[Combination], which: Ints) -> bsr_matrix:
        """Return some rows of blocks of a combination of the matrices, with all columns.

        Parameters
        ----------
        combinations : sequence of Combination
            One per body.
        which : ndarray of int
            Numbers of the nodes, ascending.
        """
        if self._alone:
            return self.bodies[0].some_rows(combinations[0], which)
        each = zip(self.bodies, combinations, strict=True)
        first, *others = (self._some_placed(body, c, which) for body, c in each)
        return sum(others, start=first)

    def _some_placed(self, body: Body, c: Combination, which: Ints) -> bsr_matrix:
        """Return rows of a body, for those nodes that it has, in the nodes of the system."""
        from scipy.sparse import bsr_matrix

        number = np.full(self.size, -1)
        number[body.nodes] = np.arange(len(body.nodes))
        local = number[which]
        found = body.some_rows(c, local[local >= 0])
        lengths = np.zeros(len(which) + 1, dtype=found.indptr.dtype)
        lengths[1:][local >= 0] = np.diff(found.indptr)
        d, columns = self.dimension, body.nodes[found.indices].astype(found.indices.dtype)
        shape = (d * len(which), d * self.size)
        placed = bsr_matrix((found.data, columns, np.cumsum(lengths)), shape=shape)
        placed.sort_indices()
        return placed

    def _spread(self, body: Body, found: csr_matrix) -> csr_matrix:
        """Renumber the matrix of a body to the nodes of the system."""
        from scipy.sparse import coo_matrix

        d, entries = self.dimension, found.tocoo()
        place = (body.nodes[:, None] * d + np.arange(d)).ravel()
        count = self.size * d
        rows, columns = place[entries.row], place[entries.col]
        return coo_matrix((entries.data, (rows, columns)), shape=(count, count)).tocsr()

    def _placed(self, body: Body, found: bsr_matrix) -> bsr_matrix:
        """Renumber the blocks of a body to the nodes of the system."""
        from scipy.sparse import bsr_matrix, csr_matrix

        d, entries = self.dimension, np.arange(1, len(found.indices) + 1)
        rows = np.repeat(body.nodes, np.diff(found.indptr))
        places = (rows, body.nodes[found.indices])
        order = csr_matrix((entries, places), shape=(self.size, self.size))
        blocks = (found.data[order.data - 1], order.indices, order.indptr)
        return bsr_matrix(blocks, shape=(self.size * d, self.size * d))

    @cached_property
    def turning(self) -> Ints:
        """Unknowns of rotations about any axis, (k, 3): these are composed, others are added up."""
        nodes = [body.rotations for body in self.bodies if body.turns_about]
        if self.curved is not None and self.dimension == 3:
            nodes.append(self.curved.rotations)
        found = self.map.numbers[np.unique(np.concatenate([np.zeros(0, np.int64), *nodes]))]
        return np.ascontiguousarray(found[(found >= 0).all(axis=1)])

    def moved(self, q: Floats, change: Floats) -> Floats:
        """Return the unknowns (n,) after a change (n,), whose rotations are spins in the frame."""
        found, turning = q + change, self.turning
        if len(turning):
            found[turning] = composed(q[turning], change[turning])
        return found

    def change(self, q: Floats, start: Floats) -> Floats:
        """Return the change (n,) that leads from unknowns ``start`` to others, (n,) each."""
        found, turning = q - start, self.turning
        if len(turning):
            found[turning] = between(q[turning], start[turning])
        return found

    def restrict(self, forces: Floats) -> Floats:
        """Return the forces on the unknowns, (n,), for nodal forces (N, d)."""
        return self.map.restrict(forces)

    def expand(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return nodal vectors (N, d) from the values of the unknowns."""
        return self.map.expand(values)
