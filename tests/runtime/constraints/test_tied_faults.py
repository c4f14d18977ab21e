# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with joints of elastic bodies is said by name, in one line."""

from __future__ import annotations

import json

import elastic_links
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

STEPS = {"kind": "transient", "duration": 0.01, "steps": 10}
CRANK = elastic_links.slider_crank(10.0) | {"analysis": STEPS}
SOLID = {
    "cell": "hex8",
    "corners": [
        [0, -0.01, -0.01], [0.3, -0.01, -0.01], [0.3, 0.01, -0.01], [0, 0.01, -0.01],
        [0, -0.01, 0.01], [0.3, -0.01, 0.01], [0.3, 0.01, 0.01], [0, 0.01, 0.01],
    ],
    "divisions": [6, 2, 2],
}  # fmt: skip


def changed(data, table, number, **more):
    """Return a model with some keys of a table changed."""
    rows = [dict(row) for row in data[table]]
    rows[number] |= more
    return data | {table: rows}


def arm(kind, at, **more):
    """Return a solid arm on a joint to the ground."""
    return {
        "mesh": {"blocks": {"arm": SOLID}},
        "materials": {"m": elastic_links.STEEL},
        "links": [{"name": "arm"}],
        "bodies": [{"name": "arm", "cells": "arm", "element": "hex8", "material": "m",
                    "frame": "arm"}],
        "joints": [{"name": "hub", "kind": kind, "links": ["ground", "arm"],
                    "at": [[0, 0, 0], at]}],
        "drivers": [{"name": "motor", "joint": "hub", "velocity": 1.0}],
        "analysis": STEPS,
    } | more  # fmt: skip


FAULTS = {
    "no node there": (
        changed(CRANK, "joints", 1, at=[[0.15, 0, 0], [0.01, 0, 0]]),
        r"joints\[1\].at\[1\]: the nearest node of the link's bodies is 0.01 m from "
        r"\[0.01, 0.0, 0.0\]; expected the position of a node, or a group",
    ),
    "no such group": (
        changed(CRANK, "joints", 1, at=[[0.15, 0, 0], "rod.xmn"]),
        "'rod.xmn'.*rod.xmin",
    ),
    "group of another link": (
        changed(CRANK, "joints", 1, at=["rod.xmin", [0, 0, 0]]),
        r"joints\[1\].at\[0\]: no node of group 'rod.xmin' belongs to a body of the link",
    ),
    "turn of a node without rotation": (
        arm("revolute", [0, 0, 0]),
        r"joints\[0\].at\[1\]: 'hub' constrains a rotation of link 'arm', whose node there has no "
        "rotation; "
        "expected a group of nodes that are not collinear, or a node of a beam or shell",
    ),
    "turn of a row of nodes": (
        arm("revolute", "arm.xmin_ymin"),
        r"joints\[0\].at\[1\]: 'hub' constrains a rotation of link 'arm'",
    ),
    "two drivers": (
        CRANK | {"drivers": [*CRANK["drivers"],
                             {"name": "other", "joint": "bearing", "velocity": 1.0}]},
        "angle of joint 'bearing', which driver 'motor' drives too",
    ),
    "the force of a joint that a support holds": (
        CRANK | {
            "supports": [{"group": "crank.origin", "components": ["x", "y"]}],
            "probes": [{"name": "f", "joint": "bearing", "quantity": "force", "component": "x"}],
        },
        r"probes\[0\].joint: supports already hold the coordinates of 'bearing'",
    ),
    "a support that fights joints": (
        CRANK | {"supports": [{"group": "rod.xmax", "components": ["x", "y"]}]},
        "'wrist' and 'guide': hold the same motion twice; expected .* nor from supports",
    ),
    "a support that fights joints, with multipliers": (
        CRANK | {"supports": [{"group": "rod.xmax", "components": ["x", "y"]}],
                 "analysis": STEPS | {"formalism": "lagrange"}},
        "'wrist' and 'guide': hold the same motion twice; expected .* nor from supports",
    ),
    "start that is open": (
        CRANK | {"initial": [{"displacement": [0.001, 0, 0], "body": "rod"}]},
        r"initial: '(pin|wrist)' is open by 0.001 in displacement at t = 0; expected an "
        "initial state that satisfies every joint",
    ),
    "formalism without joints": (
        arm("revolute", "arm.xmin") | {
            "links": [], "joints": [], "drivers": [],
            "bodies": [{"name": "arm", "element": "hex8", "material": "m"}],
            "analysis": STEPS | {"formalism": "kane"},
        },
        "analysis.formalism: found kane in a model without links and constraints",
    ),
    "formalism of modes": (
        arm("revolute", "arm.xmin") | {"analysis": {"kind": "modes", "formalism": "kane"}},
        "analysis.formalism: unknown key",
    ),
    "joints in another analysis": (
        arm("revolute", "arm.xmin") | {"analysis": {"kind": "static"}},
        "links: found them with static; expected transient, modes or kinematics",
    ),
    "probe of an unknown joint": (
        CRANK | {"probes": [{"name": "f", "joint": "pn", "quantity": "force",
                             "component": "x"}]},
        r"probes\[0\].joint: found the unknown joint 'pn'; .*did you mean 'pin'",
    ),
    "probe of an unknown driver": (
        CRANK | {"probes": [{"name": "f", "constraint": "moto", "quantity": "multiplier"}]},
        r"probes\[0\].constraint: found the unknown driver, gear or constraint 'moto'",
    ),
    "equation of the name of a driver": (
        CRANK | {"constraints": [{
            "name": "motor", "equation": "x_dot",
            "coordinates": {"x": {"group": "rod.xmax", "component": "x", "body": "rod"}}}]},
        r"constraints\[0\].name: found 'motor', the name of drivers\[0\] too",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name, tmp_path):
    """Each fault is one line that names what is to blame and what is expected."""
    data, message = FAULTS[name]
    data = data | {"output": {"formats": ["csv"]}}
    with pytest.raises(InputError, match=message) as error:
        run_model(model_from_dict(data), output=tmp_path)
    assert "\n" not in str(error.value)


def test_a_mechanism_that_locks_keeps_what_was_done(tmp_path):
    """A four-bar that cannot turn further fails with time and joint, and keeps frames and rows."""
    data = elastic_links.four_bar()
    data["mesh"]["blocks"] |= {"crank": elastic_links.line(0.3), "coupler": elastic_links.line(0.4)}
    data["drivers"][0]["value"] = "0.5 + 4*t**2"
    data |= {
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 50},
        "output": {"formats": ["csv", "hdf5"]},
        "probes": [{"name": "force", "joint": "A", "quantity": "force", "component": "x"}],
    }
    with pytest.raises(AnalysisError, match=r"the mechanism locks at t = 0\.\d+ s: joint") as error:
        run_model(model_from_dict(data), output=tmp_path)
    assert "\n" not in str(error.value)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == "failed" and "locks" in summary["reason"]
    rows = np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1)
    assert len(rows) == summary["frames"] > 5
    assert np.isfinite(rows).all()
