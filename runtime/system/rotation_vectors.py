# SPDX-License-Identifier: BSD-3-Clause
"""Rotations of nodes by vectors, and their increments by spins in the frame: ``R <- exp(w~) R``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

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
    first, second, *_ = _sines(np.einsum("ni,ni->n", spins, spins))
    across = skews(spins)
    return np.asarray(
        np.eye(3) + first[:, None, None] * across + second[:, None, None] * (across @ across)
    )


def slope_rates(turns: Floats, rates: Floats) -> Floats:
    """Return ``T' r``, (n, 3): rates of the spins of rotation vectors at constant rates r (n, 3).

    The spins are ``T r`` with the T of :func:`slopes`.
    """
    *_, second, by_first, by_second = _sines(np.einsum("ni,ni->n", turns, turns))
    grown = 2.0 * np.einsum("ni,ni->n", turns, rates)  # rate of the squared angle
    once = np.cross(turns, rates)
    found = (by_first * grown)[:, None] * once + (by_second * grown)[:, None] * np.cross(
        turns, once
    )
    return np.asarray(found + second[:, None] * np.cross(rates, once))


def spun_moment_slopes(turns: Floats, moments: Floats) -> Floats:
    """Return the derivatives of ``slopes(v)^T m`` by v, (n, 3, 3), with m (n, 3) held.

    That is ``m - c v x m + e v x (v x m)`` with the functions c and e of the angle in T.
    """
    squares = np.einsum("ni,ni->n", turns, turns)
    first, second, by_first, by_second = _sines(squares)
    work = np.einsum("ni,ni->n", turns, moments)
    once = np.cross(turns, moments)
    twice = turns * work[:, None] - moments * squares[:, None]  # v x (v x m)
    along = work[:, None, None] * np.eye(3) + np.einsum("ni,nj->nij", turns, moments)
    along -= 2.0 * np.einsum("ni,nj->nij", moments, turns)
    found = first[:, None, None] * skews(moments) + second[:, None, None] * along
    by = 2.0 * (by_second[:, None] * twice - by_first[:, None] * once)
    return np.asarray(found + np.einsum("ni,nj->nij", by, turns))


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


def _sines(squares: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return (1 - cos a)/a^2 and (a - sin a)/a^3 of squared angles (n,), and their slopes by it."""
    small = squares < _NEAR
    x = np.where(small, 1.0, squares)
    a = np.sqrt(x)
    first, second = (1.0 - np.cos(a)) / x, (a - np.sin(a)) / (a * x)
    by_first = (0.5 * np.sin(a) / a - first) / x
    by_second = (0.5 * first - 1.5 * second) / x
    y = squares
    near = [
        _series(y, (0.5, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800, -1 / 479001600)),
        _series(y, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800)),
        _series(y, (-1 / 24, 2 / 720, -3 / 40320, 4 / 3628800, -5 / 479001600)),
        _series(y, (-1 / 120, 2 / 5040, -3 / 362880, 4 / 39916800, -5 / 6227020800)),
    ]
    far = (first, second, by_first, by_second)
    one, two, three, four = (np.where(small, n, f) for n, f in zip(near, far, strict=True))
    return one, two, three, four


def _series(y: Floats, coefficients: tuple[float, ...]) -> Floats:
    return np.asarray(np.polynomial.polynomial.polyval(y, np.array(coefficients)))


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
