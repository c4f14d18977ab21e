# SPDX-License-Identifier: BSD-3-Clause
"""FMUs of rotors on magnetic bearings: transfer functions as states of the unit.

Steps of small models are in C, exported or not. What their FMUs are compared with shares none of
it: the steps in Python, and states of the functions by `scipy.signal` under other integrators.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from fmus import Instance, unpacked
from marks import slow
from rotor_equations import Array
from shafts import SOFT, Tables, histories, probes, tables, unbalance
from test_transfer_functions import (
    ACROSS,
    ENDS,
    FULL,
    LAWS,
    PD,
    PID,
    SEAL,
    STRICT,
    hub,
    shaken,
    whole,
)

STEP, STEPS = 1e-3, 20
#: Loads of `shaken`.
PUSHES = [{"kind": "force", "group": "hub", "total": [30, 0, 0], "amplitude": "sin(200*t)"},
          {"kind": "force", "group": "hub", "total": [0, 20, 0]}]  # fmt: skip


def unit(data: Tables, version: int, folder: Path) -> Path:
    """Return the path of the unpacked FMU of a model."""
    return unpacked(build_solver(model_from_dict(data, folder=folder)), version, folder / "m.fmu")


def rotor_on_magnets(**changes: Any) -> Tables:
    """Return a shaft on a coupled magnet and a plain one, with a seal between it and a stator.

    The stator is a mass on springs.
    """
    rotor = replace(SOFT, carriers=[40.0], bearings=[replace(ENDS[2], node=1, carrier=3)])
    data = tables(
        rotor, 120.0,
        loads=[unbalance(1, 1e-3, 0.4)], probes=probes(0, 1),
        analysis={"kind": "transient", "step": STEP, "duration": STEPS * STEP},
    )  # fmt: skip
    data = whole(data, LAWS)
    places = [{"at": "#0"}, {"at": "#2"}, {"between": ["#1", "mass3"]}, {"at": "mass3"}]
    for one, place in zip(data["connectors"], places, strict=True):
        for key in ("at", "between"):
            one.pop(key, None)
        one |= place
    return data | changes


@pytest.mark.parametrize("version", [slow(2), 3])
def test_the_fmu_of_a_rotor_on_magnets_is_its_run(
    version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Co-simulation: outputs are those of steps in Python to 1e-9.

    Half of it is done once more from a state that was written to bytes: internal displacements
    are in it.
    """
    data = rotor_on_magnets()
    one = Instance(version, unit(data, version, tmp_path)).begin()
    found = [one.outputs()]
    for i in range(STEPS):
        if i == STEPS // 2:
            kept = one.write(one.keep())
        one.step(i * STEP, STEP)
        found.append(one.outputs())
    one.restore(one.read(kept))
    for i in range(STEPS // 2, STEPS):
        one.step(i * STEP, STEP)
    np.testing.assert_array_equal(one.outputs(), found[-1])
    one.fmu.freeInstance()
    wanted = in_python(data, tmp_path, monkeypatch)
    largest = np.abs(wanted).max(axis=0)
    assert largest.min() > 0.0
    assert (np.abs(np.array(found) - wanted).max(axis=0) <= 1e-9 * largest).all()


def in_python(data: Tables, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Array:
    """Return the probes of a run by steps in Python, whose equations are solved to round-off."""
    data["analysis"]["tolerance"] = 1e-13
    monkeypatch.setattr("flexforge.runtime.start.is_small", lambda _: False)
    return histories(data, folder / "python")[:, 1:]


@pytest.mark.parametrize(
    "law",
    [{"transfer": {"xx": PD, "xy": ACROSS}}, {"stiffness": [[1e6, 2e5], [0.0, 1e6]]}],
    ids=["function", "stiffness"],
)  # fmt: skip
def test_small_models_are_pushed_from_one_side(
    law: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A law in which x feels y and y does not feel x: steps in C are those in Python.

    Their matrix has entries without a partner across the diagonal; sparse factors have to have
    places for both.
    """
    data = tables(
        replace(SOFT, bearings=[replace(ENDS[2], node=1, carrier=3)], carriers=[40.0]), 60.0,
        loads=[unbalance(1, 1e-3, 0.4)], probes=probes(0, 1),
        analysis={"kind": "transient", "step": STEP, "duration": STEPS * STEP},
    )  # fmt: skip
    ends = ("#0", "#2", "mass3")
    data["connectors"] = [
        {"name": f"at {at[-1]}", "kind": "bearing", "at": at, "orientation": [1, 0, 0]} | law
        for at in ends
    ]
    found = histories(data, tmp_path / "c")[:, 1:]
    wanted = in_python(data, tmp_path, monkeypatch)
    assert (np.abs(found - wanted).max(axis=0) <= 1e-10 * np.abs(wanted).max(axis=0)).all()


@pytest.mark.parametrize(
    "law", [STRICT, slow({"xx": PID, "yy": PD})], ids=["coupled", "integrator"]
)
def test_the_states_of_an_fmu_are_those_of_the_functions(law: Tables, tmp_path: Path) -> None:
    """Model exchange by CVODE: the motion of states by SciPy, to what CVODE is asked for."""
    data = hub(
        law, initial=[{"group": "hub", "velocity": [0.05, 0.02, 0.0]}], loads=PUSHES,
        analysis={"kind": "transient", "step": STEP, "duration": STEPS * STEP},
    )  # fmt: skip
    path = unit(data, 3, tmp_path)
    found = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=STEPS * STEP, output_interval=STEP,
        relative_tolerance=1e-10,
    )  # fmt: skip
    moved: Array = np.column_stack([found["x"], found["y"]])
    expected = shaken(np.asarray(found["time"]), law, np.array([0.05, 0.02]))
    assert np.abs(moved - expected).max() < 1e-6 * np.abs(expected).max()


def test_an_input_pushes_a_mass_on_a_magnet(tmp_path: Path) -> None:
    """A constant push that is set from outside ends in ``u = G(0)^-1 f`` of the coupled law."""
    push = {"kind": "force", "group": "hub", "total": [3e2, 4e2, 0], "amplitude": {"input": "push"}}
    stable = FULL | {"yy": SEAL}
    data = hub(stable, loads=[push],
               analysis={"kind": "transient", "step": STEP, "duration": 1.0})  # fmt: skip
    one = Instance(3, unit(data, 3, tmp_path)).begin(push=2.0)
    for i in range(6000):
        one.step(i * STEP, STEP)
    values = {place: law["numerator"][-1] / law["denominator"][-1] for place, law in stable.items()}
    g = np.array([[values["xx"], values["xy"]], [values["yx"], values["yy"]]])
    assert one.outputs() == pytest.approx(np.linalg.solve(g, [6e2, 8e2]), rel=1e-9)
    one.fmu.freeInstance()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"analysis": {"kind": "transient", "method": "gauss4", "step": STEP, "duration": 0.1}},
         "analysis.method: found gauss4; expected generalized_alpha, newmark"),
        ({"reduction": {"modes": 2}}, "connectors[0].transfer: found with reduction; expected it"),
    ],
)  # fmt: skip
def test_what_is_not_exported(changes: Tables, told: str, tmp_path: Path) -> None:
    """Methods and reductions that exports of transfer functions do not have, each by its key."""
    transient = {"analysis": {"kind": "transient", "step": STEP, "duration": 0.1}}
    with pytest.raises(InputError) as caught:
        build_solver(model_from_dict(hub(PD, **(transient | changes)), folder=tmp_path))
    assert str(caught.value).startswith(told)
