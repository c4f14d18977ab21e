# SPDX-License-Identifier: BSD-3-Clause
"""Motions that steps adapt to: a mass that swings in a frame, a beam that is loaded suddenly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.system.body import Combination
from numpy.typing import NDArray
from scipy.linalg import eigh

SWING = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.4, 0]}]
SPUN = {"velocity": {"ramp": {"to": 6.0, "duration": 1.0}}}
DURATION = 1.5
BETA = 4e-3  # s: modes above 500 rad/s do not swing
Floats = NDArray[np.float64]


def adapting(spec: ModelSpec, accuracy: float, **changes: Any) -> ModelSpec:
    """Return a model whose steps adapt."""
    analysis = spec.analysis.model_copy(update={"accuracy": accuracy, **changes})
    return spec.model_copy(update={"analysis": analysis})


def missed(run: Any, results: int) -> tuple[float, float]:
    """Return the largest errors of displacements and velocities at the times of results, relative.

    Seen from space the mass swings with 10 rad/s.
    """
    frame, errors = run.system.bodies[0].motion, []
    x, y = np.array([[0.1, 0.0]]), np.array([[0.0, 0.04]])
    for _ in range(results):
        run.advance()
        at, angle = frame.at(run.time), 10 * run.time
        turn, turning = at.R[:2, :2], np.array([[0.0, -at.w[2]], [at.w[2], 0.0]])
        place = (x * np.cos(angle) + y * np.sin(angle)) @ turn
        speed = 10 * (y * np.cos(angle) - x * np.sin(angle)) @ turn - place @ turning.T
        errors.append([np.abs(run.displacement - place).max() / 0.1,
                       np.abs(run.velocity - speed).max()])  # fmt: skip
    assert run.time == pytest.approx(DURATION, rel=1e-12)
    return tuple(np.max(errors, axis=0))


def cantilever(accuracy: float, method: str, results: int) -> ModelSpec:
    """Return a damped beam of four elements, clamped at x = 0, with a force at its end at 0.3 s."""
    data = {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [4]}},
        "materials": {"m": {"young": 7e10, "poisson": 0.3, "density": 2700.0,
                            "damping": {"beta": BETA}}},
        "bodies": [{"name": "beam", "element": "euler_beam", "material": "m",
                    "section": {"shape": "round", "diameter": 0.01}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 1.0, 0],
                   "amplitude": "step(t, 0.3)"}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": results, "method": method,
                     "accuracy": accuracy, "tolerance": 1e-13},
    }  # fmt: skip
    return model_from_dict(data)


def suddenly_loaded(run: Any, time: float) -> Floats:
    """Return the unknowns of a system at rest that its loads act on since 0.3 s.

    Every mode by itself: ``r = w (-xi + sqrt(xi^2 - 1))`` and the other root, complex or not, make
    ``f / w^2 (1 + (r2 exp(r1 t) - r1 exp(r2 t)) / (r1 - r2))``.
    """
    system, nothing = run.system, np.zeros((run.system.dimension,) * 2)
    stiffness, mass = (
        system.matrix([Combination(k, m, np.zeros(0))]).toarray()
        for k, m in ((1.0, nothing), (0.0, np.eye(len(nothing))))
    )
    frames = system.frames(1.0)
    force = system.restrict(run.loads.at(1.0, system.spins_of(frames), frames))
    squares, modes = eigh(stiffness, mass)
    half, t = 0.5 * BETA * squares, max(time - 0.3, 0.0)
    root = np.sqrt(half**2 - squares + 0j)
    one, other = -half + root, -half - root
    swing = (other * np.exp(one * t) - one * np.exp(other * t)) / (one - other)
    return modes @ ((modes.T @ force) / squares * (1.0 + swing.real))
