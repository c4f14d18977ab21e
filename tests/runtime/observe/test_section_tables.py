# SPDX-License-Identifier: BSD-3-Clause
"""Tables of section forces: statics of beams, at stations and at the ends of cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

BEAM: dict[str, Any] = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [2, 0, 0]], "divisions": [4]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7850.0}},
    "bodies": [{"name": "beam", "element": "euler_beam", "material": "steel",
                "section": {"shape": "rectangle", "width": 0.02, "height": 0.04}}],
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [50.0, 7.0, -3.0]},
              {"kind": "moment", "group": "xmax", "total": [4.0, 0, 0]}],
    "tables": [{"group": "all", "quantity": "section_force", "at": "nodes", "name": "ends"},
               {"group": "all", "quantity": "section_force", "name": "stations"}],
    "analysis": {"kind": "static"},
    "output": {"formats": ["csv"]},
}  # fmt: skip


def table(folder: Path, name: str) -> tuple[list[str], np.ndarray]:
    """Return heads and numbers of a table."""
    heads, *lines = (folder / "tables" / f"{name}.csv").read_text().splitlines()
    return heads.split(","), np.array([[float(x) for x in line.split(",")] for line in lines])


@pytest.mark.parametrize("element", ["euler_beam", "timoshenko_beam"])
def test_a_cantilever_has_the_forces_of_statics(tmp_path: Path, element: str) -> None:
    """N, V and T constant; My = F_z (x - L), Mz = -F_y (x - L), exact at nodes."""
    body = BEAM["bodies"][0] | {"element": element}
    run_model(model_from_dict(BEAM | {"bodies": [body]}), output=tmp_path)
    heads, rows = table(tmp_path, "ends")
    assert heads == ["time", "element", "node", "N [N]", "Vy [N]", "Vz [N]", "T [N m]",
                     "My [N m]", "Mz [N m]"]  # fmt: skip
    assert rows[:, 1].tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert rows[:, 2].tolist() == [1, 2, 2, 3, 3, 4, 4, 5]
    x = 0.5 * (rows[:, 2] - 1)
    expected = np.column_stack([
        np.full(8, 50.0), np.full(8, 7.0), np.full(8, -3.0), np.full(8, 4.0),
        -3.0 * (x - 2.0), -7.0 * (x - 2.0),
    ])  # fmt: skip
    assert np.allclose(rows[:, 3:], expected, atol=1e-7)
    heads, rows = table(tmp_path, "stations")
    assert heads[1:3] == ["element", "point"]
    assert np.allclose(rows[:, 3:7], expected[:1, :4], atol=1e-7)
    assert (rows[:, 8] > 0.0).all()  # between the moments of the ends


def test_a_frame_in_the_plane_and_shells(tmp_path: Path) -> None:
    """In the plane N, Vy and Mz alone; a strip in tension has N11 = F / width."""
    plane = BEAM | {
        "mesh": {"block": BEAM["mesh"]["block"] | {"corners": [[0, 0], [2, 0]]}},
        "bodies": [BEAM["bodies"][0] | {"element": "euler_beam_plane"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 7.0, 0]}],
    }
    run_model(model_from_dict(plane), output=tmp_path / "plane")
    heads, rows = table(tmp_path / "plane", "ends")
    assert heads[3:] == ["N [N]", "Vy [N]", "Mz [N m]"]
    assert rows[0, 5] == pytest.approx(14.0)
    shell = {"cell": "quad4", "corners": [[0, 0, 0], [2, 0, 0], [2, 0.5, 0], [0, 0.5, 0]],
             "divisions": [4, 1]}  # fmt: skip
    strip = BEAM | {
        "mesh": {"block": shell},
        "bodies": [{"name": "strip", "element": "mitc4", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin", "components": ["x", "z", "rx", "ry", "rz"]},
                     {"group": "corner1", "components": ["y"]}],
        "loads": [{"kind": "pressure", "group": "all", "value": 0.0},
                  {"kind": "force", "group": "xmax", "total": [100.0, 0, 0]}],
        "tables": BEAM["tables"][1:],
    }  # fmt: skip
    run_model(model_from_dict(strip), output=tmp_path / "strip")
    heads, rows = table(tmp_path / "strip", "stations")
    assert heads[3] == "N11 [N/m]"
    assert np.allclose(rows[:, 3], 200.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ({"quantity": "stress", "at": "nodes"}, "expected with section_force alone"),
        ({"quantity": "section_force", "total": "only"}, "expected with forces at nodes"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, one: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run_model(model_from_dict(BEAM | {"tables": [{"group": "all", **one}]}), output=tmp_path)
