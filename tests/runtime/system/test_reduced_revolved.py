# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of revolution by reduced integration: discs that spin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

YOUNG, POISSON, DENSITY, SPEED = 2e11, 0.3, 7800.0, 500.0
INNER, OUTER, HEIGHT = 0.1, 0.5, 0.002


@pytest.mark.parametrize("element", [slow("quad8r"), "quad8rm"])
def test_a_thin_disc_spins(tmp_path: Path, element: str) -> None:
    """Plane stress in a disc with a hole: u(a) = a sigma/E (Timoshenko and Goodier, section 32).

    sigma = rho w^2/4 ((3 + nu) b^2 + (1 - nu) a^2) along the rim of the hole.
    """
    corners = [[INNER, 0], [OUTER, 0], [OUTER, HEIGHT], [INNER, HEIGHT]]
    tables: dict[str, Any] = {
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [20, 1]}},
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": DENSITY}},
        "bodies": [{"name": "disc", "element": element, "hypothesis": "axisymmetric",
                    "material": "steel", "frame": {"axis": [0, 1, 0], "velocity": SPEED}}],
        "supports": [{"group": "corner1", "components": ["y"]}],
        "include": {"centrifugal_stiffness": False, "geometric": False},
        "probes": [{"name": "u", "group": "corner1", "component": "x"}],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "static"},
    }  # fmt: skip
    found = run_model(model_from_dict(tables), output=tmp_path)
    hoop = (3.0 + POISSON) * OUTER**2 + (1.0 - POISSON) * INNER**2
    exact = INNER * DENSITY * SPEED**2 * hoop / (4.0 * YOUNG)
    assert found.probes["u"][-1] == pytest.approx(exact, rel=2e-4)
