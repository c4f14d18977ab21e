# SPDX-License-Identifier: BSD-3-Clause
"""A slider-crank whose wrist pin has a clearance, as numbers that all contestants share.

Lengths and masses of Flores, Ambrosio, Claro and Lankarani (2006). The pin meets its bore with
Hertz's law alone: without loss and friction contestants solve the same equations.
"""

from __future__ import annotations

from typing import Any

CRANK, ROD = 0.05, 0.12  # m
#: Mass, kg, and inertia, kg m^2, of crank, rod and slider.
BODIES = ((0.30, 1e-4), (0.21, 2.5e-4), (0.14, 1e-4))
SPEED = 500.0  # rad/s
RADIUS, CLEARANCE, STIFFNESS = 9.5e-3, 0.5e-3, 1e9
STEP, STEPS = 2e-6, 2000
SPECTRAL_RADIUS = 0.8
#: How far the slider is from the centre of the pin at the start, m.
ASIDE = 1e-5
#: A clearance that the pin does not reach within the steps, m.
FAR = 1.0


def tables(wrist: str) -> dict[str, Any]:
    """Return our model, with ``hinge``, ``clearance`` or a bore that is too ``far`` to touch.

    ``located``: as clearance, with steps that end where pin and bore touch and part, which
    Exudyn's do not.
    """
    (crank, turn), (rod, swing), (slider, tilt) = BODIES
    links = [
        {"name": "crank", "mass": crank, "inertia": [turn], "centre": [CRANK / 2, 0, 0]},
        {"name": "rod", "mass": rod, "inertia": [swing], "centre": [ROD / 2, 0, 0],
         "placement": {"position": [CRANK, 0, 0]},
         "angular_velocity": [0, 0, -SPEED * CRANK / ROD]},
        {"name": "slider", "mass": slider, "inertia": [tilt],
         "placement": {"position": [CRANK + ROD - ASIDE, 0, 0]}},
    ]  # fmt: skip
    joints = [
        {"name": "bearing", "kind": "revolute", "links": ["ground", "crank"]},
        {"name": "pin", "kind": "revolute", "links": ["crank", "rod"],
         "at": [[CRANK, 0, 0], [0, 0, 0]]},
        {"name": "guide", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0]},
    ]  # fmt: skip
    model: dict[str, Any] = {
        "planar": True, "links": links, "joints": joints,
        "drivers": [{"name": "motor", "joint": "bearing", "velocity": SPEED}],
        "analysis": {"kind": "transient", "duration": STEP * STEPS, "steps": STEPS,
                     "rho_infinity": SPECTRAL_RADIUS},
    }  # fmt: skip
    ends = {"links": ["slider", "rod"], "at": [[0, 0, 0], [ROD, 0, 0]]}
    if wrist == "hinge":
        joints.append({"name": "wrist", "kind": "revolute", **ends})
        del links[1]["angular_velocity"]
        model["drivers"] = []  # with a motor nothing would be left to find
        joints[0]["start_velocity"] = {"angle": SPEED}
        return model
    gap = FAR if wrist == "far" else CLEARANCE
    values = {"radius": RADIUS, "clearance": gap, "stiffness": STIFFNESS}
    model["forces"] = [{"name": "wrist", "contact": "pin_in_bore", "normal": "hertz",
                        "parameters": values, "events": wrist != "clearance", **ends}]  # fmt: skip
    return model
