# SPDX-License-Identifier: BSD-3-Clause
"""Bodies with an energy on links, exported: their elements are in the text of the solver."""

from __future__ import annotations

import numpy as np
import pytest
from exported_mechanisms import export
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

STEPS, LENGTH = 100, 2e-3
PLATE = [[0, 0], [1, 0], [1, 0.2], [0, 0.2]]


def swing(**more):
    """A soft plate in the plane, clamped to a link that a spring and a torque turn."""
    return {
        "mesh": {"block": {"cell": "quad4", "corners": PLATE, "divisions": [3, 1]}},
        "bodies": [{"name": "plate", "element": "quad4", "energy": "neo_hookean", "frame": "arm",
                    "parameters": {"mu": 2e4, "lame": 4e4, "density": 1000.0},
                    "thickness": 0.1}],
        "links": [{"name": "arm"}],
        "joints": [{"name": "pin", "kind": "revolute", "links": ["ground", "arm"],
                    "at": [[0, 0.1, 0], "xmin"]}],
        "supports": [{"group": "xmin"}],
        "actuators": [{"name": "motor", "joint": "pin", "stiffness": 5.0,
                       "force": {"input": "torque", "start": 3.0}}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "probes": [{"name": "x", "group": "xmax", "quantity": "position", "component": "x"},
                   {"name": "y", "group": "xmax", "quantity": "position", "component": "y"},
                   {"name": "angle", "joint": "pin", "quantity": "coordinate"}],
        "analysis": {"kind": "transient", "duration": STEPS * LENGTH, "steps": STEPS, "threads": 1},
        "output": {"formats": ["csv"]},
    } | more  # fmt: skip


def test_an_exported_plate_takes_the_steps_of_the_run(tmp_path):
    """The same elements, one at a time, in the same order: equal to round-off, far bent."""
    library = export(swing(), tmp_path / "c")
    assert (tmp_path / "c" / "src" / "ff_my_quad4_plane_strain_neo_hookean.h").exists()
    instance = library.create()
    found = [instance.get()]
    for _ in range(STEPS):
        assert instance.step(LENGTH) == 0
        found.append(instance.get())
    run = run_model(model_from_dict(swing()), output=tmp_path / "run").probes
    expected = np.array([run[name] for name in ("x", "y", "angle")]).T
    assert np.ptp(expected, axis=0).max() > 0.1
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_laws_of_one_name_have_fingerprints_of_their_own():
    """The text of the elements counts: two laws make two solvers."""
    other = swing()
    other["bodies"][0]["energy"] = "mu/2*(I1 - 3) - mu*log(J) + lame/2*(J - 1)^2"
    prints = {build_solver(model_from_dict(one), "plate").fingerprint for one in (swing(), other)}
    assert len(prints) == 2


def test_two_laws_of_one_name_are_refused():
    """Formulas in a model have names by their element alone, and kernels are called by them."""
    model, other = swing(), "mu/2*(I1 - 3) - mu*log(J) + lame/2*(J - 1)^2"
    body = model["bodies"][0] | {"cells": "block", "energy": other}
    third = body | {"name": "second", "energy": f"2*({other})", "cells": "two"}
    block = model["mesh"].pop("block")
    model["mesh"]["blocks"] = {"block": block, "two": block}
    model["supports"] = [{"group": "block.xmin"}, {"group": "two.xmin"}]
    model["joints"][0]["at"] = [[0, 0.1, 0], "block.xmin"]
    with pytest.raises(InputError, match="body 'second': found two elements named"):
        build_solver(model_from_dict(model | {"bodies": [body, third], "probes": []}))


def test_stresses_of_an_energy_are_no_outputs():
    """They are not linear in the coordinates."""
    probe = {"name": "s", "group": "xmin", "quantity": "stress", "component": "xx"}
    with pytest.raises(InputError, match="probe 's': found stresses of body 'plate'"):
        build_solver(model_from_dict(swing(probes=[probe])))


def test_a_body_without_a_link_is_not_exported():
    """The message says how it could be."""
    model = swing(links=[], joints=[], actuators=[], probes=[])
    model["bodies"][0].pop("frame")
    with pytest.raises(InputError, match="unless the body is on a link"):
        build_solver(model_from_dict(model))
