# SPDX-License-Identifier: BSD-3-Clause
"""A turning, vibrating box of solid elements: free, and in a frame that is driven to turn."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

_SPIN, _STEPS, _FIRST = 20.0, 20, 4  # rad/s; steps; those before the first one measured
_SIDES = {"x": (-0.5, 0.5), "y": (-0.25, 0.25), "z": (-0.15, 0.15)}


def tables(divisions: int, *, free: bool) -> dict[str, Any]:
    """Return the model of a box that turns about z and is bent to begin with."""
    (x0, x1), (y0, y1), (z0, z1) = _SIDES.values()
    base = [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
    bent = "x*x - 1/12"
    turning = [f"-{_SPIN}*y", f"{_SPIN}*x", bent]
    frame = {"free": {"angular_velocity": [0, 0, _SPIN]}} if free else {"velocity": _SPIN}
    return {
        "mesh": {
            "block": {
                "cell": "hex8",
                "corners": [[*point, z] for z in (z0, z1) for point in base],
                "divisions": [divisions, divisions // 2, int(0.3 * divisions)],
            }
        },
        "materials": {"m": {"young": 2e9, "poisson": 0.3, "density": 1000}},
        "bodies": [{"name": "box", "element": "hex8", "material": "m", "frame": frame}],
        "initial": [{"velocity": turning if free else ["0", "0", bent]}],
        "include": {"geometric": False},
        "analysis": {"kind": "transient", "duration": 0.02, "steps": _STEPS, "solver": "pardiso"},
        "output": {"formats": ["csv"]},
    }


def measure(divisions: int, *, free: bool) -> dict[str, Any]:
    """Return the median time of a step, without the first ones, which factor, and counts."""
    reached: dict[int, float] = {}

    def progress(what: str, done: int, total: int) -> None:
        del total
        if what == "steps":
            reached[done] = time.perf_counter()

    spec = model_from_dict(tables(divisions, free=free))
    with tempfile.TemporaryDirectory() as folder:
        figures = run_model(spec, output=Path(folder) / "out", progress=progress).figures
    steps = [reached[k + 1] - reached[k] for k in range(_FIRST, _STEPS)]
    return {
        "unknowns": figures["unknowns"],
        "s a step": median(steps),
        "passes a step": figures["solves per step"],
        "factorizations": figures["factorizations"],
    }
