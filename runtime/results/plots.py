# SPDX-License-Identifier: BSD-3-Clause
"""Curves over time as plain data for the page of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.units import prefix
from flexforge.runtime.results.vectors import common_name
from flexforge.runtime.unit_systems import SI, UnitSystem

_MOST = 3000  # points of a curve; a longer one is thinned out to its extremes
_DIGITS = 7  # significant digits of a value


def curves(
    time: Floats,
    columns: Sequence[tuple[Column, Floats]],
    over: str = "s",
    units: UnitSystem = SI,
) -> dict[str, Any]:
    """Return quantities of one unit over time, or over the frequency, in readable units.

    Parameters
    ----------
    time : ndarray, (n,)
        Time or frequency.
    columns : sequence of Column and ndarray, (n,)
        The quantities; non-finite values leave a gap.
    over : str
        SI unit of what they are over.
    units : UnitSystem
        The units of the model.

    Returns
    -------
    dict
        ``name``, ``unit``, ``time`` (the unit of time), and ``lines``, each with ``name``, ``x``
        and ``y``.
    """
    values = np.array([one for _, one in columns])
    names, unit = [column.name for column, _ in columns], columns[0][0].unit
    finite = np.abs(values[np.isfinite(values)])
    factor, prefixed = prefix(float(finite.max(initial=0.0)), unit, units)
    seconds, second = prefix(float(np.abs(time).max(initial=0.0)), over, units)
    name = common_name(names)
    lines = []
    for own, row in zip(names, values, strict=True):
        x, y = extremes(time / seconds, row / factor)
        lines.append({
            "name": own.removeprefix(name).strip(" ,_-.") or own,
            "x": numbers(x),
            "y": numbers(y),
        })  # fmt: skip
    return {"name": name, "unit": prefixed, "time": second, "lines": lines}


def numbers(values: Floats) -> list[float | None]:
    """Return values with the digits that a figure shows; None where they are not finite."""
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
