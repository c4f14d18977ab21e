# SPDX-License-Identifier: BSD-3-Clause
"""Models of bodies in free frames for tests: boxes, and rods in the plane hung at nodes."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays

CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)


def box(size=(1.0, 0.3, 0.2), divisions=(4, 2, 1), **body):
    """Return the tables of a box about the origin, free."""
    base = 0.5 * CORNERS * np.array(size[:2])
    corners = [[*point, side * size[2] / 2] for side in (-1, 1) for point in base.tolist()]
    return {
        "mesh": {"block": {"cell": "hex8", "corners": corners, "divisions": list(divisions)}},
        "materials": {"m": {"young": 2e9, "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "box", "element": "hex8i", "material": "m", "frame": "free", **body}],
    }


def rods(count=1, length=1.0, height=0.05, divisions=10, **material):
    """Return the tables of rods in a row, the first of them pinned, each pinned to the next."""
    x = np.linspace(0.0, length, divisions + 1)
    y = np.linspace(-height / 2, height / 2, 3)
    points = np.array([[a, b] for a in x for b in y])
    cells = np.array(
        [
            [3 * i + j, 3 * i + 3 + j, 3 * i + 4 + j, 3 * i + 1 + j]
            for i in range(divisions)
            for j in range(2)
        ]
    )
    n, m = len(points), len(cells)
    groups = {}
    for k in range(count):
        groups |= {f"begin{k}": [k * n + 1], f"end{k}": [k * n + 3 * divisions + 1]}
        groups[f"rod{k}"] = {"quad4": list(range(k * m, (k + 1) * m))}
    mesh = mesh_from_arrays(
        np.vstack([points + [k * length, 0] for k in range(count)]),
        {"quad4": np.vstack([cells + k * n for k in range(count)])},
        groups,
    )
    return {
        "mesh": mesh,
        "materials": {"m": {"young": 2e11, "poisson": 0.3, "density": 7800} | material},
        "bodies": [
            {"name": f"rod{k}", "cells": f"rod{k}", "element": "quad4i", "material": "m",
             "thickness": 0.02, "frame": "free"}
            for k in range(count)
        ],
        "supports": [{"group": "begin0"}],
        "equations": [
            {"terms": [{"group": f"end{k}", "component": c, "factor": 1},
                       {"group": f"begin{k + 1}", "component": c, "factor": -1}]}
            for k in range(count - 1) for c in "xy"
        ],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def places(*groups, quantity="position"):
    """Return probes of the components of groups."""
    return [
        {"name": f"{group} {c}", "group": group, "component": c, "quantity": quantity}
        for group in groups
        for c in "xy"
    ]


def steps(duration, count, **more):
    """Return the tables of a transient analysis."""
    return {"kind": "transient", "duration": float(duration), "steps": count, **more}
