# SPDX-License-Identifier: BSD-3-Clause
"""Models of links that vibrate, and their modes from files of results."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

YOUNG, DENSITY, RADIUS = 2e10, 7800.0, 0.01
LINE, BENDING = DENSITY * np.pi * RADIUS**2, YOUNG * np.pi * RADIUS**4 / 4.0


def modes(count=6, **keys):
    """Return the table of an analysis."""
    return {"kind": "modes", "count": count, **keys}


def run(tables, folder):
    """Return figures, frequencies and shapes of a model."""
    spec = model_from_dict({"analysis": modes(), "output": {"formats": ["hdf5"]}} | tables)
    outcome = run_model(spec, output=folder, overwrite=True)
    return outcome, *outcome.results.modes()


def beam(count, element="euler_beam_plane", **keys):
    """Return a beam along x on a link."""
    block = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [count]}
    return {
        "mesh": {"blocks": {"b": block}},
        "materials": {"m": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
        "links": [{"name": "l"}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l", "element": element,
                    "section": {"shape": "round", "diameter": 2.0 * RADIUS}}],
        **keys,
    }  # fmt: skip
