# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms of elastic links that benchmarks move: chains and loops of beams, arms of solids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.build import tie
from flexforge.runtime.start import start
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.motion import Motion

Model = dict[str, Any]
STEEL = {
    "young": 2e11, "poisson": 0.3, "density": 7870.0, "damping": {"alpha": 0.0, "beta": 1e-5}
}  # fmt: skip
GRAVITY = {"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}
LINKS = 10
#: Cells along and across the two links of an arm of hex8: 153,114 unknowns.
CELLS = (150, 12)


def leap(motion: Motion, steps: int) -> None:
    """Take steps that nobody looks at one by one."""
    while steps:
        steps -= motion.leap(steps)


def motion_of(model: Model, folder: str | Path = ".", *, native: bool = True) -> Motion:
    """Return the motion of a model at t = 0, whose paths are relative to a folder."""
    spec = model_from_dict(model, folder)
    places = build_system(spec, build_mesh(spec))
    system = places.system
    for body in system.bodies:
        body.assemble()
    rest = np.zeros((system.size, system.dimension))
    loads, ties = Loads(spec, places), build_ties(spec, places)
    return start(spec.analysis, system, loads, rest, rest, ties, native=native)


def found_motion_of(model: Model) -> Motion:
    """Return the motion of links that joints and drivers leave open, at t = 0."""
    read = model_from_dict(model)
    spec, mesh = in_pieces(read, build_mesh(read))
    places = build_system(spec, mesh)
    loads, state = Loads(spec, places), initial_state(spec, places)
    return start(spec.analysis, places.system, loads, *state, tie(spec, places, loads, state))


def beams(kind: str, elements: int, formalism: str) -> Model:
    """Return a spatial chain or loop of ten links of beams with revolute joints.

    All joints of a chain are driven. A loop has one joint more, on the ground, and five drivers.

    Parameters
    ----------
    kind : str
        ``chain`` or ``loop``.
    elements : int
        Beam elements of all links together, a multiple of ten.
    formalism : str
        ``maggi``, ``kane`` or ``lagrange``.
    """
    loop = kind == "loop"
    count = LINKS + 1
    if loop:
        angles = 2 * np.pi * np.arange(count) / count
        points = np.stack([np.cos(angles), np.sin(angles), 0.3 * np.sin(2 * angles)], axis=1)
    else:
        angles = np.arange(count, dtype=float)
        points = np.stack([0.5 * angles, np.zeros(count), np.zeros(count)], axis=1)
    axes = np.stack([np.cos(1.1 * angles), np.sin(1.3 * angles), np.cos(1.9 * angles + 1)], axis=1)
    names = ["ground", *(f"link {k}" for k in range(1, count))]
    divisions = [elements // LINKS]
    blocks = {
        f"beam {k}": {"cell": "line2", "corners": points[k - 1 : k + 1], "divisions": divisions}
        for k in range(1, count)
    }
    driven = range(0, LINKS, 2) if loop else range(LINKS)
    return {
        "mesh": {"blocks": blocks},
        "materials": {"steel": STEEL},
        "links": [{"name": name} for name in names[1:]],
        "bodies": [
            {
                "name": f"beam {k}", "cells": f"beam {k}", "element": "timoshenko_beam",
                "material": "steel", "frame": names[k],
                "section": {"shape": "round", "diameter": 0.03},
            }
            for k in range(1, count)
        ],
        "joints": [
            {
                "name": f"J{k}", "kind": "revolute", "links": [names[k], names[(k + 1) % count]],
                "at": points[k], "axis": axes[k],
            }
            for k in range(count if loop else LINKS)
        ],
        "drivers": [
            {"name": f"motor {k}", "joint": f"J{k}", "value": f"0.1*sin({1 + 0.1 * k}*t)"}
            for k in driven
        ],
        "loads": [GRAVITY],
        "include": {"geometric": False},
        "analysis": {
            "kind": "transient", "duration": 0.5, "steps": 500, "formalism": formalism,
        },
    }  # fmt: skip


def slider_crank(elements: int, step: float, steps: int, *, geometric: bool = True) -> Model:
    """Return a slider-crank with a rigid crank, an elastic rod of beams, and a slider with mass."""
    revolute = {"kind": "revolute"}
    return {
        "mesh": {"blocks": {"rod": {
            "cell": "line2", "corners": [[0, 0, 0], [0.3, 0, 0]], "divisions": [elements],
        }}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7870.0}},
        "links": [
            {"name": "crank"},
            {"name": "moving", "placement": {"position": [0.15, 0, 0]}},
            {"name": "slider", "placement": {"position": [0.45, 0, 0]}, "mass": 0.0333779},
        ],
        "bodies": [{
            "name": "rod", "element": "euler_beam_plane", "material": "steel", "frame": "moving",
            "section": {"shape": "round", "diameter": 0.006},
        }],
        "joints": [
            {"name": "A", **revolute, "links": ["ground", "crank"]},
            {"name": "B", **revolute, "links": ["crank", "moving"],
             "at": [[0.15, 0, 0], [0, 0, 0]]},
            {"name": "C", **revolute, "links": ["moving", "slider"],
             "at": [[0.3, 0, 0], [0, 0, 0]]},
            {"name": "D", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "A", "velocity": 150}],
        "include": {"geometric": geometric},
        "analysis": {"kind": "transient", "duration": step * steps, "steps": steps},
    }  # fmt: skip


def bar(length: float, width: float, along: int, across: int) -> Model:
    """Return a straight block of hex8 along x from the origin."""
    b = 0.5 * width
    faces = [[[0.0, -b, z], [length, -b, z], [length, b, z], [0.0, b, z]] for z in (-b, b)]
    return {"cell": "hex8", "divisions": [along, across, across], "corners": faces[0] + faces[1]}


def solid_arm(formalism: str, cells: tuple[int, int] = CELLS) -> Model:
    """Return an arm of two links of hex8, each a metre long, turned at their end faces."""
    solid = {"element": "hex8", "material": "steel"}
    revolute = {"kind": "revolute"}
    return {
        "mesh": {"blocks": {name: bar(1.0, 0.08, *cells) for name in ("one", "two")}},
        "materials": {"steel": STEEL},
        "links": [
            {"name": "upper"}, {"name": "lower", "placement": {"position": [1.0, 0, 0]}}
        ],
        "bodies": [
            {**solid, "name": "one", "cells": "one", "frame": "upper"},
            {**solid, "name": "two", "cells": "two", "frame": "lower"},
        ],
        "joints": [
            {"name": "A", **revolute, "links": ["ground", "upper"], "at": [[0, 0, 0], "one.xmin"],
             "axis": [0, 0.6, 0.8]},
            {"name": "B", **revolute, "links": ["upper", "lower"], "at": ["one.xmax", "two.xmin"],
             "axis": [0, 1, 0]},
        ],
        "drivers": [
            {"name": "a", "joint": "A", "value": "2*sin(4*t)"},
            {"name": "b", "joint": "B", "value": "t**2 + cos(5*t) - 1"},
        ],
        "loads": [GRAVITY],
        "include": {"geometric": False},
        "analysis": {
            "kind": "transient", "duration": 0.5, "steps": 500, "formalism": formalism,
        },
    }  # fmt: skip


def solid_bar(cells: tuple[int, int] = CELLS) -> Model:
    """Return one bar of hex8 in a turning frame, of the length and the mesh of the arm's links."""
    along, across = cells
    return {
        "mesh": {"blocks": {"one": bar(2.0, 0.08, 2 * along + 1, across)}},
        "materials": {"steel": STEEL},
        "bodies": [{
            "name": "one", "cells": "one", "element": "hex8", "material": "steel",
            "frame": {"axis": [0, 0.6, 0.8], "velocity": "8*cos(4*t)"},
        }],
        "supports": [{"group": "one.xmin"}],
        "loads": [GRAVITY],
        "include": {"geometric": False},
        "analysis": {"kind": "transient", "duration": 0.5, "steps": 500},
    }  # fmt: skip
