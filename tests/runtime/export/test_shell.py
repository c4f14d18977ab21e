# SPDX-License-Identifier: BSD-3-Clause
"""An exported shell, of which some rotations have no inertia."""

from __future__ import annotations

import numpy as np
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from models import build


def test_a_flat_shell_moves_as_its_run(tmp_path):
    """From the accelerations at the start on, to 1e-12."""
    spec = model_from_dict({
        "mesh": {"block": {"cell": "quad4", "divisions": [2, 1],
                           "corners": [[0, 0, 0], [1, 0, 0], [1, 0.4, 0.3], [0, 0.4, 0.3]]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "plate", "element": "mitc4", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "pressure", "group": "all", "value": 100.0}],
        "probes": [{"name": "u", "group": "xmax", "component": "z"}],
        "analysis": {"kind": "transient", "duration": 0.01, "steps": 10},
    })  # fmt: skip
    solver = build_solver(spec, "plate")
    folder = write(library_files(solver), tmp_path)
    ours = Library(compile_shared(folder, "plate"), solver).create()
    places = build(spec)
    run = start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))
    for _ in range(10):
        run.advance()
        assert ours.step(spec.analysis.step_size) == 0
    wanted = places.system.restrict(run.displacement)
    np.testing.assert_allclose(
        ours.coordinates(0), wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max()
    )
