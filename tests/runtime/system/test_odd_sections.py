# SPDX-License-Identifier: BSD-3-Clause
"""Remarks about lengths of other units: sections in mm, placements far from closed joints."""

from __future__ import annotations

import tomllib
from pathlib import Path

import elastic_links
import pytest
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict, model_of
from flexforge.runtime.run import run_model

EXAMPLES = Path(__file__).parents[3] / "examples"
STATIC = {"kind": "static"}


def rod(section):
    return {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [2, 0, 0]], "divisions": [2]}},
        "materials": {"m": elastic_links.STEEL},
        "bodies": [{"name": "b", "element": "euler_beam", "material": "m", "section": section}],
        "supports": [{"group": "xmin"}],
        "analysis": STATIC,
        "output": {"formats": ["csv"]},
    }


def shell(thickness):
    corners = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0]]
    return rod({}) | {
        "mesh": {"block": {"cell": "tri3", "corners": corners, "divisions": [2, 2]}},
        "bodies": [{"name": "b", "element": "dkt3", "material": "m", "thickness": thickness}]
    }  # fmt: skip


def told(model):
    found = check_model(model_from_dict(model)).remarks
    return [one for one in found if one.startswith(("bodies[", "joints[", "links["))]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"shape": "round", "diameter": 20.0}, "section: 20 m wide or thick, more than"),
        ({"shape": "rectangle", "width": 0.01, "height": 40.0}, "section: 40 m wide"),
        ({"shape": "round", "diameter": 2e-6}, "section: 2e-06 m wide or thick, 1e+06 times less"),
        ({"area": 400.0, "inertia_y": 1.0, "inertia_z": 1.0, "torsion": 1.0}, "section: 20 m"),
    ],
)
def test_sections_in_other_units_are_remarked(section, words):
    """A section wider than the beam is long is in mm; one a million times thinner is so twice."""
    (line,) = told(rod(section))
    assert line.startswith(f"bodies[0].{words}")
    assert "20 mm are 0.02" in line


def test_sections_of_machines_are_not():
    """A stub as wide as half its length, and a string of 0.25 mm, are neither."""
    for diameter in (1.0, 2.5e-4):
        assert not told(rod({"shape": "round", "diameter": diameter}))


def test_thicknesses_of_shells():
    """A plate of 2 m is not 5 m thick, whatever it is made of; 5 mm are."""
    (line,) = told(shell(5.0))
    assert line.startswith("bodies[0].thickness: 5 m wide or thick, more than the body 'b' is long")
    assert not told(shell(5e-3))


def test_inertia_in_kg_mm2():
    """A block of 2 kg and 0.1 m has moments of 3e-3 kg m^2; 3e3 are kg mm^2."""
    line = (
        "masses[0].inertia: found 3000 kg m^2 for 'block', a radius of gyration of 38.73 m in a "
        "model of 2 m; expected moments of inertia in kg m^2"
    )
    for inertia, found in (3e3, 1), (3e-3, 0):
        block = {"name": "block", "group": "xmax", "mass": 2.0, "inertia": [inertia] * 3}
        model = rod({"shape": "round", "diameter": 0.05}) | {"masses": [block]}
        told_of = [one for one in check_model(model_from_dict(model)).remarks if "gyration" in one]
        assert [one.startswith(line) for one in told_of] == [True] * found


def test_runs_tell_the_same(tmp_path):
    """The remark of the check is a warning of the run."""
    model = rod({"shape": "round", "diameter": 20.0})
    (line,) = told(model)
    assert line in run_model(model_from_dict(model), output=tmp_path).warnings


def placed(**placement):
    model = elastic_links.slider_crank("60*smooth_step(t, 0, 0.1)")
    model["links"][2]["placement"] = placement
    return model | {"output": {"formats": ["csv"]}}


@pytest.mark.parametrize("kind", ["kinematics", "transient"])
def test_placements_far_from_closed_joints_are_remarked(tmp_path, kind):
    """A slider placed at x = 1.2 is 0.75 m from where a crank of 0.15 and a rod of 0.3 put it."""
    analysis = {"kind": kind, "duration": 0.01, "steps": 2}
    model = placed(position=[1.2, 0, 0]) | {"analysis": analysis}
    if kind == "kinematics":
        model |= {"bodies": [], "planar": True}
    (line,) = told(model)
    assert line.startswith(
        "joints[2]: 'wrist' is open by 0.75 m with its links at their placements"
    )
    assert "moved link 'slider' by 0.75 m and 0 degrees:" in line
    assert line in run_model(model_from_dict(model), output=tmp_path).warnings
    model["links"][2]["placement"] = {"position": [0.44, 0.01, 0]}
    assert not told(model)


def test_kinematics_says_what_it_leaves_out(tmp_path):
    """The elastic rod of a crank neither bends nor moves: the check and the run say so."""
    analysis = {"kind": "kinematics", "duration": 0.01, "steps": 2}
    model = placed(position=[0.45, 0, 0]) | {"analysis": analysis}
    (line,) = check_model(model_from_dict(model)).remarks
    assert line.startswith('analysis.kind = "kinematics" moves links alone: bodies')
    assert run_model(model_from_dict(model), output=tmp_path).warnings == (line,)


def test_places_of_joints_in_mm_are_remarked():
    """A crank pin at 150 instead of 0.15 moves the rod by as much, and the unit is asked for."""
    analysis = {"kind": "transient", "duration": 0.01, "steps": 2}
    model = placed(position=[0.45, 0, 0]) | {"analysis": analysis}
    model["joints"][1]["at"] = [[150, 0, 0], model["joints"][1]["at"][1]]
    (line,) = told(model)
    assert "is open by 150 m" in line and "lengths are in metres, is one of them in mm?" in line


def test_arms_may_be_placed_stretched_and_driven_to_their_start():
    """Their joints are closed at the placements: what moves the links is meant."""
    folder = EXAMPLES / "robot_arm"
    arm = tomllib.loads((folder / "model.toml").read_text())
    for link, x in zip(arm["links"], (0.0, 0.6), strict=True):
        link["placement"] = {"position": [x, 0, 0]}
    assert not check_model(model_from_dict(arm, folder)).remarks
    arm["links"][1]["placement"] = {"position": [0.3, 0.5, 0]}
    (line,) = check_model(model_from_dict(arm, folder)).remarks
    assert line.startswith("joints[1]: 'elbow' is open by 0.583 m")


def test_drivers_that_begin_far_from_the_placements_are_remarked():
    """Placed at 0 and driven to 2 rad, a slider-crank may close on the other side."""
    analysis = {"kind": "transient", "duration": 0.01, "steps": 2}
    model = placed(position=[0.45, 0, 0]) | {"analysis": analysis}
    model["drivers"][0]["value0"] = 2.0
    (line,) = told(model)
    assert line.startswith("links[0].placement: link 'crank' is 0 m and 115 degrees from there")


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(EXAMPLES.glob("**/*.toml")) if "[[links]]" in path.read_text()],
    ids=lambda path: path.parent.name,
)
def test_links_of_examples_are_where_their_joints_close(path):
    """No example has a remark on placements."""
    assert not [one for one in check_model(model_of(path)).remarks if "placement" in one]
