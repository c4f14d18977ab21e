# SPDX-License-Identifier: BSD-3-Clause
"""The hash of a solver: whatever changes what is computed changes it, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.runtime.export import fingerprint as module
from flexforge.runtime.export.fingerprint import fingerprint
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from test_hostile import MODEL, arm


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A bar with two inputs and two probes."""
    return build_solver(model_from_dict(MODEL), "bar")


def test_every_key_of_a_model_counts(solver):
    """Inertia terms that are left out, a frame, a load, a probe, the method, the step."""
    body, load, probe = MODEL["bodies"][0], MODEL["loads"][0], MODEL["probes"][0]
    steps = MODEL["analysis"]
    changes = [
        *({"include": {key: False}} for key in ("coriolis", "euler", "centrifugal_stiffness",
          "euler_load", "centrifugal_load", "origin_load")),
        {"bodies": [body | {"frame": {"velocity": {"input": "alpha"}}}]},
        {"loads": [load | {"total": [0, 2, 0]}]},
        {"loads": [load | {"amplitude": {"input": "push", "start": 1.0}}]},
        {"probes": [probe | {"quantity": "velocity"}, MODEL["probes"][1]]},
        {"probes": [probe | {"component": "magnitude"}, MODEL["probes"][1]]},
        {"analysis": steps | {"step": 2e-3}},
        {"analysis": steps | {"method": "generalized_alpha", "rho_infinity": 0.5}},
        {"analysis": steps | {"method": "generalized_alpha", "rho_infinity": 0.6}},
        {"supports": [{"group": "xmin", "components": ["x", "y"]}]},
    ]  # fmt: skip
    built = [build_solver(model_from_dict(MODEL | one), "bar").fingerprint for one in changes]
    found = [solver.fingerprint, *built]
    assert len(set(found)) == len(found)
    assert build_solver(model_from_dict(MODEL), "bar").fingerprint == solver.fingerprint


def test_all_that_is_told_of_an_output_counts(solver):
    """Which principal stress, mean or largest, force of a joint along x or y, added loads."""
    one, *rest = solver.model.output
    changes = [{"index": 2}, {"order": 1}, {"viscosity": 1e-3}, {"mean": not one.mean},
               {"kind": "FF_MAGNITUDE"}, {"loads": np.ones((1, 2))}, {"loads": np.ones((1, 3))},
               {"places": 2}, {"rows": 2.0 * one.rows}]  # fmt: skip
    others = [
        replace(solver, model=replace(solver.model, output=(replace(one, **change), *rest)))
        for change in changes
    ]
    others += [
        replace(solver, outputs=[replace(solver.outputs[0], unit="mm"), *solver.outputs[1:]])
    ]
    found = [other.fingerprint for other in (solver, *others)]
    assert len(set(found)) == len(found)


def test_a_joint_whose_force_is_told_otherwise():
    """The same component along the axes of the joint."""
    found = arm("a", "b", "A", "B", "one", "two", "in", "too", "f", "e")
    first, *rest = found.model.output
    along = replace(first, mean=True)
    other = replace(found, model=replace(found.model, output=(along, *rest)))
    assert other.fingerprint != found.fingerprint


def test_pieces_do_not_run_into_each_other(monkeypatch):
    """Texts, shapes and types are told apart; the interface counts; what is unknown is refused."""
    pairs = [(("ab", "c"), ("a", "bc")), (np.zeros((2, 3)), np.zeros((3, 2))), (1, 1.0), (0, False),
             (["a", ["b"]], ["a", "b"]), (None, "None"), ({"a": 1}, {"b": 1})]  # fmt: skip
    for one, other in pairs:
        assert fingerprint(one) != fingerprint(other)
    before = fingerprint("one")
    monkeypatch.setattr(module, "SOLVER_ABI", module.SOLVER_ABI + 1)
    assert fingerprint("one") != before
    with pytest.raises(TypeError, match="found object in the data of a hash"):
        fingerprint(object())
