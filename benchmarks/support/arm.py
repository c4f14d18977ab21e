# SPDX-License-Identifier: BSD-3-Clause
"""An elastic arm that turns about its end: the figures that all contestants have in common."""

from __future__ import annotations

from typing import Any

LENGTH, ELEMENTS, MODES = 0.6, 20, 16
WIDTH, HEIGHT = 0.02, 0.006  # m, along z and y
YOUNG, VOLUMIC = 2.1e11, 7800.0
STRETCHING = YOUNG * WIDTH * HEIGHT
BENDING = YOUNG * WIDTH * HEIGHT**3 / 12
DENSITY = VOLUMIC * WIDTH * HEIGHT  # kg/m
SPEED, GRAVITY = 10.0, 9.81
STEP, STEPS = 1e-4, 2000


def model() -> dict[str, Any]:
    """Return the arm that Exudyn has as well: 16 modes, in gravity, at constant speed."""
    corners = [[0.0, 0.0], [LENGTH, 0.0]]
    return {
        "mesh": {"block": {"cell": "line2", "corners": corners, "divisions": [ELEMENTS]}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.3, "density": VOLUMIC}},
        "bodies": [{"name": "arm", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "rectangle", "width": HEIGHT, "height": WIDTH},
                    "frame": {"velocity": SPEED}}],
        "supports": [{"group": "xmin", "components": ["x", "y", "rz"]}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -GRAVITY, 0.0]}],
        "include": {"geometric": False},
        "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
        "reduction": {"method": "modal", "modes": MODES, "static": False},
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS},
    }  # fmt: skip
