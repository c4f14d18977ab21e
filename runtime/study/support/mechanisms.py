# SPDX-License-Identifier: BSD-3-Clause
"""A tiny mechanism for each joint: an elastic beam on a link, moved by drivers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.study.support import proofs
from flexforge.runtime.study.support.columns import STEP, STEPS, Column
from flexforge.runtime.study.support.models import EDGE, FEW, MATERIAL, Row, Tables

LENGTH = EDGE * FEW
#: Turned and pushed slowly, so that one step of any method is accurate.
_DRIVE = "0.1*t**2"


def rows() -> list[Row]:
    """Return the joints, and what acts beside them."""
    joints = (name for name, one in JOINTS.items() if not one.of_forces)
    return [Row(name) for name in (*joints, "gear", "actuator", "velocity constraint")]


def mechanism(row: Row) -> Tables:
    """Return the model of a joint without its analysis."""
    if row.name == "velocity constraint":
        found = _cut()
    elif row.name in _SPECIAL:
        found = _SPECIAL[row.name]()
    else:
        found = _arm(row.name)
    return {"materials": {"steel": MATERIAL}, "output": {"formats": ["csv"]},
            "probes": [{"name": "tip", "group": _tip(row), "component": "x"}],
            "loads": [{"kind": "gravity", "acceleration": [1.0, -9.81, 0.0]}]} | found  # fmt: skip


def _tip(row: Row) -> str:
    return "xmax" if row.name == "velocity constraint" else "arm.xmax"


def _beam(link: str, plane: bool = False) -> Tables:
    ending = "_plane" if plane else ""
    return {"name": link, "cells": link, "element": f"timoshenko_beam{ending}",
            "material": "steel", "frame": link,
            "section": {"shape": "round", "diameter": 0.02}}  # fmt: skip


def _line(start: float = 0.0) -> Tables:
    corners = [[start, 0, 0], [start + LENGTH, 0, 0]]
    return {"cell": "line2", "corners": corners, "divisions": [FEW]}


def _arm(kind: str, **joint: Any) -> Tables:
    """Return a beam on one joint whose free coordinates are all driven."""
    given: Tables = {"name": "J", "kind": kind, "links": ["ground", "arm"],
                     "at": [[0, 0, 0], "arm.xmin"], **joint}  # fmt: skip
    if kind == "universal":
        given["axis"] = [[0, 0, 1], [0, 1, 0]]
    drivers = [{"name": f"d{i}", "joint": "J", "coordinate": one, "value": _DRIVE}
               for i, one in enumerate(JOINTS[kind].free)]  # fmt: skip
    return {
        "mesh": {"blocks": {"arm": _line()}}, "links": [{"name": "arm"}],
        "bodies": [_beam("arm")], "joints": [given], "drivers": drivers,
    }  # fmt: skip


def _on_slider(kind: str) -> Tables:
    """Return a crank, a beam on it by a joint, and a slider on a universal joint."""
    end = EDGE + LENGTH
    return {
        "mesh": {"blocks": {"arm": _line()}},
        "links": [{"name": "crank"}, {"name": "arm", "placement": {"position": [EDGE, 0, 0]}},
                  {"name": "slider", "placement": {"position": [end, 0, 0]}, "mass": 1.0,
                   "inertia": [0.1, 0.1, 0.1]}],
        "bodies": [_beam("arm")],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "crank"]},
            {"name": "J", "kind": kind, "links": ["crank", "arm"],
             "at": [[EDGE, 0, 0], "arm.xmin"]},
            {"name": "C", "kind": "universal", "links": ["arm", "slider"],
             "at": ["arm.xmax", [0, 0, 0]], "axis": [[0, 0, 1], [0, 1, 0]]},
            {"name": "D", "kind": "prismatic", "links": ["ground", "slider"],
             "axis": [1, 0, 0], "at": [[end, 0, 0], [0, 0, 0]]},
        ],
        "drivers": [{"name": "motor", "joint": "A", "value": _DRIVE}],
    }  # fmt: skip


def _line_guide() -> Tables:
    """Return a crank and a beam in the plane whose end is guided along a line."""
    return {
        "mesh": {"blocks": {"arm": _line()}},
        "links": [{"name": "crank"}, {"name": "arm", "placement": {"position": [EDGE, 0, 0]}}],
        "bodies": [_beam("arm", plane=True)],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "crank"]},
            {"name": "B", "kind": "revolute", "links": ["crank", "arm"],
             "at": [[EDGE, 0, 0], "arm.xmin"]},
            {"name": "J", "kind": "point_on_line", "links": ["ground", "arm"],
             "at": [[EDGE + LENGTH, 0, 0], "arm.xmax"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "A", "value": _DRIVE}],
    }  # fmt: skip


def _wheel() -> Tables:
    """Return a wheel with an elastic spoke that rolls on the ground."""
    tables = _arm("rolling", radius=EDGE)
    tables["links"] = [{"name": "arm", "placement": {"position": [0, EDGE, 0]}}]
    tables["drivers"] = tables["drivers"][:1]
    tables["bodies"] = [_beam("arm", plane=True)]
    return tables


def _geared() -> Tables:
    """Return two arms on revolute joints that a gear couples."""
    tables = _arm("revolute")
    other = {"name": "K", "kind": "revolute", "links": ["ground", "other"], "at": [[1, 0, 0],
             [0, 0, 0]]}  # fmt: skip
    tables["links"].append({"name": "other", "placement": {"position": [1, 0, 0]}, "mass": 1.0,
                            "inertia": [0.1, 0.1, 0.1]})  # fmt: skip
    tables["joints"].append(other)
    return tables | {"gears": [{"name": "gear", "joints": ["K", "J"], "ratio": -2.0}]}


def _sprung() -> Tables:
    """Return a slider with a spring and a damper on its coordinate."""
    actuator = {"name": "spring", "joint": "D", "stiffness": 1e4, "damping": 10.0}
    return _on_slider("spherical") | {"actuators": [actuator]}


def _cut() -> Tables:
    """Return a free beam in the plane whose end has no velocity across an edge."""
    body = _beam("arm", plane=True)
    del body["frame"], body["cells"]
    edge = {"name": "edge", "equation": "y_dot - 0.1*x_dot", "coordinates": {
        one: {"group": "xmin", "component": one} for one in "xy"}}  # fmt: skip
    block = {"cell": "line2", "corners": [[0, 0], [LENGTH, 0]], "divisions": [FEW]}
    return {"mesh": {"block": block}, "bodies": [body], "constraints": [edge]}


_SPECIAL: dict[str, Callable[[], Tables]] = {
    "spherical": lambda: _on_slider("spherical"),
    "point_on_line": _line_guide,
    "rolling": _wheel,
    "gear": _geared,
    "actuator": _sprung,
}

_MOTION: Tables = {"kind": "transient", "duration": STEP * STEPS, "steps": STEPS}


def _by(formalism: str, **more: object) -> Callable[[Row], Tables]:
    analysis = _MOTION | {"formalism": formalism}
    return lambda row: mechanism(row) | {"analysis": analysis} | more


def _with(analysis: Tables) -> Callable[[Row], Tables]:
    return lambda row: mechanism(row) | {"analysis": analysis}


def _at_rest(row: Row) -> Tables:
    """Return the mechanism with drivers at rest, about which it vibrates."""
    tables = mechanism(row) | {"analysis": {"kind": "modes", "count": 2}}
    drivers = [one | {"value": 0.0} for one in tables.get("drivers", [])]
    return tables | ({"drivers": drivers} if drivers else {})


def _kinematics(row: Row) -> Tables:
    """Return the links alone, without what needs bodies."""
    tables = mechanism(row) | {"analysis": {"kind": "kinematics", "duration": 0.1, "steps": 2}}
    return {key: one for key, one in tables.items() if key not in ("loads", "probes")}


COLUMNS = (
    Column("kinematics", "kinematics", "positions of the links", _kinematics, proofs.placed),
    Column("maggi", "Maggi", "steps by Maggi's equations", _by("maggi"), proofs.tied),
    Column("kane", "Kane", "steps by Kane's equations", _by("kane"), proofs.tied),
    Column("gibbs_appell", "Gibbs-Appell", "steps by Gibbs and Appell's equations",
           _by("gibbs_appell"), proofs.tied),
    Column("lagrange", "Lagrange", "steps with Lagrange's multipliers",
           _by("lagrange"), proofs.tied),
    Column("hamilton", "Hamilton", "steps in the momenta of Hamilton's equations",
           _by("hamilton"), proofs.tied),
    Column("gauss", "Gauss", "Hamilton's equations by Gauss's method of order 4",
           _with(_MOTION | {"method": "gauss4"}), proofs.tied),
    Column("explicit", "explicit", "central differences with lumped masses",
           _with(_MOTION | {"method": "central_difference", "mass": "lumped"}), proofs.tied),
    Column("reduced", "reduced", "Maggi's equations in two modes and what joints hold",
           _by("maggi", reduction={"modes": 2}), proofs.tied),
    Column("static", "static", "equilibrium", _with({"kind": "static"}), proofs.deformed),
    Column("modes", "modes", "natural vibrations, with drivers at rest", _at_rest,
           proofs.vibrates),
    Column("library", "C library", "exported, compiled and run as a C library",
           _by("maggi"), proofs.library, quick=False),
    Column("fmu", "FMU", "the same as an FMU of FMI 2.0 in co-simulation",
           _by("maggi"), proofs.fmu, quick=False),
)  # fmt: skip
