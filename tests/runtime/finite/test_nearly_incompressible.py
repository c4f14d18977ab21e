# SPDX-License-Identifier: BSD-3-Clause
"""Nearly incompressible bodies in models: Cook's membrane at large strains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from large import run
from marks import slow

#: Shear modulus 80.1938 and bulk modulus 40.0942e4, force 100 (de Souza Neto, Peric, Dutko and
#: Owen, International Journal of Solids and Structures 33, 1996).
RUBBER = {"mu": 80.1938, "kappa": 40.0942e4, "density": 1.0}
#: Rise of the upper corner by cells a side, of OpenGeoSys' benchmark of F-bar at large strains with
#: the same law, whose volume is that at the centres of cells (CooksMembrane, LargeDeformation).
PUBLISHED = {10: 6.746284, 20: 6.858936, 30: 6.891409}


def membrane(element: str, cell: str, across: int) -> dict[str, Any]:
    """Return Cook's membrane in plane strain, pulled upwards."""
    corners = [[0, 0], [48, 44], [48, 60], [0, 44]]
    return {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [across, across]}},
        "bodies": [{"name": "membrane", "element": element, "energy": "neo_hookean_isochoric",
                    "parameters": RUBBER, "thickness": 1.0}],
        "supports": [{"group": "xmin", "components": ["x", "y"]}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 100, 0]}],
        "probes": [{"name": "corner", "point": [48, 60, 0], "component": "y"}],
        "analysis": {"kind": "static", "load_steps": 4},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def rise(element: str, cell: str, across: int, folder: Path) -> float:
    """Return how far the upper corner rises."""
    found = run(membrane(element, cell, across), folder / f"{element}{across}")
    return float(found.probes["corner"].values[-1])


@pytest.mark.parametrize("across", [10, 20, slow(30)])
def test_the_corner_rises_as_published(tmp_path: Path, across: int) -> None:
    """A mean and a value at the centre differ by cells of the first mesh, and less later on."""
    assert rise("quad4s", "quad4", across, tmp_path) == pytest.approx(PUBLISHED[across], rel=3e-3)


@pytest.mark.slow
def test_cells_of_a_mean_volume_do_not_lock(tmp_path: Path) -> None:
    """Coarse meshes come close to where quadratic cells of nine nodes go; usual cells do not.

    Both series are continued to cells of no size from three meshes, each halved.
    """
    limits = {}
    for element, cell in (("quad4s", "quad4"), ("quad9", "quad9")):
        coarse, middle, fine = (rise(element, cell, n, tmp_path) for n in (8, 16, 32))
        limits[element] = fine + (fine - middle) ** 2 / ((middle - coarse) - (fine - middle))
    assert limits["quad4s"] == pytest.approx(limits["quad9"], rel=3e-3)
    assert rise("quad4s", "quad4", 8, tmp_path) > 0.95 * limits["quad9"]
    assert rise("quad4", "quad4", 8, tmp_path) < 0.4 * limits["quad9"]
