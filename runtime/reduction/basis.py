# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of a reduced model: constraint modes, vibration modes, static responses to loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.reduction.interface import Interface, interface_of
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions, name_equation
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.undamped import solve_undamped

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
    spec: ReductionSpec, system: System, kept: Interface, loads: Floats, solver: str
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
    parts = [
        _Part(pencil.part(transform, places), places, stiffness[places], spec.modes, solver)
        for places in _connected(stiffness + mass, kept.inside)
    ]
    highest = np.sort(np.concatenate([part.found.squares for part in parts]))[: spec.modes][-1]
    constraint = np.zeros((system.unknowns, len(kept.kept)))
    constraint[kept.kept, np.arange(len(kept.kept))] = 1.0
    columns, squares = [np.zeros((system.unknowns, 0))], [np.zeros(0)]
    for part in parts:
        wanted = _independent_loads((loads @ transform)[:, part.places]) if spec.static else None
        answers, constraint[part.places] = part.statics(wanted, kept.kept)
        own, its_squares = part.shapes(highest, answers)
        columns.append(np.zeros((system.unknowns, own.shape[1])))
        columns[-1][part.places] = own
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
    pencil : Pencil
        Its stiffness and inertia.
    places : ndarray of int
        Indices of its unknowns among all unknowns.
    rows : csr_matrix, (p, n)
        Its rows of the stiffness matrix of all unknowns.
    count : int
        Number of vibration modes.
    solver : str
        Linear solver.
    """

    def __init__(
        self, pencil: Pencil, places: Ints, rows: csr_matrix, count: int, solver: str
    ) -> None:
        self.places, self._rows, self._solver = places, rows, solver
        self._pencil = pencil
        self.found = solve_undamped(pencil, min(count, len(places)), None, solver)
        if self.found.missing:
            raise AnalysisError(f"reduction: {self.found.missing}")

    def statics(self, loads: Floats | None, kept: Ints) -> tuple[Floats, Floats]:
        """Return responses to loads (f, p) and to unit kept coordinates, in columns.

        Raises
        ------
        AnalysisError
            When the kept coordinates do not hold it.
        """
        answers, beside = np.zeros((len(self.places), 0)), np.zeros((len(self.places), len(kept)))
        wanted = loads is not None and len(loads) > 0 and not free_motions(self._pencil.system)
        if not len(kept) and not wanted:
            return answers, beside
        factors = factor_held(self._pencil, self._solver, "reduction")
        if loads is not None and len(loads):
            answers = factors.solve(np.ascontiguousarray(loads.T))
        if len(kept):
            beside = -factors.solve(self._rows[:, kept].toarray())
        factors.close()
        return answers, beside

    def shapes(self, highest: float, answers: Floats) -> tuple[Floats, Floats]:
        """Return shapes of unit mass and the squares of their frequencies.

        Parameters
        ----------
        highest : float
            Square of the highest required frequency.
        answers : ndarray, (p, k)
            Responses that the shapes must contain besides the vibration modes.
        """
        shapes = self.found.vectors[:, self.found.squares <= highest]
        shapes = _with(shapes, answers, self._pencil.inertia)
        squares, turns = np.linalg.eigh(shapes.T @ self._pencil.times(shapes))
        return shapes @ turns, squares


def _connected(matrix: csr_matrix, inside: Ints) -> Iterator[Ints]:
    """Return the connected parts of the unknowns of a matrix."""
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(matrix[inside][:, inside], directed=False)
    for number in range(count):
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


def _independent_loads(loads: Floats) -> Floats:
    """Return loads that span all given ones, (k, n)."""
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
