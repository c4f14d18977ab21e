# SPDX-License-Identifier: BSD-3-Clause
"""The elastic coordinates of links: unknowns of the system, or shapes of a reduced model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.multibody.integrals import LinkIntegrals, link_unknowns
from flexforge.runtime.native.matrices import HEAT, SECTION, Matrices
from flexforge.runtime.system.frames import block_factors
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.system_model import stiffened_bodies

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Elastic coordinates of a link at most: its matrices are dense.
MOST = 600


@dataclass(frozen=True)
class ElasticCoordinates:
    """Coordinates of all links, one after the other.

    Attributes
    ----------
    matrix : csr_matrix, (n, r)
        Unknowns of the system by coordinates.
    starts : tuple of int, (links + 1,)
        First coordinate of every link.
    shapes : Shapes, optional
        Of a reduced model.
    order : ndarray of int, (r,)
        The unknown, or the shape, that is every coordinate.
    """

    matrix: csr_matrix
    starts: tuple[int, ...]
    shapes: Shapes | None
    order: Ints

    def of_link(self, link: int) -> csr_matrix:
        """Return the unknowns of the system by the coordinates of a link, (unknowns, n)."""
        return self.matrix[:, self.starts[link] : self.starts[link + 1]]

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the unknowns of the system, (n,), of coordinates or their rates."""
        return np.asarray(self.matrix @ coordinates)

    def coordinates(self, system: System, unknowns: Floats) -> Floats:
        """Return the coordinates of a state, as far as there are."""
        if self.shapes is None:
            return unknowns[self.order]
        return self.shapes.coordinates(system, unknowns)[self.order]


def elastic_coordinates(
    system: System, names: Sequence[str], shapes: Shapes | None
) -> ElasticCoordinates:
    """Return the coordinates of links.

    Parameters
    ----------
    system : System
        The bodies.
    names : sequence of str
        Of the links.
    shapes : Shapes, optional
        Of a reduced model, each of one link.

    Raises
    ------
    InputError
        Where a link has too many.
    """
    from scipy.sparse import csr_matrix

    own: list[Ints] = []
    for link, name in enumerate(names):
        numbers = link_unknowns(system, link)
        if shapes is not None:
            moved = np.abs(shapes.matrix[numbers]).max(axis=0, initial=0.0)
            numbers = np.flatnonzero(moved > 0.0)
        if len(numbers) > MOST:
            raise InputError(
                f"link '{name}': found {len(numbers)} elastic coordinates where joints and drivers "
                f"leave motions of links open; expected at most {MOST}: [reduction], with supports "
                "that hold its bodies in the frame of the link, or fewer nodes"
            )
        own.append(numbers)
    order = np.concatenate([np.zeros(0, dtype=np.int64), *own])
    starts = tuple(np.cumsum([0, *map(len, own)]).tolist())
    if shapes is None:
        entries = (np.ones(len(order)), (order, np.arange(len(order))))
        matrix = csr_matrix(entries, shape=(system.unknowns, len(order)))
    else:
        matrix = csr_matrix(shapes.matrix[:, order])
    return ElasticCoordinates(matrix, starts, shapes, order)


class Stiffening:
    """Stiffness matrices of links under the stresses of a state: linear in the coordinates.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them: heat stresses them as well.
    elastic : ElasticCoordinates
        The coordinates.
    integrals : sequence of LinkIntegrals
        Of every link, in its coordinates.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        elastic: ElasticCoordinates,
        integrals: Sequence[LinkIntegrals],
    ) -> None:
        self._system, self._loads, self._elastic = system, loads, elastic
        self._integrals = tuple(integrals)
        numbers = stiffened_bodies(system, loads)
        basis = elastic.matrix.toarray()
        self._matrices = Matrices(system, loads, numbers, basis)
        self._stressing = [
            (base, values)
            for base, values in zip(self._matrices.meaning, self._matrices.bases, strict=True)
            if base.kind in (HEAT, SECTION)
        ]

    @classmethod
    def where_any(
        cls,
        system: System,
        loads: Loads,
        elastic: ElasticCoordinates,
        integrals: Sequence[LinkIntegrals],
    ) -> Stiffening | None:
        """Return the stiffening of bodies that have one."""
        if not stiffened_bodies(system, loads) or not elastic.starts[-1]:
            return None
        return cls(system, loads, elastic, integrals)

    def __call__(self, time: float, coordinates: Floats, spins: Floats) -> Floats:
        """Return the matrices of all links, one by one.

        Inertia forces stress the sections of beams and shells by the angular velocities (L, 3).
        """
        values = self._matrices.stiffened @ coordinates
        if self._stressing:
            frames = [_turning(spins[body.motion.link or 0]) for body in self._system.bodies]
            blocks = self._system.spins_of(frames)
        for base, matrix in self._stressing:
            if base.kind == HEAT:
                factor = float(self._loads.nodal[base.index].amplitude.derivative(time, 0))
            else:
                factor = float(block_factors(blocks[base.body].load[None])[0, base.index])
            values = values + factor * matrix
        whole, starts = self._matrices.dense(values), self._elastic.starts
        found = [np.zeros(0)]
        for k, one in enumerate(self._integrals):
            own = slice(starts[k], starts[k + 1])
            found.append((one.stiffness + whole[own, own]).ravel())
        return np.concatenate(found)


def _turning(w: Floats) -> FrameState:
    zero = np.zeros(3)
    return FrameState(r_O=zero, R=np.eye(3), v_O=zero, w=w, a_O=zero, e=zero)
