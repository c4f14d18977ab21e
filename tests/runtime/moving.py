# SPDX-License-Identifier: BSD-3-Clause
"""Blocks in moving frames with every kind of load, probe and function of time."""

from __future__ import annotations

from blocks import TUMBLING, UNDAMPED, block
from flexforge.runtime.model.schema import ModelSpec

TIP = [0.6, 0.2, 0.2]
PLANAR_PROBES = [
    {"name": "u", "point": [0.6, 0.25, 0], "component": "x"},
    {"name": "v", "group": "xmax", "component": "y", "quantity": "velocity", "reduce": "mean"},
    {"name": "a", "group": "xmax", "component": "magnitude", "quantity": "acceleration"},
    {"name": "s", "group": "xmin", "component": "von_mises", "quantity": "stress"},
    {"name": "p", "group": "xmin", "component": "principal2", "quantity": "stress",
     "reduce": "mean"},
    {"name": "fx", "body": "block", "component": "x", "quantity": "reaction_force"},
    {"name": "mz", "body": "block", "component": "z", "quantity": "reaction_moment"},
]  # fmt: skip
SPATIAL_PROBES = [
    *({**one, "point": TIP} if "point" in one else one for one in PLANAR_PROBES),
    {"name": "w", "point": TIP, "component": "z"},
    {"name": "s zx", "group": "xmin", "component": "zx", "quantity": "stress"},
    {"name": "m", "body": "block", "component": "magnitude", "quantity": "reaction_moment"},
]
WINDING = {"axis": [0.6, 0.0, 0.8], "acceleration": "20*exp(-3*t)*cos(5*t)", "velocity0": 1.0}
MOVING = {"acceleration": ["sin(4*t)", {"ramp": {"to": 2.0, "duration": 0.2, "start": 0.05}}, 0.5]}
GRAVITY = {"kind": "gravity", "acceleration": [0.5, -2.0, 1.0], "amplitude": "1 + 0.1*t**2"}
TURNING = {
    "kind": "force", "group": "xmax", "total": [0.3, 0.1, 0.0], "frame": "global",
    "amplitude": "max(smooth_step(t, 0.1, 0.3), atan2(t, 2)) - min(t, abs(sin(9*t)), 0.2)",
}  # fmt: skip
BODY = {"kind": "body_force", "acceleration": [0.0, 0.4, 0.0], "amplitude": "log(1 + t)/sqrt(2)"}
MODELS = {
    "planar": ("planar", {"probes": PLANAR_PROBES}),
    "spatial": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": WINDING | {"origin": MOVING}},
            "loads": [GRAVITY, TURNING, BODY],
        },
    ),
    "vector": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": {"velocity": ["2*sin(3*t)", "1 + t", "tanh(t)"]}},
            "loads": [BODY],
        },
    ),
    "tumbling": (
        "spatial",
        {
            "probes": SPATIAL_PROBES,
            "body": {"frame": TUMBLING},
            "loads": [GRAVITY, TURNING],
        },
    ),
}
ROUND = {"kind": "cylindrical", "origin": [-0.1, 0.1, 0], "z": [0.1, 0, 1]}
TIED_SUPPORTS = [
    {"group": "xmin", "components": ["x", "z"], "axes": ROUND},
    {"group": "zmin_xmin", "components": ["z"], "axes": ROUND},
    {"group": "xmin", "components": ["y"], "axes": {"x": [1, 0.5, 0], "y": [0, 1, 0.2]},
     "displacement": {"y": "0.01*sin(9*t)"}},
]  # fmt: skip
EQUATIONS = [
    {"terms": [{"group": "corner2", "component": "x"},
               {"group": "corner6", "component": "x", "factor": -1.0}]},
    {"terms": [{"group": "zmax_xmax", "component": "y"},
               {"group": "corner2", "component": "y", "factor": -0.5},
               {"group": "corner3", "component": "z", "factor": 0.25}],
     "value": "0.05*t"},
]  # fmt: skip
#: Which integrals a frame needs: of a velocity, of an acceleration once; of a slow rotation.
FURTHER = {
    "turned": ("spatial", {"body": {"frame": {"axis": [0.6, 0, 0.8], "velocity": "2 + sin(5*t)"}},
                           "loads": [TURNING]}),
    "wound": ("spatial", {"body": {"frame": WINDING}, "loads": [BODY]}),
    "slow": ("spatial", {"body": {"frame": {"velocity": ["4e-3*sin(3*t)", "4e-3 + t*1e-3", 0]}},
                         "loads": [TURNING]}),
    "shaken": ("spatial", {"probes": SPATIAL_PROBES,
                           "body": {"frame": {"velocity": ["2*sin(3*t)", "1 + t", "tanh(t)"]}},
                           "supports": [{"group": "xmin", "displacement": {
                               "x": "0.01*sin(9*t)", "y": "0.02*t**2", "z": "0.01 - 0.01*cos(7*t)"
                           }}]}),
    "pulled": ("planar", {"probes": [*PLANAR_PROBES, {"name": "near", "group": "xmax",
                                                      "quantity": "stress", "component": "xx"}],
                          "materials": {"steel": UNDAMPED | {"viscosity": 2e-3}},
                          "supports": [{"group": "xmin"}, {
                              "group": "xmax", "components": ["x"],
                              "displacement": {"x": {"ramp": {"to": 0.02, "duration": 0.3}}}
                          }]}),
    "tied": ("spatial", {"probes": SPATIAL_PROBES,
                         "body": {"frame": {"velocity": ["2*sin(3*t)", "1 + t", "tanh(t)"]}},
                         "loads": [BODY], "supports": TIED_SUPPORTS, "equations": EQUATIONS}),
}  # fmt: skip


def spec_of(name: str, reduction: dict | None = None, method: str = "newmark") -> ModelSpec:
    """Return a block in a moving frame."""
    kind, tables = (MODELS | FURTHER)[name]
    given = dict(tables) | {"output": {"formats": ["csv"]}}
    return block(kind, 60, method, **given, **({"reduction": reduction} if reduction else {}))
