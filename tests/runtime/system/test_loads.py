# SPDX-License-Identifier: BSD-3-Clause
"""Generalized forces: gravity turned into the frame, pressure, nodal forces, amplitudes."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.loads import Loads
from models import ALL, CASES, DISTORTED, PLANE, build, model


def force(spec, time: float = 0.0) -> np.ndarray:
    """Return the nodal forces of a model at a time."""
    places = build(spec)
    return Loads(spec, places).at(time, places.system.spins(time))


def test_gravity_is_fixed_in_space() -> None:
    """A frame that has turned by 90 degrees about z sees gravity along global -y as local -x."""
    loads = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]
    spec = model(
        "hex8",
        loads=loads,
        body={"frame": {"angle": "pi/2*t"}},
        include={"centrifugal_load": False},
        analysis={"kind": "static", "time": 1.0},
    )
    total = force(spec, 1.0).sum(axis=0)
    assert np.allclose(total, [-7800 * 9.81, 0, 0], atol=1e-8)


def test_body_force_turns_with_the_frame() -> None:
    """A body force keeps its local components; its amplitude follows the formula of time."""
    loads = [{"kind": "body_force", "acceleration": [1, 2, 3], "amplitude": "2*t"}]
    spec = model("tet10", loads=loads, analysis={"kind": "static", "time": 1.5})
    assert np.allclose(force(spec, 1.5).sum(axis=0), 7800 * 3.0 * np.array([1, 2, 3]), rtol=1e-12)


@pytest.mark.parametrize("cell", ALL)
def test_pressure_on_all_faces_has_no_resultant(cell: str) -> None:
    """A uniform pressure on a closed surface gives neither force nor moment (Gauss)."""
    plane = cell in PLANE
    faces = ["xmin", "xmax", "ymin", "ymax"] + ([] if plane else ["zmin", "zmax"])
    loads = [{"kind": "pressure", "group": face, "value": 1e5} for face in faces]
    spec = model(cell, loads=loads, **({} if plane else {"corners": DISTORTED}))
    places = build(spec)
    f = Loads(spec, places).at(0.0, places.system.spins(0.0))
    x = places.system.bodies[0].points
    full = np.zeros((len(x), 3))
    full[:, : f.shape[1]] = f
    arm = np.zeros((len(x), 3))
    arm[:, : x.shape[1]] = x
    assert np.abs(full).max() > 1.0
    assert np.abs(full.sum(axis=0)).max() < 1e-10 * np.abs(full).sum()
    assert np.abs(np.cross(arm, full).sum(axis=0)).max() < 1e-10 * np.abs(full).sum()


@pytest.mark.parametrize("cell", ALL)
def test_pressure_presses_inward(cell: str) -> None:
    """Pressure p on the face x = 1 of a unit block gives the force -p A along x."""
    spec = model(cell, loads=[{"kind": "pressure", "group": "xmax", "value": 1e5}])
    total = force(spec).sum(axis=0)
    area = 0.1 if cell in PLANE else 1.0
    expected = np.zeros_like(total)
    expected[0] = -1e5 * area
    assert np.allclose(total, expected, atol=1e-9)


@pytest.mark.parametrize("how", ["total", "each"])
def test_nodal_forces(how: str) -> None:
    """``total`` is shared by the nodes of the group, ``each`` acts at every one."""
    spec = model("hex8", loads=[{"kind": "force", "group": "xmax", how: [0, 90, 0]}])
    f = force(spec)
    count = int(f.any(axis=1).sum())
    assert count == 9
    assert f[:, 1].sum() == pytest.approx(90 if how == "total" else 90 * count)


def test_a_global_force_keeps_its_direction_in_space() -> None:
    """A force with global components is R^T f in the frame."""
    loads = [{"kind": "force", "group": "xmax", "total": [0, 0, 7], "frame": "global"}]
    spec = model(
        "hex8",
        loads=loads,
        body={"frame": {"axis": [1, 0, 0], "angle": "0.3*t"}},
        include={"centrifugal_load": False},
        analysis={"kind": "static", "time": 1.0},
    )
    total = force(spec, 1.0).sum(axis=0)
    assert np.allclose(total, [0, 7 * np.sin(0.3), 7 * np.cos(0.3)], atol=1e-9)


def test_a_force_out_of_the_plane_is_refused() -> None:
    """A planar user's element shows only when it is read; the error names load and finding."""
    case = CASES / "m3_oscillator"
    data = tomllib.loads((case / "model.toml").read_text())
    data["loads"] = [{"kind": "force", "group": "mass", "total": [0, 0, 5]}]
    spec = model_from_dict(data, folder=case)
    with pytest.raises(InputError, match=r"loads\[0\]: found a z component of 5 in a planar"):
        force(spec)


def test_a_group_without_facets_is_refused() -> None:
    """A pressure on an edge of a solid has no facet to press on."""
    spec = model("hex8", loads=[{"kind": "pressure", "group": "zmin_xmin", "value": 1.0}])
    with pytest.raises(InputError, match=r"loads\[0\].*no facet"):
        force(spec)
