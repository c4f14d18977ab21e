# SPDX-License-Identifier: BSD-3-Clause
"""The constant matrices of a small system on one pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.frames import unit_blocks, unit_blocks_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.products import projected
from flexforge.runtime.system.system import System
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Code
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Ints = NDArray[np.int32]
_NONE = np.zeros(0)

#: What a constant matrix is: of a body, of a unit block of inertia, its geometric stiffness by the
#: rotation, by heat, or by the inertia forces within a section, or that of damping that spins.
STIFFNESS, DAMPING, UNIT = Code("FF_STIFFNESS"), Code("FF_DAMPING"), Code("FF_UNIT")
PRESTRESS, HEAT, SECTION = Code("FF_PRESTRESS"), Code("FF_HEAT"), Code("FF_SECTION")
CIRCULATION = Code("FF_CIRCULATION")


class Matrices:
    """Constant matrices of a system on the unknowns, all on one pattern.

    Parameters
    ----------
    system : System
        The bodies; prestress of rotation has been added.
    loads : Loads
        What acts on them.
    stiffened : sequence of int
        Numbers of those with a geometric stiffness of their own state, and of their temperatures.
    basis : ndarray, (n, r), optional
        Shapes that the unknowns move in; r coordinates take their place then.
    whole : bool
        Whether matrices that are zero are kept as well.

    Attributes
    ----------
    size : int
        Number of coordinates.
    pointers, columns : ndarray of int32
        The pattern.
    mass : ndarray, (nnz,)
        The mass matrix.
    bases : ndarray, (b, nnz)
        Stiffness, damping, inertia for unit blocks, prestress, heat and the sections' own stress
        for unit blocks, body after body.
    meaning : tuple of Base, (b,)
        What they are; the prestress is of a pattern, heat as large as a nodal load.
    skew : ndarray of bool, (b,)
        Which of them are skew: of unit blocks that are.
    stiffened : csr_matrix, (nnz, n)
        The geometric stiffness that displacements make, linear in them.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stiffened: Sequence[int] = (),
        basis: Floats | None = None,
        *,
        whole: bool = False,
    ) -> None:
        from scipy.sparse import csr_matrix

        self._system = system
        self._moved = None if basis is None else _moved(system, basis)
        self.size = system.unknowns if basis is None else basis.shape[1]
        units = unit_blocks(system.dimension)
        pairs = [(body, number in stiffened) for number, body in enumerate(system.bodies)]
        found, meaning = [], []
        for number, (body, own) in enumerate(pairs):
            own_units = unit_blocks_of(body)
            counts = {
                STIFFNESS: 1, DAMPING: 1, UNIT: len(own_units), PRESTRESS: len(body.patterns),
                CIRCULATION: 3 if body.circulates else 0,
            }  # fmt: skip
            for base in (
                structs.Base(number, kind, k) for kind in counts for k in range(counts[kind])
            ):
                found.append(self._alone(number, _combination(base, body)))
                meaning.append(base)
            still = np.zeros_like(body.points)
            for heat in loads.heat.get(body.name, []) if own else []:
                found.append(self._stressed(number, body.prestress(still, heat.field)))
                meaning.append(structs.Base(number, HEAT, loads.heating(number, heat)))
            for k, unit in enumerate(own_units if own and body.has_sections else ()):
                found.append(self._stressed(number, body.prestress(still, block=unit)))
                meaning.append(structs.Base(number, SECTION, k))
        identity = Combination(0.0, np.eye(system.dimension), _NONE)
        if basis is None:
            mass = system.matrix([identity] * len(system.bodies))
        else:
            mass = sum([self._alone(number, identity) for number in range(len(system.bodies))])
        geometric = {
            number: self._geometric(number, body) for number, (body, it) in enumerate(pairs) if it
        }
        shapes = [abs(one) for pairs in geometric.values() for _, one in pairs]
        total = sum([abs(one) for one in found] + shapes, start=abs(mass))
        pattern = csr_matrix(total)
        pattern.sort_indices()
        self.pointers = pattern.indptr.astype(np.int32)
        self.columns = pattern.indices.astype(np.int32)
        rows = np.repeat(np.arange(self.size), np.diff(pattern.indptr))
        self._keys = rows * self.size + pattern.indices
        self.mass = self._on_pattern(mass)
        values = [self._on_pattern(one) for one in found]
        kept = [k for k, one in enumerate(values) if whole or one.any()]
        self.meaning = tuple(meaning[k] for k in kept)
        self.bases = np.array([values[k] for k in kept]).reshape(len(kept), -1)
        turns = [k for k, unit in enumerate(units) if (unit == -unit.T).all()]
        self.skew = np.array(
            [one.kind == UNIT and one.index in turns for one in self.meaning], dtype=bool
        )
        self.stiffened = self._linear([pair for pairs in geometric.values() for pair in pairs])

    def dense(self, values: Floats) -> Floats:
        """Return values (nnz,) on the pattern as a matrix, (r, r)."""
        found = np.zeros((self.size, self.size))
        found.ravel()[self._keys] = values
        return found

    def sparse(self, values: Floats) -> csr_matrix:
        """Return values (nnz,) on the pattern as a sparse matrix, (r, r)."""
        from scipy.sparse import csr_matrix

        return csr_matrix((values, self.columns, self.pointers), shape=(self.size,) * 2)

    @property
    def pattern(self) -> csr_matrix:
        """The pattern, with ones, (r, r)."""
        return self.sparse(np.ones(len(self.columns)))

    def _alone(
        self, number: int, combination: Combination, system: System | None = None
    ) -> csr_matrix:
        """Return a combination of the matrices of one body, stressed or not, by coordinates.

        Of shapes these are products with fields of its nodes, as shapes have no zeros.
        """
        from scipy.sparse import csr_matrix

        system = system or self._system
        if self._moved is None:
            zero = Combination(0.0, np.zeros((system.dimension,) * 2), _NONE)
            rest = [zero] * len(system.bodies)
            rest[number] = combination
            return system.matrix(rest)
        coordinates, fields = self._moved[number]
        found = projected(system.bodies[number], combination, fields)
        rows = np.repeat(coordinates, len(coordinates))
        columns = np.tile(coordinates, len(coordinates))
        return csr_matrix((found.ravel(), (rows, columns)), shape=(self.size,) * 2)

    def _stressed(self, number: int, values: Floats) -> csr_matrix:
        """Return the geometric stiffness of one body on the unknowns, from its values."""
        system, d = self._system, self._system.dimension
        stressed = system.with_bodies({number: system.bodies[number].stressed([values])})
        return self._alone(number, Combination(0.0, np.zeros((d, d)), np.ones(1)), stressed)

    def _geometric(self, number: int, body: Body) -> list[tuple[int, csr_matrix]]:
        """Return the geometric stiffness of a unit of every coordinate that makes any in a body."""
        states = ((unit, body.prestress(moved)) for unit, moved in self._units(number, body))
        return [(unit, self._stressed(number, values)) for unit, values in states if values.any()]

    def _units(self, number: int, body: Body) -> Iterator[tuple[int, Floats]]:
        """Yield the displacements of a body for a unit of every coordinate that moves it."""
        system, d = self._system, self._system.dimension
        if self._moved is not None:
            coordinates, fields = self._moved[number]
            yield from zip(coordinates.tolist(), fields, strict=True)
            return
        places = (body.nodes[:, None] * d + np.arange(d)).ravel()
        moved = system.map.sparse[places].tocsc()
        for unknown in np.flatnonzero(np.diff(moved.indptr)).tolist():
            yield unknown, moved[:, [unknown]].toarray().reshape(-1, d)

    def _on_pattern(self, matrix: csr_matrix) -> Floats:
        entries = matrix.tocoo()
        entries.eliminate_zeros()  # the pattern has none
        values = np.zeros(len(self._keys))
        held = np.flatnonzero(entries.data)  # stored zeros are no part of the pattern, a sum
        keys = entries.row[held].astype(np.int64) * self.size + entries.col[held]
        np.add.at(values, np.searchsorted(self._keys, keys), entries.data[held])
        return values

    def _linear(self, pairs: Sequence[tuple[int, csr_matrix]]) -> csr_matrix:
        from scipy.sparse import csr_matrix

        shape = (len(self._keys), self.size)
        if not pairs:
            return csr_matrix(shape)
        columns = [self._on_pattern(matrix) for _, matrix in pairs]
        rows = [np.flatnonzero(one) for one in columns]
        data = np.concatenate([one[at] for one, at in zip(columns, rows, strict=True)])
        where = np.repeat([unknown for unknown, _ in pairs], [len(at) for at in rows])
        return csr_matrix((data, (np.concatenate(rows), where)), shape=shape)


def _moved(system: System, basis: Floats) -> list[tuple[NDArray[np.int64], Floats]]:
    """Return for every body the coordinates that move it, (k,), and how, (k, V, d)."""
    found, d = [], system.dimension
    for body in system.bodies:
        places = (body.nodes[:, None] * d + np.arange(d)).ravel()
        fields = (system.map.sparse[places] @ basis).T
        coordinates = np.flatnonzero(fields.any(axis=1))
        fields = fields[coordinates].reshape(-1, *body.points.shape)
        found.append((coordinates, np.ascontiguousarray(fields)))
    return found


def products(
    system: System, meaning: Sequence[structs.Base], fields: Floats, *, transposed: bool = False
) -> Floats:
    """Return the masses and constant matrices of all nodes times fields, (1 + b, k, N, d).

    Parameters
    ----------
    system : System
        The bodies.
    meaning : sequence of Base, (b,)
        What the matrices are: none of stresses of their own state.
    fields : ndarray, (k, N, d)
        Nodal displacements.
    transposed : bool
        Whether the matrices are transposed.
    """
    none = Combination(0.0, np.zeros((system.dimension,) * 2), _NONE)
    found = [[system.mass_times(field) for field in fields]]
    for base in meaning:
        combined = [none] * len(system.bodies)
        one = _combination(base, system.bodies[base.body])
        combined[base.body] = replace(one, inertia=one.inertia.T) if transposed else one
        found.append([system.apply(combined, field) for field in fields])
    return np.array(found)


def _combination(base: structs.Base, body: Body) -> Combination:
    """Return a constant matrix of a body as a combination of its matrices."""
    zero = np.zeros((body.dimension,) * 2)
    if base.kind == UNIT:
        return Combination(0.0, unit_blocks(body.dimension)[base.index], _NONE)
    if base.kind == PRESTRESS:
        return Combination(0.0, zero, np.eye(len(body.patterns))[base.index])
    if base.kind == CIRCULATION:
        axis = body.motion.rotation.axis
        assert axis is not None
        return Combination(0.0, zero, _NONE, circulation=float(axis[base.index]))
    return Combination(float(base.kind == STIFFNESS), zero, _NONE, float(base.kind == DAMPING))
