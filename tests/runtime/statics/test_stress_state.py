# SPDX-License-Identifier: BSD-3-Clause
"""One prestress in every analysis, by the theory that the model names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.finite.deformed_states import state_at
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.statics.static import solve_static, static_combinations
from flexforge.runtime.statics.stress_over_time import exported_stress, stress_of
from flexforge.runtime.statics.stress_state import stress_at
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.modes import solve_modes
from models import build, model
from scipy.sparse import csr_matrix
from tethered import LIMIT, along, deflection, frequencies, tension, tethered

THEORIES = ["steady", "rigid_load"]
FAST = 0.95
STEPS, DURATION = 400, 2.0


def ran(spec: ModelSpec, folder: Path) -> dict[str, Any]:
    """Return the figures of a run."""
    return run_model(spec, output=folder / "results", overwrite=True).figures


def modes_of(figures: dict[str, Any], count: int = 3, ending: str = "") -> np.ndarray:
    """Return frequencies of a run, Hz."""
    return np.array([figures[f"mode {i + 1}{ending}"][0] for i in range(count)])


def bent(prestress: str, analysis: dict[str, Any], **tables: Any) -> ModelSpec:
    """Return a plane blade at an angle to the radius that turns and is pushed."""
    body = {"frame": {"velocity": 40.0}, "thickness": 0.05}
    return model(
        "quad8", [12, 1], corners=[[0.1, 0.05], [1.1, 0.25], [1.1, 0.27], [0.1, 0.07]],
        body=body | tables.pop("body", {}), supports=[{"group": "xmin"}], analysis=analysis,
        include={"prestress": prestress},
        **({"loads": [{"kind": "force", "group": "xmax", "total": [-6e3, 50.0, 0]}]} | tables),
    )  # fmt: skip


TRANSIENT = {"kind": "transient", "duration": 1e-3, "steps": 4}
KINDS = {"static": {"kind": "static"}, "transient": TRANSIENT, "explicit": {
    "kind": "transient", "duration": 1e-6, "steps": 4, "method": "central_difference",
}}  # fmt: skip


def stiffness(spec: ModelSpec, *, modes: bool = False) -> csr_matrix:
    """Return k + k_omega + k_geo on the unknowns, as an analysis takes it."""
    places = build(spec)
    system, loads = places.system, Loads(spec, places)
    if modes:
        found = stress_at(system, loads, "modes", "auto", 0.0).system
    else:
        found = stress_of(spec, system, loads, state_at).system
    return found.matrix(static_combinations(found, found.spins(0.0)))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, FAST])
@pytest.mark.parametrize("theory", THEORIES)
def test_modes_and_static_analyses_have_the_stress_of_the_theory(share, theory, tmp_path):
    """Closed forms up to where the softening leaves a tenth of the stiffness."""
    found = ran(tethered(share, theory), tmp_path)
    np.testing.assert_allclose(modes_of(found), frequencies(share, theory), rtol=1e-8)
    found = ran(tethered(share, theory, analysis={"kind": "static"}), tmp_path)
    expected = deflection(share, theory)
    assert found["largest displacement"][0] == pytest.approx(expected, rel=1e-9, abs=1e-18)


def test_the_theories_differ_where_the_limit_is_near_and_agree_far_from_it():
    """Forces of the tie: their ratio is that of the stiffness to what softening leaves of it."""
    assert tension(FAST, "steady") > 8 * tension(FAST, "rigid_load")
    assert tension(0.01, "steady") == pytest.approx(tension(0.01, "rigid_load"), rel=1.1e-4)


def test_the_theories_agree_on_a_blade_along_the_radius(tmp_path):
    """Its masses make the tension, wherever a strain of ``rho W^2 L^2 / E = 0.16 %`` puts them."""
    found = []
    for theory in THEORIES:
        spec = model_from_dict({
            "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]],
                               "divisions": [20]}},
            "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
            "bodies": [{"name": "blade", "element": "euler_beam", "material": "steel",
                        "section": {"shape": "rectangle", "width": 0.04, "height": 0.01},
                        "frame": {"velocity": 200.0}}],
            "supports": [{"group": "xmin"}],
            "include": {"prestress": theory},
            "analysis": {"kind": "modes", "count": 4},
            "output": {"formats": ["csv"]},
        })  # fmt: skip
        found.append(modes_of(ran(spec, tmp_path), 4))
    apart = np.abs(found[0] / found[1] - 1.0)
    assert 1e-5 < apart.max() < 5.1e-5


@pytest.mark.parametrize(("analysis", "theory"), [
    ({"kind": "modes", "count": 3}, "steady"), ({"kind": "static"}, "rigid_load"),
])  # fmt: skip
def test_what_is_not_named_is_as_it_was(analysis, theory, tmp_path):
    """Modes about the steady state, static analyses under the rotation, to the last digit."""
    named, own = (ran(tethered(FAST, one, analysis=analysis), tmp_path) for one in (theory, "auto"))
    assert named == own


@pytest.mark.parametrize("theory", THEORIES)
def test_a_diagram_over_speeds_has_the_theory_at_every_speed(theory, tmp_path):
    """At each of the speeds the closed form, though the model turns at another one."""
    shares = [0.0, 0.4, 0.8]
    analysis = {"kind": "modes", "count": 3, "speeds": [share * LIMIT for share in shares]}
    outcome = run_model(tethered(0.3, theory, analysis=analysis), output=tmp_path / "results")
    assert outcome.campbell is not None
    found = np.array([mode["frequency_Hz"] for mode in outcome.campbell["modes"]][:3]).T
    expected = [frequencies(share, theory) for share in shares]
    np.testing.assert_allclose(np.sort(found, axis=1), expected, rtol=1e-8)
    assert outcome.theory["prestress"].startswith(f"{theory}: ")


HEAT = [{"kind": "temperature", "change": "50 + 20*x"},
        {"kind": "pressure", "group": "xmax", "value": 1e5}]  # fmt: skip


@pytest.mark.parametrize("loads", [{}, {"loads": HEAT}], ids=["pushed", "heated"])
@pytest.mark.parametrize("theory", THEORIES)
def test_every_analysis_has_the_same_matrix(theory, loads):
    """Static, modes, implicit and explicit steps: k + k_omega + k_geo to round-off."""
    steel = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "expansion": 1e-5}
    tables = loads | {"materials": {"steel": steel}}
    found = [stiffness(bent(theory, one, **tables)).toarray() for one in KINDS.values()]
    found.append(stiffness(bent(theory, {"kind": "modes"}, **tables), modes=True).toarray())
    largest = np.abs(found[0]).max()
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=2e-15 * largest)


def test_the_theories_have_different_matrices():
    """The push of 6 kN is in the steady state alone."""
    one, other = (stiffness(bent(theory, KINDS["static"])).toarray() for theory in THEORIES)
    assert np.abs(one - other).max() > 1e-6 * np.abs(one).max()


def test_a_static_analysis_about_the_steady_state_is_that_state():
    """(k + k_omega + k_geo(d)) d = loads has one solution, whoever solves it.

    To round-off times the condition of the matrix, 5e8, which factors of another processor reach.
    """
    spec = bent("steady", {"kind": "static"})
    places = build(spec)
    loads = Loads(spec, places)
    state = stress_of(spec, places.system, loads, state_at)
    found = solve_static(state.system, loads, 0.0, "auto").displacement
    assert state.turns > 2
    size = np.abs(state.displacement).max()
    turning = static_combinations(state.system, state.system.spins(0.0))
    reached = np.finfo(float).eps * np.linalg.cond(state.system.matrix(turning).toarray())
    assert reached < 2e-7
    np.testing.assert_allclose(found, state.displacement, rtol=0, atol=reached * size)
    other = bent("rigid_load", {"kind": "static"})
    system = stress_of(other, build(other).system, loads, state_at).system
    apart = solve_static(system, loads, 0.0, "auto").displacement - found
    assert np.abs(apart).max() > 1e-2 * size


def vibrating(theory: str, share: float = FAST, **analysis: Any) -> ModelSpec:
    """Return the mass struck along the axis of rotation, and followed there."""
    given = {"kind": "transient", "duration": DURATION, "steps": STEPS, "method": "newmark"}
    return tethered(
        share, theory, analysis=given | analysis.pop("analysis", {}),
        initial=[{"velocity": [0, 0, 1.0], "group": "tie.xmax"}],
        probes=[{"name": "rise", "group": "tie.xmax", "quantity": "displacement",
                 "component": "z"}], **analysis,
    )  # fmt: skip


def risen(theory: str, share: float = FAST) -> float:
    """Return where the trapezoidal rule has the mass at the end of the run, m.

    Its vibrations have amplitude v / omega and ``tan(omega' h / 2) = omega h / 2``.
    """
    omega, h = along(share, theory), DURATION / STEPS
    slower = 2.0 / h * np.arctan(0.5 * omega * h)
    return float(np.sin(slower * DURATION) / omega)


@pytest.mark.parametrize("way", [
    {}, {"analysis": {"method": "midpoint"}}, {"reduction": {"modes": 3, "method": "modal"}},
])  # fmt: skip
@pytest.mark.parametrize("theory", THEORIES)
def test_a_motion_vibrates_as_modes_say(theory, way, tmp_path):
    """Steps in C, Hamilton's equations and a reduced model: the frequency under the same stress."""
    found = ran(vibrating(theory, **way), tmp_path)["rise, at the end"][0]
    assert abs(risen("steady") - risen("rigid_load")) > 0.1 * abs(risen(theory))
    assert found == pytest.approx(risen(theory), rel=1e-7)


def test_steps_in_python_take_the_same_stress():
    """What is too large for steps in C: the same motion to the tolerance of its solutions."""
    spec = vibrating("steady")
    places = build(spec)
    loads = Loads(spec, places)
    system = stress_of(spec, places.system, loads, state_at).system
    velocity = np.zeros((system.size, 3))
    velocity[system.bodies[0].nodes[1], 2] = 1.0
    motion = start(spec.analysis, system, loads, 0.0 * velocity, velocity, native=False)
    for _ in range(STEPS):
        motion.advance()
    rise = float(motion.displacement[system.bodies[0].nodes[1], 2])
    motion.close()
    assert rise == pytest.approx(risen("steady"), rel=1e-6)


@pytest.mark.parametrize("theory", THEORIES)
def test_full_and_reduced_modes_are_under_one_stress(theory, tmp_path):
    """With the theory named nothing is solved twice, and the two agree."""
    spec = bent(theory, {"kind": "modes", "count": 3}, reduction={"modes": 5})
    found = ran(spec, tmp_path)
    assert "mode 1, stressed by the rotation alone" not in found
    assert found["largest error of these frequencies"] < 1e-3
    other = "steady" if theory == "rigid_load" else "rigid_load"
    apart = modes_of(ran(bent(other, {"kind": "modes", "count": 3}), tmp_path))
    assert abs(apart[0] / modes_of(found)[0] - 1.0) > 1e-2


def pressed(prestress: str = "steady", **tables: Any) -> ModelSpec:
    """Return a cantilever at rest that a pressure on its end takes near to buckling."""
    given = {
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "pressure", "group": "xmax", "value": 1e7}],
        "include": {"prestress": prestress},
        "analysis": {"kind": "transient", "duration": 0.2, "steps": 20, "method": "newmark"},
    }
    return model(
        "quad8", [8, 1], corners=[[0, 0], [1, 0], [1, 0.02], [0, 0.02]], **(given | tables)
    )


def test_a_body_at_rest_vibrates_under_the_stress_of_its_loads():
    """No rotation makes this stress, so C steps do not know it: others take over."""
    spec = pressed()
    places = build(spec)
    loads = Loads(spec, places)
    state = stress_of(spec, places.system, loads, state_at)
    system = state.system
    mode = solve_modes(
        stress_at(places.system, loads, "modes", "auto", 0.0).system, 1, None, 0.0, "auto"
    )
    unstressed = solve_modes(places.system, 1, None, 0.0, "auto")
    assert mode.frequencies[0] < 0.8 * unstressed.frequencies[0]
    shape = 1e-4 * mode.shapes[0] / np.abs(mode.shapes[0]).max()
    motion = start(spec.analysis, system, loads, state.displacement + shape, 0.0 * shape)
    step = spec.analysis.step_size
    slower = 2.0 / step * np.arctan(np.pi * mode.frequencies[0] * step)
    for number in range(1, 21):
        motion.advance()
        expected = np.cos(slower * step * number) * shape
        apart = motion.displacement - state.displacement - expected
        assert np.abs(apart).max() < 1e-5 * np.abs(shape).max()
    motion.close()


@pytest.mark.parametrize("what", ["a reduced model", "an exported model"])
def test_stresses_of_bodies_at_rest_are_refused_where_none_are_known(what, tmp_path):
    """Not left out in silence: the message names the body."""
    more = {"reduction": {"modes": 3}} if what == "a reduced model" else {}
    spec = pressed(**more)
    with pytest.raises(InputError, match=rf"include\.prestress: .*'block'.*{what} supports"):
        if more:
            run_model(spec, output=tmp_path / "results")
        else:
            places = build(spec)
            exported_stress(places.system, Loads(spec, places), "auto")
