# SPDX-License-Identifier: BSD-3-Clause
"""From supports and linear equations to ``d = T y + g(t)``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.system.coupling_rows import couplings
from flexforge.runtime.system.curved.rows import CurvedRows
from flexforge.runtime.system.elimination import eliminate
from flexforge.runtime.system.equation_forces import EquationForces
from flexforge.runtime.system.follower_rows import follower_rows
from flexforge.runtime.system.linear_equations import (
    equation_rows,
    support_rows,
)
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.prescribed import Prescribed
from flexforge.runtime.system.rows import Rows, csr_none, matrices
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System
from flexforge.runtime.system.tie_rows import tie_rows
from flexforge.runtime.system.unknown_map import UnknownMap

_NOTHING, _STILL = -2, -1  # instead of a function: free; held at zero


@dataclass(frozen=True, eq=False)
class Restraints:
    """Supports and equations of a model, of which its unknowns are what they leave free.

    Attributes
    ----------
    system : System
        The bodies without supports.
    held : ndarray of int64, (N d,)
        State of every coordinate: free, held at zero, or the number of a function.
    functions : tuple of Coordinate
        Displacements that are given.
    supporting, rows : tuple of Rows
        Supports in local axes, and linear equations.
    curved : CurvedRows or None
        The others.
    sector : Sector, optional
        The boundaries of a sector of a wheel.
    weighs : bool
        Whether nodes need mass.
    """

    system: System
    held: Ints
    functions: tuple[Coordinate, ...]
    supporting: tuple[Rows, ...]
    rows: tuple[Rows, ...]
    curved: CurvedRows | None
    sector: Sector | None
    weighs: bool

    @classmethod
    def of(
        cls, model: ModelSpec, places: NameTable, frames: Ints, sector: Sector | None = None
    ) -> Restraints:
        """Return what restrains a model.

        Parameters
        ----------
        model : ModelSpec
            The model with its supports and equations.
        places : NameTable
            Its names in a system without supports.
        frames : ndarray of int64, (N,)
            Number of the frame of every node.
        sector : Sector, optional
            The boundaries of a sector of a wheel.

        Raises
        ------
        InputError
            When groups are missing, or an equation is between nodes in different frames.
        """
        functions: list[Coordinate] = []
        number = _held(model, places, functions)
        supporting = tuple(support_rows(model, places, functions))
        rows = [*equation_rows(model, places, frames, functions)]
        coupled, curved = couplings(model, places, frames)
        rows += coupled
        rows += tie_rows(model, places, frames)
        rows += follower_rows(places, frames)
        weighs = model.analysis.kind not in ("static", "buckling")
        given = tuple(functions)
        return cls(places.system, number, given, supporting, tuple(rows), curved, sector, weighs)

    @property
    def forces(self) -> EquationForces | None:
        """What separates the forces of equations from those of supports; None without equations."""
        if not self.rows and self.curved is None:
            return None
        count = len(self.held)
        equations, supports = (
            matrices(rows, count, len(self.functions))[0] if rows else csr_none(count)
            for rows in (self.rows, self.supporting)
        )
        return EquationForces(equations, supports, self.curved, self.held != _NOTHING)

    def unknowns(self, diameter: int = 0, *, small: bool = True) -> UnknownMap:
        """Return the unknowns that are left free.

        Parameters
        ----------
        diameter : int
            Number of nodal diameters of a sector. With some, displacements that are given are zero.
        small : bool
            Whether displacements are small, so that all equations are linear; otherwise those that
            are not are left out.

        Raises
        ------
        InputError
            When no unknown is left, a node without mass is free, or supports or equations
            contradict each other.
        """
        from scipy.sparse import csr_matrix

        number, functions = self.held, self.functions
        rows = [*self.supporting, *self.rows]
        if self.sector is not None:
            rows += self.sector.rows(diameter)
        if small and self.curved is not None:
            rows += self.curved.linearized
        moved = np.flatnonzero(number >= 0)
        entries = (np.ones(len(moved)), (moved, number[moved]))
        given = csr_matrix(entries, shape=(len(number), len(functions)))
        free, matrix = np.flatnonzero(number == _NOTHING), None
        if rows:
            left, right = matrices(rows, len(number), len(functions))
            names = [row.key for row in rows for _ in range(len(row.places))]
            left, right = left[:, free], (right - left @ given).tocsr()
            left.eliminate_zeros()
            # Between coordinates that are held, an equation says nothing.
            some = np.flatnonzero((np.diff(left.indptr) > 0) | (np.diff(right.indptr) > 0))
            found = eliminate(left[some], right[some], [names[i] for i in some])
            ones = (np.ones(len(free)), (free, np.arange(len(free))))
            spread = csr_matrix(ones, shape=(len(number), len(free)))
            matrix, given = (spread @ found.matrix).tocsr(), (given + spread @ found.given).tocsr()
            free = free[found.kept]
            if matrix.nnz == len(free):  # only zeros: supports along the axes of the body
                matrix = None
        shape = self.system.map.shape
        own = Prescribed(shape, given, functions) if functions and not diameter else None
        restrained = UnknownMap(shape, free, matrix, own)
        if self.weighs and small:
            _check_massless(self.system, restrained)
        if not len(free) and (self.curved is None or not small):
            raise InputError("supports: every displacement is held; expected some free ones")
        return restrained


def _held(model: ModelSpec, places: NameTable, functions: list[Coordinate]) -> Ints:
    """Return the state of every coordinate, (N d,): free, held at zero, or a function."""
    system = places.system
    found = np.full((system.size, system.dimension), _NOTHING)
    for body in system.bodies:
        if body.revolved:  # nodes on the axis stay there, and nothing moves them around it
            found[body.nodes[body.points[:, 0] == 0], ::2] = _STILL
    if system.dimension == 2:
        for body in system.bodies:  # a rotation in the plane has one coordinate
            found[body.rotations, 1] = _STILL
    found[_without_rotation(system)] = _STILL
    number, holder = found.ravel(), np.full(found.size, -1)
    for i, support in enumerate(model.supports):
        moves: dict[str, int] = {}
        for component, profile in support.displacement.items():
            if support.axes is None or component == "rz":
                moves[component] = len(functions)
                functions.append(Coordinate(build_profile(profile, model.span or 1.0)))
        for name, held in held_places(support, places, f"supports[{i}].group"):
            given = moves.get(name, _STILL)
            other = held[(holder[held] >= 0) & (number[held] != given)]
            if len(other):
                raise InputError(
                    f"supports[{i}]: found '{name}' at nodes of '{support.group}' that "
                    f"supports[{holder[other[0]]}] moves differently; expected one displacement "
                    "for every node"
                )
            number[held], holder[held] = given, i
    return number


def held_places(support: SupportSpec, places: NameTable, key: str) -> Iterator[tuple[str, Ints]]:
    """Yield the components that a support holds, and their positions ``node * d + component``.

    For a support with local axes in a planar model: the rotations only.

    Parameters
    ----------
    support : SupportSpec
        The support.
    places : NameTable
        Names of its model in the system.
    key : str
        Key of its group, for messages.

    Raises
    ------
    InputError
        When the group is missing.
    """
    d = places.system.dimension
    about = ("rz",) if d == 2 else ("rx", "ry", "rz")
    for body, nodes in places.nodes(support.group, support.body, key):
        for component in support.components:
            if component in "xyz"[:d] and support.axes is None:
                yield component, body.nodes[nodes] * d + "xyz".index(component)
            elif component in about and body.turns and (d == 2 or support.axes is None):
                yield component, body.rotations[nodes] * d + about.index(component)


def _check_massless(system: System, restrained: UnknownMap) -> None:
    """Refuse free nodes that only connectors reach: they have no mass."""
    heavy = np.zeros(restrained.shape, dtype=bool)
    for body in system.bodies:
        heavy[body.placed] |= body.has_mass
        heavy[body.rotations] = heavy[body.internal] = True
    moving = abs(restrained.sparse).T @ heavy.ravel().astype(float) > 0.0
    wrong = np.unique(restrained.places[~moving] // system.dimension)
    for body in system.bodies:
        if np.isin(body.placed, wrong).any():
            raise InputError(
                f"{body.part.source}: a node of '{body.name}' has neither body nor mass; expected "
                "one, or a support that holds its displacement"
            )


def _without_rotation(system: System) -> Ints:
    """Return the rotations that connectors need at nodes without rotations: they are zero."""
    asked, there = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for body in system.bodies:
        (asked if body.is_connector else there).append(body.rotations)
    return np.setdiff1d(np.concatenate(asked), np.concatenate(there))
