# SPDX-License-Identifier: BSD-3-Clause
"""Integrals over the frequency of functions with sharp peaks, refined where their errors are.

The rule of Gauss and Kronrod with 7 and 15 points (Kronrod 1965; QUADPACK, Piessens et al. 1983) on
panels, of which the worst are halved until the estimated errors are within a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats

#: Positive nodes of the rule of Kronrod, with its weights and those of Gauss.
_NODES = np.array([
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
])  # fmt: skip
_KRONROD = np.array([
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
])  # fmt: skip
_GAUSS = np.array([
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
    0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327,
])  # fmt: skip
POINTS = np.concatenate([-_NODES[:-1], _NODES[::-1]])
WEIGHTS = np.concatenate([_KRONROD[:-1], _KRONROD[::-1]])
_COARSE = np.concatenate([_GAUSS[:-1], _GAUSS[::-1]])
_MOST = 20_000  # panels
_AT_ONCE = 64  # panels evaluated together


@dataclass(slots=True)
class Quadrature:
    """Points and weights of an integral, and how good they are.

    Attributes
    ----------
    points, weights : ndarray, (n,)
        Ascending frequencies, Hz, and what they weigh.
    error : float
        Largest estimated error of an integral, relative to it.
    """

    points: Floats
    weights: Floats
    error: float


@dataclass(slots=True)
class _Panel:
    begin: float
    end: float
    values: Floats  # (15, m)
    error: Floats = field(init=False)  # (m,)

    def __post_init__(self) -> None:
        half = 0.5 * (self.end - self.begin)
        self.error = np.abs(half * ((WEIGHTS - _COARSE) @ self.values))

    @property
    def integral(self) -> Floats:
        half = 0.5 * (self.end - self.begin)
        return np.asarray(half * (WEIGHTS @ self.values))

    @property
    def points(self) -> Floats:
        half, middle = 0.5 * (self.end - self.begin), 0.5 * (self.end + self.begin)
        return np.asarray(middle + half * POINTS)

    @property
    def weights(self) -> Floats:
        return np.asarray(0.5 * (self.end - self.begin) * WEIGHTS)


def refined(watched: Callable[[Floats], Floats], edges: Floats, tolerance: float) -> Quadrature:
    """Return points and weights that integrate functions to a tolerance.

    Parameters
    ----------
    watched : callable
        Returns the values (n, m) of m functions, not below zero, at frequencies (n,).
    edges : ndarray, (e,)
        Ascending ends of the first panels: where functions have kinks or peaks.
    tolerance : float
        Of the error of each integral, relative to it.

    Raises
    ------
    AnalysisError
        When it is not reached with many panels.
    """
    panels = _made(watched, [(a, b) for a, b in zip(edges, edges[1:], strict=False) if b > a])
    while True:
        whole = np.sum([one.integral for one in panels], axis=0)
        scale = np.where(whole > 0.0, whole, 1.0)
        errors = np.array([float((one.error / scale).max(initial=0.0)) for one in panels])
        total = float((np.sum([one.error for one in panels], axis=0) / scale).max(initial=0.0))
        if not np.isfinite(total):
            raise AnalysisError("random: a response is not finite; expected damping of every mode")
        if total <= tolerance:
            break
        if len(panels) > _MOST:
            raise AnalysisError(
                f"random: mean squares have an error of {total:.2g} after {15 * len(panels)} "
                "frequencies; expected damping of every mode, or a larger tolerance"
            )
        halved = errors > min(0.5 * tolerance / len(panels), 0.5 * float(errors.max()))
        worst = [one for one, half in zip(panels, halved, strict=True) if half]
        ends = [
            pair
            for one in worst
            for pair in (
                (one.begin, 0.5 * (one.begin + one.end)),
                (0.5 * (one.begin + one.end), one.end),
            )
        ]
        panels = [one for one, half in zip(panels, halved, strict=True) if not half]
        panels += _made(watched, ends)
    panels.sort(key=lambda one: one.begin)
    return Quadrature(
        np.concatenate([one.points for one in panels]),
        np.concatenate([one.weights for one in panels]),
        total,
    )


def _made(watched: Callable[[Floats], Floats], ends: list[tuple[float, float]]) -> list[_Panel]:
    """Return panels with the values of functions in them."""
    found = []
    for first in range(0, len(ends), _AT_ONCE):
        some = ends[first : first + _AT_ONCE]
        points = np.concatenate([0.5 * (a + b) + 0.5 * (b - a) * POINTS for a, b in some])
        values = watched(points).reshape(len(some), len(POINTS), -1)
        found += [_Panel(a, b, one) for (a, b), one in zip(some, values, strict=True)]
    return found


def edges_at(resonances: Floats, ratios: Floats, kinks: Floats, low: float, high: float) -> Floats:
    """Return the ends of first panels: at kinks, at resonances and around them.

    Parameters
    ----------
    resonances, ratios : ndarray, (k,)
        Natural frequencies, Hz, and damping ratios, which tell how wide peaks are.
    kinks : ndarray
        Where densities have kinks, Hz.
    low, high : float
        The range, Hz.
    """
    width = np.outer(resonances * np.maximum(ratios, 1e-6), [-30.0, -6.0, -1.5, 1.5, 6.0, 30.0])
    near = (resonances[:, None] + width).ravel()
    every = np.concatenate([[low, high], kinks, resonances, near])
    inside = np.unique(every[(every >= low) & (every <= high)])
    apart = np.diff(inside) > 1e-9 * high  # panels of rounding have no points
    return np.concatenate([inside[:-1][apart], [high]])
