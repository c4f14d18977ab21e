# SPDX-License-Identifier: BSD-3-Clause
"""Exported bodies under temperatures: their strain loads them, and makes no stress."""

from __future__ import annotations

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

STEPS, STEP = 60, 2e-3
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "expansion": 1.2e-5}
CORNERS = [[x, y, z] for z in (0, 0.1) for x, y in ((0, 0), (0.5, 0), (0.5, 0.1), (0, 0.1))]


def model(**tables):
    """Return a clamped bar that turns, warmed along its length and, over time, across it."""
    return {
        "mesh": {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [4, 1, 1]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "bar", "element": "hex8", "material": "steel",
                    "frame": {"axis": [0, 0, 1], "velocity": "5*t"}}],
        "supports": [{"group": "xmin"}],
        "loads": [
            {"kind": "temperature", "change": "30*x"},
            {"kind": "temperature", "change": "200*y", "amplitude": "sin(9*t)"},
            {"kind": "gravity", "acceleration": [0, 0, -9.81]},
        ],
        "probes": [
            {"name": "xx", "group": "xmin", "quantity": "stress", "component": "xx"},
            {"name": "mean", "group": "xmax", "quantity": "stress", "component": "yy",
             "reduce": "mean"},
            {"name": "mises", "group": "xmin", "quantity": "stress", "component": "von_mises",
             "reduce": "mean"},
            {"name": "principal", "point": [0, 0, 0], "quantity": "stress",
             "component": "principal1"},
            {"name": "tip", "group": "xmax", "component": "x"},
        ],
        "include": {"geometric": False},
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS, "threads": 1},
        "output": {"formats": ["csv"], "every": STEPS},
    } | tables  # fmt: skip


@pytest.mark.parametrize("tables", [{}, {"reduction": {"modes": 4}}], ids=["whole", "reduced"])
def test_stresses_of_what_is_heated_are_those_of_the_run(tables, tmp_path):
    """Temperatures that stay and that change, in every form of stress, at every step."""
    spec = model_from_dict(model(**tables))
    run_model(spec, output=tmp_path / "run")
    wanted = np.loadtxt(tmp_path / "run" / "probes.csv", delimiter=",", skiprows=1)[:, 1:]
    solver = build_solver(spec)
    write(library_files(solver), tmp_path / "library")
    instance = Library(compile_shared(tmp_path / "library", solver.name), solver).create()
    found = [instance.get()]
    for _ in range(STEPS):
        assert instance.step(STEP) == 0
        found.append(instance.get())
    size = np.abs(wanted).max(axis=0)
    assert (size[:4] > 1e5).all()
    # Stresses are what is left of two that cancel: that of 20 K wholly held.
    held = STEEL["young"] * STEEL["expansion"] * 20.0 / (1.0 - 2.0 * STEEL["poisson"])
    size[:4] = np.maximum(size[:4], held)
    np.testing.assert_array_less(np.abs(np.array(found) - wanted).max(axis=0), 1e-12 * size)
    # Without what temperatures take from it the stress would be another one.
    free = model_from_dict(model(loads=model()["loads"][2:], **tables))
    cold = build_solver(free)
    assert not any(one.loads.size for one in cold.model.output)
