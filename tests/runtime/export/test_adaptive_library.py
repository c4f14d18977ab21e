# SPDX-License-Identifier: BSD-3-Clause
"""Steps that adapt in a C library: between times that it is told, and with inputs."""

from __future__ import annotations

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from fmus import Instance, unpacked

END, STEPS, PUSHED = 0.6, 12, 0.25
RATE = np.sqrt(400.0)


def probe(name, quantity, **where):
    """Return the table of a probe."""
    return {"name": name, "quantity": quantity, **where}


def model():
    """Return a mass on a spring that a sudden force hits at 0.25 s, and a pendulum with a motor."""
    return {
        "planar": True,
        "links": [
            {"name": "mass", "mass": 1.0, "inertia": [1.0]},
            {"name": "rod", "mass": 1.0, "inertia": [1 / 12], "centre": [0.5, 0, 0]},
        ],
        "joints": [
            {"name": "rail", "kind": "prismatic", "links": ["ground", "mass"], "axis": [1, 0, 0]},
            {"name": "pin", "kind": "revolute", "links": ["ground", "rod"], "at": [0, 0, 0]},
        ],
        "actuators": [
            {"name": "s", "joint": "rail", "stiffness": 400.0, "force": f"10*step(t, {PUSHED})"},
            {"name": "motor", "joint": "pin", "force": {"input": "torque", "start": 0.0}},
        ],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}],
        "analysis": {"kind": "transient", "duration": END, "steps": STEPS, "accuracy": 1e-7},
        "probes": [
            probe("place", "coordinate", joint="rail"), probe("push", "acceleration", joint="rail"),
            probe("angle", "coordinate", joint="pin"), probe("turn", "acceleration", joint="pin"),
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The model, compiled."""
    solver = build_solver(model_from_dict(model()), "adapting")
    folder = write(library_files(solver), tmp_path_factory.mktemp("adapting"))
    return Library(compile_shared(folder, "adapting"), solver)


def pushed(t):
    """Return place and acceleration of the mass: F/k (1 - cos), F/m cos."""
    after = RATE * np.maximum(t - PUSHED, 0.0)
    on = np.where(t >= PUSHED - 1e-12, 10.0, 0.0)
    return np.array([(1.0 - np.cos(after)) / 40.0, on * np.cos(after)])


def test_a_library_moves_as_the_run_does(library, tmp_path):
    """To the accuracy of the motion, as steps end at the times that it is told; a push at one."""
    outcome = run_model(model_from_dict(model()), output=tmp_path)
    wanted = np.array([one.values for one in outcome.probes.values()])
    times, instance = np.linspace(0.0, END, STEPS + 1), library.create()
    found = [instance.get()]
    for time in times[1:]:
        assert instance.advance(time) == 0
        found.append(instance.get())
    taken, refused, shortest, longest = paced(instance)
    assert abs(taken - outcome.figures["steps"]) <= STEPS
    assert refused < 0.2 * taken
    assert 0.0 < shortest < longest <= END / 50 * (1.0 + 1e-12)
    found = np.transpose(found)
    sizes = np.abs(wanted).max(axis=1)
    assert (
        np.abs(found - wanted).max(axis=1) < [1e-3 * sizes[0], 2e-3 * sizes[1], 5e-4, 5e-3]
    ).all()
    assert (np.abs(found[:2] - pushed(times)).max(axis=1) < [1e-4, 4e-2]).all()
    assert (np.abs(wanted[:2] - pushed(times)).max(axis=1) < [1e-4, 4e-2]).all()
    assert not found[0][times < PUSHED].any()


def test_one_long_way_is_many_short_ones(library):
    """Steps of the accuracy, whatever the times: those asked for cost no digits."""
    instance, other, third = (library.create() for _ in range(3))
    assert instance.advance(END) == 0
    for _ in range(200):
        assert other.step(END / 200) == 0
    assert third.step(END) == 0
    assert np.array_equal(instance.get(), third.get())
    assert (np.abs(other.get() - instance.get()) < [1e-4, 4e-2, 5e-4, 5e-3]).all()


def paced(instance):
    """Return numbers of steps taken and refused, and the least and most length."""
    return list(instance.state())[-4:]


def test_kinks_and_short_ways_cost_no_steps(library):
    """No step crosses 0.25 s, which would be refused; after a way of 1 ns steps are as before."""
    straight, halting = library.create(), library.create()
    assert straight.advance(END) == 0
    for time in (0.4, 0.4 + 1e-9, END):
        assert halting.advance(time) == 0
    taken, refused, shortest, _ = paced(straight)
    assert refused <= 6
    assert shortest > 5e-4  # 3e-4 s is what a step across it could be: (1e-7 / (0.086 * 10))^(1/2)
    assert paced(halting)[0] <= taken + 4


def test_an_input_acts_from_when_it_is_told(library):
    """No step has gone beyond: a torque of 2 N m on 1/3 kg m^2, at once."""
    instance = library.create()
    assert instance.advance(0.1) == 0
    before = instance.get()
    assert instance.set(0, 2.0) == 0 and instance.call("settle") == 0
    after = instance.get()
    assert np.array_equal(after[[0, 2]], before[[0, 2]])
    assert after[3] - before[3] == pytest.approx(6.0, rel=1e-9)


def test_a_state_is_kept_and_gone_on_from(library):
    """The length of the next step is a part of it: the same steps to the same bits."""
    instance, other = library.create(), library.create()
    instance.advance(0.3)
    kept = instance.state()
    instance.advance(0.5)
    assert other.call("set_state", kept) == 0
    other.advance(0.5)
    assert np.array_equal(instance.get(), other.get())


def test_what_cannot_be_is_told(library):
    """Times that have passed, and lengths that are none."""
    instance = library.create()
    assert instance.advance(0.1) == 0
    for code in (instance.advance(0.05), instance.step(-1.0), instance.step(0.0)):
        assert code == 3
    assert instance.advance(float("nan")) == 3
    assert "accuracy" in library_files(library.solver)["include/adapting.h"]


@pytest.mark.slow
@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_moves_as_the_library_does(library, version, tmp_path):
    """Steps of a master, the lengths of which change, with a torque that is told in between."""
    path = unpacked(library.solver, version, tmp_path / "adapting.fmu")
    instance, native, time = Instance(version, path).begin(), library.create(), 0.0
    for k in range(1, 13):
        torque, length = np.sin(k), 0.01 * k
        instance.set("torque", torque)
        native.set(0, torque)
        native.call("settle")
        instance.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)
        time += length
        assert native.advance(time) == 0
    np.testing.assert_allclose(instance.outputs(), native.get(), rtol=1e-8)
