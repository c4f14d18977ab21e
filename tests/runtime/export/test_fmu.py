# SPDX-License-Identifier: BSD-3-Clause
"""FMUs of both versions of the standard, checked and simulated by FMPy."""

from __future__ import annotations

import ctypes
from pathlib import Path

import fmpy
import numpy as np
import pytest
from blocks import block
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.export.variables import variables
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu
from fmus import Instance, quick_fmu, unpacked
from marks import slow

PROBES = [
    {"name": "tip y", "point": [0.6, 0.25, 0], "component": "y"},
    {"name": "root stress", "group": "xmin", "component": "von_mises", "quantity": "stress"},
    {"name": "push", "group": "xmax", "component": "x", "quantity": "acceleration",
     "reduce": "mean"},
]  # fmt: skip
LOADS = [
    {"kind": "gravity", "acceleration": [0.5, -2.0, 0]},
    {"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0],
     "amplitude": {"input": "pull", "start": 0.5}},
]  # fmt: skip
FRAME = {"frame": {"velocity": {"input": "speed", "start": 3.0}}}
STEPS = 40


def spec_of(**tables: object) -> ModelSpec:
    """Return a planar block that is turned and pulled by inputs, in a few shapes."""
    spec = block("planar", STEPS, "newmark", body=FRAME, loads=LOADS, probes=PROBES,
                 output={"formats": ["csv"]}, initial=[])  # fmt: skip
    given = {"title": "a block <&\"'> \\ %s", "reduction": {"modes": 3}} | tables
    return model_from_dict(spec.model_dump(exclude_unset=True, by_alias=True) | given)


@pytest.fixture(scope="module")
def solver() -> Solver:
    """The solver of that block."""
    return build_solver(spec_of(), "block")


@pytest.fixture(scope="module", params=[slow(2), 3])
def made(request, solver, tmp_path_factory) -> tuple[int, Path]:
    """An FMU of a version."""
    return request.param, unpacked(
        solver, request.param, tmp_path_factory.mktemp("fmu") / "block.fmu"
    )


def test_it_follows_the_standard(made):
    """FMPy's validation finds nothing, titles and names of a user among it."""
    version, path = made
    assert validate_fmu(str(path)) == []
    description = fmpy.read_model_description(str(path), validate=True)
    assert description.modelName == "a block <&\"'> \\ %s"
    units = {one.name: one.unit for one in description.modelVariables}
    assert units["speed"] == "rad/s"
    assert units["der(speed)"] == "rad/s^2"
    assert units["root stress"] == "Pa"
    assert units["tip y"] == "m"


def test_the_run_is_that_of_flexforge(made, tmp_path):
    """Co-simulation with the inputs a model starts with: outputs of 40 steps to 1e-12."""
    spec = spec_of()
    run_model(spec, output=tmp_path)
    wanted = np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1)[:, 1:]
    one, h = Instance(*made).begin(), spec.analysis.step_size
    found = [one.outputs()]
    for i in range(STEPS):
        one.step(i * h, h)
        found.append(one.outputs())
    one.fmu.freeInstance()
    size = np.abs(wanted).max(axis=0)
    np.testing.assert_array_less(np.abs(np.array(found) - wanted).max(axis=0), 1e-12 * size)


def test_communication_steps_vary(made):
    """Steps of 1, 2.5 and 0.5 times that of the model: near those of the model, and in time."""
    h = spec_of().analysis.step_size
    even, uneven = Instance(*made).begin(), Instance(*made).begin()
    for i in range(STEPS):
        even.step(i * h, h)
    time = 0.0
    while time < (STEPS - 0.5) * h:
        for part in (1.0, 2.5, 0.5):
            uneven.step(time, part * h)
            time += part * h
    np.testing.assert_allclose(uneven.get("tip y"), even.get("tip y"), rtol=2e-2)
    for one in (even, uneven):
        one.fmu.freeInstance()


def test_a_state_is_taken_up_again(made):
    """Kept, written to bytes and read again: the instance goes on as it did."""
    one, h = Instance(*made).begin(pull=2.0), 0.01
    one.step(0.0, h)
    data = one.write(one.keep())
    one.set("pull", -3.0)
    one.step(h, h)
    first = one.outputs()
    one.restore(one.read(data))
    np.testing.assert_array_equal(one.get("pull"), [2.0])
    one.set("pull", -3.0)
    one.step(h, h)
    np.testing.assert_array_equal(one.outputs(), first)
    one.fmu.freeInstance()


@pytest.mark.parametrize("version", [slow(2), 3])
def test_a_step_taken_back_is_the_same_step(version, tmp_path):
    """Of a scheme with numerical damping, whose accelerations balance nothing: every bit."""
    analysis = {"kind": "transient", "duration": 0.5, "steps": STEPS, "rho_infinity": 0.5,
                "method": "generalized_alpha"}  # fmt: skip
    path = unpacked(
        build_solver(spec_of(analysis=analysis), "block"), version, tmp_path / "block.fmu"
    )
    one, h = Instance(version, path).begin(), 0.0125
    for i in range(5):
        one.step(i * h, h)
    state = one.keep()
    found = []
    for _ in range(2):
        for i in range(5, 10):
            one.step(i * h, h)
        found.append(one.outputs())
        one.restore(state)
    np.testing.assert_array_equal(found[0], found[1])
    one.fmu.freeInstance()


def test_a_hundred_instances_do_not_disturb_each_other(made):
    """Stepped in turns with a force each, every one moves as it does alone."""
    h, count = 0.01, 100
    together = [Instance(*made).begin(pull=0.1 * k) for k in range(count)]
    for i in range(5):
        for one in together:
            one.step(i * h, h)
    for k in (0, 37, 99):
        alone = Instance(*made).begin(pull=0.1 * k)
        for i in range(5):
            alone.step(i * h, h)
        np.testing.assert_array_equal(together[k].outputs(), alone.outputs())
        alone.fmu.freeInstance()
    for one in together:
        one.fmu.freeInstance()


def test_model_exchange_by_another_integrator(made):
    """FMPy's CVode at 1e-9 against co-simulation in steps of 1e-4 s: to their error, 1e-6."""
    path, end = str(made[1]), 0.2
    found = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=end, output_interval=end / 20,
        relative_tolerance=1e-9, output=["tip y"],
    )  # fmt: skip
    fine = fmpy.simulate_fmu(
        path, fmi_type="CoSimulation", stop_time=end, output_interval=1e-4, output=["tip y"]
    )
    assert found["tip y"][-1] == pytest.approx(fine["tip y"][-1], rel=1e-6)


def test_model_exchange_by_what_the_description_says(made):
    """FMPy by tolerance and nominal values of the FMU, 2.6 mm in 0.05 s: to 2e-6 of them.

    With nominal values of 1 m and its tolerance, 1e-5, it is 2e-4 away.
    """
    path, end = str(made[1]), 0.05
    start = {"pull": 1e-4, "speed": 0.0}
    description = fmpy.read_model_description(path)
    nominals = {
        one.name: float(one.nominal)
        for one in description.modelVariables
        if one.nominal is not None
    }
    one = Instance(*made, exchange=True)
    told = (ctypes.c_double * len(nominals))()
    one.fmu.getNominalsOfContinuousStates(told, len(nominals))
    states = [f"state[{i + 1}]" for i in range(len(nominals) // 2)]
    assert [*told] == [nominals[name] for name in (*states, *(f"der({name})" for name in states))]
    one.fmu.freeInstance()
    found, fine = (
        fmpy.simulate_fmu(
            path,
            fmi_type=kind,
            stop_time=end,
            output_interval=interval,
            start_values=start,
            output=["tip y"],
        )["tip y"][-1]
        for kind, interval in (("ModelExchange", end / 20), ("CoSimulation", 1e-4))
    )
    assert found == pytest.approx(fine, rel=2e-6)


def test_what_is_no_number_is_refused(made):
    """States of an integrator gone astray, outputs of them: discarded; and all goes on."""
    one = Instance(*made, exchange=True).begin()
    names = [name for name in one.numbers if name.startswith(("state", "der(state"))]
    before = one.get(*names)
    count = 2 * sum(name.startswith("state") for name in names)
    astray = (ctypes.c_double * count)(*([np.nan] * count))
    with pytest.raises(Exception, match=r"status 2 \(discard\)"):
        one.fmu.setContinuousStates(astray, count)
    np.testing.assert_array_equal(one.get(*names), before)
    one.set("state[1]", 1e306)
    with pytest.raises(Exception, match=r"status 2 \(discard\)"):
        one.get("root stress")
    one.set("state[1]", before[names.index("state[1]")])
    np.testing.assert_array_equal(one.get(*names), before)
    one.fmu.freeInstance()


def test_bytes_of_another_model_are_refused(made):
    """Of another fingerprint, of another length, and with numbers that are none."""
    one = Instance(*made).begin()
    data = one.write(one.keep())
    for wrong in (bytes([data[0] ^ 1]) + data[1:], data[:-1]):
        with pytest.raises(Exception, match=r"status 3 \(error\)"):
            one.read(wrong)
    damaged = one.read(data[:-8] + np.array([np.inf]).tobytes())
    with pytest.raises(Exception, match=r"status 3 \(error\)"):
        one.restore(damaged)
    one.restore(one.read(data))
    one.fmu.freeInstance()


def test_an_input_goes_on_by_its_slope(made):
    """Told 3 rad/s and 2 rad/s^2: 3.2 rad/s after 0.1 s, about which derivatives are taken."""
    one = Instance(*made).begin(**{"speed": 3.0, "der(speed)": 2.0})
    for i in range(10):
        one.step(0.01 * i, 0.01)
    assert one.get("speed", "der(speed)") == pytest.approx([3.2, 2.0], rel=1e-12)
    unknown = ["der(der(state[1]))", "push"]
    early = one.slope(unknown, ["speed"], [1.0])
    one.set("speed", 3.2)
    np.testing.assert_allclose(one.slope(unknown, ["speed"], [1.0]), early, rtol=1e-6)
    one.fmu.freeInstance()


def test_it_logs_when_it_is_asked_to(made, capfd):
    """Nothing without logging, nothing of categories that it has not, else the words."""
    said = []
    one = Instance(*made).begin()
    for on, categories in ((None, []), (True, ["logAll"]), (True, ["logStatusError"]), (False, [])):
        if on is not None:
            one.fmu.setDebugLogging(on, categories)
        with pytest.raises(Exception, match=r"status 3 \(error\)"):
            one.set("tip y", 1.0)
        caught = capfd.readouterr()
        said.append("an argument is not finite" in caught.out + caught.err)
    assert said == [False, False, True, False]
    one.fmu.freeInstance()


def test_directional_derivatives_are_those_of_differences(made):
    """Of accelerations and outputs, in directions of states and inputs: differences over 1e-3."""
    one = Instance(*made, exchange=True).begin(pull=2.0)
    known = ["state[1]", "der(state[2])", "pull", "speed", "der(speed)"]
    unknown = ["der(der(state[1]))", "der(der(state[2]))", "tip y", "push"]
    start = one.get(*known)
    for k, name in enumerate(known):
        seed = [float(i == k) for i in range(len(known))]
        found = one.slope(unknown, known, seed)
        sides = []
        for sign in (1.0, -1.0):
            one.set(name, start[k] + sign * 1e-3)
            sides.append(one.get(*unknown))
        one.set(name, start[k])
        wanted = (sides[0] - sides[1]) / 2e-3
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8 * np.abs(wanted).max())
    one.fmu.freeInstance()


def test_another_guid_is_refused(made):
    """An FMU is not taken for another one."""
    one = Instance(*made)
    one.fmu.freeInstance()
    version, path = made
    description = fmpy.read_model_description(str(path))
    kind = FMU2Slave if version == 2 else FMU3Slave
    other = kind(
        guid="{another}",
        unzipDirectory=str(path.with_suffix("")),
        modelIdentifier=description.coSimulation.modelIdentifier,
    )
    with pytest.raises(Exception, match="[Ii]nstantiate"):
        other.instantiate()


def test_start_at_another_time(made):
    """From t = 0.25 s: the loads of then, the initial state of the model."""
    one = Instance(*made).begin(0.25)
    one.step(0.25, 0.01)
    if made[0] == 3:
        assert one.get("time")[0] == pytest.approx(0.26)
    assert np.isfinite(one.outputs()).all()
    one.fmu.freeInstance()


def test_the_same_model_gives_the_same_bytes(solver, made):
    """Built twice, every byte is the same, the binary's too."""
    version, path = made
    assert quick_fmu(build_solver(spec_of(), "block"), version) == path.read_bytes()


def test_two_variables_of_one_name_are_refused():
    """An input named like a probe: FMUs need distinct names."""
    loads = [LOADS[0], LOADS[1] | {"amplitude": {"input": "tip y"}}]
    with pytest.raises(InputError, match="'tip y': found two variables with this name"):
        variables(build_solver(spec_of(loads=loads)))
