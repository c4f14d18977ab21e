# SPDX-License-Identifier: BSD-3-Clause
"""Inertia of sections that turn by any angle: the mass of each node is spread about it.

With the second moments ``E = int r r^T dm`` of a node at rest, those of the rotation R are
``R E R^T``. A point at r from the node has the acceleration ``A r`` beyond that of the node, with
the spin w relative to the frame, and the blocks B and C by which the frame accelerates what is at r
and what moves with w~ r,

    A = w'~ + w~ w~ + C w~ + B,      moment = int r x A r dm = axial(E A^T)

for any motion of the frame: B and C are those of all other inertia terms.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.rotation_vectors import matrices, skews

_LEVI_CIVITA = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _LEVI_CIVITA[_i, _j, _k], _LEVI_CIVITA[_i, _k, _j] = 1.0, -1.0


def rotated(moments: Floats, turns: Floats) -> Floats:
    """Return second moments (n, 3, 3) after rotation vectors (n, 3)."""
    if not turns.any():
        return moments
    axes = matrices(turns)
    return np.asarray(axes @ moments @ axes.swapaxes(1, 2))


def accelerated(block: Floats, viscous: Floats, spin: Floats, rate: Floats) -> Floats:
    """Return A, (n, 3, 3), 1/s^2.

    Parameters
    ----------
    block, viscous : ndarray, (3, 3)
        B and C, 1/s^2 and 1/s.
    spin, rate : ndarray, (n, 3)
        w and w', components of the frame, rad/s and rad/s^2.
    """
    turning = skews(spin)
    return np.asarray(skews(rate) + turning @ turning + viscous @ turning + block)


def moments_of(second: Floats, accelerations: Floats) -> Floats:
    """Return ``axial(E A^T)``, (n, 3), N m, of second moments and accelerations (n, 3, 3)."""
    product = second @ accelerations.swapaxes(-1, -2)
    return np.asarray(np.einsum("ijk,njk->ni", _LEVI_CIVITA, product))


def resisted(second: Floats, block: Floats) -> Floats:
    """Return ``int r x block (. x r) dm`` as matrices, (n, 3, 3); for the unit block the inertia.

    Parameters
    ----------
    second : ndarray, (n, 3, 3)
        E.
    block : ndarray, (3, 3)
        Of a combination of matrices.
    """
    across = np.einsum("ijk,kl,lmp->ijmp", _LEVI_CIVITA, block, _LEVI_CIVITA)
    return np.asarray(np.einsum("ijmp,njp->nim", across, second))


def carried_along(second: Floats, block: Floats) -> Floats:
    """Return ``int (. x r) x block r dm`` as matrices, (n, 3, 3): what a turn adds at rest.

    ``(s x r) x B r = (r (B r)^T - (r . B r) 1) s``. Parameters are those of :func:`resisted`.
    """
    product = second @ block.T
    traces = np.trace(product, axis1=1, axis2=2)
    return np.asarray(product - traces[:, None, None] * np.eye(3))
