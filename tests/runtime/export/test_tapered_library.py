# SPDX-License-Identifier: BSD-3-Clause
"""The C library of a beam whose section varies: the numbers of the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from exported import Library, compile_shared, write
from flexforge.model import load_model
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from tapered import CONE, STEEL, beam

ROUND = {"shape": "round", "diameter": CONE}


def test_the_library_of_a_cone_is_its_run(tmp_path: Path) -> None:
    """A damped cantilever whose frame turns, under a force: displacements of C and run to 1e-12."""
    steps, step = 20, 1e-3
    data = beam(
        ROUND, 4, frame={"axis": [1.0, 0.0, 0.0], "velocity": 40.0},
        materials={"steel": STEEL | {"damping": {"alpha": 0.5, "beta": 1e-5}}},
        loads=[{"kind": "force", "group": "tip", "total": [0.0, 100.0, 50.0]}],
        probes=[{"name": c, "group": "tip", "component": c} for c in "xyz"],
        analysis={"kind": "transient", "step": step, "duration": steps * step},
    )  # fmt: skip
    found = load_model(data).run(output=None).probes
    wanted = np.column_stack([found[c].values for c in "xyz"])
    solver = build_solver(model_from_dict(data, folder=tmp_path))
    folder = write(library_files(solver), tmp_path / "c")
    one = Library(compile_shared(folder, solver.name), solver).create()
    rows = [one.get()]
    for _ in range(steps):
        assert one.step(step) == 0
        rows.append(one.get())
    one.free()
    largest = np.abs(wanted).max(axis=0)
    assert (np.abs(np.array(rows) - wanted).max(axis=0) <= 1e-12 * largest).all()
