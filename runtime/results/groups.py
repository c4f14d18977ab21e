# SPDX-License-Identifier: BSD-3-Clause
"""The order in which figures are read: results, then checks, then what the computation took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CHECKS = ("residual", "largest residual", "residual of", "largest error", "largest power",
           "of terms as large as", "momentum", "largest momentum", "energy balance")  # fmt: skip
_COMPUTATION = frozenset({
    "unknowns", "elements", "steps", "factorizations", "solves per step", "most solves in a step",
    "memory of the factors", "time per step", "solver", "constraints", "equations of a step",
    "gyroscopic",
})  # fmt: skip


def of_computation(name: str) -> bool:
    """Whether a figure says what the computation took, not what it found."""
    return name in _COMPUTATION


def grouped(figures: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return figures by group, in this order; groups without figures are left out.

    Parameters
    ----------
    figures : mapping
        Name to number, or to a number with its unit.

    Examples
    --------
    >>> list(grouped({"unknowns": 12, "residual": 1e-16, "tip, peak": [0.1, "m"]}).items())
    [('Results', {'tip, peak': [0.1, 'm']}), ('Checks', {'residual': 1e-16}), \
('Computation', {'unknowns': 12})]
    """
    found: dict[str, dict[str, Any]] = {"Results": {}, "Checks": {}, "Computation": {}}
    for name, value in figures.items():
        group = "Results"
        if of_computation(name):
            group = "Computation"
        elif name.startswith(_CHECKS):
            group = "Checks"
        found[group][name] = value
    return {group: inside for group, inside in found.items() if inside}
