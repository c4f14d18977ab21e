# SPDX-License-Identifier: BSD-3-Clause
"""Exported mechanisms against their runs: bodies as they are, and in shapes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from elastic_links import four_bar, slider_crank, spatial_four_bar
from exported_mechanisms import DAMPED, analysis, export, follow, probes, ran, sizes
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from marks import slow

CASES = {
    "slider-crank": (
        slider_crank("20*smooth_step(t, 0, 0.1)"), 0.1, probes("pin", "rod.xmax")
    ),
    "four-bar": (four_bar(materials=DAMPED), 0.1, probes("B", "coupler.xmax")),
    "spatial": (spatial_four_bar(), 0.02, probes("B", "coupler.xmax", "A")),
}  # fmt: skip

QUICK = {
    ("slider-crank", None, "kane"), ("four-bar", 3, "maggi"), ("four-bar", None, "lagrange"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("case", "modes", "formalism"),
    [
        pytest.param(*one, marks=() if one in QUICK else pytest.mark.slow)
        for one in (
            *product(CASES, (None, 3), ("maggi", "kane", "hamilton")),
            *product(("four-bar",), (None, 3), ("lagrange",)),
        )
    ],
)
def test_an_exported_mechanism_moves_as_its_run(case, modes, formalism, tmp_path):
    """Displacements, rates, forces of joints and the effort of the driver, to 1e-12."""
    mechanism, duration, followed = CASES[case]
    steps = 200
    data = mechanism | analysis(duration, steps, formalism=formalism) | {"probes": followed}
    if modes is not None:
        data |= {"reduction": {"modes": modes}}
    wanted = ran(data, tmp_path / "run")
    found, _ = follow(export(data, tmp_path / "library"), steps, duration / steps)
    apart = np.abs(found - wanted)[:, 1:].max(axis=0)
    size = sizes(wanted, duration / steps)
    assert size.min() > 0.0
    assert (apart / size).max() < 1e-12


@pytest.mark.parametrize("modes", [slow(None), 3])
def test_points_of_driven_links_are_told_in_space(modes, tmp_path):
    """Position, velocity and acceleration of links, rigid ones and the frame of an elastic one."""
    mechanism, duration, _ = CASES["slider-crank"]
    points = [
        {"name": "there", "link": "slider", "quantity": "position", "component": "x",
         "point": [0.01, 0, 0]},
        {"name": "fast", "link": "slider", "quantity": "velocity", "component": "x"},
        {"name": "jerky", "link": "crank", "quantity": "acceleration", "component": "magnitude",
         "point": [0.1, 0.02, 0]},
        {"name": "end", "group": "rod.xmax", "quantity": "position", "component": "x"},
        {"name": "mean", "group": "rod", "quantity": "position", "component": "x",
         "reduce": "mean"},
    ]  # fmt: skip
    data = mechanism | analysis(duration, 100) | {"probes": points}
    if modes is not None:
        data |= {"reduction": {"modes": modes}}
    wanted = ran(data, tmp_path / "run")
    found, _ = follow(export(data, tmp_path / "library"), 100, duration / 100)
    sizes_of = np.abs(wanted[:, 1:]).max(axis=0)
    assert (np.abs(found - wanted)[:, 1:].max(axis=0) / sizes_of).max() < 1e-9


def test_speeds_are_chosen_anew_on_the_way(tmp_path):
    """A crank that turns once needs other speeds: so do run and library, at the same step."""
    steps, duration = 800, 0.8
    data = four_bar(materials=DAMPED) | analysis(duration, steps)
    data |= {"probes": probes("B", "coupler.xmax")}
    wanted = ran(data, tmp_path / "run")
    library = export(data, tmp_path / "library")
    instance = library.create()
    chosen = library.solver.constants.ties.choices
    first = np.array(instance.state())[-chosen:]
    for _ in range(steps):
        assert instance.step(duration / steps) == 0
    assert np.abs(np.array(instance.state())[-chosen:] - first).max() > 0.5
    apart = np.abs(instance.get() - wanted[-1, 1:])
    assert (apart / sizes(wanted, duration / steps)).max() < 1e-12


def test_an_instance_goes_back_and_on_again(tmp_path):
    """The whole state, kept and restored, gives the same bits; another start time its motion."""
    mechanism, duration, followed = CASES["four-bar"]
    data = mechanism | analysis(duration, 200) | {"probes": followed, "reduction": {"modes": 3}}
    library = export(data, tmp_path)
    instance = library.create()
    for _ in range(50):
        assert instance.step(5e-4) == 0
    kept = instance.state()
    ends = []
    for _ in range(2):
        for length in (5e-4, 5e-4, 1e-3, 2.5e-4):  # other lengths too
            assert instance.step(length) == 0
        ends.append((instance.time, instance.get(), np.array(instance.state())))
        assert instance.restore(kept) == 0
    assert ends[0][0] == ends[1][0]
    for one, other in zip(ends[0][1:], ends[1][1:], strict=True):
        np.testing.assert_array_equal(one, other)
    assert instance.start(0.05) == 0
    assert instance.time == 0.05
    assert np.isfinite(instance.get()).all()
    assert instance.start(np.nan) != 0


def test_an_input_drives_a_mechanism(tmp_path):
    """An input that follows the driver's own motion, told step by step, moves it as the run."""
    mechanism, duration, followed = CASES["four-bar"]
    steps = 400
    common = analysis(duration, steps) | {"probes": followed}
    wanted = ran(mechanism | common, tmp_path / "run")
    told = mechanism | common
    told["drivers"] = [{"name": "motor", "joint": "A", "value": {"input": "turn", "start": 0.5}}]
    library = export(told, tmp_path / "library")
    instance = library.create()
    rate = duration / steps
    for k in range(steps):
        # Value and rates at the beginning of a step make its end, to fourth order.
        at = np.array([k * rate])
        value, first, second = (motor(at, order)[0] for order in range(3))
        assert instance.set(0, value, first, second) == 0
        assert instance.step(rate) == 0
    found = instance.get()
    np.testing.assert_allclose(found[0], wanted[-1, 1], rtol=5e-3)
    np.testing.assert_allclose(found[3], wanted[-1, 4], rtol=5e-3)


def motor(t, order):
    """Return ``0.5 + 8 smooth_step(t, 0, 0.8)`` or a rate: the quintic of the model's functions."""
    x = t / 0.8
    parts = (
        0.5 + 8 * x**3 * (10 - 15 * x + 6 * x**2),
        8 * 30 * x**2 * (1 - x) ** 2 / 0.8,
        8 * 60 * x * (1 - x) * (1 - 2 * x) / 0.8**2,
    )
    return parts[order]


def test_what_cannot_be_exported_is_said_by_its_key():
    """Joints that act."""
    spring = {"name": "spring", "joint": "B", "stiffness": 1.0}
    with pytest.raises(InputError, match=r"actuators: found"):
        build_solver(model_from_dict(four_bar() | analysis(0.1, 10) | {"actuators": [spring]}))
