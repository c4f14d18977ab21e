# SPDX-License-Identifier: BSD-3-Clause
"""Rods of several frames, as tables of models."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

YOUNG, DIAMETER, DENSITY = 2e11, 0.01, 7800.0
EI = YOUNG * np.pi * DIAMETER**4 / 64


def rod(frames, cells, *, space=False, joints=(), **tables):
    """Return a rod of 1 m along x whose first end is clamped unless joints are given."""
    clamp = {"name": "clamp", "kind": "fixed", "links": ["ground", "rod"],
             "at": [[0, 0, 0], "rod.xmin"]}  # fmt: skip
    block = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [cells]}
    return {
        "mesh": {"blocks": {"rod": block}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
        "links": [{"name": "rod", "frames": frames}],
        "bodies": [{
            "name": "rod", "cells": "rod", "frame": "rod", "material": "steel",
            "element": "euler_beam" if space else "euler_beam_plane",
            "section": {"shape": "round", "diameter": DIAMETER},
        }],
        "joints": [*joints] or [clamp],
        "analysis": {"kind": "transient", "duration": 1e-5, "steps": 1, "start": "equilibrium"},
        "probes": [tip(axis) for axis in "xyz"[: 3 if space else 2]],
        "output": {"formats": ["csv"]},
        **tables,
    }  # fmt: skip


def tip(axis):
    """Return a probe of the position of the free end."""
    return {"name": axis, "group": "rod.xmax", "quantity": "position", "component": axis}


def found(tables, folder):
    """Return the outcome of a run of tables."""
    return run_model(model_from_dict(tables), output=folder, overwrite=True)


def position(outcome, at=0):
    """Return the position of the free end at a step, (2 or 3,), m."""
    return np.array([outcome.probes[axis].values[at] for axis in "xyz" if axis in outcome.probes])
