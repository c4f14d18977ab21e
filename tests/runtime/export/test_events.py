# SPDX-License-Identifier: BSD-3-Clause
"""Time events of FMUs for model exchange: kinks of functions of time, announced and kept to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
import pytest
from blocks import UNDAMPED, block
from flexforge.runtime.export.kinks import merged
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.profiles import PolynomialProfile, RampProfile, TableProfile
from fmpy.validation import validate_fmu
from fmus import Instance, unpacked

FORCE = {"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0]}
#: Moves the shape by 2 m: FMPy's tolerance is that of a state of size one.
LARGE = FORCE | {"total": [0.0, 1e5, 0.0]}
PROBES = [{"name": "tip", "point": [0.6, 0.25, 0], "component": "y"}]
#: A force of a fifth of a millisecond, from rest on.
BEGIN, END = 0.1, 0.1002
#: In no order, two of them a digit apart; the table holds its ends.
RAMP = {"ramp": {"to": 3.0, "duration": 0.25, "start": 0.1}}
TIMES = [0.05, 0.1, 0.15, 0.3, 0.35, 0.42, 0.45]


def loads_of(folder: Path) -> list[dict[str, object]]:
    """Return forces with kinks, of a table in a folder among them."""
    table = folder / "push.csv"
    table.write_text("0.05,1\n0.2,3\n0.3,-1\n0.42,2\n", encoding="ascii")
    return [
        FORCE | {"amplitude": {"ramp": {"to": 2.0, "duration": 0.3, "start": 0.15}}},
        FORCE | {"amplitude": "step(t, 0.3) + 2*step(t, 0.1 + 0.2)"},
        FORCE | {"amplitude": {"table": str(table), "outside": "hold"}},
        FORCE | {"amplitude": "1 + t"},
    ]


def spec_of(**tables: object) -> ModelSpec:
    """Return a block in one shape, at rest."""
    given = {"materials": {"steel": UNDAMPED}, "probes": PROBES, "initial": []} | tables
    spec = block("planar", 50, "newmark", **given)
    data = spec.model_dump(exclude_unset=True, by_alias=True) | {"reduction": {"modes": 1}}
    return model_from_dict(data)


@pytest.fixture(scope="module", params=[pytest.param(2, marks=pytest.mark.slow), 3])
def stopped(request, tmp_path_factory) -> tuple[int, Path]:
    """An FMU of a block in a frame that is spun up, with kinks in motion and loads."""
    folder = tmp_path_factory.mktemp("events")
    solver = build_solver(
        spec_of(loads=loads_of(folder), body={"frame": {"velocity": RAMP}}), "block"
    )
    return request.param, unpacked(solver, request.param, folder / "block.fmu")


def update(one: Instance) -> float:
    """Handle events; return the time of the next one, or infinity."""
    kind = one.fmu.newDiscreteStates if one.version == 2 else one.fmu.updateDiscreteStates
    again, ends, nominals, values, defined, time = kind()
    assert not (again or ends or nominals or values)
    return time if defined else np.inf


def reach(one: Instance, time: float) -> float:
    """Set the time; return the acceleration of the shape."""
    one.fmu.setTime(time)
    return one.get("der(der(state[1]))")[0]


def test_events_come_in_order(stopped):
    """Beginnings and ends of ramps, tables and steps, each once; none after the last."""
    assert validate_fmu(str(stopped[1])) == []
    one = Instance(*stopped, exchange=True).begin()
    found = [update(one)]
    while np.isfinite(found[-1]):
        one.fmu.setTime(found[-1])
        found.append(update(one))
    np.testing.assert_allclose(found, [*TIMES, np.inf], rtol=1e-8)
    one.fmu.setTime(0.9)
    assert np.isinf(update(one))
    one.fmu.freeInstance()


def test_a_start_between_events(stopped):
    """From 0.31 s on only later ones are told; those at the start are over."""
    for start, wanted in ((0.31, 0.35), (0.35, 0.42), (0.349, 0.35), (2.0, np.inf)):
        one = Instance(*stopped, exchange=True).begin(start)
        assert update(one) == pytest.approx(wanted, rel=1e-9)
        one.fmu.freeInstance()


def test_before_and_after_an_event(stopped):
    """At 0.3 s, and a digit beside it, nothing steps until the event is handled; then all has.

    The force steps by 1 and 2 N, three times what a load of 1 N accelerates the shape by.
    """
    one = Instance(*stopped, exchange=True).begin()
    one.fmu.setTime(0.2)
    assert update(one) == pytest.approx(0.3)
    early = reach(one, 0.3 - 1e-7)
    for time in (0.3, 0.1 + 0.2, np.nextafter(0.3, 0.0)):
        assert reach(one, time) == pytest.approx(early, rel=1e-3)
        assert one.fmu.completedIntegratorStep() == (False, False)
    get, put = (
        ("getFMUstate", "setFMUstate") if one.version == 2 else ("getFMUState", "setFMUState")
    )
    state = getattr(one.fmu, get)()
    late = []
    for time in (np.nextafter(0.3, 0.0), 0.3, 0.1 + 0.2):
        getattr(one.fmu, put)(state)
        assert one.get("der(der(state[1]))")[0] == pytest.approx(early, rel=1e-3)
        one.fmu.setTime(time)
        assert update(one) == pytest.approx(0.35)
        late += [one.get("der(der(state[1]))")[0], reach(one, time), reach(one, 0.3 + 1e-7)]
    if one.version == 3:
        one.fmu.setTime(0.3)
        assert one.get("time")[0] == 0.3
    one.fmu.freeInstance()
    unit = unit_acceleration(stopped)
    np.testing.assert_allclose(np.array(late) - early, 3.0 * unit, rtol=1e-4)


def unit_acceleration(made: tuple[int, Path]) -> float:
    """Return what 1 N accelerates the shape by: 1 + t grows from 1 N to 2 N in a second.

    At 10 and 11 s everything else has come to rest.
    """
    one = Instance(*made, exchange=True).begin(10.0)
    update(one)
    found = reach(one, 11.0) - reach(one, 10.0)
    one.fmu.freeInstance()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_a_short_push_is_not_passed_over(version, tmp_path):
    """CVode over 0.2 ms: the closed form to 1e-6; without the events it does not see the force.

    Co-simulation takes its steps as it does without.

    A force from t1 to t2 that accelerates a shape of frequency w by p leaves
    q = p / w^2 (cos w (t - t2) - cos w (t - t1)). Both come from the FMU: the acceleration in the
    push, and its directional derivative.
    """
    amplitude = f"step(t, {BEGIN}) - step(t, {END})"
    solver = build_solver(spec_of(loads=[LARGE | {"amplitude": amplitude}], body={}), "block")
    assert solver.events == [(BEGIN, BEGIN), (END, END)]
    path = unpacked(solver, version, tmp_path / "with.fmu")
    found = moved(path, "ModelExchange", "state[1]")
    one = Instance(version, tmp_path / "with.fmu", exchange=True).begin()
    numbers = [one.numbers["der(der(state[1]))"]], [one.numbers["state[1]"]], [1.0]
    sizes = () if version == 2 else (1,)
    square = -one.fmu.getDirectionalDerivative(*numbers, *sizes)[0]
    update(one)
    one.fmu.setTime(BEGIN)
    update(one)
    push = reach(one, BEGIN)
    one.fmu.freeInstance()
    w, times = np.sqrt(square), np.linspace(0.0, 0.5, 6)
    wanted = (
        push
        / square
        * (np.cos(w * np.maximum(times - END, 0.0)) - np.cos(w * np.maximum(times - BEGIN, 0.0)))
    )
    size = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-6 * size)
    if version == 2:
        other = unpacked(replace(solver, events=[]), version, tmp_path / "without.fmu")
        assert np.abs(moved(other, "ModelExchange", "state[1]") - wanted).max() > 0.1 * size
        runs = [moved(one, "CoSimulation", "state[1]") for one in (path, other)]
        np.testing.assert_array_equal(*runs)


@pytest.mark.slow
def test_a_short_turn_is_not_passed_over(tmp_path):
    """A frame that turns by 2 mrad within 2 ms: co-simulation in steps of 10 us, to its error."""
    frame = {"acceleration": "2000*(step(t, 0.1) - 2*step(t, 0.101) + step(t, 0.102))"}
    spec = spec_of(loads=[], body={"frame": frame})
    steps = round(spec.analysis.duration / 1e-5)
    shorter = spec.analysis.model_copy(update={"steps": steps, "step": None})
    solver = build_solver(spec.model_copy(update={"analysis": shorter}), "block")
    path = unpacked(solver, 3, tmp_path / "fine.fmu")
    found, fine = (moved(path, kind, "tip") for kind in ("ModelExchange", "CoSimulation"))
    np.testing.assert_allclose(found, fine, rtol=0.0, atol=1e-3 * np.abs(fine).max())
    other = unpacked(replace(solver, events=[]), 3, tmp_path / "without.fmu")
    wrong = moved(other, "ModelExchange", "tip") - fine
    assert np.abs(wrong).max() > 0.1 * np.abs(fine).max()


def moved(path: Path, kind: str, name: str) -> np.ndarray:
    """Return a variable every tenth of a second, half a second long."""
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=0.5, output_interval=0.1, output=[name],
        relative_tolerance=1e-9, record_events=False,
    )  # fmt: skip
    return np.array(found[name])


def test_kinks_of_functions():
    """Ramps at both ends, tables where they hold; none of constants; close ones are merged."""
    assert RampProfile(2.0, 0.5, 1.0, 0.25).kinks == [(0.25, 0.25), (0.75, 0.75)]
    assert RampProfile(1.0, 0.5, 1.0, 0.25).kinks == []
    assert PolynomialProfile([1.0, 2.0]).kinks == []
    times, values = np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 1.0])
    held = TableProfile(times, values, "table", hold=True)
    (before, first), (last, after) = held.kinks
    assert (first, last) == (1.0, 3.0)
    for edge, inside, outside in ((before, 0.0, -np.inf), (after, -np.inf, 0.0)):
        apart = np.nextafter(edge, inside), np.nextafter(edge, outside)
        slopes = held.derivative(np.array([edge, *apart]), 1)
        assert slopes[0] == held.derivative(1.0 if edge == before else 4.0, 1)
        assert 0.0 in slopes
        assert slopes.any()
    assert TableProfile(times, values, "table").kinks == [(1.0, 1.0), (3.0, 3.0)]
    three = 0.1 + 0.2
    assert merged([(0.5, 0.5), (three, three), (0.3, 0.3)]) == [(0.3, three), (0.5, 0.5)]
