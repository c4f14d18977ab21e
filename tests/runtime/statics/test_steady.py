# SPDX-License-Identifier: BSD-3-Clause
"""Steady states and their prestress: buckling loads, loads that count, consistency, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics import steady as module
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.vibration.modes import Modes, solve_modes
from models import build, model
from scipy.optimize import brentq

LENGTH, HEIGHT, WIDTH, YOUNG, DENSITY = 1.0, 0.01, 0.1, 2e11, 8000.0
BENDING = YOUNG * WIDTH * HEIGHT**3 / 12
BUCKLING = np.pi**2 * BENDING / (4 * LENGTH**2)  # Euler, clamped and free
STEEL = {"young": YOUNG, "poisson": 0.0, "density": DENSITY}
CORNERS = [[0, 0], [LENGTH, 0], [LENGTH, HEIGHT], [0, HEIGHT]]


def strip(**tables: Any):
    """Return a slender planar cantilever along x."""
    given = {"supports": [{"group": "xmin"}], "analysis": {"kind": "modes"}}
    return model(
        "quad8", [40, 1], corners=CORNERS, materials={"steel": STEEL},
        **(given | tables | {"body": {"thickness": WIDTH} | tables.get("body", {})}),
    )  # fmt: skip


def vibrate(spec: Any, count: int = 2) -> tuple[NameTable, SteadySolver, Modes]:
    """Return the modes about the steady state of a model."""
    places = build(spec)
    steady = SteadySolver(places.system, Loads(spec, places), "auto")
    state = steady.find(0.0)
    found = solve_modes(state.system, count, None, 0.0, "auto")
    return places, steady, found


def pressed(force: float) -> list[dict[str, Any]]:
    """Return a compression of the free end by a pressure."""
    return [{"kind": "pressure", "group": "xmax", "value": force / (WIDTH * HEIGHT)}]


def column(force: float, guess: float) -> float:
    """Return a frequency, rad/s, of a clamped beam whose free end is pressed along its axis.

    E I w_xxxx + P w_xx = rho A omega^2 w; at the free end w_xx = 0 and E I w_xxx + P w_x = 0. The
    guess is of beta L at P = 0.
    """
    slope = force / BENDING

    def boundary(beta: float) -> float:
        root = np.sqrt(slope**2 / 4 + beta**4)
        a, b = np.sqrt(root + slope / 2), np.sqrt(root - slope / 2)
        # w = cos ax - cosh bx + c (sin ax - a / b sinh bx)
        moments = (
            -(a**2) * np.cos(a) - b**2 * np.cosh(b),
            -(a**2) * np.sin(a) - a * b * np.sinh(b),
        )
        shears = (
            a**3 * np.sin(a) - b**3 * np.sinh(b) + slope * (-a * np.sin(a) - b * np.sinh(b)),
            -(a**3) * np.cos(a) - a * b**2 * np.cosh(b) + slope * a * (np.cos(a) - np.cosh(b)),
        )
        return float(moments[0] * shears[1] - moments[1] * shears[0])

    beta = brentq(boundary, guess - 0.4, guess + 0.4, xtol=1e-14)
    return float(beta**2 * np.sqrt(BENDING / (DENSITY * WIDTH * HEIGHT)))


def test_compression_lowers_the_frequency_to_zero_at_the_buckling_load() -> None:
    """Euler: a cantilever that is pressed vibrates below P = pi^2 E I / (4 L^2), grows above it.

    In between it has the frequencies of a beam under an axial force.
    """
    free = vibrate(strip())[2]
    half = vibrate(strip(loads=pressed(0.5 * BUCKLING)))[2]
    expected = [column(0.5 * BUCKLING, guess) for guess in (1.6, 4.6)]
    assert np.allclose(2 * np.pi * half.frequencies, expected, rtol=2e-3)
    below = vibrate(strip(loads=pressed(0.99 * BUCKLING)))[2]
    assert not below.growth.any()
    assert below.frequencies[0] < 0.2 * free.frequencies[0]
    above = vibrate(strip(loads=pressed(1.01 * BUCKLING)))[2]
    assert above.growth[0] > 0.0
    assert above.frequencies[0] == 0.0


@pytest.mark.parametrize(
    "load",
    [
        {"kind": "force", "group": "xmax", "total": [-0.5 * BUCKLING, 0, 0]},
        {"kind": "force", "group": "xmax", "total": [-0.5 * BUCKLING, 0, 0], "frame": "global"},
    ],
)
def test_forces_count_like_a_pressure(load: dict[str, Any]) -> None:
    """Whatever presses, the frequency is the same; spread over nodes it differs near the end."""
    known = vibrate(strip(loads=pressed(0.5 * BUCKLING)))[2].frequencies
    assert np.allclose(vibrate(strip(loads=[load]))[2].frequencies, known, rtol=1e-3)


def test_weight_counts_in_a_body_force_as_in_gravity() -> None:
    """Greenhill: an upright cantilever buckles under its weight at rho A g L^3 / (E I) = 7.8373."""
    critical = 7.8373 * BENDING / (DENSITY * WIDTH * HEIGHT * LENGTH**3)
    for kind in ("gravity", "body_force"):
        for factor, grows in ((0.99, False), (1.01, True)):
            load = {"kind": kind, "acceleration": [-factor * critical, 0, 0]}
            assert vibrate(strip(loads=[load]))[2].growth.any() == grows


def test_the_state_balances_with_its_own_stresses() -> None:
    """(k + k_omega + k_eps + k_geo(d)) d = loads: bent and stretched at once by spin and load."""
    spec = strip(
        body={"frame": {"velocity0": 30.0, "acceleration": 20.0}},
        loads=[{"kind": "force", "group": "xmax", "total": [0, 5.0, 0]}],
    )
    places = build(spec)
    system, loads = places.system, Loads(spec, places)
    steady = SteadySolver(system, loads, "auto")
    state = steady.find(0.0)
    spins = system.spins(0.0)
    body = system.bodies[0]
    stressed = body.stressed([body.prestress(state.displacement)])
    left = system.with_bodies({0: stressed}).apply(
        [Combination(1.0, spins[0].stiffness, np.ones(1))], state.displacement
    )
    rest = system.restrict(left - loads.at(0.0, spins))
    assert np.linalg.norm(rest) <= 1e-8 * np.linalg.norm(system.restrict(loads.at(0.0, spins)))
    assert state.turns > 2


def test_loads_that_turn_are_left_out_and_said() -> None:
    """Gravity across the axis turns in the frame; along a steady axis or at rest it counts."""
    gravity = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]
    _, steady, turning = vibrate(strip(body={"frame": {"velocity": 10.0}}, loads=gravity))
    assert steady.warnings == [
        "gravity on body 'block': turns in its frame, left out of the steady state"
    ]
    without = vibrate(strip(body={"frame": {"velocity": 10.0}}))[2]
    assert np.array_equal(turning.frequencies, without.frequencies)
    assert vibrate(strip(loads=gravity))[1].warnings == []


def test_one_key_leaves_the_stresses_out() -> None:
    """include.geometric = false: the load does nothing to the modes."""
    include = {"geometric": False}
    loaded = vibrate(strip(loads=pressed(0.5 * BUCKLING), include=include))[2]
    assert np.array_equal(loaded.frequencies, vibrate(strip(include=include))[2].frequencies)


def test_free_bodies() -> None:
    """Loads that do not balance move a free body: "auto" says so, ``true`` is refused."""
    frame = {"frame": {"velocity": 10.0}}
    _, steady, found = vibrate(strip(body=frame, supports=[]), 4)
    assert "body 'block' is free to move (translation along x" in steady.warnings[0]
    assert len(found.frequencies) == 4
    with pytest.raises(InputError, match=r"body 'block' is free to move .*geometric = false"):
        vibrate(strip(body=frame, supports=[], include={"geometric": True}))


def test_a_free_body_that_spins_about_its_centre_nutates() -> None:
    """Euler: seen from itself it nutates at W sqrt((C - A)(C - B) / (A B)), C the largest moment.

    Without the stresses of the rotation it would seem to diverge. Rotation about the axis and
    translation along it cost nothing; translations across it, and a tilt of the axis, rest in space
    and are seen at W.
    """
    a, b, c = 0.5, 0.2, 0.1  # half sides
    corners = [[x, y, z] for z in (-c, c) for x, y in ((-a, -b), (a, -b), (a, b), (-a, b))]
    spec = model("hex8", [4, 2, 1], corners=corners, body={"frame": {"velocity": 50.0}},
                 analysis={"kind": "modes"})  # fmt: skip
    _, steady, found = vibrate(spec, 7)
    assert steady.warnings == []
    assert not found.growth.any()
    x, y, z = b**2 + c**2, a**2 + c**2, a**2 + b**2
    nutation = 50.0 * np.sqrt((z - x) * (z - y) / (x * y))
    expected = [0.0, 0.0, nutation, 50.0, 50.0, 50.0]
    assert np.allclose(2 * np.pi * found.frequencies[:6], expected, rtol=1e-3, atol=0.05)
    assert found.frequencies[6] > 100.0


def test_no_state_is_said_with_body_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the turns do not end in a state, the error names body, place and displacement."""
    monkeypatch.setattr(module, "_MOST", 1)
    load = {"kind": "force", "group": "xmax", "total": [-0.5 * BUCKLING, 1e3, 0]}
    with pytest.raises(
        AnalysisError, match=r"steady state: displacement y of body 'block' at \(1, "
    ):
        vibrate(strip(loads=[load]))


def test_a_run_counts_the_loads(tmp_path) -> None:
    """``flexforge run`` and ``modes`` vibrate about the steady state and report it."""
    spec = strip(loads=pressed(0.5 * BUCKLING), analysis={"kind": "modes", "count": 2})
    outcome = run_model(spec, output=tmp_path)
    known = vibrate(spec)[2].frequencies
    assert outcome.figures["mode 1"][0] == pytest.approx(
        known[0], rel=1e-5
    )  # round-off of a slender mesh
    shortening = 0.5 * BUCKLING * LENGTH / (YOUNG * WIDTH * HEIGHT)
    found = outcome.figures["largest steady displacement"][0]
    assert found == pytest.approx(shortening, rel=1e-3)


def test_a_hinge_is_held_by_its_tension(tmp_path) -> None:
    """Two plates that share one node: the outer one swings about it as a hinged blade does.

    At ``W sqrt(e s m / I)`` in the frame, with the hinge at e from the axis and, about it, s from
    the centre of mass: ``e = sqrt 2, s = 1/sqrt 2, I = 2/3 m`` of a square with sides of 1.
    """
    nodes = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 1), (2, 2), (1, 2)]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", '1 1 "root"',
             '2 2 "plates"', "$EndPhysicalNames", "$Nodes", str(len(nodes))]  # fmt: skip
    lines += [f"{i} {x} {y} 0" for i, (x, y) in enumerate(nodes, start=1)]
    lines += [
        "$EndNodes",
        "$Elements",
        "3",
        "1 1 2 1 1 1 4",
        "2 3 2 2 2 1 2 3 4",
        "3 3 2 2 2 3 5 6 7",
        "$EndElements",
    ]
    mesh = tmp_path / "hinge.msh"
    mesh.write_text("\n".join(lines) + "\n")
    spec = model_from_dict(
        {
            "mesh": {"file": str(mesh)},
            "materials": {"steel": STEEL},
            "bodies": [{"name": "plates", "element": "quad4", "material": "steel",
                        "thickness": 0.1, "frame": {"velocity": 5.0}}],
            "supports": [{"group": "root"}],
            "analysis": {"kind": "modes"},
        },
        folder=tmp_path,
    )  # fmt: skip
    _, _, found = vibrate(spec)
    assert 2 * np.pi * found.frequencies[0] == pytest.approx(5.0 * np.sqrt(1.5), rel=1e-4)
