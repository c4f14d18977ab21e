# SPDX-License-Identifier: BSD-3-Clause
"""Steps of links whose motion is found: hanging chains, an elastic arm of six axes, a rotor.

They are taken by flexforge's runtime and by the exported library, and those of chains by Exudyn.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.runtime.arrays import Floats
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.multibody.build import build_links
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads

from support.embedded import Embedded
from support.mechanisms import leap
from support.referee import peer

_AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def chain(count: int) -> dict[str, Any]:
    """Return rods in space that hang from each other by hinges, and begin stretched out."""
    length = 0.1
    links = [
        {
            "name": f"l{k}", "mass": 0.1, "inertia": [1e-5, 1e-4, 1e-4],
            "centre": [0.5 * length, 0, 0], "placement": {"position": [k * length, 0, 0]},
        }
        for k in range(count)
    ]  # fmt: skip
    joints = [
        {
            "name": f"j{k}", "kind": "revolute",
            "links": ["ground" if k == 0 else f"l{k - 1}", f"l{k}"],
            "at": [[length if k else 0, 0, 0], [0, 0, 0]], "axis": [0, 0, 1],
        }
        for k in range(count)
    ]  # fmt: skip
    probe = {"name": "end", "link": f"l{count - 1}", "quantity": "position", "component": "y"}
    return _model({"links": links, "joints": joints, "probes": [probe]})


def arm() -> dict[str, Any]:
    """Return six elastic tubes on six axes, whose controllers follow a motion of every angle."""
    blocks, bodies, links, joints, supports, actuators = {}, [], [], [], [], []
    for k, axis in enumerate("zyyxyx"):
        blocks[f"b{k}"] = {
            "cell": "line2", "corners": [[0, 0, 0], [0.4, 0, 0]], "divisions": [4]
        }  # fmt: skip
        bodies.append({
            "name": f"b{k}", "cells": f"b{k}", "element": "timoshenko_beam", "material": "m",
            "section": {"shape": "tube", "diameter": 0.06, "wall": 0.003}, "frame": f"l{k}",
        })  # fmt: skip
        links.append({"name": f"l{k}", "placement": {"position": [0.4 * k, 0, 0]}})
        supports.append({"group": f"b{k}.xmin"})
        joints.append({
            "name": f"j{k}", "kind": "revolute", "axis": _AXES[axis],
            "links": ["ground" if k == 0 else f"l{k - 1}", f"l{k}"],
            "at": [[0, 0, 0] if k == 0 else f"b{k - 1}.xmax", f"b{k}.xmin"],
        })  # fmt: skip
        gain = 2000.0 / (1 + k)
        actuators.append({
            "name": f"m{k}", "joint": f"j{k}",
            "law": f"{gain}*(0.5*sin({1 + 0.3 * k}*t) - x) - {0.1 * gain}*x_dot",
        })  # fmt: skip
    return _model({
        "mesh": {"blocks": blocks}, "bodies": bodies, "links": links, "joints": joints,
        "supports": supports, "actuators": actuators, "reduction": {"modes": 6, "static": False},
        "materials": {"m": {"young": 7e10, "poisson": 0.3, "density": 2700}},
        "probes": [{"name": "turn", "joint": "j0", "quantity": "coordinate"}],
    })  # fmt: skip


def rotor() -> dict[str, Any]:
    """Return a shaft with a disc in eight coordinates, spun up by a torque in two bearings."""
    line = {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 1]], "divisions": [10]}
    return _model({
        "mesh": {"blocks": {"shaft": line}, "points": {"disc": [0, 0, 0.4]}},
        "materials": {"m": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "links": [{"name": "rotor"}],
        "bodies": [{"name": "shaft", "element": "timoshenko_beam", "material": "m",
                    "section": {"shape": "round", "diameter": 0.03}, "frame": "rotor"}],
        "masses": [{"name": "disc", "group": "disc", "mass": 20, "inertia": [0.4, 0.4, 0.8],
                    "centre": [1e-4, 0, 0]}],
        "supports": [{"group": "shaft.xmin"}],
        "joints": [
            {"name": "fixed", "kind": "revolute", "axis": [0, 0, 1], "links": ["ground", "rotor"],
             "at": [[0, 0, 0], "shaft.xmin"]},
            {"name": "loose", "kind": "point_on_line", "axis": [0, 0, 1],
             "links": ["ground", "rotor"], "at": [[0, 0, 1], "shaft.xmax"]},
        ],
        "actuators": [{"name": "motor", "joint": "fixed", "law": "5 - 0.02*x_dot"}],
        "reduction": {"modes": 2, "static": False},
        "probes": [{"name": "spin", "joint": "fixed", "quantity": "velocity"}],
    }) | {"analysis": {"kind": "transient", "duration": 4.0, "steps": 20_000}}  # fmt: skip


def measure(tables: dict[str, Any], name: str, beside: int = 0, rounds: int = 3) -> dict[str, Any]:
    """Return the size of a model and the times of its steps, the medians of rounds in turns.

    Exported steps are taken with multipliers and by independent speeds.

    Parameters
    ----------
    tables : dict
        The model.
    name : str
        What the table calls it.
    beside : int
        Rods of the chain that Exudyn steps beside it; none by default.
    rounds : int
        How often every program runs.
    """
    spec = model_from_dict(tables)
    by_speeds = model_from_dict(tables | {"analysis": tables["analysis"] | {"formalism": "kane"}})
    steps, flags = spec.analysis.number_of_steps, find_compiler().native
    exported = [Embedded(build_solver(one, "found"), flags) for one in (spec, by_speeds)]
    other = peer("Exudyn", "exudyn_chain.py", str(beside)) if beside else None
    if other is not None and not other.start():
        print(f"without Exudyn: {other.absent}", file=sys.stderr)
        other = None
    whole: list[float] = []
    theirs: list[float] = []
    each: list[list[Floats]] = [[], []]
    motion, tree = begun(spec), begun(by_speeds)
    for k in range(rounds):
        motion = begun(spec) if k else motion
        clock = time.perf_counter()
        leap(motion, steps)
        whole.append(1e6 * (time.perf_counter() - clock) / steps)
        for times, library in zip(each, exported, strict=True):
            times.append(1e6 * library.each(steps))
        if other is not None:
            theirs.append(1e6 * other.run("steps")["figures"]["seconds"])
    if other is not None:
        other.stop()
    leap(tree, steps)
    counts, further = motion.counts, tree.counts
    return {
        "links": name,
        "equations": motion.stepper.unknowns,
        "steps": steps,
        "corrections": counts.solves / counts.steps,
        "us a step": float(np.median(whole)),
        "exported": float(np.median(each[0])),
        "99.99 %": float(np.quantile(np.median(each[0], axis=0), 0.9999)),
        "speeds": tree.stepper.unknowns,
        "their corrections": further.solves / further.steps,
        "most": further.most_solves,
        "by speeds": float(np.median(each[1])),
        "their 99.99 %": float(np.quantile(np.median(each[1], axis=0), 0.9999)),
        "Exudyn": float(np.median(theirs)) if theirs else "",
    }


def slope(found: list[dict[str, Any]], counts: list[int], column: str) -> float:
    """Return the time of a further link, us, by a line through the times of chains."""
    return float(np.polyfit(counts, [one[column] for one in found], 1)[0])


def begun(spec: ModelSpec) -> FoundMotion:
    """Return the motion of a model at t = 0."""
    places = build_system(spec, build_mesh(spec))
    loads, state = Loads(spec, places), initial_state(spec, places)
    links = build_links(spec, places, loads, state)
    found = start(spec.analysis, places.system, loads, *state, links)
    assert isinstance(found, FoundMotion)
    return found


def _model(tables: dict[str, Any]) -> dict[str, Any]:
    return tables | {
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "analysis": {"kind": "transient", "duration": 0.5, "steps": 500},
    }
