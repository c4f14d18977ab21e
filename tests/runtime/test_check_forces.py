# SPDX-License-Identifier: BSD-3-Clause
"""A checked model lists the forces between its links."""

from __future__ import annotations

from pathlib import Path

import pytest
from flexforge import load_model
from flexforge.runtime.model.force_report import force_text
from flexforge.runtime.model.schema_forces import ForceSpec

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_forces_are_listed_up_to_a_dozen():
    """Of a bearing with sixteen, with shapes, links, laws and parameters in their units."""
    report = load_model(EXAMPLES / "ball_bearing" / "model.toml").check()
    lines = [line for line in report.lines() if "force" in line]
    assert lines[1] == (
        "  force outer 1: pin_in_bore between ground and ball 1, normal hunt_crossley, "
        "friction coulomb, radius 0.006 m, clearance 0.03 m, stiffness 1e+10 N/m^1.5, "
        "exponent 1.5, damping 2 s/m, friction 0.1, regular 0.002 m/s"
    )
    assert len(lines) == 13
    assert lines[-1] == "  and 4 more forces"
    assert list(report.as_dict()["forces"])[-1] == "outer 8"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"joint": "A", "contact": "stop", "normal": "hertz",
          "parameters": {"lower": 0.0, "upper": 1.0, "stiffness": 2e4}},
         "stop along joint A, normal hertz, lower 0 m or rad, upper 1 m or rad, "
         "stiffness 20000 N/m^1.5"),
        ({"links": ["ground", "ball"], "force": ["-k*x", "0", "0"], "parameters": {"k": 3.0}},
         "a law of its own between ground and ball, k 3"),
        ({"links": ["ground", "ball"], "force": ["-x", "0", "0"]},
         "a law of its own between ground and ball"),
    ],
)  # fmt: skip
def test_every_kind_of_force_has_a_text(keys, text):
    """Stops along joints, and laws of one's own, whose constants have no known units."""
    assert force_text(ForceSpec(name="one", **keys)) == text
