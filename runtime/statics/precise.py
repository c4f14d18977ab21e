# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness products whose round-off is relative to the deformation of the elements.

Entries of a stiffness matrix have a relative error of 1e-16, and a rigid-body motion of an element
gives a sum of entries that should vanish. In a slender, thin body the energy of the softest
vibrations is less than the round-off of that sum: a strip of 1 m x 0.2 mm bends at 0.16 Hz with
1e-16 of the energy that stretching it across its thickness takes. Here the rigid-body motion of
every element is removed from its displacements before the product and from its forces after it.
The remaining round-off is relative to the deformation of the element.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import evaluate, some_of
from flexforge.runtime.statics.rigid import holds_itself, motions_of
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_CHUNK = 2_000_000  # entries of element matrices computed at a time: 16 MB
_KEPT = 16_000_000  # entries of element matrices that are stored between products
_RANK = 1e-9  # of rigid motions of an element: a bar has no rotation about its line


class PreciseStiffness:
    """A combination of the matrices of a system for its unknowns, as an operator.

    It replaces a symmetric or unsymmetric ``csr_matrix`` of the same combination: products by
    ``@``, of the transpose by ``.T @``. Matrices of inertia, prestress, masses and connectors are
    included unchanged, and so are those of elements whose rigid motions may cost energy.

    Parameters
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        One per body.

    Attributes
    ----------
    shape : tuple of int
    """

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        self._system = system
        elastic = [
            deforms_only(body) and bool(c.stiffness)
            for body, c in zip(system.bodies, combinations, strict=True)
        ]
        self._parts = [
            (body, c.stiffness, _Elements(body))
            for body, c, own in zip(system.bodies, combinations, elastic, strict=True)
            if own
        ]
        self._others = _without_elastic(system, combinations)
        self.shape = (system.unknowns, system.unknowns)
        self._turned: csr_matrix | None = None

    @cached_property
    def rest(self) -> csr_matrix:
        """All terms except the stiffness of elements whose rigid motions cost no energy, (n, n)."""
        return self._system.matrix(self._others)

    def __matmul__(self, x: Floats) -> Floats:
        """Return the product with one vector (n,) or several (n, k); of ranks with one."""
        system = self._system
        if system.ranks.count == 1:
            return np.asarray(self._elastic(x) + self.rest @ x)
        others = system.restrict(system.apply(self._others, system.expand(x)))
        return np.asarray(self._elastic(x) + others)

    @property
    def T(self) -> _Transposed:  # noqa: N802 (as of matrices)
        """The transpose: the stiffness of elements is symmetric."""
        return _Transposed(self)

    def transposed_times(self, x: Floats) -> Floats:
        """Return the product of the transpose."""
        if self._turned is None:
            self._turned = self.rest.conj().T.tocsr()
        return np.asarray(self._elastic(x) + self._turned @ x)

    def energy_terms(self, x: Floats) -> Floats:
        """Return the sums of what adds up to the energies of elements, in size.

        Parameters
        ----------
        x : ndarray, (n, k)
            Motions.

        Returns
        -------
        ndarray, (k,)
            In J, twice the energy; round-off of products is relative to it.
        """
        full = np.moveaxis(self._system.map.expand(x.T), 0, -1)
        total = np.zeros(x.shape[1])
        for body, factor, elements in self._parts:
            total += abs(factor) * elements.energy_terms(full[body.nodes])
        return total

    def _elastic(self, x: Floats) -> Floats:
        if not x.size:
            return np.zeros_like(x)
        system = self._system
        columns = x.reshape(len(x), -1)
        full = np.moveaxis(system.map.expand(columns.T), 0, -1)
        forces = np.zeros_like(full)
        for body, factor, elements in self._parts:
            np.add.at(forces, body.nodes, factor * elements.forces(full[body.nodes]))
        return system.map.restrict(np.moveaxis(forces, -1, 0)).T.reshape(x.shape)


class _Transposed:
    def __init__(self, matrix: PreciseStiffness) -> None:
        self._matrix = matrix

    def __matmul__(self, x: Floats) -> Floats:
        return self._matrix.transposed_times(x)


class _Elements:
    """The elements of a body: forces from nodal displacements without rigid motions of elements."""

    def __init__(self, body: Body) -> None:
        self._body = body
        kernel = body.kernels["stiffness"]
        self._kept: list[tuple[slice, Floats, Floats]] | None = None
        if len(body.graph.cells) * kernel.rows * kernel.columns <= _KEPT:
            self._kept = list(self._chunks())

    def forces(self, x: Floats) -> Floats:
        """Return the forces of displacements, both (V, d, k)."""
        cells = self._body.graph.cells
        total = np.zeros_like(x)
        for some, matrices, rigid in self._kept or self._chunks():
            moved = x[cells[some]]
            flat = moved.reshape(*matrices.shape[:2], x.shape[2])
            forces = _without(rigid, matrices @ _without(rigid, flat))
            np.add.at(total, cells[some], forces.reshape(moved.shape))
        return total

    def energy_terms(self, x: Floats) -> Floats:
        """Return the sum of the sizes of all terms of the energies, (k,), of x (V, d, k)."""
        cells = self._body.graph.cells
        total = np.zeros(x.shape[2])
        for some, matrices, rigid in self._kept or self._chunks():
            flat = x[cells[some]].reshape(*matrices.shape[:2], x.shape[2])
            sizes = np.abs(_without(rigid, flat))
            total += np.einsum("eik,eik->k", sizes, np.abs(matrices) @ sizes)
        return total

    def _chunks(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield elements with their matrices and orthonormal rigid motions, some at a time."""
        body, kernel = self._body, self._body.kernels["stiffness"]
        cells = body.graph.cells
        step = max(1, _CHUNK // (kernel.rows * kernel.columns))
        turning = np.zeros(len(body.points), dtype=bool)
        turning[np.isin(body.nodes, body.rotations)] = True
        for first in range(0, len(cells), step):
            some = slice(first, first + step)
            values = some_of(body.values, some)
            matrices = evaluate(kernel, cells[some], body.points, values)
            motions = motions_of(body, body.points[cells[some]], turning[cells[some]])
            yield some, matrices, _orthonormal(motions.reshape(*matrices.shape[:2], -1))


def _orthonormal(motions: Floats) -> Floats:
    """Return an orthonormal basis of the columns of (E, m, r), with zeros for dependent ones."""
    basis, sizes, _ = np.linalg.svd(motions, full_matrices=False)
    kept = sizes > _RANK * sizes[:, :1]
    return np.asarray(basis * kept[:, None, :])


def _without(rigid: Floats, x: Floats) -> Floats:
    """Return vectors (E, m, k) without their parts in orthonormal columns (E, m, r).

    Twice: the first pass leaves round-off of the rigid part.
    """
    turned = rigid.transpose(0, 2, 1)
    for _ in range(2):
        x = x - rigid @ (turned @ x)
    return x


def deforms_only(body: Body) -> bool:
    """Whether a rigid motion of its elements costs no energy, as for continua, rods and shells.

    A user's element without stresses may hold its body; a connector may be fixed to the ground. A
    body with an energy has the stresses of its state, by which turns of elements cost energy.
    """
    return not body.lumped and body.is_linear and not holds_itself(body)


def rest_matrix(system: System, combinations: Sequence[Combination]) -> csr_matrix:
    """Return a combination of the matrices without the stiffness of elements that only deform."""
    return system.matrix(_without_elastic(system, combinations))


def _without_elastic(system: System, combinations: Sequence[Combination]) -> list[Combination]:
    return [
        replace(c, stiffness=0.0) if deforms_only(body) else c
        for body, c in zip(system.bodies, combinations, strict=True)
    ]
