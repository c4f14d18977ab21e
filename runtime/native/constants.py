# SPDX-License-Identifier: BSD-3-Clause
"""What never changes of a small system: its matrices, its loads, and what ties it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import Matrices, products
from flexforge.runtime.native.order import MOST_UNKNOWNS, MOST_WORK, banded, cheapest
from flexforge.runtime.native.ties import build_ties
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.system_model import stiffened_bodies

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def is_small(system: System) -> bool:
    """Whether the matrices of a system are small enough to be factored whenever they change."""
    if system.unknowns > MOST_UNKNOWNS:
        return False
    elastic = Combination(1.0, np.zeros((system.dimension,) * 2), np.zeros(0))
    return cheapest(system.matrix([elastic] * len(system.bodies))).work <= MOST_WORK


class Constants:
    """What never changes of a small system.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added to those in prescribed frames.
    loads : Loads
        What acts on them.
    shapes : Shapes, optional
        Those that the unknowns move in, for r coordinates; by default the unknowns themselves.
    joints : JointConstraints, optional
        What ties the unknowns.
    whole : bool
        Whether matrices that are zero are kept as well.
    formalism : str
        How steps of tied bodies solve their equations.

    Attributes
    ----------
    system, loads, shapes
        As given.
    joints : JointConstraints or None
        What ties the coordinates.
    matrices : Matrices
        Constant matrices.
    forces : Forces
        Constant vectors.
    ties : Ties or None
        Which constraints hang together.
    order : Order
        In which the matrix of a step is factored, of coordinates or of the speeds that are left.
    """

    #: Elements, where there are no matrices: none.
    mesh: ClassVar[None] = None

    def __init__(
        self,
        system: System,
        loads: Loads,
        shapes: Shapes | None = None,
        joints: JointConstraints | None = None,
        *,
        whole: bool = False,
        formalism: str = "maggi",
    ) -> None:
        self.system, self.loads, self.shapes = system, loads, shapes
        basis = None if shapes is None else shapes.matrix
        stiffened: tuple[int, ...] = ()
        if joints is not None:
            stiffened = tuple(stiffened_bodies(system, loads))
            joints = joints if basis is None else joints.reduced(basis)
        self.joints = joints
        whole = whole or loads.given is not None  # a term that moves nothing may be moved along
        self.matrices = Matrices(system, loads, stiffened, basis, whole=whole)
        self.forces = Forces(system, loads, basis)
        self.ties = None
        if joints is not None:
            self.ties = build_ties(joints.pattern, formalism)
        pattern = self._pattern()
        # Entries of the matrix of tied bodies come from products, which a band takes anywhere.
        self.order = cheapest(pattern) if self.ties is None else banded(pattern)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.matrices.size

    @property
    def solved(self) -> int:
        """Number of equations of a step that are solved together."""
        if self.ties is not None and self.ties.multipliers:
            return self.size + self.ties.multipliers
        return len(self.order.place)

    @property
    def work(self) -> float:
        """Work to factor the matrix of a step, counted in updates of entries of a band."""
        if self.ties is not None and self.ties.multipliers:
            return self.solved**3 / 3.0
        return self.order.work

    @cached_property
    def moved(self) -> Floats:
        """Nodal displacements for a unit of every function that moves supports, (f, N, d)."""
        given, system = self.loads.given, self.system
        return np.zeros((0, system.size, system.dimension)) if given is None else given.units

    @cached_property
    def given(self) -> Floats:
        """What masses and matrices make of these on the coordinates, (1 + b, f, r)."""
        if not len(self.moved):
            return np.zeros((0, 0, self.size))
        found = products(self.system, self.matrices.meaning, self.moved)
        forces = self.system.restrict(found)
        return forces if self.shapes is None else forces @ self.shapes.matrix

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the values of the unknowns (n,) from those of the coordinates (r,)."""
        return coordinates if self.shapes is None else self.shapes.matrix @ coordinates

    def coordinates(self, unknowns: Floats) -> Floats:
        """Return the coordinates (r,) of a state of the unknowns (n,), as far as there are."""
        return unknowns if self.shapes is None else self.shapes.coordinates(self.system, unknowns)

    def _pattern(self) -> csr_matrix:
        """Return the pattern of the matrix of a step."""
        from scipy.sparse import csr_matrix

        ties, pattern = self.ties, self.matrices.pattern
        if ties is None:
            return pattern
        entries = (np.ones(len(ties.columns)), ties.columns, ties.pointers)
        free = csr_matrix(entries, shape=(ties.n, ties.speeds))
        return (free.T @ pattern @ free).tocsr()
