# SPDX-License-Identifier: BSD-3-Clause
"""Beams after Euler and Bernoulli with and without the inertia of sections that turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads

LENGTH, DIAMETER, YOUNG, DENSITY = 1.0, 0.1, 2e11, 7800.0
AREA, MOMENT = np.pi * DIAMETER**2 / 4, np.pi * DIAMETER**4 / 64
STEEL = {"young": YOUNG, "poisson": 0.3, "density": DENSITY}
ROUND = {"shape": "round", "diameter": DIAMETER}
PINNED = [{"group": "xmin", "components": ["x", "y", "z", "rx"]},
          {"group": "xmax", "components": ["y", "z"]}]  # fmt: skip
PINNED_IN_PLANE = [{"group": "xmin", "components": ["x", "y"]},
                   {"group": "xmax", "components": ["y"]}]  # fmt: skip
STEPS = {"kind": "transient", "duration": 4e-3, "steps": 200, "method": "newmark"}


def shaft(body: dict[str, Any] | None = None, **tables: Any) -> ModelSpec:
    """Return a shaft between two hinges; tables replace or add to what it has."""
    element = (body or {}).get("element", "euler_beam")
    corners = [[0, 0], [LENGTH, 0]] if element.endswith("_plane") else [[0, 0, 0], [LENGTH, 0, 0]]
    whole = {"name": "shaft", "element": element, "material": "steel", "section": ROUND}
    data = {
        "mesh": {"block": {"cell": "line2", "corners": corners, "divisions": [16]}},
        "materials": {"steel": STEEL},
        "bodies": [whole | (body or {})],
        "supports": PINNED_IN_PLANE if element.endswith("_plane") else PINNED,
        "analysis": {"kind": "modes", "count": 2},
        "output": {"formats": ["csv"]},
    }
    return model_from_dict(data | tables)


def bending(*, rotary: bool, wave: int = 1) -> float:
    """Return a frequency at rest, rad/s: Rayleigh's, or Euler's without rotary inertia."""
    k = wave * np.pi / LENGTH
    found = k**2 * np.sqrt(YOUNG * MOMENT / (DENSITY * AREA))
    return float(found / np.sqrt(1 + k**2 * MOMENT / AREA) if rotary else found)


def omegas(spec: ModelSpec, folder: Path, count: int = 2) -> np.ndarray:
    """Return frequencies of a run, rad/s."""
    figures = run_model(spec, output=folder / "results", overwrite=True).figures
    return 2 * np.pi * np.array([figures[f"mode {i + 1}"][0] for i in range(count)])


@pytest.mark.parametrize("element", ["euler_beam", "euler_beam_plane"])
@pytest.mark.parametrize("rotary", [True, False])
def test_closed_forms_at_rest(element, rotary, tmp_path):
    """``k^2 sqrt(E I / (rho A))``, and after Rayleigh divided by ``sqrt(1 + k^2 I / A)``."""
    found = omegas(shaft({"element": element, "rotary_inertia": rotary}), tmp_path)
    expected = [bending(rotary=rotary, wave=n) for n in ((1, 2) if "plane" in element else (1, 1))]
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert abs(bending(rotary=True) / bending(rotary=False) - 1.0) > 3e-3


def test_a_turning_shaft_without_rotary_inertia_has_no_gyroscopic_moment(tmp_path):
    """Seen in the shaft its whirls are at ``omega -+ W``; sections have no stress of their own."""
    still = omegas(shaft({"rotary_inertia": False}), tmp_path)[0]
    frame = {"axis": [1, 0, 0], "velocity": 1000.0}
    found = omegas(shaft({"rotary_inertia": False, "frame": frame}), tmp_path)
    np.testing.assert_allclose(found, [still - 1000.0, still + 1000.0], rtol=1e-9)


def test_a_twist_without_inertia_has_no_mode_of_its_own(tmp_path):
    """Among 40 modes those of twist, ``n c pi / (2 L)`` with c of shear waves, are not there."""
    wave = np.sqrt(YOUNG / 2.6 / DENSITY) * np.pi / (2 * LENGTH)
    count = {"analysis": {"kind": "modes", "count": 12}}
    for rotary, there in ((True, True), (False, False)):
        found = omegas(shaft({"rotary_inertia": rotary}, **count), tmp_path, 12)
        assert bool((np.abs(found / wave - 1.0) < 1e-3).any()) == there


@pytest.mark.parametrize("native", [True, False])
def test_steps_take_what_has_no_inertia(native):
    """Half a sine is struck: it swings at the frequency of the trapezoidal rule, twist at rest."""
    spec = shaft({"rotary_inertia": False}, analysis=STEPS)
    places = build_system(spec, build_mesh(spec))
    system = places.system
    body = system.bodies[0]
    x = body.part.points[:, 0]
    velocity = np.zeros((system.size, 3))
    velocity[body.placed, 1] = np.sin(np.pi * x / LENGTH)
    velocity[body.rotations, 2] = np.pi / LENGTH * np.cos(np.pi * x / LENGTH)
    motion = start(
        spec.analysis, system, Loads(spec, places), 0.0 * velocity, velocity, native=native
    )
    for _ in range(STEPS["steps"]):
        motion.advance()
    omega, h = bending(rotary=False), STEPS["duration"] / STEPS["steps"]
    slower = 2.0 / h * np.arctan(0.5 * omega * h)
    expected = np.sin(slower * STEPS["duration"]) / omega
    middle = body.placed[len(x) // 2]
    assert motion.displacement[middle, 1] == pytest.approx(expected, rel=1e-3)
    assert np.abs(motion.displacement[body.rotations, 0]).max() < 1e-12 * abs(expected)
    motion.close()


def test_the_stress_of_a_bent_beam_stays_that_of_its_section():
    """Rotary inertia is mass alone: k, k_geo of displacements, mass and loads are the same."""
    one, other = (
        build_system(spec, build_mesh(spec)).system.bodies[0]
        for spec in (shaft(), shaft({"rotary_inertia": False}))
    )
    state = np.random.default_rng(1).standard_normal(one.points.shape)
    np.testing.assert_array_equal(one.stiffness, other.stiffness)
    np.testing.assert_array_equal(one.prestress(state), other.prestress(state))
    assert one.prestress(state).any()
    assert one.total_mass == pytest.approx(other.total_mass, rel=1e-14)
    spin = np.diag([-1.0, -1.0, 0.0])
    assert one.prestress(0.0 * state, block=spin).any()
    assert not other.prestress(0.0 * state, block=spin).any()


@pytest.mark.slow  # kernels of laminates are made on demand
def test_a_beam_of_plies_has_its_mass_on_its_line_too():
    """The mass of every ply counts at the height of their common centre: twist moves none."""
    plies = [{"material": "steel", "thickness": 0.01, "angle": 0.0}] * 2
    body = {"plies": plies, "section": {"shape": "plies", "width": 0.05}, "material": None}
    twist = []
    for rotary in (True, False):
        spec = shaft(body | {"rotary_inertia": rotary})
        (beam,) = build_system(spec, build_mesh(spec)).system.bodies
        assert beam.total_mass == pytest.approx(0.02 * 0.05 * LENGTH * DENSITY, rel=1e-12)
        twist.append(beam.mass_diagonal()[len(beam.part.points) :, 0])
    assert (twist[1] < 1e-30 * twist[0]).all()


@pytest.mark.parametrize("method", ["central_difference", "gauss4"])
def test_methods_that_need_inertia_say_so(method, tmp_path):
    """A beam in space turns about its axis without inertia then."""
    analysis = {"kind": "transient", "duration": 1e-6, "steps": 4, "method": method}
    spec = shaft({"rotary_inertia": False}, analysis=analysis)
    with pytest.raises(InputError, match=f"found {method} with parts .* rotary_inertia = false"):
        run_model(spec, output=tmp_path / "results")


@pytest.mark.parametrize(("element", "given", "message"), [
    ("timoshenko_beam", False, "found false for element timoshenko_beam, whose theory always"),
    ("bar2", True, "found one for element bar2; expected it with the beams euler_beam"),
    ("bar2", False, "found one for element bar2; expected it with the beams euler_beam"),
])  # fmt: skip
def test_other_elements_have_no_choice(element, given, message):
    """Timoshenko's theory has it beside the shear, bars have no sections that turn."""
    with pytest.raises(InputError, match=rf"bodies\[0\]\.rotary_inertia: {message}"):
        shaft({"element": element, "rotary_inertia": given})
    if element == "timoshenko_beam":
        shaft({"element": element, "rotary_inertia": True})
