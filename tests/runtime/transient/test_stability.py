# SPDX-License-Identifier: BSD-3-Clause
"""The longest stable steps: against closed forms, and the matrices of steps as they are taken."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from blocks import SOFT, UNDAMPED, block
from elastic_links import slider_crank
from flexforge.codegen.errors import InputError
from flexforge.runtime._native import Instance
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.native.build import build_model
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.tables.memory import InMemory
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import (
    ActingMatrices,
    limit_of,
    reduced_matrices,
    require_stable,
    require_stable_steps,
    system_matrices,
)
from models import build, stressed
from numpy.typing import NDArray
from scipy.linalg import eigvalsh
from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

EXPLICIT = Scheme(0.0, 0.0, 0.0, 0.5, explicit=True)
FAST = {"axis": [0, 0, 1], "velocity": 3.0}
STEEL = {"steel": {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}}


def prepared(spec: ModelSpec) -> tuple[Constants, Loads]:
    """Return the constants of a model, prestressed, and its loads."""
    places = stressed(spec)
    loads = Loads(spec, places)
    return Constants(places.system, loads), loads


def radius(constants: Constants, scheme: Scheme, step: float) -> float:
    """Return the spectral radius of what a step of the C code does to (4, n) numbers."""
    instance = Instance(InMemory(build_model(constants, scheme, step)))
    n, still = constants.size, np.empty(instance.width)
    assert instance.begin(0.0, np.zeros(n), np.zeros(n), still) == 0
    numbers = np.r_[: 2 * n, instance.second : instance.second + 2 * n]

    def taken(values: Floats) -> Floats:
        row, out = still.copy(), np.empty((1, instance.width))
        row[numbers] = values
        instance.set(row)
        assert instance.run(step, np.array([step]), out) == (1, 0)
        return out[0, numbers]

    forced = taken(np.zeros(4 * n))  # what the frame's forces do
    columns = np.array([taken(unit) - forced for unit in np.eye(4 * n)])
    return float(np.abs(np.linalg.eigvals(columns.T)).max())


def require(constants: Constants, scheme: Scheme, step: float, duration: float) -> None:
    """Refuse a step that is not stable."""
    require_stable_steps(scheme, step, duration, constants.system, "auto")


def longest(message: str) -> float:
    """Return the step that a message says is stable."""
    found = re.search(r"expected less than (\S+) s", message)
    assert found
    return float(found[1])


def spinning(material: dict[str, Any], **tables: Any) -> ModelSpec:
    """Return a soft planar block that turns steadily, with nothing but its own matrices."""
    bodies = {"body": {"frame": FAST}, "materials": {"steel": material}, "loads": []}
    return block("planar", 100, "central_difference", **(bodies | tables))


@pytest.mark.parametrize("ratio", [0.0, 0.1, 1.0, 8.0])
def test_one_vibration(ratio):
    """Routh and Hurwitz: central differences (2/w)(sqrt(1 + 4 xi^2) - 2 xi), which is 2/w undamped.

    Newmark's method by Hughes, The Finite Element Method (1987), eq. 9.1.19 for gamma >= 1/2.
    """
    w = 30.0

    def diagonal(value: float):
        return lambda x: value * x

    acting = ActingMatrices(
        1, diagonal(2.0), diagonal(4.0 * ratio * w), diagonal(2.0 * w * w), diagonal(0.5)
    )
    found = limit_of(EXPLICIT, 10.0, acting)
    closed = 2.0 / w * (np.sqrt(1.0 + 4.0 * ratio**2) - 2.0 * ratio)
    assert found is not None
    assert found.step == pytest.approx(closed, rel=2e-3)
    assert (found.frequency, found.damping) == pytest.approx((w, ratio))
    assert limit_of(EXPLICIT, 0.999 * closed, acting) is None
    for beta, gamma in ((0.0, 0.5), (0.1, 0.5), (0.25, 0.7)):
        part, open_ = ratio * (gamma - 0.5), 0.5 * gamma - beta
        hughes = (part + np.sqrt(open_ + part**2)) / open_ / w
        found = limit_of(Scheme(0.0, 0.0, beta, gamma), 10.0, acting)
        assert found is not None
        assert found.step == pytest.approx(hughes, rel=2e-3)
    assert Scheme(0.0, 0.0, 0.3, 0.6).limit[1] <= 0.0


@pytest.mark.parametrize(
    ("scheme", "material"),
    [
        (EXPLICIT, SOFT),
        (EXPLICIT, UNDAMPED),
        (EXPLICIT, UNDAMPED | {"damping": {"alpha": 30.0}}),
        (Scheme(0.0, 0.0, 0.1, 0.5), SOFT),
        (Scheme(0.0, 0.0, 0.1, 0.7), SOFT),
        (Scheme(0.0, 0.0, 0.0, 0.5), UNDAMPED),
    ],
)
def test_the_spectral_radius_passes_one_at_the_limit(scheme, material):
    """Of the matrix of a step, made of steps of units, in a turning frame: all motions at once."""
    constants, _ = prepared(spinning(material))
    with pytest.raises(InputError, match="the longest step that is stable") as refused:
        require(constants, scheme, 1.0 if not scheme.explicit else 0.1, 1.0)
    step = longest(str(refused.value))
    require(constants, scheme, 0.998 * step, 1.0)
    assert radius(constants, scheme, 0.998 * step) < 1.0 + 1e-9
    # A method with numerical damping has a limit that Coriolis forces may raise.
    assert radius(constants, scheme, (1.004 if scheme.gamma == 0.5 else 1.05) * step) > 1.0 + 1e-4


def test_coriolis_forces_feed_no_energy():
    """Of a block that turns undamped: with velocities v + h a its vibrations grow at any step.

    By 2 w h sin^3(omega h / 2) / cos(omega h / 2) a step, of first order in w: physics.md 10.
    """
    constants, _ = prepared(spinning(UNDAMPED, include={"geometric": False}))
    step = 0.02 / 6.0
    assert abs(radius(constants, EXPLICIT, step) - 1.0) < 1e-9
    constants.matrices.skew[:] = 0
    assert radius(constants, EXPLICIT, step) > 1.0 + 1e-4


def test_dampers_shrink_the_limit():
    """A mass of 2 kg on bushings of 800 N/m: connectors' damping counts as the material's does."""
    steps = []
    for damping in (0.0, 60.0):
        spec = model_from_dict({
            "mesh": {"points": {"tip": [0.3, 0.1, 0.0]}},
            "masses": [{"name": "tip", "group": "tip", "mass": 2.0, "frame": FAST}],
            "connectors": [{"kind": "bushing", "name": "pad", "at": "tip",
                            "stiffness": [800.0, 800.0, 800.0], "damping": [damping] * 3}],
            "analysis": {"kind": "transient", "duration": 1.0, "steps": 1000,
                         "method": "central_difference"},
        })  # fmt: skip
        constants, _ = prepared(spec)
        with pytest.raises(InputError) as refused:
            require(constants, EXPLICIT, 0.15, 1.0)
        steps.append(longest(str(refused.value)))
        assert radius(constants, EXPLICIT, 0.998 * steps[-1]) < 1.0 + 1e-9
        assert radius(constants, EXPLICIT, 1.003 * steps[-1]) > 1.0 + 1e-4
    # Along the axis, where nothing softens: w = 20 rad/s, 2 xi w = 30 1/s.
    closed = 2.0 / 20.0 * (np.sqrt(1.0 + 4.0 * 0.75**2) - 2.0 * 0.75)
    assert steps == pytest.approx([0.1, closed], rel=2e-3)


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_the_largest_eigenvalue_of_many_unknowns(name, monkeypatch):
    """Lanczos' method from matrix products: not below LAPACK's largest, nor 0.2 % above."""
    constants, _ = prepared(block(name, 100, "central_difference"))
    system = constants.system
    acting = next(system_matrices(system, MassFactors(system, "auto"))(np.array([0.3])))
    mass, damping, stiffness = acting._whole
    exact = eigvalsh(1e-2 * damping + 1e-4 * stiffness, mass)[-1]
    monkeypatch.setattr("flexforge.runtime.transient.stability._DENSE", 5)
    assert exact <= acting.largest(1e-2, 1e-4)[0] < 1.002 * exact
    # Those of all shapes are the same in other coordinates: here in the same.
    shapes = Shapes(np.eye(system.unknowns), csr_matrix((0, system.unknowns)))
    other = next(reduced_matrices(system, shapes)(np.array([0.3])))
    x = np.random.default_rng(1).standard_normal(system.unknowns)
    for one, two in ((acting.stiffness, other.stiffness), (acting.damping, other.damping)):
        np.testing.assert_allclose(one(x), two(x), atol=1e-12 * np.abs(one(x)).max())
    np.testing.assert_allclose(acting.solve_mass(acting.mass(x)), x, atol=1e-10)


def test_a_spin_up_is_judged_at_its_end():
    """Stretched by rotation a rod vibrates faster: the limit is that of the fastest turn."""
    ramp = {"axis": [0, 0, 1], "velocity": {"ramp": {"to": 6.0, "duration": 0.1}}}
    still = {"axis": [0, 0, 1], "velocity": 0.0}
    steps = []
    for frame in (ramp, still):
        constants, _ = prepared(spinning(UNDAMPED | {"young": 4e3}, body={"frame": frame}))
        with pytest.raises(InputError) as refused:
            require(constants, EXPLICIT, 0.08, 0.2)
        steps.append(longest(str(refused.value)))
    assert steps[0] < 0.98 * steps[1]


def cube(**tables: Any) -> ModelSpec:
    """Return a cube of steel under a sudden pressure."""
    analysis = {"kind": "transient", "duration": 1e-3, "steps": 1000,
                "method": "central_difference"} | tables.pop("analysis", {})  # fmt: skip
    return model_from_dict(
        {
            "mesh": {
                "block": {
                    "cell": "hex8",
                    "divisions": tables.pop("divisions", [2, 2, 2]),
                    "corners": [
                        [x, y, z]
                        for z in (0, 0.1)
                        for x, y in ((0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1))
                    ],
                }
            },
            "materials": {"steel": STEEL["steel"] | tables.pop("steel", {})},
            "bodies": [{"name": "cube", "cells": "all", "element": "hex8", "material": "steel"}],
            "supports": [{"group": "xmin"}],
            "loads": [{"kind": "pressure", "group": "xmax", "value": 1e6}],
            "analysis": analysis,
        }
        | tables
    )


def test_damping_in_proportion_to_the_stiffness_is_refused_in_runs_and_exports():
    """A cube of steel with beta = 1e-3 s in steps of 1 us: its limit is near 1 / (beta w^2)."""
    spec = cube(steel={"damping": {"beta": 1e-3}})
    places = build(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    refused = "analysis.step: found 1e-06 s with central_difference; expected less than .* ratio"
    with pytest.raises(InputError, match=refused) as run:
        start(spec.analysis, places.system, loads, *state)
    with pytest.raises(InputError, match=refused) as export:
        build_solver(spec, "cube")
    assert str(run.value) == str(export.value)
    masses = MassFactors(places.system, "auto")
    acting = system_matrices(places.system, masses)
    with pytest.raises(InputError, match=refused) as swept:
        require_stable(EXPLICIT, 1e-6, 1e-3, places.system, acting)
    assert longest(str(swept.value)) == pytest.approx(longest(str(run.value)), rel=2e-3)
    lowest = eigvalsh(*(next(acting(np.zeros(1)))._whole[i] for i in (2, 0)))[-1]
    assert longest(str(run.value)) == pytest.approx(1.0 / (1e-3 * lowest), rel=0.01)


def test_a_frame_that_turns_too_far_in_a_step_is_refused():
    """Coriolis forces are centred by corrections of the angle of a step."""
    constants, _ = prepared(spinning({"young": 4.0, "poisson": 0.3, "density": 1000.0}))
    with pytest.raises(InputError, match=r"rotates by 0\.6 rad per step; expected less than 0\.16"):
        require(constants, EXPLICIT, 0.2, 1.0)


@pytest.mark.parametrize("folded", [False, True])
def test_newmark_below_its_unconditional_limit(folded):
    """A cube of steel with beta = 0.1, gamma = 1/2 in steps of 10 us: 1 / sqrt(gamma/2 - beta) / w.

    Folded in shapes as well, where the highest of few frequencies is lower, and in exports.
    """
    given = {"method": "newmark", "beta": 0.1, "gamma": 0.5, "duration": 1e-2}
    tables = {"reduction": {"modes": 3}} if folded else {}
    spec = cube(analysis=given | {"steps": 100 if folded else 1000}, **tables)
    with pytest.raises(InputError, match="with newmark; expected less than") as refused:
        build_solver(spec, "cube")
    step = longest(str(refused.value))
    frequency = re.search(r"highest frequency (\S+) rad/s", str(refused.value))
    assert frequency
    assert step == pytest.approx(1.0 / np.sqrt(0.15) / float(frequency[1]), rel=2e-3)
    if folded:
        assert step > 5e-6
    build_solver(cube(analysis=given | {"step": 0.99 * step, "steps": None}, **tables), "cube")


def test_large_systems_are_judged_alike(monkeypatch):
    """Without a band matrix: the limits of Newmark's method and of central differences."""
    said = []
    for given in ({"method": "newmark", "beta": 0.1, "gamma": 0.5}, {"steps": 10}):
        spec = cube(analysis=given | {"duration": 1e-2})
        places = build(spec)
        loads, state = Loads(spec, places), initial_state(spec, places)
        for small in (True, False):
            monkeypatch.setattr("flexforge.runtime.start.is_small", lambda _, small=small: small)
            with pytest.raises(InputError, match="expected less than") as refused:
                start(spec.analysis, places.system, loads, *state)
            said.append(str(refused.value))
    assert said[0] == said[1]
    assert said[2] == said[3]


def test_newmark_that_no_step_is_stable_with():
    """A gamma below one half grows at every step; bodies on joints need 2 beta >= gamma."""
    given = {"method": "newmark", "beta": 0.25, "gamma": 0.2}
    with pytest.raises(InputError, match=r"analysis\.gamma: found 0\.2; expected Newmark's gamma"):
        cube(analysis=given)
    tied = slider_crank(10.0) | {"analysis": {
        "kind": "transient", "duration": 0.1, "steps": 10, "method": "newmark", "beta": 0.2,
    }}  # fmt: skip
    with pytest.raises(InputError, match=r"analysis\.beta: found 0\.2 with links or constraints"):
        model_from_dict(tied)
