# SPDX-License-Identifier: BSD-3-Clause
"""SI prefixes for readable numbers."""

from __future__ import annotations

import math

from flexforge.runtime.unit_systems import SI, UnitSystem

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
#: Units that take a prefix, with the customary prefixes from the smallest to the largest.
CUSTOMARY = {
    "m": (1e-9, 1.0),
    "m/s": (1e-6, 1.0),
    "m/s^2": (1e-3, 1.0),
    "s": (1e-6, 1.0),
    "Pa": (1.0, 1e9),
    "N": (1e-3, 1e6),
}


def prefix(value: float, unit: str, units: UnitSystem = SI) -> tuple[float, str]:
    """Choose the prefix that makes a value readable; units of other systems than SI take none.

    Parameters
    ----------
    value : float
        The largest value shown.
    unit : str
        SI unit; a unit that takes no prefix is returned unchanged.
    units : UnitSystem
        The units of the model.

    Returns
    -------
    factor : float
        Size of one prefixed unit in the unit.
    name : str
        The prefixed unit, or that of the model.
    """
    if not units.is_si:
        return 1.0, units.label(unit)
    if unit not in CUSTOMARY or value == 0 or not math.isfinite(value):
        return 1.0, unit
    low, high = CUSTOMARY[unit]
    fits = [(f, p) for f, p in _PREFIXES if low <= f <= high]
    factor, name = next(((f, p) for f, p in fits if abs(value) >= 0.999 * f), fits[-1])
    return factor, name + unit


def figure(value: object) -> str:
    """Return a figure in words: a number, a number with its unit, or a list."""
    if isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[1], str):
        return f"{figure(value[0])} {value[1]}".rstrip()
    if isinstance(value, list | tuple):
        return ", ".join(map(figure, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
