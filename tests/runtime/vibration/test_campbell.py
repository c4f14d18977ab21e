# SPDX-License-Identifier: BSD-3-Clause
"""Modes over the speed: closed forms, whirl, critical speeds, instabilities, what is kept."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.model import Model
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.motion.build import from_standstill
from flexforge.runtime.results.campbell import diagram as campbell_diagram
from flexforge.runtime.results.campbell import numbers_at_end, other_figures
from flexforge.runtime.run import run_model
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration import modes_over_speed as module
from flexforge.runtime.vibration.campbell import Sweep
from flexforge.runtime.vibration.critical import (
    Diagram,
    critical_speeds,
    diagram,
    instabilities,
)
from flexforge.runtime.vibration.crossings import lines_of
from flexforge.runtime.vibration.tracking import match
from flexforge.runtime.vibration.whirl import Whirl
from models import CASES, build, model
from scipy.sparse import identity

HALF = 0.01
SHAFT = [
    [x, y, z]
    for z in (0, 1)
    for x, y in ((-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF))
]
STEEL = {"young": 2e11, "poisson": 0.0, "density": 7800.0}
BENDING = 1.8751040687**2 * np.sqrt(2e11 * (2 * HALF) ** 2 / (12 * 7800.0))  # rad/s, L = 1


def sweep(
    spec: ModelSpec, speeds: Any, count: int, orders: tuple[int, ...] = (0, 1, 2)
) -> tuple[Sweep, Diagram]:
    """Return a sweep that is done, and its diagram."""
    places = build(spec)
    job = Sweep(places.system, Loads(spec, places), speeds, count, "auto", orders=orders)
    for _ in job.run():
        pass
    return job, diagram(job.points, job.branches, count, lines_of(orders))


def oscillator(**tables: Any) -> ModelSpec:
    """Return case M3: w0 = 10 rad/s in a frame that turns."""
    case = CASES / "m3_oscillator"
    data = tomllib.loads((case / "model.toml").read_text()) | tables
    return model_from_dict(data, folder=case)


def shaft(**tables: Any) -> ModelSpec:
    """Return a slender square shaft along the axis about which it turns, clamped at one end."""
    given = {
        "materials": {"steel": STEEL}, "body": {"frame": {"axis": [0, 0, 1], "velocity": 1.0}},
        "supports": [{"group": "zmin"}], "analysis": {"kind": "modes"},
    } | tables  # fmt: skip
    return model("hex20", [1, 1, 12], corners=SHAFT, **given)


def test_an_isotropic_oscillator_over_the_speed() -> None:
    """It is seen at w0 - W and w0 + W; from outside always at w0; critical at w0 and w0 / 2."""
    speeds = np.array([0.0, 3.0, 6.0, 9.0, 12.0, 15.0])
    _, found = sweep(oscillator(), speeds, 2)
    assert np.allclose(found.values[0].imag, 10.0 - speeds, rtol=1e-12)
    assert np.allclose(found.values[1].imag, 10.0 + speeds, rtol=1e-12)
    assert not found.values.real.any()
    assert [found.whirl(0, i) for i in range(1, 6)] == ["forward"] * 3 + ["backward"] * 2
    assert [found.whirl(1, i) for i in range(1, 6)] == ["backward"] * 5
    seen = 2 * np.pi * found.inertial[:, 1:]
    assert np.allclose(seen, [[10.0] * 5, [-10.0] * 5], rtol=1e-12)
    criticals = {(one.mode, one.order): one.speed for one in critical_speeds(found)}
    expected = {(1, 0): 10.0, (1, 1): 5.0, (1, 2): 10.0 / 3.0, (2, 2): 10.0}
    assert criticals == {key: pytest.approx(one, rel=1e-9) for key, one in expected.items()}
    assert instabilities(found) == []


@pytest.mark.parametrize("speeds", [[0.0, 1.0, 4.5, 9.0], [0.0, 4.5, 9.0], [0.0, 9.0]])
def test_other_orders_are_looked_for_where_they_are_asked_for(speeds: list[float]) -> None:
    """w0 - W = k W and w0 + W = k W: critical at w0 / (k + 1) and w0 / (k - 1).

    Which of the two modes is first is arbitrary: they are equal at rest.
    """
    _, found = sweep(oscillator(), speeds, 2, orders=(3, 6))
    criticals = [(one.order, one.speed) for one in critical_speeds(found)]
    assert [order for order, _ in criticals] == [3, 3, 6, 6]
    expected = [2.5, 5.0, 10.0 / 7.0, 2.0]
    assert [speed for _, speed in criticals] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        ({"orders": [1, 2]}, "orders: found without speeds"),
        ({"speeds": [0.0, 1.0], "orders": [1, 1]}, r"found \[1, 1\]; expected each order once"),
        ({"speeds": [0.0, 1.0], "orders": [-1]}, "orders"),
        ({"speeds": [0.0, 1.0], "orders": [0.5]}, "orders"),
    ],
)
def test_orders_are_whole_numbers_of_speeds(analysis: dict[str, Any], message: str) -> None:
    """Each once, from 0."""
    with pytest.raises(InputError, match=message):
        shaft(analysis={"kind": "modes", **analysis})


def test_texts_are_those_of_the_model_file() -> None:
    """As on the command line; an order without speeds is told with its key."""
    asked = Model(shaft(analysis={"kind": "modes"}))
    spec, _ = asked.as_modes(2, None, "0:300:4rpm", "1:3")
    assert spec.analysis.speeds == pytest.approx(np.array([0.0, 100.0, 200.0, 300.0]) * np.pi / 30)
    assert spec.analysis.orders == (1, 2, 3)
    with pytest.raises(
        InputError, match=r"^analysis\.orders: found without speeds; expected speeds too"
    ):
        asked.as_modes(2, None, None, [1])


def test_divergence_begins_at_the_natural_frequency() -> None:
    """Guided along one axis it has w0^2 - W^2: it diverges from W = w0 on at sqrt(W^2 - w0^2)."""
    guided = oscillator(supports=[{"group": "mass", "components": ["y"]}])
    job, found = sweep(guided, [0.0, 4.0, 8.0, 11.0, 15.0], 1)
    assert len(found.speeds) > 5, "the interval in which it begins is halved"
    known = np.emath.sqrt(found.speeds**2 - 100.0)
    assert np.allclose(found.values[0], known, rtol=1e-9, atol=1e-6)
    (one,) = instabilities(found)
    assert (one.kind, one.end) == ("divergence", None)
    assert one.onset == pytest.approx(10.0, rel=1e-8)
    assert one.growth == pytest.approx(np.sqrt(125.0), rel=1e-9)
    orders = {critical.order: critical.speed for critical in critical_speeds(found)}
    assert orders[0] == one.onset
    assert orders[1] == pytest.approx(10.0 / np.sqrt(2.0), rel=1e-6)
    assert job.warnings == []


def unequal(*speeds: float, wx: float = 10.0, wy: float = 12.0) -> Diagram:
    """Return the modes of a mass of 2 kg on springs of wx and wy in the plane, at some speeds."""
    springs = {"name": "bearing", "kind": "bushing", "at": "hub",
               "stiffness": [2.0 * wx**2, 2.0 * wy**2, 1e6]}  # fmt: skip
    spec = model_from_dict({
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "disc", "group": "hub", "mass": 2.0,
                    "frame": {"axis": [0, 0, 1], "velocity": 1.0}}],
        "connectors": [springs],
        "analysis": {"kind": "modes"},
    })  # fmt: skip
    return sweep(spec, speeds, 2)[1]


def test_critical_speeds_and_ends_of_instability_are_exact_between_coarse_speeds() -> None:
    """Jeffcott's rotor with unequal stiffness diverges between wx and wy, and only there.

    Order k: (wx^2 - W^2 - s^2) (wy^2 - W^2 - s^2) = 4 W^2 s^2 at s = k W, by hand; order 1 is the
    speed at which the weight of a lying shaft excites it.
    """
    wx, wy = 10.0, 12.0
    found = unequal(0.0, 3.0, 7.0, 11.0, 16.0)
    (one,) = instabilities(found)
    assert one.kind == one.end_kind == "divergence"
    assert (one.onset, one.end) == pytest.approx((wx, wy), rel=1e-8)
    criticals = {(c.order, round(c.speed, 6)) for c in critical_speeds(found)}
    weight = wx * wy / np.sqrt(2.0 * (wx**2 + wy**2))
    second = np.roots([9.0, -5.0 * (wx**2 + wy**2), wx**2 * wy**2])
    expected = {(0, wx), (0, wy), (1, round(weight, 6))}
    expected |= {(2, round(float(np.sqrt(square)), 6)) for square in second}
    assert criticals == expected


def test_a_crossing_takes_few_solves_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bending of the shaft crosses 1x and 2x twice each between coarse speeds: w0 - W = k W."""
    solved, told = [], []
    inner = Sweep._solve
    monkeypatch.setattr(Sweep, "_solve", lambda job, at: (solved.append(at), inner(job, at))[1])
    places = build(spec := shaft())
    speeds = [0.0, 0.25 * BENDING, 0.9 * BENDING]
    job = Sweep(places.system, Loads(spec, places), speeds, 2, "auto",
                tell=lambda *given: told.append(given))  # fmt: skip
    points = list(job.run())
    found = critical_speeds(diagram(job.points, job.branches, 2))
    assert [one.order for one in found] == [1, 2]
    assert len(solved) - len(points) <= 2 * len(found), "two solves per crossing"
    low, high = (30.0 / np.pi * one for one in speeds[1:])
    text = f"crossings between {low:.6g} and {high:.6g} rpm"
    assert [one for one in told if one[0].startswith("crossings")] == [(text, 0, 2), (text, 1, 2)]
    for one in found:
        _, exact = sweep(shaft(), [one.speed], 1)
        assert exact.frequencies[0, 0] == pytest.approx(one.frequency, rel=1e-7)


def test_an_ellipse_is_not_one_frequency_from_outside() -> None:
    """docs/model.md: of no pure travelling wave a single frequency is seen; of a circle it is."""
    ellipse = unequal(0.0, 3.0)
    assert np.abs(ellipse.sense[:, -1]).min() > 0.8, "not far from a circle"
    assert np.isnan(ellipse.inertial).all()
    circle = unequal(0.0, 3.0, wy=10.0)
    assert np.allclose(2 * np.pi * np.abs(circle.inertial[:, -1]), 10.0, rtol=1e-9)


def test_a_shaft_seen_from_its_frame() -> None:
    """A slender isotropic shaft has w0 -+ W for each bending mode; critical at w0 (Jeffcott).

    Rotary inertia and shear change w0 by 0.1 %, and turn w0 -+ W by gyroscopic moments of the same
    size; both modes of a pair are one double frequency at rest.
    """
    speeds = np.array([0.0, 0.4, 0.8, 1.2, 1.6]) * BENDING
    _, found = sweep(shaft(), speeds, 4)
    assert np.allclose(found.values[0].imag, BENDING - speeds, atol=2e-3 * BENDING)
    assert np.allclose(found.values[1].imag, BENDING + speeds, atol=2e-3 * BENDING)
    second = found.values[2, 0].imag
    assert np.allclose(found.values[2].imag, second - speeds, atol=2e-3 * BENDING)
    assert np.allclose(found.values[3].imag, second + speeds, atol=2e-3 * BENDING)
    assert not found.values.real.any()
    assert found.assurance.min() > 0.99
    assert np.allclose(np.abs(found.sense[:, 1:]), 1.0, atol=1e-2)
    assert np.allclose(np.abs(found.waves[:, 1:]), 1.0, atol=1e-2)
    criticals = {(one.mode, one.order): one.speed for one in critical_speeds(found)}
    assert criticals[1, 0] == pytest.approx(BENDING, rel=2e-3)
    assert criticals[1, 1] == pytest.approx(BENDING / 2, rel=2e-3)


def test_damping_that_turns_with_the_shaft_makes_it_flutter() -> None:
    """Internal damping drives the forward whirl above the critical speed (Kimball, Jeffcott).

    In the frame q'' + (c + 2 i W) q' + (w0^2 - W^2) q = 0 with c = beta w0^2: onset W = w0.
    """
    beta = 2e-4
    materials = {"steel": STEEL | {"damping": {"beta": beta}}}
    speeds = np.array([0.0, 0.5, 0.9, 1.1, 1.5]) * BENDING
    _, found = sweep(shaft(materials=materials), speeds, 2)
    c, w0 = beta * BENDING**2, BENDING
    for place, speed in enumerate(found.speeds):
        roots = np.roots([1.0, c + 2j * speed, w0**2 - speed**2])
        assert np.abs(roots - found.values[0, place]).min() <= 4e-3 * BENDING or (
            np.abs(roots.conj() - found.values[0, place]).min() <= 4e-3 * BENDING
        )
    (one,) = instabilities(found)
    assert one.kind == "flutter"
    assert one.mode == 1
    onset = one.onset
    _, near = sweep(shaft(materials=materials), [(1 - 1e-6) * onset, (1 + 1e-6) * onset], 1)
    assert near.values[0, 0].real < 0.0 < near.values[0, -1].real, "to the digits printed"
    assert onset == pytest.approx(BENDING, rel=2e-3)
    assert (found.values[1].real < 0.0).all(), "backward whirl is damped at every speed"


def test_growth_squared_tells_where_undamped_flutter_begins() -> None:
    """Where two frequencies meet, lambda = i w + sqrt(k (W - W_0)): W_0 is the onset, whatever
    lies between the speeds; it ends likewise."""
    speeds = np.array([1.0, 2.0, 2.5, 3.5, 5.0])
    for row, onset, end in (
        (np.emath.sqrt(0.5 * (speeds - 2.2)).real, 2.2, None),
        (np.emath.sqrt(0.5 * (2.9 - speeds)).real, None, 2.9),
    ):
        values, nothing = (row + 4.0j)[None], np.zeros((1, len(speeds)))
        (one,) = instabilities(Diagram(speeds, values, nothing, nothing, nothing))
        assert (one.kind, one.end_kind) == ("flutter", "flutter")
        assert (one.onset, one.end) == (pytest.approx(onset), pytest.approx(end))


def test_a_mode_has_no_frequency_where_it_was_not_followed() -> None:
    """No number, which is shown as a blank: 0 Hz would be that of a motion which nothing holds."""
    job = Sweep(build(oscillator()).system, None, [0.0, 1.0, 2.0], 2, "auto")
    for _ in job.run():
        pass
    job.branches[1].first, job.branches[1].values = 1, job.branches[1].values[:1]
    for name in ("whirl", "assurance"):
        setattr(job.branches[1], name, getattr(job.branches[1], name)[:1])
    found = diagram(job.points, job.branches, 2)
    followed = np.isfinite(found.frequencies)
    assert np.array_equal(followed, np.isfinite(found.values.real))
    assert followed[0].all() and followed[1].sum() == 1


def test_whirl_counts_waves() -> None:
    """A field (1, -i) (x - i y)^(n - 1) runs around z n times: forward; its conjugate backward."""
    corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    places = build(model("quad8", [8, 8], corners=corners))
    system = places.system
    whirl = Whirl(system, [np.array([0.0, 0.0, 1.0])])
    x, y = system.bodies[0].points.T
    for waves in (1, 2):  # the gradient of a linear field is exact
        field = np.outer((x - 1j * y) ** (waves - 1), [1.0, -1j])
        assert whirl.of(field.ravel()) == pytest.approx((waves, 1.0), rel=1e-12)
        assert whirl.of(field.conj().ravel()) == pytest.approx((-waves, -1.0), rel=1e-12)
        assert whirl.of(field.real.ravel().astype(complex)) == pytest.approx((0.0, 0.0), abs=1e-12)


def test_whirl_of_shapes_in_a_space_is_theirs() -> None:
    """Of more shapes than are multiplied at once; forward and backward parts at the same time."""
    system = build(model("quad8", [3, 2])).system
    whirl = Whirl(system, [np.array([0.0, 0.0, 1.0])])
    random = np.random.default_rng(0)
    basis = random.standard_normal((system.unknowns, 20))
    small = random.standard_normal((3, 20)) + 1j * random.standard_normal((3, 20))
    assert np.allclose(whirl.within(basis)(small), whirl.of(small @ basis.T), rtol=1e-12, atol=0.0)


def test_modes_are_followed_by_their_shapes() -> None:
    """Crossed, mirrored and mixed modes are assigned to what they continue."""
    mass = identity(4, format="csr")
    shapes = np.eye(4, dtype=complex)[:3]
    values = np.array([1j, 2j, 3j])
    crossed = match((values, shapes), (values, shapes[[1, 0, 2]]), values.imag, mass)
    assert [(m.row, m.column) for m in crossed] == [(0, 1), (1, 0), (2, 2)]
    # A circular shape that has passed through zero is the conjugate one.
    circular = np.array([[1.0, -1j, 0, 0]]) / np.sqrt(2.0)
    (one,) = match((np.array([0.1j]), circular), (np.array([0.1j]), circular.conj()),
                   np.array([-0.1]), mass)  # fmt: skip
    assert one.conjugate
    assert one.assurance == pytest.approx(1.0)
    # Two equal eigenvalues: any two shapes of their plane are as good.
    mixed = np.array([[1.0, 1j, 0, 0], [1.0, -1j, 0, 0]]) / np.sqrt(2.0)
    both = match((np.array([1j, 1j]), shapes[:2]), (np.array([0.9j, 1.1j]), mixed),
                 np.array([1.0, 1.0]), mass)  # fmt: skip
    assert [m.assurance for m in both] == pytest.approx([1.0, 1.0])


def test_frames_that_do_not_turn_steadily_are_refused() -> None:
    """Speeds need frames with one constant angular velocity: each error says what was found."""
    cases = [
        ({}, r"speeds: no body frame rotates; expected a steady rotation"),
        (
            {"frame": {"velocity": {"ramp": {"to": 5.0, "duration": 1.0}}}},
            r"speeds: the frame of body 'block' rotates at a varying speed; expected a steady",
        ),
        (
            {"frame": {"acceleration": 2.0}},
            r"speeds: the frame of body 'block' rotates at a varying speed",
        ),
    ]
    for frame, message in cases:
        with pytest.raises(InputError, match=message):
            sweep(shaft(body=frame), [0.0, 1.0], 1)


def run(folder: Path, **options: Any) -> Any:
    """Run the shaft over three speeds."""
    analysis = {"kind": "modes", "count": 2, "speeds": [0.0, 20.0, 40.0]}
    spec = shaft(analysis=analysis, output={"formats": ["csv", "report"]})
    return run_model(spec, output=folder, **options)


def test_a_run_writes_the_diagram(tmp_path: Path) -> None:
    """The summary, a CSV file and the report have the modes over the speeds."""
    outcome = run(tmp_path)
    first = outcome.figures["mode 1 at 0 rad/s"][0]
    assert outcome.figures["mode 1 at 20 rad/s"][0] < first
    data = json.loads((tmp_path / "summary.json").read_text())["campbell"]
    assert data["speeds_rad_s"] == [0.0, 20.0, 40.0]
    assert data["modes"][0]["whirl"][1:] == ["forward", "forward"]
    assert outcome.campbell["modes"][1]["frequency_Hz"] == data["modes"][1]["frequency_Hz"]
    lines = (tmp_path / "campbell.csv").read_text().splitlines()
    assert len(lines) == 4
    assert float(lines[2].split(",")[1]) == pytest.approx(20.0 * 30.0 / np.pi, rel=1e-11)
    assert float(lines[2].split(",")[2]) == outcome.figures["mode 1 at 20 rad/s"][0]
    page = (tmp_path / "report.html").read_text()
    assert "Campbell diagram" in page
    assert "critical_speeds.csv" in page
    assert "mode 1 at 20 rad/s" not in page, "single speeds are in the table only"
    rows = page.split("Mode in the diagram</th>")[1].split("</table>")[0]
    assert rows.count('<td class="number">1</td>') == 1
    assert "–" not in rows, "every mode at the last speed is one of the diagram"
    assert "<h2>Natural frequencies at the last speed, 381.972 rpm (40 rad/s)</h2>" in page


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 1, 0]])
def test_frames_may_stand_still_at_first(tmp_path: Path, axis: list[int]) -> None:
    """An axis and velocity = 0 are enough: the speeds replace the velocity, whatever it is."""
    found = []
    for velocity in (1.0, "0 rpm"):
        spec = shaft(
            body={"frame": {"axis": axis, "velocity": velocity}},
            analysis={"kind": "modes", "count": 2, "speeds": [0.0, 20.0]},
            output={"formats": ["csv"]},
        )
        found.append(run_model(spec, output=tmp_path / str(len(found))).campbell)
    for one, other in zip(found[0]["modes"], found[1]["modes"], strict=True):
        assert one["frequency_Hz"] == other["frequency_Hz"]
        assert one["frequency_Hz"][0] != one["frequency_Hz"][1]
    report = check_model(spec)
    assert report.sweep is not None and report.sweep.frames == ("block",)


def test_bodies_without_a_velocity_stay_at_rest() -> None:
    """Beside a frame that turns, those of velocity zero do too."""
    turning = FrameSpec(velocity=3.0)
    still, none = FrameSpec(axis=(1, 0, 0), velocity=0.0), FrameSpec()
    assert from_standstill([turning, still, none], 1.0) == [turning, still, none]
    first, second, third = from_standstill([still, none, "crank"], 1.0)
    assert (first.velocity, second, third) == (1.0, none, "crank")


def test_the_axis_at_standstill_is_that_of_a_body_of_revolution() -> None:
    """A frame that is to turn about z is refused where its body is one of revolution about y."""
    tables = {
        "mesh": {
            "block": {
                "cell": "quad4",
                "corners": [[1, 0], [2, 0], [2, 1], [1, 1]],
                "divisions": [1, 1],
            }
        },
        "materials": {"steel": STEEL},
        "bodies": [
            {
                "name": "disc",
                "element": "quad4",
                "hypothesis": "axisymmetric",
                "material": "steel",
                "frame": {"velocity": 0},
            }
        ],
        "analysis": {"kind": "modes", "count": 1, "speeds": [0.0, 20.0]},
    }
    with pytest.raises(InputError, match=r"bodies\[0\]\.frame: found motion out of the axis"):
        model_from_dict(tables)


def test_modes_at_the_last_speed_know_their_branches() -> None:
    """Branches that have crossed are counted otherwise there; equal ones have a place each."""
    branches = [(1, [10.0, 30.0]), (2, [20.0, 15.0]), (3, [25.0, 30.0]), (4, [26.0, None])]
    data = {"modes": [{"mode": number, "frequency_Hz": values} for number, values in branches]}
    assert numbers_at_end(data, [15.0, 30.0, 30.0, 40.0]) == ["2", "1", "3", "–"]


def test_no_critical_speed_is_said(tmp_path: Path) -> None:
    """With the orders and speeds that were looked at; the lines drawn are those of the orders."""
    analysis = {"kind": "modes", "count": 2, "speeds": [0.0, 1.0], "orders": [1, 3]}
    spec = shaft(analysis=analysis, output={"formats": ["csv", "report"]})
    data = run_model(spec, output=tmp_path).campbell
    assert data["orders"] == [1, 3] and data["critical_speeds"] == []
    said = "no critical speeds of orders 1x, 3x from 0 rpm (0 rad/s) to 9.5493 rpm (1 rad/s)"
    assert said in (tmp_path / "report.html").read_text()
    traces = campbell_diagram(data)["traces"]
    lines = [trace for trace in traces if trace["mode"] == "lines+text"]
    assert [(one["text"], one["line"]["dash"]) for one in lines] == [
        (["", "1x"], "dash"), (["", "3x"], "dot")
    ]  # fmt: skip
    marks = [trace for trace in traces if trace["mode"] == "markers"]
    assert marks and not any(one["cliponaxis"] for one in marks), "whole at the last speed"
    figures = {"mass": [1.0, "kg"], "critical speed, order 1, mode 1": [10.0 * np.pi, "rad/s"]}
    shown = other_figures({"campbell": data, "figures": figures})
    assert list(shown.items())[0] == (
        "critical speed, order 1, mode 1",
        [pytest.approx(300.0), "rpm"],
    )
    names = [trace.get("name") for trace in campbell_diagram(data)["traces"]]
    assert [name for name in names if name and "order" in name] == [
        "engine order 1", "engine order 3"
    ]  # fmt: skip


def test_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C or a failure at one speed keeps the speeds before, and the error names the speed."""

    def interrupt(text: str, done: int, total: int) -> None:
        if text.startswith("speeds, ") and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "a", progress=interrupt)

    solve, calls = module.solve_own_modes, []

    def fail(*arguments: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise AnalysisError("no convergence")
        return solve(*arguments, **options)

    monkeypatch.setattr(module, "solve_own_modes", fail)
    with pytest.raises(AnalysisError, match="at 40 rad/s: no convergence"):
        run(tmp_path / "b")
    for name, status in (("a", "interrupted"), ("b", "failed")):
        summary = json.loads((tmp_path / name / "summary.json").read_text())
        assert summary["status"] == status
        assert summary["campbell"]["speeds_rad_s"] == [0.0, 20.0]
        assert len((tmp_path / name / "campbell.csv").read_text().splitlines()) == 3
