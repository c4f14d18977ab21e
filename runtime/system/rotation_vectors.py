# SPDX-License-Identifier: BSD-3-Clause
"""Rotations of nodes by vectors, and their increments by spins in the frame: ``R <- exp(w~) R``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

#: Angle below which its functions are their series.
_SMALL = 1e-4
#: Square of an angle below which five terms of a series are exact to 1e-13.
_NEAR = 0.04


def composed(turns: Floats, spins: Floats) -> Floats:
    """Return the vectors (n, 3) of rotations (n, 3), each followed by a spin (n, 3)."""
    return np.asarray((_of(spins) * _of(turns)).as_rotvec())


def between(turns: Floats, start: Floats) -> Floats:
    """Return the spins (n, 3), of at most half a turn, from rotations ``start`` to ``turns``."""
    return np.asarray((_of(turns) * _of(start).inv()).as_rotvec())


def matrices(turns: Floats) -> Floats:
    """Return the matrices of rotations, (n, 3, 3)."""
    return np.asarray(_of(turns).as_matrix())


def skews(vectors: Floats) -> Floats:
    """Return the matrices ``v~`` of vectors (n, 3), (n, 3, 3): ``v~ b = v x b``."""
    found = np.zeros((len(vectors), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[:, i, j], found[:, j, i] = -vectors[:, k], vectors[:, k]
    return found


def slopes(spins: Floats) -> Floats:
    """Return T, (n, 3, 3), with ``exp(w + e) = exp(T e) exp(w)`` to first order.

    ``T = 1 + (1 - cos a)/a^2 w~ + (a - sin a)/a^3 w~ w~``, of spins w (n, 3) with the angle a.
    """
    angles = np.linalg.norm(spins, axis=1)
    large = np.where(angles < _SMALL, 1.0, angles)
    first = np.where(angles < _SMALL, 0.5, (1.0 - np.cos(large)) / large**2)
    second = np.where(angles < _SMALL, 1.0 / 6.0, (large - np.sin(large)) / large**3)
    across = skews(spins)
    return np.asarray(
        np.eye(3) + first[:, None, None] * across + second[:, None, None] * (across @ across)
    )


def of_matrices(rotations: Floats) -> Floats:
    """Return the vectors (n, 3) of rotation matrices (n, 3, 3), of at most half a turn."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(rotations).as_rotvec())


def logarithm_slopes(turns: Floats) -> Floats:
    """Return the derivatives of rotation vectors (n, 3) by spins after them, (n, 3, 3).

    ``1 - v~/2 + c v~ v~`` with ``c = (1 - a/2 cot(a/2))/a^2`` of the angle a: the inverse of
    :func:`slopes`.
    """
    across = skews(turns)
    curved, _ = _cotangent(np.einsum("ni,ni->n", turns, turns))
    return np.asarray(np.eye(3) - 0.5 * across + curved[:, None, None] * (across @ across))


def turned_moment_slopes(turns: Floats, moments: Floats) -> Floats:
    """Return the derivatives of ``logarithm_slopes(v)^T m`` by v, (n, 3, 3), with m (n, 3) held.

    That is ``m + v x m/2 + c v x (v x m)``.
    """
    squares = np.einsum("ni,ni->n", turns, turns)
    work = np.einsum("ni,ni->n", turns, moments)
    curved, slope = _cotangent(squares)
    twice = turns * work[:, None] - moments * squares[:, None]  # v x (v x m)
    along = work[:, None, None] * np.eye(3) + np.einsum("ni,nj->nij", turns, moments)
    along -= 2.0 * np.einsum("ni,nj->nij", moments, turns)
    found = -0.5 * skews(moments) + curved[:, None, None] * along
    return np.asarray(found + 2.0 * np.einsum("n,ni,nj->nij", slope, twice, turns))


def _cotangent(squares: Floats) -> tuple[Floats, Floats]:
    """Return c of squared angles (n,), and its derivative by them."""
    small = squares < _NEAR
    x = np.where(small, 1.0, squares)
    half = 0.5 * np.sqrt(x)
    cotangent = half / np.tan(half)
    value = (1.0 - cotangent) / x
    # d(half cot half)/dx = (cot - half / sin^2) / (8 half) with half = sqrt(x)/2
    by = (cotangent - (half / np.sin(half)) ** 2) / (2.0 * x)
    slope = -by / x - value / x
    y = squares
    series = 1.0 / 12.0 + y / 720.0 + y**2 / 30240.0 + y**3 / 1209600.0 + y**4 / 47900160.0
    rate = 1.0 / 720.0 + y / 15120.0 + y**2 / 403200.0 + y**3 / 11975040.0
    return np.where(small, series, value), np.where(small, rate, slope)


def _of(turns: Floats) -> Rotation:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(turns)
