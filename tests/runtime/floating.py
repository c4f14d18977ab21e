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


def bar(bodies, divisions=8):
    """Return the tables of a bar along x in space, as bodies in a row that share nodes."""
    x = np.linspace(0.0, 1.0, divisions + 1)
    points = np.array([[a, b, c] for a in x for c in (0.0, 0.1) for b in (0.0, 0.1)])
    cells = [4 * i + np.array([0, 4, 5, 1, 2, 6, 7, 3]) for i in range(divisions)]
    parts = np.array_split(np.arange(divisions), bodies)
    groups = {f"part{k}": {"hex8": part.tolist()} for k, part in enumerate(parts)}
    groups["tip"] = [4 * divisions]
    return {
        "mesh": mesh_from_arrays(points, {"hex8": np.array(cells)}, groups),
        "materials": {"m": {"young": 2e9, "poisson": 0.3, "density": 1000}},
        "bodies": [
            {"name": f"part{k}", "cells": f"part{k}", "element": "hex8i", "material": "m",
             "frame": {"free": {"angular_velocity": [0, 0, 5]}}}
            for k in range(bodies)
        ],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def places(*groups, components="xy", **more):
    """Return probes of the components of groups."""
    return [
        {"name": f"{group} {c}", "group": group, "component": c, "quantity": "position", **more}
        for group in groups
        for c in components
    ]


def steps(duration, count, **more):
    """Return the tables of a transient analysis."""
    return {"kind": "transient", "duration": float(duration), "steps": count, **more}
