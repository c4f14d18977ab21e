# SPDX-License-Identifier: BSD-3-Clause
"""The two leaves of a pair of tweezers: models of flexforge whose nodes know forces as inputs."""

from __future__ import annotations

from typing import Any

import flexforge as ff
import numpy as np

LENGTH, WIDTH, THICKNESS = 0.1, 0.01, 5e-4  # m
GAP = 2e-3  # between the leaves where both are clamped, m
PRESS, RAMP = 120.0, 0.02  # N/m on the outside of each leaf, and the time in which it grows, s
YOUNG, DENSITY = 2.0e11, 7850.0
BENDING = YOUNG * WIDTH * THICKNESS**3 / 12.0  # N m^2


def nodes(cells: int) -> np.ndarray:
    """Return how far the nodes of a leaf are from where it is clamped, m; but that one."""
    return LENGTH * np.arange(1, cells + 1) / cells


def leaf(side: float, cells: int, step: float, duration: float) -> dict[str, Any]:
    """Return the model of a leaf, clamped at x = 0.

    Parameters
    ----------
    side : float
        1 of the upper leaf, -1 of the lower one.
    cells : int
        Elements.
    step, duration : float
        s.
    """
    x = LENGTH * np.arange(cells + 1) / cells
    places = np.column_stack([x, np.full(cells + 1, 0.5 * side * GAP)])
    lines = np.column_stack([np.arange(cells), np.arange(1, cells + 1)])
    groups = {"clamp": [0]} | {f"n{k}": [k] for k in range(1, cells + 1)}
    weight = DENSITY * WIDTH * THICKNESS  # kg/m
    press = {"kind": "body_force", "acceleration": [0.0, -side * PRESS / weight, 0.0],
             "amplitude": f"smooth_step(t, 0, {RAMP})"}  # fmt: skip
    return {
        "title": "A leaf of a pair of tweezers",
        "mesh": ff.mesh_from_arrays(places, {"line2": lines}, groups),
        "materials": {"steel": {"young": YOUNG, "poisson": 0.3, "density": DENSITY,
                                "damping": {"alpha": 150.0, "beta": 1e-5}}},
        "bodies": [{"name": "leaf", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "rectangle", "width": THICKNESS, "height": WIDTH}}],
        "supports": [{"group": "clamp"}],
        "loads": [press] + [
            {"kind": "force", "group": f"n{k}", "total": [0.0, 1.0, 0.0],
             "amplitude": {"input": f"push{k}"}} for k in range(1, cells + 1)
        ],
        "probes": [{"name": f"y{k}", "group": f"n{k}", "component": "y"}
                   for k in range(1, cells + 1)],
        "analysis": {"kind": "transient", "duration": duration, "step": step,
                     "rho_infinity": 0.5},
    }  # fmt: skip
