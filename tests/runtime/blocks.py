# SPDX-License-Identifier: BSD-3-Clause
"""Soft blocks and an oscillator in moving frames, for the tests of Hamilton's pair."""

from __future__ import annotations

import tomllib
from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.hamilton import HamiltonMotion
from models import CASES, model, stressed

ORDERS = {"midpoint": 2, "gauss4": 4}
SOFT = {"young": 4e4, "poisson": 0.3, "density": 1000.0, "damping": {"alpha": 0.2, "beta": 1e-3}}
UNDAMPED = {"young": 4e4, "poisson": 0.3, "density": 1000.0}
BLOCK = [[x, y, z] for z in (0, 0.2) for x, y in ((0.1, 0), (0.6, 0), (0.6, 0.2), (0.1, 0.25))]
LOADS = [
    {"kind": "gravity", "acceleration": [0.5, -2.0, 0]},
    {"kind": "pressure", "group": "xmax", "value": "20*sin(5*t)"},
]
SPUN = {"axis": [0, 0, 1], "velocity": {"ramp": {"to": 5.0, "duration": 0.4}}}
ORIGIN = {"position": ["0.1*sin(4*t)", "0.2*t*t", 0]}
TUMBLING = {
    "velocity": ["2*sin(3*t)", "1 + t", {"ramp": {"to": 4, "duration": 0.4}}],
    "origin": {"position": ["0.1*sin(4*t)", "0.2*t*t", "0.1*cos(3*t)"]},
}
MODELS: dict[str, dict[str, Any]] = {
    "planar": {"cell": "quad8", "divisions": [2, 1], "body": {"frame": SPUN | {"origin": ORIGIN}}},
    "spatial": {"cell": "hex8", "divisions": [2, 1, 1], "body": {"frame": TUMBLING}},
}


def block(name: str, steps: int, method: str = "midpoint", **tables: Any) -> ModelSpec:
    """Return a soft cantilever in a moving frame, under gravity and a pressure that changes."""
    given = {
        "corners": BLOCK if name == "spatial" else [point[:2] for point in BLOCK[:4]],
        "materials": {"steel": SOFT},
        "supports": [{"group": "xmin"}],
        "loads": LOADS,
        "initial": [{"displacement": ["0.02*x*x", "-0.05*x*y", 0], "velocity": [0, "0.2*x", 0]}],
        "analysis": {
            "kind": "transient", "duration": 0.5, "steps": steps, "method": method,
            "tolerance": 1e-14,
        },
    }  # fmt: skip
    return model(**(MODELS[name] | given | tables))


def begin(spec: ModelSpec) -> HamiltonMotion:
    """Return the motion of a model at t = 0."""
    places = stressed(spec)
    run = start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))
    assert isinstance(run, HamiltonMotion)
    return run


def finish(run: HamiltonMotion, steps: int) -> HamiltonMotion:
    """Take steps."""
    for _ in range(steps):
        run.advance()
    return run


def oscillator(steps: int, method: str, frame: dict[str, Any], **tables: Any) -> ModelSpec:
    """Return case M3 as a transient: 10 rad/s on an isotropic spring to the origin of a frame."""
    case = CASES / "m3_oscillator"
    data = tomllib.loads((case / "model.toml").read_text()) | tables
    data["bodies"][0]["frame"] = frame
    data["analysis"] = {
        "kind": "transient", "duration": 1.5, "steps": steps, "method": method, "tolerance": 1e-14,
    }  # fmt: skip
    return model_from_dict(data, folder=case)
