# SPDX-License-Identifier: BSD-3-Clause
"""The constant matrices of a small system on one pattern, and their factors over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.frames import (
    Blocks,
    block_factors,
    pattern_factors,
    unit_blocks,
)
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Base:
    """What a constant matrix is.

    Attributes
    ----------
    body : int
        Whose.
    kind : str
        ``stiffness``, ``damping``, inertia of a ``unit`` block, ``prestress``, or geometric
        stiffness of ``heat`` or by the inertia forces within a ``section``.
    index : int
        Which unit block, pattern of prestress or change of temperature.
    """

    body: int
    kind: str
    index: int


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
        What they are.
    skew : ndarray of int32, (b,)
        Which of them are skew: of unit blocks that are.
    stiffened : csr_matrix, (nnz, n)
        The geometric stiffness that displacements make, linear in them.
    """

    def __init__(
        self, system: System, loads: Loads, stiffened: Sequence[int] = (),
        basis: Floats | None = None, *, whole: bool = False,
    ) -> None:  # fmt: skip
        from scipy.sparse import csr_matrix

        self._system, self._basis = system, basis
        self.size = system.unknowns if basis is None else basis.shape[1]
        units = unit_blocks(system.dimension)
        zero = np.zeros((system.dimension,) * 2)
        own = [number in stiffened for number in range(len(system.bodies))]
        pairs = list(zip(system.bodies, own, strict=True))
        self._heated = [loads.heat.get(body.name, []) if it else [] for body, it in pairs]
        self._sections = [it and body.has_sections for body, it in pairs]
        found, meaning = [], []
        for number, body in enumerate(system.bodies):
            prestress = np.eye(len(body.patterns))
            combinations = [
                ("stiffness", [Combination(1.0, zero, _NONE)]),
                ("damping", [Combination(0.0, zero, _NONE, 1.0)]),
                ("unit", [Combination(0.0, unit, _NONE) for unit in units]),
                ("prestress", [Combination(0.0, zero, unit) for unit in prestress]),
            ]
            for kind, each in combinations:
                found += [self._alone(number, one) for one in each]
                meaning += [Base(number, kind, k) for k in range(len(each))]
            for k, heat in enumerate(self._heated[number]):
                still = np.zeros_like(body.points)
                found.append(self._stressed(number, body.prestress(still, heat.field)))
                meaning.append(Base(number, "heat", k))
            for k, unit in enumerate(units if self._sections[number] else ()):
                still = np.zeros_like(body.points)
                found.append(self._stressed(number, body.prestress(still, block=unit)))
                meaning.append(Base(number, "section", k))
        identity = Combination(0.0, np.eye(system.dimension), _NONE)
        mass = self._reduced(system.matrix([identity] * len(system.bodies)))
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
        self._kept = [k for k, one in enumerate(values) if whole or one.any()]
        self.meaning = tuple(meaning[k] for k in self._kept)
        self.bases = np.array([values[k] for k in self._kept]).reshape(len(self._kept), -1)
        turns = [k for k, unit in enumerate(units) if (unit == -unit.T).all()]
        self.skew = np.array(
            [one.kind == "unit" and one.index in turns for one in self.meaning], dtype=np.int32
        )
        self.stiffened = self._linear([pair for pairs in geometric.values() for pair in pairs])

    def factors(self, times: Floats, blocks: Sequence[Blocks]) -> tuple[Floats, Floats]:
        """Return the factors of the bases for displacements and for velocities, (T, b) each.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        blocks : sequence of Blocks
            Inertia of every body over the times.
        """
        elastic, viscous = [], []
        identity = np.eye(self._system.dimension)
        everything = zip(self._system.bodies, blocks, self._heated, self._sections, strict=True)
        for body, block, heat, sections in everything:
            one = np.ones((len(times), 1))
            warm = [each.amplitude.derivative(times, 0)[:, None] for each in heat]
            prestress = pattern_factors(block.centrifugal, body.unpatterned)
            turned = block_factors(block.stiffness)
            own = block_factors(block.load)[:, : None if sections else 0]
            elastic.append(np.hstack([one, 0.0 * one, turned, prestress, *warm, own]))
            slowed = block_factors(block.coriolis + body.alpha * identity)
            none = np.zeros((len(times), prestress.shape[1] + len(warm) + own.shape[1]))
            viscous.append(np.hstack([body.beta * one, one, slowed, none]))
        return (
            np.ascontiguousarray(np.hstack(elastic)[:, self._kept]),
            np.ascontiguousarray(np.hstack(viscous)[:, self._kept]),
        )

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
        """Return a combination of the matrices of one body, stressed or not, on the unknowns."""
        zero = Combination(0.0, np.zeros((self._system.dimension,) * 2), _NONE)
        rest = [zero] * len(self._system.bodies)
        rest[number] = combination
        return self._reduced((system or self._system).matrix(rest))

    def _reduced(self, matrix: csr_matrix) -> csr_matrix:
        """Return a matrix of the unknowns as one of the coordinates."""
        from scipy.sparse import csr_matrix

        if self._basis is None:
            return matrix
        return csr_matrix(self._basis.T @ (matrix @ self._basis))

    def _stressed(self, number: int, values: Floats) -> csr_matrix:
        """Return the geometric stiffness of one body on the unknowns, from its values."""
        system, d = self._system, self._system.dimension
        stressed = system.with_bodies({number: system.bodies[number].stressed([values])})
        return self._alone(number, Combination(0.0, np.zeros((d, d)), np.ones(1)), stressed)

    def _geometric(self, number: int, body: Body) -> list[tuple[int, csr_matrix]]:
        """Return the geometric stiffness of a unit of every coordinate that makes any in a body."""
        states = ((unit, body.prestress(moved)) for unit, moved in self._units(body))
        return [(unit, self._stressed(number, values)) for unit, values in states if values.any()]

    def _units(self, body: Body) -> Iterator[tuple[int, Floats]]:
        """Yield the displacements of a body for a unit of every coordinate that moves it."""
        system, d = self._system, self._system.dimension
        if self._basis is not None:
            for coordinate, shape in enumerate(self._basis.T):
                displacement = system.expand(shape)[body.nodes]
                if displacement.any():
                    yield coordinate, displacement
            return
        place = np.full(system.size * d, -1)
        place[system.free] = np.arange(system.unknowns)
        for vector, node in enumerate(body.nodes):
            for component in range(d):
                unknown = int(place[node * d + component])
                if unknown >= 0:
                    displacement = np.zeros((len(body.nodes), d))
                    displacement[vector, component] = 1.0
                    yield unknown, displacement

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
