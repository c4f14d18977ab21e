# SPDX-License-Identifier: BSD-3-Clause
"""Damped bodies at rest on which a force acts suddenly: their motion is the sum of their modes."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.motion import Motion
from scipy.linalg import eigh

#: When the force begins to act, between two steps of equal length; damping beta, s; duration, s.
_BEGIN, _BETA, DURATION = 1.0 / 3.0, 4e-3, 2.0
_BEAM = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [8]}},
    "bodies": [{"name": "body", "element": "euler_beam", "material": "m",
                "section": {"shape": "round", "diameter": 0.01}}],
}  # fmt: skip
_BLOCK = {
    "mesh": {"block": {"cell": "hex8", "divisions": [20, 5, 5],
                       "corners": [[x, y, z] for z in (0, 0.02) for x, y in
                                   ((0, 0), (1, 0), (1, 0.02), (0, 0.02))]}},
    "bodies": [{"name": "body", "element": "hex8", "material": "m"}],
}  # fmt: skip
#: A beam of 48 unknowns, stepped in C, and a block of 2,160, with kept factors.
BODIES = {"beam": _BEAM, "block": _BLOCK}


def begun(name: str, analysis: dict[str, Any]) -> Motion:
    """Return the motion of a body at t = 0."""
    force = {"kind": "force", "group": "xmax", "total": [0, 1.0, 0],
             "amplitude": f"step(t, {_BEGIN!r})"}  # fmt: skip
    material = {"young": 7e10, "poisson": 0.3, "density": 2700.0, "damping": {"beta": _BETA}}
    keys = {"kind": "transient", "duration": DURATION, "tolerance": 1e-12}
    spec = model_from_dict({
        **BODIES[name], "materials": {"m": material}, "supports": [{"group": "xmin"}],
        "loads": [force], "analysis": keys | analysis,
    })  # fmt: skip
    places = build_system(spec, build_mesh(spec))
    state = initial_state(spec, places)
    return start(spec.analysis, places.system, Loads(spec, places), *state)


@cache
def _modes(name: str) -> tuple[Floats, Floats, Floats]:
    """Return squares of angular frequencies, modes and the force of each."""
    motion = begun(name, {"steps": 1})
    system, nothing = motion.system, np.zeros((motion.system.dimension,) * 2)
    pairs = ((1.0, nothing), (0.0, np.eye(len(nothing))))
    stiffness, mass = (system.matrix([Combination(k, m, np.zeros(0))]).toarray() for k, m in pairs)
    frames = system.frames(DURATION)
    force = system.restrict(motion.loads.at(DURATION, system.spins_of(frames), frames))
    squares, modes = eigh(stiffness, mass)
    motion.close()
    return squares, modes, modes.T @ force


def exact(name: str, t: float) -> Floats:
    """Return the unknowns at a time: ``f/w^2 (1 + (r2 exp(r1 t) - r1 exp(r2 t))/(r1 - r2))``."""
    squares, modes, forces = _modes(name)
    half, after = 0.5 * _BETA * squares, max(t - _BEGIN, 0.0)
    root = np.sqrt(half**2 - squares + 0j)
    one, other = -half + root, -half - root
    swing = (other * np.exp(one * after) - one * np.exp(other * after)) / (one - other)
    return np.asarray(modes @ (forces / squares * (1.0 + swing.real)))


def run(name: str, results: int, **keys: Any) -> dict[str, Any]:
    """Return error (part of the largest displacement), steps, work and seconds of a run."""
    analysis = {"steps": results} | keys
    motion = begun(name, analysis)
    every, states, seconds = analysis["steps"] // results, [], 0.0
    for _ in range(results):
        begin = time.perf_counter()
        done = 0
        while done < every:
            done += motion.leap(every - done)
        seconds += time.perf_counter() - begin
        states.append((motion.time, motion.state.q.copy()))
    known = [exact(name, t) for t, _ in states]
    error = max(np.abs(q - one).max() for (_, q), one in zip(states, known, strict=True))
    counts = motion.counts
    motion.close()
    return {
        **keys, "error": float(error / np.abs(known).max()), "seconds": seconds,
        "steps": counts.steps, "factorizations": counts.factorizations, "solves": counts.solves,
    }  # fmt: skip
