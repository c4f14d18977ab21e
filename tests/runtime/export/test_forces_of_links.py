# SPDX-License-Identifier: BSD-3-Clause
"""Forces between links, exported: their laws are in the text of the solver."""

from __future__ import annotations

import numpy as np
import pytest
from exported_mechanisms import export
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

STEPS, LENGTH = 600, 5e-4


def bouncing(**more):
    """A ball that spins falls on the floor, and a magnet of its own law draws it aside."""
    floor = {"radius": 0.1, "stiffness": 1e6, "exponent": 1.5, "damping": 0.2, "friction": 0.3,
             "regular": 5e-2}  # fmt: skip
    magnet = {"name": "magnet", "links": ["ground", "ball"], "at": [[0, 0.5, 0.1], [0, 0, 0]],
              "where": {"r2": "x^2 + y^2 + z^2"}, "parameters": {"k": 0.2},
              "force": ["-k*x/r2", "-k*y/r2", "0"]}  # fmt: skip
    return {
        "links": [{"name": "ball", "mass": 1.0, "inertia": [0.004] * 3, "velocity": [1.0, 0, 0],
                   "placement": {"position": [0, 0, 0.15]}, "angular_velocity": [0, 0, 20.0]}],
        "forces": [{"name": "floor", "links": ["ground", "ball"], "contact": "sphere_on_plane",
                    "normal": "hunt_crossley", "friction": "coulomb", "parameters": floor}, magnet],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
        "probes": [{"name": "x", "link": "ball", "quantity": "position", "component": "x"},
                   {"name": "z", "link": "ball", "quantity": "position", "component": "z"},
                   {"name": "push", "joint": "floor", "quantity": "force", "component": "z"},
                   {"name": "aside", "joint": "magnet", "quantity": "force", "component": "y"}],
        "analysis": {"kind": "transient", "duration": STEPS * LENGTH, "steps": STEPS, "threads": 1},
        "output": {"formats": ["csv"]},
    } | more  # fmt: skip


def test_an_exported_ball_takes_the_steps_of_the_run(tmp_path):
    """The same laws in the same order: equal to round-off, forces as well."""
    library = export(bouncing(), tmp_path / "c")
    law = "ff_my_contact_sphere_on_plane_hunt_crossley_coulomb_spatial_touching.h"
    assert (tmp_path / "c" / "src" / law).exists()
    instance = library.create()
    found = [instance.get()]
    for _ in range(STEPS):
        assert instance.step(LENGTH) == 0
        found.append(instance.get())
    run = run_model(model_from_dict(bouncing()), output=tmp_path / "run").probes
    expected = np.array([run[name] for name in ("x", "z", "push", "aside")]).T
    assert expected[:, 2].max() > 100.0  # N: it touches the floor, and leaves it
    assert expected[:, 2].min() == 0.0
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_laws_have_fingerprints_of_their_own():
    """The text of a law counts: two laws make two solvers."""
    other = bouncing()
    other["forces"][1]["force"][0] = "-2*k*x/r2"
    prints = {build_solver(model_from_dict(one), "b").fingerprint for one in (bouncing(), other)}
    assert len(prints) == 2


def test_two_laws_of_one_name_in_c_are_refused():
    """Names of laws of one's own become those of functions."""
    model = bouncing()
    second = model["forces"][1] | {"name": "mag net", "force": ["-k*x", "-k*y/r2", "0"]}
    third = second | {"name": "mag.net", "force": ["-k*x", "-k*y", "0"], "where": {}}
    model["forces"] = [second, third]
    with pytest.raises(InputError, match=r"forces\[1\].name: found 'mag.net' beside 'mag net'"):
        build_solver(model_from_dict(model | {"probes": []}), "b")
