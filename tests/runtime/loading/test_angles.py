# SPDX-License-Identifier: BSD-3-Clause
"""Angles and their rates with units: 60 rpm is one turn, 2 pi rad, per second."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.commands.modes import _speeds
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.model.schema_frame import OriginSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.model.schema_material import Orientation
from flexforge.runtime.model.schema_ply import PlySpec
from flexforge.runtime.model.schema_ties import ActuatorSpec
from flexforge.runtime.motion.build import build_driver
from pydantic import ValidationError

LINK = {"name": "crank", "placement": {"angle": "30 deg"}}
PIN = {"name": "pin", "kind": "revolute", "links": ["ground", "crank"]}
SLIDE = {"name": "guide", "kind": "prismatic", "links": ["ground", "crank"], "axis": [1, 0, 0]}


def mechanism(joint: dict[str, Any] = PIN, **driver: Any) -> Any:
    """Return a link on a joint, moved as given."""
    tables = {
        "links": [LINK],
        "joints": [joint],
        "drivers": [{"name": "motor", "joint": joint["name"], **driver}],
        "analysis": {"kind": "kinematics", "duration": 1.0, "steps": 10},
    }
    return model_from_dict(copy.deepcopy(tables))


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ({"velocity": "60 rpm"}, {"velocity": 2 * math.pi}),
        ({"velocity": "60rpm"}, {"velocity": 2 * math.pi}),
        ({"velocity": "60 RPM"}, {"velocity": 2 * math.pi}),
        ({"velocity": "60*t r/min"}, {"velocity": "2*pi*t"}),
        ({"velocity": "-1e2 rad/s"}, {"velocity": -100.0}),
        ({"value": "sin(3*t) deg"}, {"value": "sin(3*t)*pi/180"}),
        ({"value": "t + t**2 rev"}, {"value": "2*pi*(t + t**2)"}),
        ({"velocity": "60*t - 30 rpm"}, {"velocity": "2*pi*t - pi"}),
        ({"acceleration": "180 deg/s^2"}, {"acceleration": math.pi}),
        (
            {"velocity": {"ramp": {"from": "30 rpm", "to": "60 rpm", "duration": 0.5}}},
            {"velocity": {"ramp": {"from": math.pi, "to": 2 * math.pi, "duration": 0.5}}},
        ),
        (
            {"value": {"polynomial": ["90 deg", "60 rpm", "180 deg/s^2", 4.0]}},
            {"value": {"polynomial": [math.pi / 2, 2 * math.pi, math.pi, 4.0]}},
        ),
        ({"velocity": 1.0, "value0": "45 deg"}, {"velocity": 1.0, "value0": math.pi / 4}),
    ],
)
def test_a_unit_is_a_factor(given: dict[str, Any], plain: dict[str, Any]):
    """A driver with units moves as one in rad does, written out by hand."""
    moved, expected = (build_driver(mechanism(**one).drivers[0], 1.0) for one in (given, plain))
    for time in np.linspace(0.0, 1.0, 7):
        assert moved.at(time) == pytest.approx(expected.at(time), rel=1e-14, abs=1e-14)


def test_the_column_of_a_table_has_a_unit(tmp_path: Path):
    """A unit multiplies the scale."""
    (tmp_path / "speed.csv").write_text("t,n\n0,0\n1,60\n2,90\n", encoding="utf-8")
    table = {"table": str(tmp_path / "speed.csv"), "unit": "rpm", "scale": 2.0}
    spec = mechanism(velocity=table).drivers[0].velocity
    assert spec.scale == pytest.approx(2.0 * 2.0 * math.pi / 60.0, rel=1e-15)


def test_numbers_elsewhere_have_units():
    """Placement, orientation, plies and the speeds of a Campbell diagram."""
    assert mechanism(value="t").links[0].placement.angle == pytest.approx(math.pi / 6)
    ply = PlySpec.model_validate({"material": "carbon", "thickness": 1e-3, "angle": "-45 deg"})
    assert ply.angle == pytest.approx(-math.pi / 4)
    turned = Orientation.model_validate({"axis": (0, 0, 1), "angle": "90 deg"})
    assert turned.angle == pytest.approx(math.pi / 2)
    speeds = ModesAnalysis.model_validate({"kind": "modes", "speeds": (0, "60 rpm", 7.0)}).speeds
    assert speeds == pytest.approx((0.0, 2 * math.pi, 7.0))


@pytest.mark.parametrize(
    ("text", "speeds"),
    [
        ("0:120:3rpm", [0.0, 2 * math.pi, 4 * math.pi]),
        ("0,60 rpm", [0.0, 2 * math.pi]),
        ("0:120:3 r/min", [0.0, 2 * math.pi, 4 * math.pi]),
        ("1:2:2", [1.0, 2.0]),
        ("0:180:2deg/s", [0.0, math.pi]),
    ],
)
def test_speeds_on_the_command_line(text: str, speeds: list[float]):
    """A unit follows the range or the list; the text is kept for the units of the model."""
    analysis = {"kind": "modes", "speeds": _speeds(text)}
    assert ModesAnalysis.model_validate(analysis).speeds == pytest.approx(speeds)


@pytest.mark.parametrize(
    ("driver", "message"),
    [
        ({"velocity": "60 rmp"}, "drivers[0].velocity: found '60 rmp'; expected a number (rad/s)"),
        ({"velocity": "60 deg"}, "units rad/s, rpm, deg/s, r/min, RPM; did you mean 'deg/s'?"),
        ({"velocity": "60*x rpm"}, "found the unknown name 'x'"),
        ({"velocity": {"ramp": {"to": "6 s", "duration": 1}}}, "drivers[0].velocity.ramp.to: "),
        ({"value": {"polynomial": [0, 0, 0, "1 deg"]}}, "drivers[0].value.polynomial[3]: found"),
        ({"value": "t", "value0": "ninety"}, "drivers[0].value0: found 'ninety'"),
        ({"velocity": {"table": "f", "unit": 3}}, "drivers[0].velocity.unit: found 3; expected"),
        ({"velocity": {"table": "f", "unit": "rpm", "scale": "a"}}, "velocity.scale: found 'a'"),
    ],
)
def test_what_is_no_unit_is_refused(driver: dict[str, Any], message: str):
    """By the key of the value; a misspelt unit gets the nearest one."""
    with pytest.raises(InputError) as refused:
        mechanism(**driver)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "driver",
    [
        {"value": "90 deg"},
        {"velocity": {"ramp": {"to": "60 rpm", "duration": 1.0}}},
        {"value": {"polynomial": [0.0, "60 rpm"]}},
        {"velocity": 1.0, "value0": "90 deg"},
    ],
)
def test_a_slide_takes_no_angle(driver: dict[str, Any]):
    """90 deg of a slide would be 1.57 m."""
    with pytest.raises(InputError, match="found a unit of an angle for the slide of joint 'guide'"):
        mechanism(SLIDE, **driver)


def test_prescribed_rotations_and_springs_have_units():
    """A rotation of a support, and the angle at which a spring of a joint is relaxed."""
    support = SupportSpec.model_validate(
        {"group": "tip", "displacement": {"rz": "90*t deg", "ry": "0.5 rev", "x": "t"}}
    )
    assert support.displacement == {
        "rz": f"(90*t)*{math.pi / 180!r}", "ry": pytest.approx(math.pi), "x": "t"
    }  # fmt: skip
    spring = ActuatorSpec.model_validate(
        {"name": "s", "joint": "pin", "stiffness": 1.0, "rest": "-30 deg"}
    )
    assert spring.rest == pytest.approx(-math.pi / 6)
    assert spring.keys_of_angles == ("rest",)
    with pytest.raises(ValidationError, match="found 'deg' after '90' in '90 deg'"):
        SupportSpec.model_validate({"group": "tip", "displacement": {"x": "90 deg"}})


def test_the_spring_of_a_slide_takes_no_angle():
    """As its driver does not."""
    tables = {
        "links": [LINK | {"mass": 1.0}],
        "joints": [SLIDE],
        "actuators": [{"name": "s", "joint": "guide", "stiffness": 1.0, "rest": "30 deg"}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }
    with pytest.raises(InputError, match=r"actuators\[0\].rest: found a unit of an angle"):
        model_from_dict(tables)


def test_a_length_takes_no_angle():
    """The origin of a frame is in metres: a unit there is not a formula."""
    with pytest.raises(ValidationError, match="found 'deg' after '90' in '90 deg'; expected"):
        OriginSpec.model_validate({"position": ("90 deg", 0, 0)})
