# SPDX-License-Identifier: BSD-3-Clause
"""A mass near the axis of a frame, in a leaf spring and a tie: two theories in closed form.

The frame turns about z. The mass m is at x = R. The tie of length L and stiffness k_a runs from it
across the axis; the leaf spring has k_x, k_y, k_z and no stress. The tie's force ``N = k_a u_N``
stiffens, by ``N / L`` in every direction (Green's strain along the axis, all of it):

    rigid_load    (k_x + k_a) u_N = m W^2 R                         the rotation, k alone
    steady        (k_x + k_a + N / L - m W^2) u_N = m W^2 R         itself, softened
    static        (k_x + k_a + N / L - m W^2) u = m W^2 R           with N of either theory

Vibrations: along z ``m s^2 = k_z + N / L``; across it the two with Coriolis forces,
``(k_x + k_a + N/L - m W^2 - m s^2)(k_y + N/L - m W^2 - m s^2) = (2 m W s)^2``.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from scipy.optimize import brentq

MASS, RADIUS, LENGTH, AXIAL = 1.0, 1e-3, 0.5, 1e4
LEAF = (9e4, 2e5, 1e2)
#: Speed at which the softening has taken all stiffness along x, rad/s.
LIMIT = float(np.sqrt((LEAF[0] + AXIAL) / MASS))
AREA = 1e-6


def tethered(share: float, prestress: str = "auto", **tables: Any) -> ModelSpec:
    """Return the model at a share of the limit speed; tables replace or add to what it has."""
    data: dict[str, Any] = {
        "mesh": {"blocks": {"tie": {"cell": "line2", "divisions": [1], "corners": [
            [RADIUS - LENGTH, 0, 0], [RADIUS, 0, 0]]}}},
        "materials": {"rope": {"young": AXIAL * LENGTH / AREA, "poisson": 0.0, "density": 1e-9}},
        "bodies": [{"name": "tie", "element": "bar2", "material": "rope",
                    "section": {"area": AREA}, "frame": {"velocity": share * LIMIT}}],
        "masses": [{"name": "mass", "group": "tie.xmax", "mass": MASS}],
        "connectors": [{"kind": "bushing", "name": "leaf", "at": "tie.xmax",
                        "stiffness": list(LEAF)}],
        "supports": [{"group": "tie.xmin"}],
        "analysis": {"kind": "modes", "count": 3},
        "include": {"prestress": prestress},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    return model_from_dict(deepcopy(data | tables))


def tension(share: float, theory: str) -> float:
    """Return the force of the tie that stiffens, N."""
    turn, stiff = MASS * (share * LIMIT) ** 2, LEAF[0] + AXIAL
    if theory == "rigid_load":
        return AXIAL * turn * RADIUS / stiff
    return AXIAL * float(
        brentq(lambda u: (stiff + AXIAL * u / LENGTH - turn) * u - turn * RADIUS, 0, 1, xtol=1e-16)
    )


def deflection(share: float, theory: str) -> float:
    """Return how far the mass is moved in equilibrium, m."""
    turn = MASS * (share * LIMIT) ** 2
    stiff = LEAF[0] + AXIAL + tension(share, theory) / LENGTH - turn
    return turn * RADIUS / stiff


def along(share: float, theory: str) -> float:
    """Return the frequency of the vibration along the axis of rotation, rad/s."""
    return float(np.sqrt((LEAF[2] + tension(share, theory) / LENGTH) / MASS))


def frequencies(share: float, theory: str) -> np.ndarray:
    """Return the frequencies of all three vibrations, ascending, Hz."""
    speed, more = share * LIMIT, tension(share, theory) / LENGTH
    x, y = (k + more - MASS * speed**2 for k in (LEAF[0] + AXIAL, LEAF[1]))
    squares = np.roots([MASS**2, -MASS * (x + y) - (2 * MASS * speed) ** 2, x * y])
    return np.sort([along(share, theory), *np.sqrt(squares.real)]) / (2 * np.pi)
