# SPDX-License-Identifier: BSD-3-Clause
"""Curves over time as plain data for the page of the report."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.units import prefix

_MOST = 3000  # points of a curve; a longer one is thinned out to its extremes
_DIGITS = 7  # significant digits of a value


def curve(time: Floats, values: Floats, name: str, unit: str) -> dict[str, Any]:
    """Return a quantity over time, in readable units.

    Parameters
    ----------
    time : ndarray, (n,)
        Time, s.
    values : ndarray, (n,)
        The values, in SI units; non-finite values leave a gap.
    name, unit : str
        Its name and its unit.

    Returns
    -------
    dict
        ``name``, ``unit``, ``time`` (the unit of time), ``x`` and ``y``.
    """
    finite = np.abs(values[np.isfinite(values)])
    factor, prefixed = prefix(float(finite.max(initial=0.0)), unit)
    seconds, second = prefix(float(np.abs(time).max(initial=0.0)), "s")
    x, y = extremes(time / seconds, values / factor)
    return {"name": name, "unit": prefixed, "time": second, "x": _numbers(x), "y": _numbers(y)}


def _numbers(values: Floats) -> list[float | None]:
    return [float(f"{v:.{_DIGITS}g}") if np.isfinite(v) else None for v in values.tolist()]


def extremes(x: Floats, y: Floats, most: int = _MOST) -> tuple[Floats, Floats]:
    """Thin out a long curve to the smallest and largest value of each interval.

    Parameters
    ----------
    x, y : ndarray, (n,)
        The curve.
    most : int
        Number of points above which the curve is thinned out, to about that number.

    Returns
    -------
    x, y : ndarray
        No peak is lost.
    """
    if len(x) <= most:
        return x, y
    stretch = int(np.ceil(2 * len(x) / most))
    count = len(x) // stretch
    kept = count * stretch
    blocks = np.nan_to_num(y[:kept].reshape(count, stretch), nan=0.0)
    start = np.arange(count) * stretch
    both = np.column_stack([start + blocks.argmin(axis=1), start + blocks.argmax(axis=1)])
    places = np.unique(np.concatenate([[0], both.ravel(), np.arange(kept, len(x)), [len(x) - 1]]))
    return x[places], y[places]
