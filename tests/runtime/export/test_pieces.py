# SPDX-License-Identifier: BSD-3-Clause
"""Links with several frames as a C library."""

from __future__ import annotations

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

END, STEPS = 0.2, 100


def probe(name, quantity, **where):
    """Return the table of a probe."""
    return {"name": name, "quantity": quantity, **where}


def whip():
    """Return a rod of three frames that bends by its weight, moved at one end."""
    line = {"cell": "line2", "corners": [[0, 0, 0], [0.8, 0, 0]], "divisions": [3]}
    soft = {"young": 2e9, "poisson": 0.3, "density": 1200.0, "damping": {"beta": 1e-3}}
    return {
        "mesh": {"blocks": {"rod": line}}, "materials": {"m": soft},
        "links": [{"name": "rod", "frames": 3}],
        "bodies": [{"name": "rod", "element": "euler_beam", "material": "m",
                    "section": {"shape": "round", "diameter": 0.006}, "frame": "rod"}],
        "joints": [{"name": "hand", "kind": "revolute", "links": ["ground", "rod"],
                    "at": [[0, 0, 0], "rod.xmin"], "axis": [0, 1, 0]}],
        "drivers": [{"name": "wave", "joint": "hand", "value": "0.4*smooth_step(t, 0, 0.2)"}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]},
                  {"kind": "force", "group": "rod", "each": [0, 0, 0.02]}],
        "analysis": {"kind": "transient", "duration": END, "steps": STEPS},
        "probes": [
            probe("angle", "coordinate", joint="hand"),
            probe("tip", "position", group="rod.xmax", component="y"),
            probe("middle", "position", link="rod", point=[0.4, 0, 0], component="z"),
            probe("moment", "section_force", body="rod", component="Mz", point=[0.2, 0, 0]),
            probe("largest", "section_force", body="rod", component="My", reduce="max"),
            probe("drive", "multiplier", constraint="wave"),
        ],
    }  # fmt: skip


@pytest.mark.slow  # compiles a library
def test_a_library_of_pieces_moves_as_the_run_does(tmp_path):
    """All probes at all times, by the same C without flexforge."""
    outcome = run_model(model_from_dict(whip()), output=tmp_path / "run")
    wanted = np.array([one.values for one in outcome.probes.values()])
    solver = build_solver(model_from_dict(whip()), "whip")
    folder = write(library_files(solver), tmp_path / "whip")
    instance = Library(compile_shared(folder, "whip"), solver).create()
    found = [instance.get()]
    for _ in range(STEPS):
        assert instance.step(END / STEPS) == 0
        found.append(instance.get())
    sizes = np.abs(wanted).max(axis=1)
    np.testing.assert_allclose(np.transpose(found), wanted, atol=1e-8 * sizes.max(), rtol=1e-7)
    assert (np.ptp(wanted, axis=1) > 1e-6 * sizes).all()
