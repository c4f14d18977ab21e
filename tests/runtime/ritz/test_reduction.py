# SPDX-License-Identifier: BSD-3-Clause
"""Reduced models against full ones: with all shapes the same, with few within what is stated."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import MODELS, block
from flexforge.codegen.errors import InputError
from flexforge.runtime.analyses.modes import solve_modes
from flexforge.runtime.analyses.prestress import add_prestress
from flexforge.runtime.analyses.start import start
from flexforge.runtime.compact.free import Compact, Constants
from flexforge.runtime.initial import initial_state
from flexforge.runtime.loads import Loads
from flexforge.runtime.model import ModelSpec, model_from_dict
from flexforge.runtime.ritz.estimate import Estimate
from flexforge.runtime.ritz.reduce import reduced_basis
from flexforge.runtime.ritz.vibrations import frequencies
from models import build

AT_REST = {"initial": []}
LONGER = {"planar": {"divisions": [3, 1]}, "spatial": {"divisions": [4, 1, 1]}}


def run(spec: ModelSpec, *, whole: bool = False) -> tuple[Compact, float]:
    """Return the motion of a model at its end, and the error that is estimated on the way."""
    places = build(spec)
    add_prestress(places.system, "auto")
    loads = Loads(spec, places)
    basis = None if whole else reduced_basis(spec, places, loads)
    shapes = None if basis is None else basis.matrix
    state = initial_state(spec, places)
    motion = start(spec.analysis, places.system, loads, *state, None, shapes)
    assert isinstance(motion, Compact)
    estimate = None if basis is None else Estimate(motion, loads, basis, "auto")
    for _ in range(spec.analysis.number_of_steps):
        motion.advance()
        if estimate is not None:
            estimate.follow()
    error = estimate.figures()["error of the shapes, estimated"] if estimate is not None else 0.0
    return motion, error


def reduced(name: str, reduction: dict, **tables: object) -> ModelSpec:
    """Return a block in a moving frame with a reduction."""
    spec = block(name, 100, "newmark", **tables)
    return model_from_dict(spec.model_dump(exclude_unset=True) | {"reduction": reduction})


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_all_shapes_are_the_full_model(name, keep):
    """As many shapes as unknowns: another choice of coordinates, and the same motion."""
    spec = reduced(name, {"modes": 1000, "keep": keep})
    ours, error = run(spec)
    full, _ = run(spec, whole=True)
    assert len(ours.state[0]) == full.system.unknowns
    assert error < 1e-6
    for field in ("displacement", "velocity"):
        wanted = getattr(full, field)
        np.testing.assert_allclose(
            getattr(ours, field), wanted, rtol=0.0, atol=1e-8 * np.abs(wanted).max()
        )


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_the_error_is_of_the_size_that_is_estimated(name, keep):
    """Few shapes: displacements within three times the estimated error, which shrinks with more."""
    errors = []
    for modes in (2, 6):
        spec = reduced(name, {"modes": modes, "keep": keep}, **AT_REST, **LONGER[name])
        ours, error = run(spec)
        full, _ = run(spec, whole=True)
        apart = np.abs(ours.displacement - full.displacement).max()
        assert apart < 3.0 * error * np.abs(full.displacement).max()
        errors.append(error)
    assert errors[1] < errors[0] < 0.2


@pytest.mark.parametrize("keep", [[], ["xmax"]], ids=["modes", "kept"])
@pytest.mark.parametrize("name", MODELS)
def test_frequencies_in_a_turning_frame(name, keep):
    """The lowest four, gyroscopic and damped, within 0.1 % of those of the full model."""
    spec = reduced(name, {"modes": 14, "keep": keep})
    places = build(spec)
    add_prestress(places.system, "auto")
    loads = Loads(spec, places)
    basis = reduced_basis(spec, places, loads)
    full = solve_modes(places.system, 4, None, 0.4, "auto")
    found = frequencies(Constants(places.system, loads, basis.matrix), 4, 0.4)
    np.testing.assert_allclose(found, full.frequencies, rtol=1e-3)


def test_static_answers_carry_a_load_that_vibrations_do_not():
    """With the answers to the loads two vibrations err less than half as much as without."""
    with_them, without = (
        run(reduced("planar", {"modes": 2, "static": static}, **AT_REST))[1]
        for static in (True, False)
    )
    assert with_them < 0.5 * without


def test_keeping_every_node_is_refused():
    """Nothing would be left to reduce."""
    spec = reduced("planar", {"modes": 2, "keep": ["all"]})
    places = build(spec)
    with pytest.raises(InputError, match="found every unknown"):
        reduced_basis(spec, places, Loads(spec, places))


def test_modal_with_kept_nodes_is_refused():
    """Craig and Bampton's method alone keeps nodes."""
    with pytest.raises(InputError, match='found with method "modal"'):
        reduced("planar", {"modes": 2, "method": "modal", "keep": ["xmax"]})
