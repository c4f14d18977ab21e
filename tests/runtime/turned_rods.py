# SPDX-License-Identifier: BSD-3-Clause
"""Models of beams and cables whose displacements and rotations are large."""

from __future__ import annotations

from typing import Any

#: A bar of 1 m whose bending stiffness is 50 N m^2, and which hardly stretches or shears.
SLENDER = {"area": 1e-4, "inertia_y": 2.5e-10, "inertia_z": 2.5e-10, "torsion": 4e-10,
           "shear_y": 0.85, "shear_z": 0.85}  # fmt: skip
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}


def rod(element: str, count: int, **tables: Any) -> dict[str, Any]:
    """Return the tables of a rod of 1 m along x, clamped at its start, with probes of its tip."""
    axes = "xy" if element.endswith("_plane") else "xyz"
    corners = [[0.0] * len(axes), [1.0, *[0.0] * (len(axes) - 1)]]
    cell = "line3" if "3" in element else "line2"
    return {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [count]}},
        "materials": {"steel": STEEL},
        "bodies": [body(element)],
        "supports": [{"group": "xmin"}],
        "probes": [{"name": one, "group": "xmax", "component": one} for one in axes],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | tables


def body(element: str, section: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return the table of a rod."""
    wanted = ("area",) if "cable" in element else tuple(SLENDER)
    return {
        "name": "rod",
        "element": element,
        "material": "steel",
        "section": section or {key: SLENDER[key] for key in wanted},
    } | more
