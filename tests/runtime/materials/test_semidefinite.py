# SPDX-License-Identifier: BSD-3-Clause
"""Materials that some strains cost nothing: fluids as solids without shear."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

BULK, DENSITY, LENGTH = 2.2e9, 1000.0, 1.5
PRESSURE = [BULK, BULK, BULK, 0, 0, 0, BULK, BULK, 0, 0, 0, BULK, *[0.0] * 9]
WATER = {"anisotropic": PRESSURE, "semidefinite": True, "density": DENSITY}


def column(**changes: Any) -> dict[str, Any]:
    """Return a column along x that is closed at x = 0 and slides along its sides."""
    side = 0.1
    corners = [[x, y, z] for z in (0, side)
               for x, y in ((0, 0), (LENGTH, 0), (LENGTH, side), (0, side))]  # fmt: skip
    return {
        "mesh": {"block": {"cell": "hex8", "corners": corners, "divisions": [40, 1, 1]}},
        "materials": {"water": WATER},
        "bodies": [{"name": "column", "element": "hex8", "material": "water"}],
        "supports": [
            {"group": "xmin"},
            *({"group": one, "components": ["y", "z"]} for one in ("ymin", "ymax")),
        ],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "modes", "count": 5},
    } | changes


def test_a_closed_column_sounds_at_a_quarter_wave(tmp_path: Path) -> None:
    """Sound in a tube, closed and open: c/(4 L) with c = sqrt(K/rho), then 3 c/(4 L).

    Without shear the four functions across a cell move independently: each frequency four times.
    """
    run = run_model(model_from_dict(column()), output=tmp_path)
    found = [run.figures[f"mode {k}"][0] for k in range(1, 6)]
    exact = (BULK / DENSITY) ** 0.5 / (4.0 * LENGTH)
    assert found == pytest.approx([exact] * 4 + [3.0 * exact], rel=2e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"semidefinite": False}, "anisotropic: not positive definite: found C22"),
        ({"anisotropic": [-BULK, *[0.0] * 20]}, "anisotropic: found eigenvalues from -2.2e"),
        ({"anisotropic": [0.0] * 21}, "found eigenvalues from 0 to 0; expected none below 0"),
        ({"anisotropic": None, "young": 1.0, "poisson": 0.3}, "semidefinite: found true; expect"),
    ],
)
def test_other_laws_are_refused(change: dict[str, Any], said: str) -> None:
    water = {key: value for key, value in (WATER | change).items() if value is not None}
    with pytest.raises(InputError, match=said):
        model_from_dict(column(materials={"water": water}))


def test_a_fluid_is_no_plane_element() -> None:
    """Plane stress divides by the law."""
    flat = {"cell": "quad4", "corners": [[0, 0], [1, 0], [1, 1], [0, 1]], "divisions": [1, 1]}
    bodies = [{"name": "sheet", "element": "quad4", "material": "water", "thickness": 1.0}]
    with pytest.raises(InputError, match="found the semidefinite 'water' of element quad4"):
        model_from_dict(column(mesh={"block": flat}, bodies=bodies))
