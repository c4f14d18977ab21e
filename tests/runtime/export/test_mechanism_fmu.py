# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms as FMUs: by their own steps, by another integrator, driven by an input, locked."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
import pytest
from elastic_links import four_bar
from exported import Library, compile_shared, write
from exported_mechanisms import DAMPED, analysis, probes, ran, sizes
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from fmpy.validation import validate_fmu
from fmus import Instance, unpacked

STEPS, END = 200, 0.1
H = END / STEPS
PROBES = probes("B", "coupler.xmax")
NAMES = [probe["name"] for probe in PROBES]
#: The turning crank, and the rocker turned by what it is told: it reaches from 1.671 to 2.498 rad,
#: where crank and coupler are in line, 0.9 and 0.5 m long together (law of cosines in A, C, D).
MOVING = four_bar(materials=DAMPED) | analysis(END, STEPS)
MOVING |= {"probes": PROBES, "reduction": {"modes": 3}}
TOLD = four_bar(materials=DAMPED) | analysis(END, STEPS)
TOLD |= {"probes": PROBES, "reduction": {"modes": 1}}
TOLD["drivers"] = [{"name": "motor", "joint": "D", "value": {"input": "turn", "start": 2.1}}]
LOCKED = float(np.arccos((0.5**2 - 0.8**2 - 0.5**2) / (2 * 0.8 * 0.5)))
WORDS = "the mechanism locks, or the requested time is too far away"


@pytest.fixture(scope="module")
def solvers() -> dict[str, Solver]:
    """Both mechanisms, in shapes."""
    return {
        name: build_solver(model_from_dict(data), name)
        for name, data in (("moving", MOVING), ("told", TOLD))
    }


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def moving(request, solvers, tmp_path_factory) -> tuple[int, Path]:
    """An FMU of the mechanism whose driver is a function of time."""
    path = tmp_path_factory.mktemp("moving") / "moving.fmu"
    return request.param, unpacked(solvers["moving"], request.param, path)


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def told(request, solvers, tmp_path_factory) -> tuple[int, Path]:
    """An FMU of the mechanism whose driver is an input."""
    path = tmp_path_factory.mktemp("told") / "told.fmu"
    return request.param, unpacked(solvers["told"], request.param, path)


def simulated(made: tuple[int, Path], kind: str, interval: float, **more: float) -> np.ndarray:
    """Return time and outputs of a simulation by FMPy, a row an interval."""
    found = fmpy.simulate_fmu(
        str(made[1]),
        fmi_type=kind,
        stop_time=END,
        output_interval=interval,
        output=NAMES,
        **more,
    )
    return np.array([list(row) for row in found])


def test_it_follows_the_standard(moving):
    """FMPy's validation finds nothing; displacements and forces have their units."""
    assert validate_fmu(str(moving[1])) == []
    variables = fmpy.read_model_description(str(moving[1])).modelVariables
    units = {one.name: one.unit for one in variables}
    assert [units[name] for name in ("x", "fast", "pull", "own")] == ["m", "m/s", "N", "N"]


def test_an_input_that_drives_follows_the_standard(told):
    """The same, and what drives has units of an angle and its rate."""
    assert validate_fmu(str(told[1])) == []
    variables = fmpy.read_model_description(str(told[1])).modelVariables
    units = {one.name: one.unit for one in variables}
    assert [units[name] for name in ("turn", "der(turn)")] == ["rad", "rad/s"]


def test_the_run_is_that_of_flexforge(moving, tmp_path):
    """Co-simulation in the steps of the model: displacements, rates and forces to 1e-12."""
    wanted = ran(MOVING, tmp_path)
    found = simulated(moving, "CoSimulation", H)
    apart = np.abs(found - wanted)[:, 1:].max(axis=0)
    assert (apart / sizes(wanted, H)).max() < 1e-12


def test_model_exchange_by_another_integrator(moving):
    """FMPy's CVode, whose error falls with its tolerance, against co-simulation extrapolated.

    Steps of co-simulation are of second order: from h and h/2 their limit is known to fourth, and
    how well from the next two; CVode at 1e-9 must be as near.
    """
    coarse, fine, finest = (simulated(moving, "CoSimulation", h)[-1] for h in (H / 2, H / 4, H / 8))
    limit = (4.0 * finest - fine) / 3.0
    size = sizes(simulated(moving, "CoSimulation", H / 2), H / 2)
    known = np.abs(limit - (4.0 * fine - coarse) / 3.0)[1:] / size
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        found = simulated(moving, "ModelExchange", END / 20, relative_tolerance=tolerance)[-1]
        errors.append(np.abs(found - limit)[1:] / size)
    assert (known < 2e-7).all()
    assert (errors[0] > errors[2]).all()
    assert (errors[2] < 2e-7).all()


def test_states_that_joints_do_not_allow_become_allowed(moving, solvers):
    """Moved by hand, whatever is read first: the same state, on which J q and its rate vanish."""
    one = Instance(*moving, exchange=True).begin()
    n = solvers["moving"].size
    start = one.keep()
    states = [f"state[{i + 1}]" for i in range(n)]
    rates = [f"der({name})" for name in states]
    seconds = [f"der({name})" for name in rates]
    first = one.get(*states, *rates)
    moved = first + 1e-4 * np.random.default_rng(7).standard_normal(2 * n)
    orders = ((states, rates, seconds), (seconds, states, rates), (rates, seconds, states))
    found = []
    for order in orders:
        one.restore(start)
        for name, value in zip(states + rates, moved, strict=True):
            one.set(name, value)
        values = dict(zip(sum(order, []), one.get(*sum(order, [])), strict=True))
        found.append([values[name] for name in states + rates + seconds] + [*one.outputs()])
    assert found[0] == found[1] == found[2]
    allowed = np.array(found[0][: 2 * n])
    assert np.abs(allowed - moved).max() > 1e-6
    # What is allowed stays as it is, to round-off of the largest velocity.
    for name, value in zip(states + rates, allowed, strict=True):
        one.set(name, value)
    again = one.get(*states, *rates)
    np.testing.assert_allclose(again, allowed, rtol=0, atol=1e-13 * np.abs(allowed).max())
    one.fmu.freeInstance()


def test_directional_derivatives_are_those_of_differences(told, solvers):
    """Of states, accelerations, forces of joints and efforts, after some steps: over 1e-4."""
    one = Instance(*told).begin()
    for i in range(40):
        one.set("turn", 2.1 + 0.2 * np.sin(20 * i * H))
        one.step(i * H, H)
    n = solvers["told"].size
    known = [f"state[{n}]", f"der(state[{n // 2}])", "der(der(turn))", "turn"]
    unknown = [f"der(der(state[{k}]))" for k in range(1, n + 1)] + ["x", "push", "effort"]
    start = one.keep()
    at = one.get(*known)
    wanted, found = [], []
    for seed in (*np.eye(4), np.array([1.0, 0.5, 0.0, 0.0])):
        sides = []
        for sign in (1.0, -1.0):
            one.restore(start)
            for name, value, part in zip(known, at, seed, strict=True):
                if part:
                    one.set(name, value + sign * part * 1e-4)
            sides.append(one.get(*unknown))
        one.restore(start)
        wanted.append((sides[0] - sides[1]) / 2e-4)
        found.append(one.slope(unknown, known, [*seed]))
    # Of every unknown the largest: differences have round-off, and squares of changes of the angle.
    apart = np.abs(np.array(found) - wanted).max(axis=0)
    size = np.abs(wanted).max(axis=0)
    assert (size > 0.0).sum() > 0.6 * len(size)  # a bearing holds some at zero
    assert (apart <= 1e-6 * size).all()
    one.fmu.freeInstance()


def test_a_state_is_taken_up_again(told):
    """Written to bytes, read, gone on from, time and again: every bit, position of links too."""
    one = Instance(*told).begin()
    for i in range(20):
        one.set("turn", 2.1 + 0.01 * i)
        one.step(i * H, H)
    data, found = one.write(one.keep()), []
    for _ in range(2):
        for i in range(20, 30):
            one.set("turn", 2.3 - 0.02 * (i - 20))
            one.step(i * H, H)
        found.append((one.outputs().tobytes(), one.write(one.keep())))
        one.restore(one.read(data))
        assert one.write(one.keep()) == data
    assert found[0] == found[1]
    one.fmu.freeInstance()


@pytest.mark.parametrize("count", [2, 100])
def test_instances_do_not_disturb_each_other(told, count):
    """Stepped in turns, each told something else, every one moves as it does alone."""

    def driven(k: int) -> Instance:
        return Instance(*told).begin(**{"turn": 2.1 + 0.003 * k, "der(turn)": 1.0})

    together = [driven(k) for k in range(count)]
    for i in range(3):
        for one in together:
            one.step(i * H, H)
    for k in (0, count // 2, count - 1):
        alone = driven(k)
        for i in range(3):
            alone.step(i * H, H)
        np.testing.assert_array_equal(together[k].outputs(), alone.outputs())
        alone.fmu.freeInstance()
    for one in together:
        one.fmu.freeInstance()


def test_an_input_drives_it_as_the_library(told, solvers, tmp_path):
    """A turn told step by step: the library, settled after every setting, does the same."""
    solver = solvers["told"]
    write(library_files(solver), tmp_path)
    other = Library(compile_shared(tmp_path, solver.name), solver).create()
    one = Instance(*told).begin()
    rows = []
    for i in range(100):
        values = (
            2.1 + 0.3 * np.sin(20 * i * H),
            6.0 * np.cos(20 * i * H),
            -120 * np.sin(20 * i * H),
        )
        for name, value in zip(("turn", "der(turn)", "der(der(turn))"), values, strict=True):
            one.set(name, value)
        one.step(i * H, H)
        assert other.set(0, *values) == 0
        assert other.call("settle") == 0
        assert other.step(H) == 0
        rows.append((other.get(), one.outputs()))
    wanted, found = np.array(rows).swapaxes(0, 1)
    size = sizes(np.column_stack([np.zeros(100), wanted]), H)
    # The links are where they close to round-off, from another start; a hundred steps add theirs.
    assert (np.abs(found - wanted).max(axis=0) / size).max() < 1e-11
    one.fmu.freeInstance()


@pytest.mark.parametrize("exchange", [False, True], ids=["co-simulation", "exchange"])
def test_a_mechanism_that_locks_says_so(told, exchange, capfd):
    """Told to turn beyond its reach: the error in words, and the state of before; then back."""
    one = Instance(*told, exchange=exchange, logging=True).begin(turn=LOCKED - 0.05)
    names = ["turn", "state[1]", "der(state[1])"]
    before = one.get(*names)
    one.set("turn", LOCKED + 0.01)
    for _ in range(2):
        with pytest.raises(Exception, match=r"status 2 \(discard\)"):
            if exchange:
                one.get("der(der(state[1]))")
            else:
                one.step(0.0, H)
        said = capfd.readouterr()
        assert WORDS in said.out + said.err
    one.set("turn", LOCKED - 0.05)
    np.testing.assert_array_equal(one.get(*names), before)
    if not exchange:
        one.step(0.0, H)
        assert np.isfinite(one.outputs()).all()
    one.fmu.freeInstance()


def test_a_beginning_that_is_none(told):
    """Told to begin beyond its reach: an error, which no smaller step could mend."""
    with pytest.raises(Exception, match=r"status 3 \(error\)"):
        Instance(*told).begin(turn=LOCKED + 0.01)


def test_a_lock_within_a_step_leaves_it_where_it_came_to(told):
    """A turn that reaches its end within ten steps: the last of them that could be taken."""
    one = Instance(*told).begin(**{"turn": LOCKED - 0.05, "der(turn)": 0.05 / (5.5 * H)})
    with pytest.raises(Exception, match=r"status 2 \(discard\)"):
        one.step(0.0, 10 * H)
    if told[0] == 3:
        assert one.get("time")[0] == pytest.approx(5 * H)
    else:
        assert one.fmu.getRealStatus(2) == pytest.approx(5 * H)
    assert np.isfinite(one.outputs()).all()
    one.fmu.freeInstance()


def test_the_same_model_gives_the_same_bytes(solvers, moving):
    """Written twice, every source and the description; none names a folder of this machine."""
    version, path = moving
    again = build_solver(model_from_dict(MOVING), "moving")
    for write_it in (lambda one: fmu(one, version, []), library_files):
        assert write_it(again) == write_it(solvers["moving"])
    folders = [str(folder).encode() for folder in (Path(__file__).parents[3], path.parent)]
    for file in path.with_suffix("").rglob("*"):
        if file.is_file():
            assert not any(folder in file.read_bytes() for folder in folders), file
