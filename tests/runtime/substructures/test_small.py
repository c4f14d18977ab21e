# SPDX-License-Identifier: BSD-3-Clause
"""Small deflections: pieces are joined as their elements are, so one frame tells the same."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from bent_rods import found, position, rod
from flexforge.runtime.mesh import structured

SPRING = {"name": "spring", "joint": "pin", "stiffness": 500.0}
PUSH = {"kind": "force", "total": [0, 1e-4, 0], "frame": "global"}


def beam(frames):
    """Return a rod in space on a hinge with a spring, pushed at its end."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"],
           "at": [[0, 0, 0], "rod.xmin"]}  # fmt: skip
    return rod(frames, 4, space=True, joints=[pin], actuators=[SPRING],
               loads=[PUSH | {"group": "rod.xmax"}])  # fmt: skip


def strip(frames):
    """Return a plane strip on a hinge with a spring, in halves across which its edges go."""
    made = structured("quad8", [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], [4, 1])
    cells = made.blocks[0].nodes
    groups = {"left": {"quad8": [0, 1]}, "right": {"quad8": [2, 3]}}
    groups |= {name: made.select(name).nodes for name in ("xmin", "xmax", "ymin")}
    mesh = ff.mesh_from_arrays(made.points[:, :2], {"quad8": cells}, groups)
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"],
           "at": [[0, 0.05, 0], "xmin"]}  # fmt: skip
    tables = rod(frames, 1, joints=[pin], actuators=[SPRING], mesh=mesh, loads=[
        PUSH | {"group": "ymin"}, {"kind": "pressure", "group": "ymin", "value": 0.1},
    ])  # fmt: skip
    tables["bodies"] = [{"name": "strip", "element": "quad8", "material": "steel",
                         "thickness": 0.01, "frame": "rod"}]  # fmt: skip
    tables["probes"] = [one | {"group": "xmax"} for one in tables["probes"]]
    return tables


def plate(frames):
    """Return a shell in space, in halves that meet in a line of nodes with rotations."""
    made = structured("quad4", [[0, 0], [1, 0], [1, 0.2], [0, 0.2]], [4, 1])
    groups = {"left": {"quad4": [0, 1]}, "right": {"quad4": [2, 3]}}
    groups |= {name: made.select(name).nodes for name in ("xmin", "xmax")}
    mesh = ff.mesh_from_arrays(made.points, {"quad4": made.blocks[0].nodes}, groups)
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"], "axis": [0, 0, 1],
           "at": [[0, 0, 0], [0, 0, 0]]}  # fmt: skip
    stiff = SPRING | {"stiffness": 5e5}
    tables = rod(frames, 1, space=True, joints=[pin], actuators=[stiff], mesh=mesh,
                 loads=[PUSH | {"group": "xmax", "total": [0, 0.01, 0]}])  # fmt: skip
    tables["bodies"] = [{"name": "plate", "element": "mitc4", "material": "steel",
                         "thickness": 0.05, "frame": "rod"}]  # fmt: skip
    tables["probes"] = [one | {"group": "xmax"} for one in tables["probes"]]
    return tables


HALVES = ["left", "right"]


@pytest.mark.parametrize(
    ("model", "frames", "round_off"),
    [
        (beam, 3, 1e-7),
        (strip, HALVES, 1e-7),
        pytest.param(plate, HALVES, 1e-4, marks=pytest.mark.slow),  # of a stiffness of 1e12
    ],
)
def test_small_deflections_and_frequencies_are_those_of_one_frame(
    model, frames, round_off, tmp_path
):
    """To round-off, also of loads on nodes and edges of several pieces."""
    one, several = (found(model(n), tmp_path / str(n)) for n in (1, frames))
    moved = position(one)[1] - position(found(model(1) | {"loads": []}, tmp_path / "0"))[1]
    assert moved > 1e-7
    assert np.abs(position(several) - position(one)).max() < 1e-7 * moved
    frequencies = [
        np.array([value[0] for name, value in run.figures.items() if "small vib" in name])
        for run in (one, several)
    ]
    assert len(frequencies[0]) > 4
    np.testing.assert_allclose(frequencies[1], frequencies[0], rtol=round_off)
