# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of some thousand unknowns with diagonal masses, spun up, for the tests of exports."""

from __future__ import annotations

from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec

SOFT = {"young": 4e6, "poisson": 0.3, "density": 1000.0, "damping": {"alpha": 20.0, "beta": 1e-6}}
SPIN_UP = {"ramp": {"to": 30.0, "duration": 2e-3}}
PUSH = {
    "kind": "force", "group": "xmax",
    "amplitude": {"input": "push", "start": 1.0},
}  # fmt: skip
SKEWED = [
    [x, y, z]
    for z in (0.0, 0.02)
    for x, y in ((0.1, -0.03), (0.5, -0.02), (0.5, 0.02), (0.1, 0.03))
]
FRAMES: dict[str, dict[str, Any]] = {
    "axis": {"axis": [0.0, 0.0, 1.0], "velocity": SPIN_UP},
    "vector": {
        "velocity": ["20*sin(900*t)", "5 + 2e3*t", SPIN_UP],
        "origin": {"position": ["1e-3*sin(300*t)", "40*t*t", 0]},
    },
}


def probes(tip: list[float], *, spatial: bool) -> list[dict[str, Any]]:
    """Return probes of every kind that follows from the motion of nodes."""
    found = [
        {"name": "u", "point": tip, "component": "y"},
        {"name": "v", "group": "xmax", "component": "x", "quantity": "velocity", "reduce": "mean"},
        {"name": "a", "group": "xmax", "component": "magnitude", "quantity": "acceleration"},
        {"name": "s", "group": "xmin", "component": "von_mises", "quantity": "stress"},
        {"name": "p", "group": "xmin", "component": "principal1", "quantity": "stress"},
        {"name": "sx", "point": [0.12, 0, 0], "component": "xx", "quantity": "stress"},
    ]  # fmt: skip
    return [*found, {"name": "w", "point": tip, "component": "z"}] if spatial else found


def spun(
    element: str,
    divisions: list[int],
    frame: str = "axis",
    steps: int = 120,
    step: float = 2e-5,
    **tables: Any,
) -> ModelSpec:
    """Return a blade that is spun up, under gravity and a push that is an input.

    Parameters
    ----------
    element : str
        Of the mesh.
    divisions : list of int
        Of the blade.
    frame : str
        One of ``FRAMES``.
    steps, step : int, float
        Of the analysis.
    **tables
        Of the model file, instead of those here.
    """
    spatial = len(divisions) == 3
    cell = element.rstrip("irs") if element[-1] in "irs" else element
    corners = SKEWED if spatial else [point[:2] for point in SKEWED[:4]]
    body: dict[str, Any] = {
        "name": "blade", "element": element, "material": "rubber", "frame": FRAMES[frame],
    }  # fmt: skip
    gravity = {"kind": "gravity", "acceleration": [0.5, -9.81, 4.0 if spatial else 0.0]}
    if not spatial:
        body["thickness"] = 0.02
    data = {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": divisions}},
        "materials": {"rubber": SOFT},
        "bodies": [body | tables.pop("body", {})],
        "supports": [{"group": "xmin"}],
        "loads": [gravity, PUSH | {"total": [0.0, 2.0, 5.0 if spatial else 0.0]}],
        "probes": probes([0.5, 0.02, 0.02 if spatial else 0.0], spatial=spatial),
        "analysis": {
            "kind": "transient", "duration": steps * step, "steps": steps,
            "method": "central_difference", "mass": "lumped",
        } | tables.pop("analysis", {}),
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip
    return model_from_dict(data)
