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

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Whirl:
    """Tells forward from backward for the bodies that turn.

    Parameters
    ----------
    system : System
        The bodies.
    axes : list of ndarray (3,) or None
        Unit vectors of the axes through the origins of the frames; None of a body that rests.
    """

    def __init__(self, system: System, axes: list[Floats | None]) -> None:
        self._system = system
        self._turning = [
            (body, axis, around(body, axis))
            for body, axis in zip(system.bodies, axes, strict=True)
            if axis is not None and not body.revolved  # whose shapes have no waves around
        ]

    def of(self, vector: Complex) -> tuple[float, float]:
        """Return the number of waves n, with sign, and the sense from -1 to 1, of a shape (n,)."""
        d = self._system.dimension
        shape = self._system.expand(vector.real) + 1j * self._system.expand(vector.imag)
        sums = np.zeros(3)
        for body, axis, derivative in self._turning:
            phi = shape[body.nodes]
            crossed = np.cross(axis, np.pad(phi, ((0, 0), (0, 3 - d))))[:, :d]
            turned = self._of_owners(body, crossed - derivative @ phi)
            heavy, heavier = _mass_times(body, phi), _mass_times(body, turned)
            sums[0] += np.vdot(body.of_own(heavy), turned).imag
            sums[1] += np.vdot(body.of_own(heavy), phi).real
            sums[2] += np.vdot(body.of_own(heavier), turned).real
        turning, size, length = self._system.ranks.total(sums).tolist()
        if size <= 0.0 or length <= 0.0:
            return 0.0, 0.0
        return turning / size, turning / float(np.sqrt(size * length))

    def _of_owners(self, body: Body, values: Complex) -> Complex:
        """Return values at the nodes of a body with those of other ranks' nodes from these."""
        nodal = np.zeros((self._system.size, self._system.dimension), dtype=np.complex128)
        nodal[body.nodes] = values
        return self._system.map.filled(nodal)[body.nodes]


def _mass_times(body: Body, x: Complex) -> Complex:
    real, imaginary = body.mass_times(x.real), body.mass_times(x.imag)
    return np.asarray(real + 1j * imaginary)


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
