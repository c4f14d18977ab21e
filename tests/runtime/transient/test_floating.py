# SPDX-License-Identifier: BSD-3-Clause
"""Motions of bodies in free frames: closed forms, rigid bodies by other code, conserved figures."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.codegen.systems.reading import read_system
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh, build_system
from floating import bar, box, places, rods, steps
from scipy.optimize import least_squares
from scipy.special import ellipk


def _run(tables, folder, **more):
    return run_model(model_from_dict(tables | more), output=folder)


def _free(**values):
    return {"free": values}


@pytest.mark.slow
def test_a_pendulum_has_the_period_of_the_elliptic_integral(tmp_path):
    """From the horizontal: I about the pin, T = 4 sqrt(I / (m g c)) K(1/2)."""
    inertia = 1 / 3 + 0.05**2 / 12
    period = 4 * np.sqrt(inertia / (9.81 * 0.5)) * ellipk(0.5)
    tables = rods() | {"probes": places("end0"), "analysis": steps(period, 500)}
    outcome = _run(tables, tmp_path / "a")
    x, y = (outcome.probes[f"end0 {c}"].values for c in "xy")
    assert x[[125, 250, 500]] == pytest.approx([0.0, -1.0, 1.0], abs=3e-4)
    assert y[[125, 250, 500]] == pytest.approx([-1.0, 0.0, 0.0], abs=3e-4)
    assert outcome.figures["factorizations"] == 1
    assert outcome.figures["largest strain"] < 1e-3


@pytest.mark.slow
def test_a_double_pendulum_moves_like_rigid_rods(tmp_path):
    """Stiff rods pinned by equations, against two rigid rods derived by Kane and integrated by
    DOP853: no line of code in common."""
    mass, height = 7800 * 0.05 * 0.02, 0.05
    rigid = read_system(
        {
            "name": "rigid",
            "coordinates": ["a", "b"],
            "gravity": ["0", "-9.81", "0"],
            "constants": {"m": mass, "J": mass * (1 + height**2) / 12},
            "frames": {"A": {"turn": [["z", "a"]]}, "B": {"turn": [["z", "b"]]}},
            "points": {
                "C": {"in": "A", "at": ["1/2", "0", "0"]},
                "P": {"in": "A", "at": ["1", "0", "0"]},
                "D": {"from": "P", "in": "B", "at": ["1/2", "0", "0"]},
            },
            "bodies": {
                "one": {"point": "C", "frame": "A", "mass": "m", "inertia": ["0", "0", "J"]},
                "two": {"point": "D", "frame": "B", "mass": "m", "inertia": ["0", "0", "J"]},
            },
            "run": {"duration": 1.0, "steps": 300, "tolerance": 1e-11},
        }
    )
    from flexforge.runtime.discrete.run import run_system

    expected = run_system(rigid, output=tmp_path / "rigid").probes
    a, b = expected["a"].values, expected["b"].values
    tables = rods(2) | {"probes": places("end0", "end1"), "analysis": steps(1.0, 300)}
    found = _run(tables, tmp_path / "elastic").probes
    assert found["end0 x"].values == pytest.approx(np.cos(a), abs=5e-4)
    assert found["end1 y"].values == pytest.approx(np.sin(a) + np.sin(b), abs=1e-3)


@pytest.mark.slow
def test_the_flip_about_the_middle_axis(tmp_path):
    """A stiff box spun about its middle axis turns over as Euler's equations say."""
    size, spin = (1.0, 0.3, 0.2), 12.0
    tables = box(size, frame=_free(angular_velocity=[0.5, spin, 0.0])) | {
        "probes": [
            {"name": "x", "point": [0.0, 0.15, 0.0], "component": "y", "quantity": "position"}
        ],
        "analysis": steps(1.1, 550, rho_infinity=1.0),
        "output": {"formats": ["csv", "hdf5"], "every": 10},
    }
    tables["materials"]["m"]["young"] = 2e10
    outcome = _run(tables, tmp_path / "a")
    times = outcome.results.times()
    states = [outcome.results.frame(k).states["box"].frame for k in range(len(times))]
    from scipy.integrate import solve_ivp

    squares = np.array(size) ** 2
    moments = (squares.sum() - squares) / 12

    def euler(_, w):
        return np.cross(moments * w, w) / moments

    rigid = solve_ivp(euler, (0, 1.1), [0.5, spin, 0.0], t_eval=times, rtol=1e-10, atol=1e-12).y.T
    assert rigid[:, 1].min() < -11.9  # it turned over
    found = np.array([state.w for state in states])
    assert np.abs(found - rigid).max() < 0.02 * spin


def test_momenta_of_a_free_body(tmp_path):
    """The momentum to round-off; the angular momentum to the square of the step."""
    drift = []
    for count in (250, 500):
        tables = box(frame=_free(velocity=[1.0, 2.0, 3.0], angular_velocity=[2.0, 5.0, -1.0]))
        tables |= {"analysis": steps(0.5, count, rho_infinity=1.0), "output": {"formats": ["csv"]}}
        figures = _run(tables, tmp_path / str(count)).figures
        mass = figures["mass"][0]
        for axis, speed in zip("xyz", (1.0, 2.0, 3.0), strict=True):
            assert figures[f"momentum {axis}"][0] == pytest.approx(mass * speed, rel=1e-12)
        squares = np.array([1.0, 0.09, 0.04])
        moments = mass * (squares.sum() - squares) / 12
        # About the origin: moved by v t, so that m (v t) x v = 0 remains.
        begun = moments * [2.0, 5.0, -1.0]
        ended = [figures[f"angular momentum about the origin {axis}"][0] for axis in "xyz"]
        drift.append(np.linalg.norm(np.array(ended) - begun) / np.linalg.norm(begun))
    assert drift[1] < 1e-4 and drift[0] / drift[1] > 3.0


def test_uniform_gravity_leaves_a_free_body_unstrained(tmp_path):
    """Switched on at once: it falls by g t^2 / 2 without stress."""
    tables = box() | {
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
        "analysis": steps(0.4, 40),
        "output": {"formats": ["csv", "hdf5"]},
    }
    figures = _run(tables, tmp_path / "a").figures
    assert figures["largest von Mises stress"][0] < 1e-3
    assert figures["largest displacement at the end"][0] == pytest.approx(9.81 * 0.08, rel=1e-10)


def test_a_force_in_axes_of_the_body_turns_with_it(tmp_path):
    """A thrust through the centre of a spinning box: v' = F/m turned, so that it comes back."""
    spin, thrust = 4.0, 100.0
    tables = box(
        size=(0.4, 0.4, 0.4), divisions=(2, 2, 2), frame=_free(angular_velocity=[0, 0, spin])
    )
    tables |= {
        "loads": [{"kind": "body_force", "acceleration": [thrust / 64.0, 0, 0]}],
        "analysis": steps(2 * np.pi / spin, 400),
        "output": {"formats": ["csv"]},
    }
    figures = _run(tables, tmp_path / "a").figures
    # After a turn the velocity is zero, the place F/(m w^2) (0, w t).
    assert figures["momentum x"][0] == pytest.approx(0.0, abs=0.02)
    expected = thrust / 64.0 / spin**2 * 2 * np.pi
    moved = figures["largest displacement at the end"][0]
    assert moved == pytest.approx(expected, rel=2e-3)


def _bend(folder, frame, velocity, geometric):
    """Return times and deflection of a spinning slender box at its tip, from the mean."""
    tables = box((1.0, 0.06, 0.03), (12, 1, 1), frame=frame) | {
        "initial": [{"velocity": velocity}],
        "include": {"geometric": geometric},
        "analysis": steps(0.3, 500),
        "output": {"formats": ["hdf5"], "every": 4},
    }
    results = _run(tables, folder).results
    tip = int(np.argmax(results.bodies()[0].points @ [1.0, 0.0, 0.0]))
    shapes = [results.frame(k).states["box"].displacement for k in range(len(results.times()))]
    return results.times(), np.array([shape[tip, 2] - shape[:, 2].mean() for shape in shapes])


@pytest.mark.slow
def test_the_motion_found_then_prescribed(tmp_path):
    """A slender spinning box bends alike in a free frame and in one that is driven to spin."""
    bend, spin = "2*x*x - 1/6", 30.0
    free = _free(angular_velocity=[0, 0, spin])
    _, found = _bend(tmp_path / "free", free, [f"-{spin}*y", f"{spin}*x", bend], False)
    _, given = _bend(tmp_path / "given", {"velocity": spin}, ["0", "0", bend], False)
    assert np.abs(given).max() > 9e-4
    assert np.abs(found - given).max() < 1e-3 * np.abs(given).max()


@pytest.mark.slow
def test_a_spinning_body_is_stiffened_by_its_stress(tmp_path):
    """Flap of a free-free beam: w^2 = w0^2 + chi W^2, chi by Rayleigh of the first mode.

    The tension is rho A W^2 (L^2/4 - x^2)/2; flap is not softened.
    """
    spin, square = 30.0, {}
    velocity = [f"-{spin}*y", f"{spin}*x", "2*x*x - 1/6"]
    for geometric in (True, False):
        free = _free(angular_velocity=[0, 0, spin])
        times, bend = _bend(tmp_path / str(geometric), free, velocity, geometric)

        def left(given, times=times, bend=bend):
            w, a, b = given
            return a * np.sin(w * times) + b * np.cos(w * times) - bend

        square[geometric] = least_squares(left, [280.0, 1e-3, 0.0]).x[0] ** 2
    # Free-free mode, of which beta L = 4.7300.
    x, beta = np.linspace(-0.5, 0.5, 4001), 4.730041
    mode = np.cos(beta * x) / np.cos(beta / 2) + np.cosh(beta * x) / np.cosh(beta / 2)
    slope = np.gradient(mode, x)
    chi = np.trapezoid(0.5 * (0.25 - x**2) * slope**2, x) / np.trapezoid(mode**2, x)
    assert square[True] - square[False] == pytest.approx(chi * spin**2, rel=0.03)


@pytest.mark.slow
def test_a_bar_as_two_bodies(tmp_path):
    """Bodies that share nodes, each with a frame, move like one that bends little."""
    found = []
    for count in (1, 2):
        tables = bar(count) | {
            "initial": [{"velocity": ["-5*y", "5*x", "0.3*x*x"]}],
            "probes": places("tip", components="xyz", body=f"part{count - 1}"),
            "analysis": steps(0.2, 100),
        }
        outcome = _run(tables, tmp_path / f"{count}")
        found.append([outcome.probes[f"tip {c}"].values for c in "xyz"])
        # int rho v over the section of 0.01 m^2.
        assert outcome.figures["momentum z"][0] == pytest.approx(10 * 0.3 / 3, rel=0.01)
    assert found[1] == pytest.approx(np.array(found[0]), abs=1e-6)
    moved = np.ptp(found[0], axis=1)
    assert moved.min() > 0.02


def test_bodies_in_free_and_other_frames_share_no_nodes():
    tables = bar(2) | {"analysis": steps(1, 9)}
    tables["bodies"][1]["frame"] = {"velocity": 5.0}
    spec = model_from_dict(tables)
    with pytest.raises(InputError, match=r"bodies\[1\].frame: .* belongs to bodies in different"):
        build_system(spec, build_mesh(spec))


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    """Interrupted after a third, resumed: the same figures to the last bit."""
    from flexforge.runtime.run import run_model

    tables = rods() | {"probes": places("end0"), "analysis": steps(0.05, 30)}
    whole = _run(tables, tmp_path / "whole").figures

    class Stop(KeyboardInterrupt):
        pass

    def stopping(what, done, total):
        if what == "steps" and done == 10:
            raise Stop

    spec = model_from_dict(tables)
    with pytest.raises(Stop):
        run_model(spec, output=tmp_path / "half", progress=stopping)
    found = run_model(spec, output=tmp_path / "half", resume=True).figures
    for name in (
        "end0 x, at the end",
        "end0 y, at the end",
        "kinetic energy of free bodies at the end",
    ):
        assert found[name] == whole[name]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"analysis": {"kind": "modes"}}, "a free frame with analysis modes; expected transient"),
        ({"analysis": steps(1, 9, method="gauss4")}, "found gauss4 with a free frame"),
        ({"analysis": steps(1, 9, solver="amg")}, "found amg with a free frame"),
        ({"analysis": steps(1, 9, start="equilibrium")}, "equilibrium with a free frame"),
        ({"reduction": {"method": "modal", "modes": 3}}, "reduction: found with a free frame"),
    ],
)
def test_what_free_frames_do_not_go_with(change, words):
    with pytest.raises(InputError, match=words):
        model_from_dict(box() | {"analysis": steps(1, 9)} | change)


def test_a_start_that_the_pin_does_not_allow(tmp_path):
    """A spin about the origin moves a pin at the other end; one about the pin does not."""
    tables = rods() | {"analysis": steps(0.01, 10), "loads": []}
    tables["supports"] = [{"group": "end0"}]
    tables["bodies"][0]["frame"] = _free(angular_velocity=[0, 0, 2])
    with pytest.raises(InputError, match=r"body 'rod0': .* velocity: the node at \(1, 0\) m would"):
        _run(tables, tmp_path / "a")
    tables["bodies"][0]["frame"] = _free(angular_velocity=[0, 0, 2], velocity=[0, -2, 0])
    figures = _run(tables, tmp_path / "b").figures
    assert figures["momentum y"][0] == pytest.approx(-0.5 * 2 * 7.8, rel=0.02)


def test_a_body_begins_where_and_how_it_is_placed(tmp_path):
    """Turned by more than a right angle: the motion is that of the mesh, turned with it."""
    axis, angle, place = np.array([0.36, 0.48, 0.8]), 2.5, np.array([1.0, -2.0, 0.5])
    tilt = np.cross(np.eye(3), axis)
    turn = np.eye(3) + np.sin(angle) * tilt + (1.0 - np.cos(angle)) * tilt @ tilt
    spin, speed = np.array([1.0, 20.0, 3.0]), np.array([0.5, 1.0, -2.0])
    ends = []
    for frame in (
        {"velocity": speed.tolist(), "angular_velocity": spin.tolist()},
        {"position": place.tolist(), "axis": axis.tolist(), "angle": angle,
         "velocity": (turn @ speed).tolist(), "angular_velocity": (turn @ spin).tolist()},
    ):  # fmt: skip
        corner = {"point": [0.5, 0.15, 0.1], "body": "box", "quantity": "displacement"}
        tables = box(frame=_free(**frame)) | {
            "analysis": steps(0.1, 50),
            "probes": [{"name": c, "component": c, **corner} for c in "xyz"],
        }
        outcome = _run(tables, tmp_path / f"{len(ends)}")
        moved = np.array([outcome.probes[c].values for c in "xyz"])
        ends.append(moved + np.array([[0.5], [0.15], [0.1]]))
    assert np.allclose(ends[1], place[:, None] + turn @ ends[0], atol=1e-8)
    assert np.abs(ends[0][:, -1] - ends[0][:, 0]).max() > 0.1


def test_a_frame_that_is_nearly_free():
    tables = box(frame="fre") | {"analysis": steps(1, 9)}
    with pytest.raises(InputError, match="expected one of free; did you mean 'free'?"):
        model_from_dict(tables)


def test_free_frames_begin_in_the_plane():
    tables = rods() | {"analysis": steps(1, 9)}
    tables["bodies"][0]["frame"] = _free(angular_velocity=[1, 0, 0])
    with pytest.raises(InputError, match=r"frame.free.angular_velocity: found x or y components"):
        model_from_dict(tables)
    tables["bodies"][0]["frame"] = _free(angle=1.0, axis=[1, 0, 0])
    with pytest.raises(InputError, match=r"frame.free.axis: found a planar model; expected the ax"):
        model_from_dict(tables)
    tables["bodies"][0]["frame"] = {"free": {}, "velocity": 3.0}
    with pytest.raises(InputError, match="found velocity beside a free motion"):
        model_from_dict(tables)
