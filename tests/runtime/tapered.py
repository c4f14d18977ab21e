# SPDX-License-Identifier: BSD-3-Clause
"""Cantilevers whose section varies, as models, and what follows of them in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
from scipy.integrate import quad

STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7800.0}
SHEAR = STEEL["young"] / (2 * (1 + STEEL["poisson"]))
LENGTH, WIDE, NARROW = 1.2, 0.1, 0.04
#: Cowper's factor of a round section (Journal of Applied Mechanics 33, 1966).
COWPER = 6 * (1 + STEEL["poisson"]) / (7 + 6 * STEEL["poisson"])
#: The diameter of a cone along x.
CONE = f"{WIDE} - {(WIDE - NARROW) / LENGTH!r}*x"


def diameter(x: float) -> float:
    """Return the diameter of the cone."""
    return WIDE - (WIDE - NARROW) / LENGTH * x


def area(x: float) -> float:
    """Return the area of the cone."""
    return float(np.pi * diameter(x) ** 2 / 4)


def inertia(x: float) -> float:
    """Return the second moment of the area of the cone."""
    return float(np.pi * diameter(x) ** 4 / 64)


def integral(f: Callable[[float], float], begin: float = 0.0, end: float = LENGTH) -> float:
    """Return an integral along the beam to round-off."""
    return float(quad(f, begin, end, epsabs=0.0, epsrel=1e-13)[0])


def line(places: Sequence[float], axis: Sequence[float] = (1.0, 0.0, 0.0)) -> Any:
    """Return the mesh of a straight line with groups of its ends and of every cell."""
    count = len(places) - 1
    points = np.outer(places, axis)
    cells = np.column_stack([np.arange(count), np.arange(1, count + 1)])
    groups: dict[str, Any] = {"root": [0], "tip": [count]}
    groups |= {f"cell{i}": {"line2": np.arange(count) == i} for i in range(count)}
    return mesh_from_arrays(points, {"line2": cells}, groups=groups)


def beam(section: dict[str, Any], count: int, **changes: Any) -> dict[str, Any]:
    """Return a model of a cantilever along x, of Timoshenko beams."""
    found: dict[str, Any] = {
        "mesh": line(np.linspace(0.0, LENGTH, count + 1).tolist()),
        "materials": {"steel": STEEL},
        "bodies": [
            {"name": "beam", "element": "timoshenko_beam", "material": "steel", "section": section}
        ],
        "supports": [{"group": "root"}],
        "analysis": {"kind": "static"},
    }
    body = {key: changes.pop(key) for key in ("element", "spin", "frame", "rotary_inertia")
            if key in changes}  # fmt: skip
    found["bodies"][0] |= body
    return found | changes


def slices(count: int, **changes: Any) -> dict[str, Any]:
    """Return the cone as cylinders with the diameter of their middle, a body for each."""
    found = beam({"shape": "round", "diameter": WIDE}, count, **changes)
    (like,) = found["bodies"]
    found["bodies"] = [
        like
        | {
            "name": f"slice{i}",
            "cells": f"cell{i}",
            "section": {"shape": "round", "diameter": diameter((i + 0.5) * LENGTH / count)},
        }
        for i in range(count)
    ]
    return found
