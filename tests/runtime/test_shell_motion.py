# SPDX-License-Identifier: BSD-3-Clause
"""Shells in time: flat ones have no inertia as they turn about their normals."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.start import start
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from models import build
from scipy.linalg import eigh

STEP, STEPS = 2e-3, 20


def plate(element, tilt, **analysis):
    """Return a clamped plate, turned about x, that loads are put on at once."""
    c, s = np.cos(tilt), np.sin(tilt)
    corners = [[0, 0, 0], [1, 0, 0], [1, c, s], [0, c, s]]
    cell = {"mitc4": "quad4", "dkt3": "tri3"}[element]
    return model_from_dict({
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [3, 2]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "plate", "element": element, "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "pressure", "group": "all", "value": 100.0},
                  {"kind": "gravity", "acceleration": [1e3, 2e3, 0.0]}],
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS,
                     "method": "newmark", "tolerance": 1e-14} | analysis,
    })  # fmt: skip


@pytest.mark.parametrize("tilt", [0.0, 0.7])
@pytest.mark.parametrize("element", ["mitc4", "dkt3"])
def test_a_plate_swings_about_its_deflection(element, tilt):
    """All vibrations by the trapezoidal rule: y (1 - cos(n theta)), tan(theta / 2) = omega h / 2.

    Of M x = K x / omega^2, where what has no inertia has omega^-2 = 0; by factors and by iteration.
    """
    spec = plate(element, tilt)
    places = build(spec)
    system, loads, state = places.system, Loads(spec, places), initial_state(spec, places)
    ours = start(spec.analysis, system, loads, *state)
    assert isinstance(ours.stepper, NativeSteps)
    general = start(spec.analysis, system, loads, *state, native=False)
    stiffness, mass = (one.toarray() for one in Pencil.at_rest(system).matrices)
    inverse, shapes = eigh(mass, stiffness)
    assert (np.abs(inverse) < 1e-12 * inverse.max()).sum() == 9, "nodes that are not clamped"
    angle = 2.0 * np.arctan2(STEP / 2.0, np.sqrt(np.maximum(inverse, 0.0)))
    frames = system.frames(0.0)
    force = system.restrict(loads.at(0.0, system.spins_of(frames), frames))
    for _ in range(STEPS):
        ours.advance()
        general.advance()
    wanted = shapes @ ((1.0 - np.cos(STEPS * angle)) * (shapes.T @ force))
    size = np.abs(wanted).max()
    for found in (ours, general):
        np.testing.assert_allclose(
            system.restrict(found.displacement), wanted, rtol=0.0, atol=1e-9 * size
        )


@pytest.mark.parametrize("method", ["central_difference", "midpoint"])
def test_a_method_that_needs_inertia_says_so(method):
    """By the key; large systems as small ones."""
    spec = plate("mitc4", 0.7, method=method, tolerance=1e-9)
    places = build(spec)
    with pytest.raises(
        InputError, match=f"analysis.method: found {method} with parts that have no"
    ):
        start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))


def test_an_export_that_needs_inertia_is_refused():
    """Before anything is written."""
    with pytest.raises(InputError, match="have no inertia"):
        build_solver(plate("mitc4", 0.0, method="central_difference"), "plate")


def swinging(**analysis):
    """Return a strip of shells that hangs by a node from a driven hinge."""
    return model_from_dict({
        "mesh": {"blocks": {"sheet": {
            "cell": "quad4", "divisions": [2, 1],
            "corners": [[0, 0, 0], [0.4, 0, 0], [0.4, 0.2, 0], [0, 0.2, 0]],
        }}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "links": [{"name": "arm"}],
        "bodies": [{"name": "sheet", "element": "mitc4", "material": "steel", "thickness": 0.005,
                    "frame": "arm"}],
        "joints": [{"name": "A", "kind": "revolute", "links": ["ground", "arm"],
                    "axis": [0, 1, 0], "at": [[0, 0, 0], "sheet.corner1"]}],
        "drivers": [{"name": "motor", "joint": "A", "velocity": 3}],
        "analysis": {"kind": "transient", "duration": 0.1, "steps": 50, "tolerance": 1e-12}
        | analysis,
    })  # fmt: skip


def swung(**analysis):
    """Return the displacements at the end, and what took the last steps."""
    spec = swinging(**analysis)
    places = build(spec)
    motion = start(
        spec.analysis,
        places.system,
        Loads(spec, places),
        *initial_state(spec, places),
        build_ties(spec, places),
        None,
    )
    for _ in range(spec.analysis.number_of_steps):
        motion.advance()
    return motion.displacement


def test_a_tied_shell_moves_alike_by_every_way():
    """Without multipliers, natively, and with them: to what the start leaves of a millionth."""
    wanted = swung(formalism="lagrange")
    for formalism in ("maggi", "kane"):
        found = swung(formalism=formalism)
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-5 * np.abs(wanted).max())
    with pytest.raises(InputError, match="analysis.formalism: found hamilton with parts that"):
        swung(formalism="hamilton")
