# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of a reduced model: constraint modes, vibration modes, static responses to loads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.reduction.interface import Interface, interface_of
from flexforge.runtime.statics.conditioned import Conditioned
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions, name_equation
from flexforge.runtime.system.mean_axes import MeanAxes
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.conditioned import solve_conditioned
from flexforge.runtime.vibration.undamped import Undamped, solve_undamped

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Fraction of a shape that must be new for the shape to be added.
_NEW = 1e-6
#: Fraction of the largest load below which a load is round-off.
_NO_LOAD = 1e-10


@dataclass(frozen=True)
class Basis:
    """Shapes whose combinations are the displacements of a reduced system.

    Attributes
    ----------
    matrix : ndarray, (n, r)
        Phi: the coordinates of kept nodes first, then shapes of unit modal mass.
    names : tuple of str, (r,)
        What the coordinates are.
    frequencies : ndarray, (r - kept,)
        Frequencies of the shapes at rest, with kept coordinates fixed, Hz, ascending.
    interface : Interface
        The kept quantities, whose values are coordinates themselves.
    """

    matrix: Floats
    names: tuple[str, ...]
    frequencies: Floats
    interface: Interface

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return len(self.names)

    @property
    def shapes(self) -> Shapes:
        """The shapes, and how their coordinates follow from the unknowns."""
        return Shapes(self.matrix, self.interface.values)


def ritz_basis(
    spec: ReductionSpec,
    system: System,
    kept: Interface,
    loads: Floats,
    solver: str,
    axes: Iterable[MeanAxes] = (),
) -> Basis:
    """Return the shapes of a reduced model.

    Parameters
    ----------
    spec : ReductionSpec
        The settings of the reduction.
    system : System
        The bodies.
    kept : Interface
        The kept coordinates, as :func:`kept_of` finds them.
    loads : ndarray, (f, n)
        Loads whose static responses are added to the shapes, if requested.
    solver : str
        Linear solver.
    axes : iterable of MeanAxes
        Conditions that the shapes of links without supports obey.

    Raises
    ------
    AnalysisError
        When no unknowns are left to vibrate, or the system is not held.
    """
    transform = kept.transform
    pencil = Pencil.at_rest(system)
    stiffness, mass = (
        (transform.T @ one @ transform).tocsr() for one in (pencil.stiffness, pencil.inertia)
    )
    count = len(kept.kept)
    conditions = [one.rows(system.unknowns) @ transform for one in axes]
    constraint = np.zeros((system.unknowns, count))
    constraint[kept.kept, np.arange(count)] = 1.0
    parts = []
    for places in _connected(stiffness + mass, kept.inside, conditions):
        own = [one for one in conditions if one[:, places].nnz]
        part = _Part(
            places,
            pencil.part(transform, places),
            np.hstack([one[:, places].T.toarray() for one in own] or [np.zeros((len(places), 0))]),
        )
        wanted = (loads @ transform)[:, places] if spec.static else np.zeros((0, len(places)))
        beside = np.vstack([one[:, kept.kept].toarray() for one in own] or [np.zeros((0, count))])
        part.solve(spec.modes, wanted, stiffness[places][:, kept.kept], beside, solver)
        constraint[places] = part.beside
        parts.append(part)
    highest = np.sort(np.concatenate([part.found.squares for part in parts]))[: spec.modes][-1]
    columns, squares = [np.zeros((system.unknowns, 0))], [np.zeros(0)]
    for part in parts:
        shapes, its_squares = part.shapes(highest)
        columns.append(np.zeros((system.unknowns, shapes.shape[1])))
        columns[-1][part.places] = shapes
        squares.append(its_squares)
    frequencies = np.sqrt(np.maximum(np.concatenate(squares), 0.0)) / (2.0 * np.pi)
    order = np.argsort(frequencies, kind="stable")
    names = (*kept.names, *(f"shape {i + 1}" for i in range(len(order))))
    matrix = np.hstack([constraint, np.hstack(columns)[:, order]])
    return Basis(np.asarray(transform @ matrix), names, frequencies[order], kept)


def kept_of(
    spec: ReductionSpec, places: NameTable, ends: Sequence[tuple[str, Attachment]]
) -> Interface:
    """Return the kept coordinates: nodes of groups, and markers of joints.

    Parameters
    ----------
    spec : ReductionSpec
        The settings of the reduction.
    places : NameTable
        The system, and its names.
    ends : sequence of (name, Attachment)
        Markers of joints.

    Raises
    ------
    InputError
        For groups without nodes or unknowns; when all unknowns are kept.
    """
    found = interface_of(places.system.unknowns, ends, _kept_nodes(spec, places))
    if not len(found.inside):
        raise InputError("reduction.keep: found every unknown; expected some not kept")
    return found


class _Part:
    """Connected unknowns, with all kept coordinates fixed.

    Parameters
    ----------
    places : ndarray of int, (p,)
        Indices of its unknowns among all unknowns.
    pencil : Pencil
        Its stiffness and inertia.
    conditions : ndarray, (p, c)
        Conditions that its unknowns obey.

    Attributes
    ----------
    found : Undamped
        Its vibration modes.
    beside : ndarray, (p, k)
        Responses to unit kept coordinates.
    """

    found: Undamped
    beside: Floats

    def __init__(self, places: Ints, pencil: Pencil, conditions: Floats) -> None:
        self.places, self._pencil, self._conditions = places, pencil, conditions

    def solve(
        self, count: int, loads: Floats, kept: csr_matrix, conditions: Floats, solver: str
    ) -> None:
        """Find vibration modes, and responses to loads and to unit kept coordinates.

        Parameters
        ----------
        count : int
            Number of vibration modes.
        loads : ndarray, (f, p)
            The loads.
        kept : csr_matrix, (p, k)
            Stiffness between its unknowns and the kept coordinates.
        conditions : ndarray, (c, k)
            What the kept coordinates contribute to the conditions.
        solver : str
            Linear solver.

        Raises
        ------
        AnalysisError
            When the kept coordinates do not hold it.
        """
        pencil = self._pencil
        left = len(self.places) - self._conditions.shape[1]
        if left <= 0:
            raise AnalysisError(
                f"reduction: found {len(self.places)} coordinates besides those that are kept, and "
                f"{self._conditions.shape[1]} conditions of the mean axes of their link; expected "
                "more nodes, or fewer that are kept"
            )
        loads, forces = _independent_loads(loads, self._conditions), -kept.toarray()
        if self._conditions.size:
            inverse = Conditioned(pencil, self._conditions, solver, "reduction")
            self.found = solve_conditioned(pencil, self._conditions, inverse, min(count, left))
            self._answers = inverse.solve(loads.T)
            self.beside = inverse.solve(forces, -conditions)
            inverse.close()
        else:
            self.found = solve_undamped(pencil, min(count, left), None, solver)
            self._answers, self.beside = np.zeros((len(self.places), 0)), np.zeros_like(forces)
            answered = len(loads) > 0 and not free_motions(pencil.system)
            if forces.size or answered:
                factors = factor_held(pencil, solver, "reduction")
                if len(loads):
                    self._answers = factors.solve(np.ascontiguousarray(loads.T))
                if forces.size:
                    self.beside = factors.solve(forces)
                factors.close()
        if self.found.missing:
            raise AnalysisError(f"reduction: {self.found.missing}")

    def shapes(self, highest: float) -> tuple[Floats, Floats]:
        """Return shapes of unit mass and the squares of their frequencies.

        They are the vibration modes and, as far as they are new, the responses to loads.

        Parameters
        ----------
        highest : float
            Square of the highest required frequency.
        """
        shapes = self.found.vectors[:, self.found.squares <= highest]
        shapes = _with(shapes, self._answers, self._pencil.inertia)
        squares, turns = np.linalg.eigh(shapes.T @ self._pencil.times(shapes))
        return shapes @ turns, squares


def _connected(
    matrix: csr_matrix, inside: Ints, conditions: Sequence[csr_matrix]
) -> Iterator[Ints]:
    """Return the connected parts of the unknowns of a matrix; conditions connect them, too."""
    from scipy.sparse.csgraph import connected_components

    _, label = connected_components(matrix[inside][:, inside], directed=False)
    for one in conditions:
        together = np.unique(label[one[:, inside].getnnz(axis=0) > 0])
        label[np.isin(label, together)] = together[:1]
    for number in np.unique(label):
        yield inside[label == number]


def _kept_nodes(spec: ReductionSpec, places: NameTable) -> list[tuple[str, int]]:
    """Return the unknowns of the nodes that are kept, rotations included, with their names."""
    system = places.system
    kept = np.zeros(0, dtype=np.int64)
    for i, group in enumerate(spec.keep):
        wanted = np.zeros((system.size, system.dimension), dtype=bool)
        for body, nodes in places.nodes(group, None, f"reduction.keep[{i}]"):
            wanted[body.nodes[nodes]] = True
            if body.turns:
                wanted[body.rotations[nodes]] = True
        own = system.map.reaching(np.flatnonzero(wanted))
        if not len(own):
            raise InputError(
                f"reduction.keep[{i}]: supports hold all of group '{group}'; expected nodes "
                "free to move"
            )
        kept = np.union1d(kept, own)
    return [(name_equation(system, number), number) for number in kept.tolist()]


def _independent_loads(loads: Floats, conditions: Floats) -> Floats:
    """Return loads that span all given ones (f, n), (k, n), besides reactions of conditions."""
    if conditions.size:
        reactions, sizes = np.linalg.qr(conditions)[0], np.linalg.norm(loads, axis=1)
        for _ in range(2):  # twice is enough
            loads = loads - loads @ reactions @ reactions.T
        loads = loads[np.linalg.norm(loads, axis=1) > _NO_LOAD * sizes]
    if not loads.any():
        return loads[:0]
    _, sizes, directions = np.linalg.svd(loads, full_matrices=False)
    return np.asarray(directions[sizes > _NO_LOAD * sizes[0]])


def _with(shapes: Floats, answers: Floats, mass: csr_matrix) -> Floats:
    """Return shapes of unit mass: the given ones and, as far as they are new, the responses."""
    for answer in answers.T:
        size = np.sqrt(answer @ (mass @ answer))
        if size == 0.0:
            continue
        rest = answer / size
        for _ in range(2):  # twice is enough
            rest = rest - shapes @ (shapes.T @ (mass @ rest))
        new = np.sqrt(rest @ (mass @ rest))
        if new > _NEW:
            shapes = np.column_stack([shapes, rest / new])
    return shapes
