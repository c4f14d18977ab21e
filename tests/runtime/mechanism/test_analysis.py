# SPDX-License-Identifier: BSD-3-Clause
"""The analysis kinematics: what it writes, and what it takes from the mesh."""

from __future__ import annotations

import h5py
import mechanisms
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mechanism.build import build_parts
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh

KINEMATICS = {"kind": "kinematics", "duration": 0.04, "steps": 20}


def probe(name="slider", link="slider", quantity="position", component="x", **more):
    return {"name": name, "link": link, "quantity": quantity, "component": component} | more


def test_results_hold_every_link_and_every_coordinate(tmp_path):
    """Columns: probes, then value, rate and acceleration of each coordinate; frames: each link."""
    probes = [probe(), probe("pin", "rod", "velocity", "magnitude", point=[0, 0, 0])]
    data = mechanisms.slider_crank() | {"analysis": KINEMATICS, "probes": probes}
    outcome = run_model(model_from_dict(data), output=tmp_path)
    head, *rows = (tmp_path / "probes.csv").read_text().splitlines()
    columns = head.split(",")
    assert columns[:3] == ["time [s]", "slider [m]", "pin [m/s]"]
    assert columns[-3:] == [
        "guide slide [m]",
        "guide slide velocity [m/s]",
        "guide slide acceleration [m/s^2]",
    ]
    values = np.array([[float(x) for x in row.split(",")] for row in rows])
    assert values.shape == (21, 3 + 3 * 4)
    np.testing.assert_allclose(values[:, 1], values[:, -3], rtol=1e-13)
    np.testing.assert_allclose(values[:, 2], 0.15 * 150.0, rtol=1e-12)
    with h5py.File(tmp_path / "results.h5") as file:
        assert set(file["bodies"]) == {"crank", "rod", "slider"}
        np.testing.assert_allclose(file["bodies/slider/frame/r_O"][:, 0], values[:, 1], rtol=1e-13)
        np.testing.assert_allclose(file["bodies/crank/frame/w"][:, 2], 150.0, rtol=1e-12)
    assert outcome.figures["slider, at the end"] == [values[-1, 1], "m"]
    report = (tmp_path / "report.html").read_text()
    assert "guide slide velocity [m/s]" in report
    assert "largest displacement" not in report


def test_check_counts_unknowns_and_equations():
    """A slider-crank has nine coordinates in the plane and as many equations."""
    report = check_model(model_from_dict(mechanisms.slider_crank() | {"analysis": KINEMATICS}))
    assert (report.dimension, report.unknowns, report.held) == (2, 9, 9)
    assert "links: crank, rod, slider" in "\n".join(report.lines())


def test_a_joint_may_be_at_the_middle_of_a_group():
    """A group of nodes stands for the mean of its places."""
    data = mechanisms.slider_crank() | {"analysis": KINEMATICS}
    corners = [[0.3, -0.1], [0.4, -0.1], [0.4, 0.1], [0.3, 0.1]]
    data["mesh"] = {"block": {"cell": "quad4", "corners": corners, "divisions": [2, 4]}}
    data["joints"][2]["at"] = ["xmin", [0, 0, 0]]
    spec = model_from_dict(data)
    parts = build_parts(spec, build_mesh(spec))
    np.testing.assert_allclose(parts.joints[2].markers[0].point, [0.3, 0, 0], atol=1e-16)
    data["joints"][2]["at"] = ["xmn", [0, 0, 0]]
    spec = model_from_dict(data)
    with pytest.raises(InputError, match="xmin"):
        build_parts(spec, build_mesh(spec))


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"probes": [probe(link="slidr")]}, "did you mean 'slider'"),
        ({"probes": [probe(quantity="stress")]}, "probes[0].quantity: found stress of a link"),
        ({"probes": [probe(component="xx")]}, "probes[0].component"),
        ({"probes": [{"name": "a", "point": [0, 0, 0], "component": "x"}]}, "probes[0].link: miss"),
        ({"probes": [probe(group="tip")]}, "probes[0].group: found beside link"),
        ({"analysis": {"kind": "static"}}, "links: found them with static; expected transient"),
        ({"analysis": KINEMATICS | {"steps": None}}, "found neither steps nor step"),
        ({"analysis": KINEMATICS | {"step": 0.1}}, "found both steps and step"),
        ({"links": [], "joints": [], "drivers": [], "mesh": {"points": {"a": [0, 0, 0]}},
          "masses": [{"name": "m", "group": "a", "mass": 1.0}]}, "links: missing"),
        ({"mesh": {"points": {"a": [0, 0, 0]}},
          "masses": [{"name": "m", "group": "a", "mass": 1.0, "frame": "rodd"}]},
         "masses[0].frame: found the unknown link 'rodd'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(changes, expected):
    """Probes of links belong to kinematics, and kinematics to links."""
    data = mechanisms.slider_crank() | {"analysis": KINEMATICS} | changes
    with pytest.raises(InputError) as error:
        model_from_dict(data)
    assert expected in str(error.value)
