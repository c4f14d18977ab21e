# SPDX-License-Identifier: BSD-3-Clause
"""What spins: beams and masses, several speeds in one model; and what cannot spin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from models import CUBE, SQUARE, STEEL
from shafts import (
    PROGRESS,
    SOFT,
    SPEED,
    TWO_DISCS,
    Tables,
    apart,
    histories,
    on,
    probes,
    response,
    roots,
    run,
    tables,
    unbalance,
)

QUAKE = {"direction": "x", "unit": "g", "curves": [{"points": [[1, 1], [9, 1]]}]}
SHAKER = {
    "name": "base",
    "direction": "x",
    "unit": "g^2/Hz",
    "density": {"points": [[1, 1], [9, 1]]},
}
MECHANISM: Tables = {
    "links": [{"name": "arm", "mass": 1.0, "inertia": [1, 1, 1]}],
    "joints": [{"name": "j", "kind": "revolute", "links": ["ground", "arm"], "at": [0, 0, 0],
                "axis": [0, 0, 1]}],
}  # fmt: skip
UNSYMMETRIC = [[1e6, 1e5], [-2e5, 8e5]]
WEIGHT: Tables = {"kind": "gravity", "acceleration": [0, -9.81, 0]}


def figures(data: Tables, folder: Path) -> dict[str, Any]:
    """Run a model; return its figures."""
    return dict(run(data, folder).figures)


def test_two_gyroscopes_with_their_own_speeds() -> None:
    """Masses without a body that tilt on springs: ``Id a'' - i Ip W a' + k a = 0`` of each.

    One behind the other, turning in opposite senses; a = rotation about x + i about y.
    """
    speeds = np.array([100.0, -300.0])
    across, about = np.array([0.3, 0.2]), np.array([0.5, 0.1])
    springs = {"kind": "bushing", "stiffness": [1e5, 1e5, 1e5, 4e3, 4e3, 1e3]}
    data: Tables = {
        "mesh": {"points": {"a": [0, 0, 0], "b": [0, 0, 0]}},
        "masses": [
            {"name": name, "group": name, "mass": 2.0, "inertia": [i, i, j],
             "spin": {"velocity": w}}
            for name, i, j, w in zip("ab", across, about, speeds, strict=True)
        ],
        "connectors": [springs | {"name": "one", "at": "a"},
                       springs | {"name": "two", "between": ["a", "b"]}],
    }  # fmt: skip
    stiffness = 4e3 * np.array([[2.0, -1.0], [-1.0, 1.0]])
    rates = np.eye(4, k=2, dtype=complex)
    rates[2:] = np.hstack([-stiffness, 1j * np.diag(about * speeds)]) / across[:, None]
    assert apart(1j * np.abs(np.linalg.eigvals(rates).imag), roots(data, 12)) < 1e-13


def test_beams_without_shear_spin_too() -> None:
    """Those of Euler and Bernoulli, beside a shaft that does not shear; bars have no rotations."""
    rotor = replace(on(TWO_DISCS, 1e6), kappa=1e9)
    data = tables(rotor, SPEED)
    for body in data["bodies"]:
        body["element"] = "euler_beam"
        del body["section"]["shear_y"], body["section"]["shear_z"]
    assert apart(rotor.roots(SPEED)[:6], roots(data, 10)) < 2e-11


def test_the_spin_of_a_bar_changes_nothing() -> None:
    """Without rotations of nodes ``2 w (c - m n~)`` and all that follow are zero."""
    data: Tables = {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 1]], "divisions": [3]}},
        "materials": {"steel": STEEL | {"damping": {"alpha": 3.0}}},
        "bodies": [{"name": "bar", "element": "bar2", "material": "steel",
                    "section": {"area": 1e-4}}],
        "connectors": [{"name": f"b{n}", "kind": "bearing", "at": f"#{n}", "stiffness": [2e5, 1e5]}
                       for n in (1, 2, 3, 4)],
        "supports": [{"group": "#1", "components": ["z"]}],
    }  # fmt: skip
    rest = roots(data, 8)
    data["materials"]["steel"]["damping"] = {"alpha": 0.0, "beta": 0.0}
    free = roots(data, 8)
    data["bodies"][0]["spin"] = {"velocity": 200.0}
    assert apart(free, roots(data, 8)) < 3e-12
    assert apart(free, rest) > 1e-4


def test_undamped_roots_know_nothing_of_damping(tmp_path: Path) -> None:
    """``damped = false`` leaves out the forces by which damping of the shaft drives whirl."""
    rotor = replace(on(TWO_DISCS, 1e6, 1e3), alpha=0.7, beta=1e-3)
    for turning in ("spin", "frame"):
        analysis = {"kind": "modes", "count": 6, "damped": False}
        found = figures(tables(rotor, SPEED, turning=turning, analysis=analysis), tmp_path)
        without = replace(rotor, bearings=on(TWO_DISCS, 1e6).bearings, alpha=0.0, beta=0.0)
        analysis = {"kind": "modes", "count": 6}
        free = figures(tables(without, SPEED, turning=turning, analysis=analysis), tmp_path)
        names = [f"mode {n}" for n in range(1, 7)]
        expected = [free[name][0] for name in names]
        assert [found[name][0] for name in names] == pytest.approx(expected, rel=1e-11)
        assert not any(name.startswith(("growth", "damping")) for name in found)


def test_velocities_are_those_of_an_observer_at_rest(tmp_path: Path) -> None:
    """``i w`` times amplitudes; over time the slope of the displacement, to the fourth order."""
    given: Tables = {"loads": [unbalance(1, 1e-3, 0.4)]}
    both = probes(1) + probes(1, quantity="velocity")
    data = tables(SOFT, 1.0, probes=both, analysis={"kind": "harmonic", "speeds": [70.0]}, **given)
    _, found = response(data, tmp_path)
    assert np.allclose(found[:, 2:], 70j * found[:, :2], rtol=1e-12, atol=0.0)
    moved = tables(SOFT, 70.0, probes=both, analysis=PROGRESS | {"duration": 0.04}, **given)
    rows = histories(moved, tmp_path)
    u, v = rows[:, 1:3], rows[:, 3:]
    # Simpson's rule: u(t + 2 h) - u(t) = h / 3 (v(t) + 4 v(t + h) + v(t + 2 h))
    whole = PROGRESS["step"] / 3 * (v[:-2] + 4 * v[1:-1] + v[2:])
    assert np.abs(u[2:] - u[:-2] - whole).max() < 1e-3 * np.abs(u).max()


def test_momentum_is_the_impulse_of_the_loads(tmp_path: Path) -> None:
    """Of a shaft that nothing holds, beside a mechanism, which is followed: force and moment."""
    free = replace(SOFT, bearings=[], alpha=0.0, beta=0.0)
    data = tables(
        free, 100.0, supports=[],
        loads=[{"kind": "force", "group": "#1", "total": [30, 0, 0], "amplitude": "sin(50*t)"},
               {"kind": "moment", "group": "#0", "total": [0, 5, 0]}],
        **MECHANISM,
        drivers=[{"name": "still", "joint": "j", "value": 0.0}],
        analysis={"kind": "transient", "method": "newmark", "step": 1e-3, "duration": 0.04},
    )  # fmt: skip
    found = figures(data, tmp_path)
    impulse = 30.0 / 50.0 * (1.0 - np.cos(2.0))
    assert found["momentum relative to the frames x"][0] == pytest.approx(impulse, rel=3e-3)
    assert found["largest momentum"][0] == pytest.approx(impulse, rel=3e-3)
    assert found["largest error of the momentum balance"] < 1e-3
    for body in (*data["bodies"], *data["masses"]):
        body.pop("spin", None)
    found = figures(data, tmp_path)
    assert found["largest error of the energy balance"] < 2e-3
    work = found["work of loads"][0]
    assert found["kinetic energy"][0] + found["strain energy"][0] == pytest.approx(work, rel=2e-3)


def test_steps_have_the_numbers_of_runs_of_their_own(tmp_path: Path) -> None:
    """Weight, then an unbalance from there: equilibrium stays one; its load acts in its step."""
    data = tables(SOFT, 100.0, loads=[WEIGHT, unbalance(1, 1e-3) | {"steps": ["turned"]}],
                  probes=probes(1))  # fmt: skip
    moving = PROGRESS | {"duration": 0.02}
    steps = [
        {"name": "bent", "analysis": {"kind": "static"}},
        {"name": "rests", "analysis": moving, "after": "bent"},
        {"name": "turned", "analysis": moving, "after": "bent"},
        {"name": "over", "analysis": {"kind": "harmonic", "speeds": [100.0]}},
    ]
    run(data | {"steps": steps}, tmp_path)

    def rows(name: str) -> Any:
        return np.loadtxt(tmp_path / name / "probes.csv", delimiter=",", skiprows=1)

    assert np.allclose(rows("rests")[:, 1:], rows("bent")[1:], rtol=0.0, atol=2e-14)
    alone = tables(SOFT, 100.0, loads=[unbalance(1, 1e-3)], probes=probes(1), analysis=moving)
    alone = histories(alone, tmp_path / "alone")
    assert np.allclose(rows("turned") - rows("rests"), alone - rows("rests") * [1, 0, 0],
                       rtol=0.0, atol=1e-16)  # fmt: skip
    with pytest.raises(InputError, match=r"bodies\[0\].spin: found with a frame that moves"):
        steps[0]["frames"] = {"shaft0": {"velocity": 50.0}}
        run(data | {"steps": steps}, tmp_path)


def test_a_run_that_is_stopped_goes_on(tmp_path: Path) -> None:
    """While the speed varies, with unsymmetric matrices: the numbers of a run in one piece.

    To 2e-10: equations of a step are solved to 1e-13, and a first guess begins anew.
    """
    ramp = {"ramp": {"to": 100.0, "duration": 0.02}}
    analysis = PROGRESS | {"duration": 0.024, "tolerance": 1e-13}
    loads = [unbalance(1, 1e-3)]
    data = tables(SOFT, ramp, loads=loads, probes=probes(1), analysis=analysis)
    spec = model_from_dict(data, folder=tmp_path)
    run_model(spec, output=tmp_path / "whole")

    def stop(text: str, done: int, total: int) -> None:
        if text == "steps" and done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "stopped", progress=stop)
    run_model(spec, output=tmp_path / "stopped", resume=True)
    whole, stopped = (
        np.loadtxt(tmp_path / name / "probes.csv", delimiter=",", skiprows=1)
        for name in ("whole", "stopped")
    )
    assert np.allclose(stopped, whole, rtol=0.0, atol=3e-9 * np.abs(whole[:, 1:]).max())


@pytest.mark.parametrize(
    ("analysis", "told"),
    [
        ({"kind": "harmonic", "frequencies": [1.0], "modes": 3},
         "analysis.modes: found with connector 'bearing0', whose matrices are not symmetric; "
         "expected an analysis without modes"),
        ({"kind": "transient", "method": "modal", "modes": 3, "step": 0.1, "duration": 0.2},
         "analysis.modes: found with connector 'bearing0', whose matrices are not symmetric"),
        ({"kind": "buckling", "count": 1},
         "analysis.kind: found buckling with connector 'bearing0', whose matrices are not symm"),
    ],
)  # fmt: skip
def test_real_modes_are_of_symmetric_matrices(analysis: Tables, told: str, tmp_path: Path) -> None:
    """Coupled bearings of a shaft at rest, and damping that spins without gyroscopic moments."""
    force = [{"kind": "force", "group": "#2", "total": [3, 4, 1]}]
    data = tables(on(TWO_DISCS, UNSYMMETRIC), 0.0, loads=force, analysis=analysis)
    for body in data["bodies"]:
        del body["spin"]
    with pytest.raises(InputError) as caught:
        run(data, tmp_path)
    assert str(caught.value).startswith(told)
    if analysis["kind"] != "buckling":
        rotor = replace(on(TWO_DISCS, 1e6), beta=1e-5)
        data = tables(rotor, SPEED, loads=force, analysis=analysis, include={"coriolis": False})
        with pytest.raises(InputError, match="body 'shaft0', whose matrices are not symmetric"):
            run(data, tmp_path)


ROUND = "expected a body of revolution about it"
BOX = {"shape": "rectangle", "width": 0.02, "height": 0.03, "orientation": [1, 0, 0]}


@pytest.mark.parametrize(
    ("part", "change", "told"),
    [
        ("bodies", {"section": BOX},
         "body 'shaft0': spin: found a stiffness that is not the same in all directions across "
         f"the axis; {ROUND} (round sections, equal moments of inertia across the axis), or frame"),
        ("masses", {"inertia": [0.1, 0.2, 0.3]},
         "body 'disc0': spin: found a mass matrix that is not the same in all directions across t"),
        ("masses", {"centre": [0.01, 0, 0]},
         "body 'disc0': spin: found a mass matrix that is not the same in all directions across t"),
        ("bodies", {"spin": {"velocity": 1.0, "point": [0.1, 0, 0]}},
         "body 'shaft0': spin: found mass beside the axis; expected nodes and centres of mass on "
         "it, or frame in place of spin"),
        ("bodies", {"frame": {"velocity": 1.0}},
         "bodies[0].spin: found with a frame that moves; expected a frame at rest, or frame alone"),
        ("bodies", {"frame": {"origin": {"velocity": [1.0, 0, 0]}}},
         "bodies[0].spin: found with a frame that moves; expected a frame at rest, or frame alone"),
        ("bodies", {"spin": {"axis": [0, 0, 1]}},
         "bodies[0].spin: found none of angle, velocity, acceleration; expected one"),
        ("bodies", {"spin": {"velocity": 1.0, "angle": 1.0}}, "bodies[0].spin"),
        ("bodies", {"spin": {"axis": [0, 0, 0], "velocity": 1.0}}, "bodies[0].spin.axis"),
        ("bodies", {"spin": {"velocity": "1/(t - t)"}}, "bodies[0].spin.velocity"),
        ("bodies", {"element": "simo_beam2"},
         "body 'shaft0': spin: found one with element simo_beam2; expected a beam in space or a "
         "mass, or frame in place of spin"),
    ],
)  # fmt: skip
def test_bodies_that_cannot_spin(part: str, change: Tables, told: str, tmp_path: Path) -> None:
    """Each is named with what differs, and with what it may be in place of it."""
    data = tables(on(TWO_DISCS, 1e6), SPEED, analysis={"kind": "static"})
    data[part][0] |= change
    with pytest.raises(InputError) as caught:
        run(data, tmp_path)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("element", "points", "told"),
    [
        ("hex8", CUBE, "body 'block': spin: found one with element hex8; expected a beam in space"),
        ("quad4", SQUARE, "body 'block': spin: found one with element quad4_plane_stress; expect"),
        ("mitc4", [[*one, 0.0] for one in SQUARE],
         "body 'block': spin: found a stiffness that is not the same in all directions across"),
    ],
)  # fmt: skip
def test_solids_plates_and_shells_turn_with_frames(
    element: str, points: Any, told: str, tmp_path: Path
) -> None:
    cell = "quad4" if element == "mitc4" else element
    block = {"cell": cell, "corners": points, "divisions": [1] * (3 if cell == "hex8" else 2)}
    body = {"name": "block", "element": element, "material": "steel", "spin": {"velocity": 1.0}}
    body |= {} if cell == "hex8" else {"thickness": 0.1}
    data: Tables = {"mesh": {"block": block}, "materials": {"steel": STEEL}, "bodies": [body],
                    "analysis": {"kind": "static"}}  # fmt: skip
    with pytest.raises(InputError) as caught:
        run(data, tmp_path)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"analysis": {"kind": "buckling", "count": 1}},
         "bodies[0].spin: found with analysis buckling; expected static, modes, harmonic or "
         "transient"),
        ({"analysis": {"kind": "kinematics", "duration": 1.0, "steps": 3}} | MECHANISM,
         "bodies[0].spin: found with analysis kinematics; expected static, modes, harmonic or tra"),
        ({"analysis": {"kind": "random", "modes": 3, "excitations": [SHAKER]}},
         "bodies[0].spin: found with analysis random; expected static, modes, harmonic or trans"),
        ({"analysis": {"kind": "spectrum", "modes": 3, "excitations": [QUAKE]}},
         "bodies[0].spin: found with analysis spectrum; expected static, modes, harmonic or tran"),
        ({"analysis": {"kind": "periodic", "modes": 3, "period": [0, 1], "frequencies": [1.0]}},
         "bodies[0].spin: found with analysis periodic; expected static, modes, harmonic or tran"),
        ({"reduction": {"modes": 3}}, "reduction: found with a body that spins; expected it with"),
        ({"cyclic": {"from": "a", "to": "b", "sectors": 3}},
         "bodies[0].spin: found with [cyclic]; expected frame, whose sectors turn with it"),
        ({"analysis": PROGRESS | {"method": "newmark", "duration": 0.1}} | MECHANISM,
         "body 'shaft0': found a prescribed frame in a model whose joints and drivers leave "
         "motions of links open; expected the name of a link"),
        ({"analysis": {"kind": "harmonic", "frequencies": [1.0], "modes": 3}},
         "analysis.modes: found with a frame that turns, whose Coriolis terms couple the modes"),
    ],
)  # fmt: skip
def test_analyses_that_do_not_know_spins(change: Tables, told: str, tmp_path: Path) -> None:
    data = tables(on(TWO_DISCS, 1e6), SPEED, analysis={"kind": "static"}) | change
    with pytest.raises(InputError) as caught:
        run(data, tmp_path)
    assert str(caught.value).startswith(told), str(caught.value)
