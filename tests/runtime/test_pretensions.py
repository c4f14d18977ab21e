# SPDX-License-Identifier: BSD-3-Clause
"""Bolts that are tightened: a bar whose section a point has, in closed form."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.run import run_model

YOUNG, LENGTH, AREA = 2e11, 4.0, 0.5
CORNERS = np.array([[x, y, z] for z in (0, 0.5) for x, y in ((0, 0), (4, 0), (4, 1), (0, 1))])


def bolt(turn: np.ndarray, ahead: bool = True, **changes: Any) -> dict[str, Any]:
    """Return a bar of 4 x 1 x 0.5 held at both ends, cut at its middle, turned as given."""
    mesh = structured("hex8", (CORNERS @ turn.T).tolist(), [4, 2, 1])
    places = mesh.points @ turn
    middle = mesh.node_labels[np.abs(places[:, 0] - 2.0) < 1e-9]
    direction = (turn[:, 0] * (3 if ahead else -3)).tolist()
    return {
        "mesh": {
            "block": {"cell": "hex8", "corners": (CORNERS @ turn.T).tolist(),
                      "divisions": [4, 2, 1]},
            "points": {"tension": [0, 0, 0]},
        },
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": 7800.0}},
        "bodies": [{"name": "bolt", "element": "hex8", "material": "steel"}],
        "supports": [{"group": "xmin"}, {"group": "xmax"}],
        "pretensions": [{"name": "bolt load", "facets": f"#{', '.join(map(str, middle))}",
                         "point": "tension", "direction": direction}],
        "tables": [{"group": "tension", "quantity": "nodal_force", "name": "force"},
                   {"group": "tension", "quantity": "displacement", "name": "gap"},
                   {"group": "all", "quantity": "displacement", "name": "u"},
                   {"group": "all", "quantity": "stress", "name": "stress"}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | changes  # fmt: skip


def table(folder: Path, name: str) -> np.ndarray:
    """Return the values of a table."""
    with (folder / "tables" / f"{name}.csv").open() as file:
        return np.array(list(csv.reader(file))[1:], dtype=float)


SKEW = np.linalg.qr(np.array([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0], [2.0, 0.3, 0.4]]))[0]
SKEW *= np.sign(np.linalg.det(SKEW))


@pytest.mark.parametrize("turn", [np.eye(3), SKEW])
@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("forced", [True, False])
def test_a_tightened_bar_has_its_tension(
    tmp_path: Path, turn: np.ndarray, ahead: bool, forced: bool
) -> None:
    """E A d / L by a displacement d, and F / A by a force; both sides move d/2 towards each other.

    The direction may be that of either side.
    """
    gap = 1e-3
    force = YOUNG * AREA * gap / LENGTH
    changes: dict[str, Any] = {}
    if forced:
        changes["loads"] = [{"kind": "force", "group": "tension", "total": [force, 0, 0]}]
    given = bolt(turn, ahead, **changes)
    if not forced:
        given["supports"].append({"group": "tension", "displacement": {"x": gap}})
    run_model(model_from_dict(given), output=tmp_path)
    assert table(tmp_path, "force")[0, 2] == pytest.approx(force, rel=1e-9)
    assert table(tmp_path, "gap")[0, 2] == pytest.approx(gap, rel=1e-9)
    stress = table(tmp_path, "stress")[:, 3:]
    along = np.array([[s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]] for s in stress])
    pulled = turn[:, 0] @ along.reshape(-1, 3, 3) @ turn[:, 0]
    assert np.allclose(pulled, force / AREA, rtol=1e-9)
    u = table(tmp_path, "u")[:, 2:] @ turn
    assert u[:, 0].max() == pytest.approx(gap / 2.0, rel=1e-9)
    assert u[:, 0].min() == pytest.approx(-gap / 2.0, rel=1e-9)
    assert np.abs(u[:, 1:]).max() < 1e-9 * gap


def test_the_sides_of_a_section_do_not_slide(tmp_path: Path) -> None:
    """A bar that is bent is as stiff as one without a section, whose point is held."""
    load = {"kind": "force", "group": "xmax", "total": [0, 0, 1e4]}
    tip = {"name": "tip", "group": "xmax", "component": "z"}
    ends = []
    for cut in (True, False):
        supports = [{"group": "xmin"}, *([{"group": "tension"}] if cut else [])]
        given = bolt(np.eye(3), supports=supports, loads=[load], tables=[], probes=[tip])
        if not cut:
            del given["pretensions"], given["mesh"]["points"]
        found = run_model(model_from_dict(given), output=tmp_path / str(cut))
        ends.append(float(found.probes["tip"].values[-1]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-10)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"facets": "xmax"}, "found cells on one side of the section only"),
        ({"facets": "ymin"}, "pretensions[0].facets: found nodes 4 m apart along the direction"),
        ({"point": "xmin"}, "pretensions[0].point: group 'xmin' has 6 nodes; expected one"),
        ({"point": "#1"}, "pretensions[0].point: found the node of a cell"),
        ({"direction": [0, 0, 0]}, "pretensions[0].direction"),
        ({"facets": "head"}, "pretensions[0].facets: "),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    given = bolt(np.eye(3))
    given["pretensions"][0] |= change
    with pytest.raises(InputError) as error:
        run_model(model_from_dict(given), output=tmp_path)
    assert said in str(error.value)
