# SPDX-License-Identifier: BSD-3-Clause
"""The sense in which a complex shape rotates about the axis of its frame.

A pattern that rotates rigidly at the rate omega / n, ``u(x, t) = Re(phi exp(i omega t))``,
satisfies ``l phi = i n phi`` with the generator of rotations ``l phi = a x phi - (a x x . grad)
phi``. Therefore ``n = Im(phi^H m l phi) / phi^H m phi`` is the number of waves around the
circumference of an axisymmetric body, positive where they travel with the rotation: 1 for the whirl
of a shaft. Divided by the length of ``l phi`` instead, it is between -1 and 1, and 0 for a standing
vibration. Gradients at nodes are fitted to the neighbouring nodes: the sense is exact, n only as
exact as the mesh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.quadratic import DENSE

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_Field: TypeAlias = Any  # real or complex
_SOME = 16  # vectors of a basis that are multiplied at once


class Whirl:
    """Tells forward from backward for the bodies that turn.

    Parameters
    ----------
    system : System
        The bodies.
    axes : list of ndarray (3,) or None
        Axes through the origins of the frames, of any length; None of a body that rests.
    """

    def __init__(self, system: System, axes: list[Floats | None]) -> None:
        self._system = system
        unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
        small = system.ranks.count == 1 and system.unknowns <= DENSE
        self._turning = [
            (body, axis, around(body, axis), body.matrix(unit) if small else None)
            for body, axis in zip(system.bodies, map(_unit, axes), strict=True)
            if axis is not None and not body.revolved  # whose shapes have no waves around
        ]

    def of(self, vectors: Complex) -> Floats:
        """Return the number of waves n, with sign, and the sense from -1 to 1, of shapes.

        Where nothing that turns moves, both are zero.

        Parameters
        ----------
        vectors : ndarray, (..., n)
            Shapes of the unknowns.

        Returns
        -------
        ndarray, (..., 2)
        """
        flat = vectors.reshape(-1, vectors.shape[-1])
        sums: Floats = np.zeros((3, len(flat)))
        for phi, turned, times in self._fields(flat):
            heavy, heavier = times(phi), times(turned)
            sums[0] += _products(heavy, turned).imag
            sums[1] += _products(heavy, phi).real
            sums[2] += _products(heavier, turned).real
        sums = self._system.ranks.total(sums.ravel())
        return _numbers(*sums.reshape(3, -1)).reshape(*vectors.shape[:-1], 2)

    def within(self, basis: Floats) -> Callable[[Complex], Floats]:
        """Return :meth:`of` for shapes that are sums of the vectors of a basis, of one process.

        Parameters
        ----------
        basis : ndarray, (n, m)
            Of the unknowns. The function takes factors (..., m) of its vectors.
        """
        m = basis.shape[1]
        forms = np.zeros((3, m, m))
        for phi, turned, times in self._fields(basis.T):
            one, other = phi.reshape(m, -1), turned.reshape(m, -1)
            for first in range(0, m, _SOME):
                some = slice(first, first + _SOME)
                heavy, heavier = (times(x[some]).reshape(-1, one.shape[1]) for x in (phi, turned))
                forms[0, some] += heavy @ other.T
                forms[1, some] += heavy @ one.T
                forms[2, some] += heavier @ other.T

        def of(small: Complex) -> Floats:
            flat = small.reshape(-1, m)
            one, other = np.ascontiguousarray(flat.real), np.ascontiguousarray(flat.imag)
            turning = _forms(one, forms[0], other) - _forms(other, forms[0], one)
            lengths = (_forms(one, f, one) + _forms(other, f, other) for f in forms[1:])
            return _numbers(turning, *lengths).reshape(*small.shape[:-1], 2)

        return of

    def _fields(
        self, vectors: Floats | Complex
    ) -> Iterator[tuple[_Field, _Field, Callable[[_Field], _Field]]]:
        """Yield shapes (k, V, d) of bodies that turn, their derivatives, and products with mass."""
        system = self._system
        shapes: _Field = system.expand(vectors.real)
        if np.iscomplexobj(vectors):
            shapes = shapes + 1j * system.expand(vectors.imag)
        count, d = len(vectors), system.dimension
        for body, axis, derivative, mass in self._turning:
            phi = shapes[:, body.nodes]
            columns = np.moveaxis(phi, 1, 0).reshape(phi.shape[1], -1)
            along = np.moveaxis((derivative @ columns).reshape(-1, count, d), 0, 1)
            turned = self._of_owners(body, phi @ skew(axis)[:d, :d].T - along)
            yield phi, turned, partial(_mass_times, body, mass)

    def _of_owners(self, body: Body, values: _Field) -> _Field:
        """Return values (k, V, d) at the nodes of a body with those of other ranks' nodes."""
        if self._system.ranks.count == 1:
            return values
        found = np.empty_like(values)
        for into, one in zip(found, values, strict=True):
            nodal = np.zeros((self._system.size, self._system.dimension), dtype=np.complex128)
            nodal[body.nodes] = one
            into[:] = self._system.map.filled(nodal)[body.nodes]
        return found


def _numbers(turning: Floats, size: Floats, length: Floats) -> Floats:
    """Return numbers of waves and senses (k, 2), of products of shapes with their derivatives."""
    moves = (size > 0.0) & (length > 0.0)
    size, length = np.where(moves, size, 1.0), np.where(moves, length, 1.0)
    found = np.column_stack([turning / size, turning / np.sqrt(size * length)])
    return np.where(moves[:, None], found, 0.0)


def _mass_times(body: Body, mass: csr_matrix | None, fields: _Field) -> _Field:
    """Return the mass matrix times fields (k, V, d), zero at nodes that other ranks count."""
    if mass is not None:
        flat = fields.reshape(len(fields), -1)
        return np.asarray((mass @ flat.T).T).reshape(fields.shape)
    found = np.empty_like(fields)
    for into, one in zip(found, fields, strict=True):
        heavy = body.mass_times(np.ascontiguousarray(one.real))
        if np.iscomplexobj(one):
            heavy = heavy + 1j * body.mass_times(np.ascontiguousarray(one.imag))
        into[:] = body.of_own(heavy)
    return found


def _forms(one: Floats, form: Floats, other: Floats) -> Floats:
    """Return products of vectors (k, m) with the matrix of a form times others, (k,)."""
    return np.asarray(np.einsum("ki,ki->k", one @ form, other))


def _products(one: _Field, other: _Field) -> Complex:
    """Return the products of fields (k, V, d), the first conjugated, (k,)."""
    return np.asarray(np.einsum("kvd,kvd->k", one.conj(), other))


def _unit(axis: Floats | None) -> Floats | None:
    """Return an axis of unit length."""
    return None if axis is None else np.asarray(axis / np.linalg.norm(axis))


def around(body: Body, axis: Floats) -> csr_matrix:
    """Return the derivative ``a x x . grad`` at the nodes of a body, (P, P).

    Parameters
    ----------
    body : Body
        Its nodes and their neighbours.
    axis : ndarray, (3,)
        Unit vector a.
    """
    from scipy.sparse import csr_matrix, diags

    points, d = body.points, body.dimension
    count = len(points)
    rows = np.repeat(np.arange(count), np.diff(body.graph.pointers))
    columns = np.asarray(body.graph.columns)
    steps = points[columns] - points[rows]
    squares = np.einsum("ij,ij->i", steps, steps)
    weights = np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0.0)
    normal = np.empty((count, d, d))
    for i in range(d):
        for j in range(d):
            values = weights * steps[:, i] * steps[:, j]
            normal[:, i, j] = np.bincount(rows, values, minlength=count)
    direction = np.cross(axis, np.pad(points, ((0, 0), (0, 3 - d))))[:, :d]
    # The fit f_j - f_i = g . step has the normal equations N g = sum weight step (f_j - f_i).
    along = np.einsum("pij,pj->pi", np.linalg.pinv(normal, hermitian=True), direction)
    values = weights * np.einsum("ij,ij->i", steps, along[rows])
    pairs = csr_matrix((values, columns, body.graph.pointers), shape=(count, count))
    return (pairs - diags(np.asarray(pairs.sum(axis=1)).ravel())).tocsr()
