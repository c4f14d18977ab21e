# SPDX-License-Identifier: BSD-3-Clause
"""Diagonal masses: what they keep, what they cost in frequency, and runs with them."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import MODELS, block
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.assemble import assemble_vector
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.start import start
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.stability import system_matrices
from models import ALL, DISTORTED, PLANE, build, model, stressed
from scipy.linalg import eigvalsh

LUMPED = {
    "kind": "transient", "duration": 0.5, "steps": 4000, "method": "central_difference",
    "mass": "lumped",
}  # fmt: skip


@pytest.mark.parametrize("cell", ALL)
def test_masses_are_positive_and_sum_to_the_mass(cell):
    """In a distorted block: the mass of the consistent matrix to round-off, each node above zero.

    Gravity and the acceleration of a frame act on the same masses; a product has no neighbours.
    """
    corners = [p[:2] for p in DISTORTED[:4]] if cell in PLANE else DISTORTED
    body = build(model(cell, corners=corners, analysis=LUMPED)).system.bodies[0]
    whole = build(model(cell, corners=corners)).system.bodies[0]
    masses = body.mass_diagonal()[:, 0]
    assert masses.min() > 0.0
    assert masses.sum() == pytest.approx(whole.total_mass, rel=1e-13)
    np.testing.assert_allclose(body.translation_load(np.eye(body.dimension)[0])[:, 0], masses)
    x = np.random.default_rng(3).standard_normal((len(masses), body.dimension))
    np.testing.assert_allclose(body.mass_times(x), masses[:, None] * x, rtol=1e-14)
    load = body.inertia_load(np.eye(body.dimension))
    np.testing.assert_allclose(load, masses[:, None] * body.points, rtol=1e-14, atol=1e-12)


@pytest.mark.parametrize("cell", ["tri6", "quad4", "tet4"])
def test_masses_are_those_of_the_kernel(cell):
    """The sum over the elements of ``lumped_mass`` of flexforge's compiler, to 1e-13."""
    corners = [p[:2] for p in DISTORTED[:4]] if cell in PLANE else DISTORTED
    body = build(model(cell, corners=corners, analysis=LUMPED)).system.bodies[0]
    kernel = kernels_of(body.element, ["lumped_mass"])["lumped_mass"]
    expected = assemble_vector(kernel, body.graph.cells, body.points, body.values)[:, 0]
    np.testing.assert_allclose(body.mass_diagonal()[:, 0], expected, rtol=1e-13)


@pytest.mark.parametrize("mass", ["lumped", "consistent"])
def test_frequencies_of_a_bar(mass):
    """A bar held at one end, of n elements without contraction: closed forms of its vibrations.

    With k = pi / (2 L) and c^2 = E / rho, w = (2 c / h) sin(k h / 2) of diagonal masses and
    (2 c / h) sqrt(3) sin / sqrt(2 + cos(k h)) of consistent ones (Hughes, The Finite Element
    Method, section 9.1.3): an error of -(k h)^2 / 24 and +(k h)^2 / 24.
    """
    young, density, length, n = 3e6, 1200.0, 2.0, 8
    spec = model(
        "quad4", [n, 1], corners=[[0, 0], [length, 0], [length, 0.1], [0, 0.1]],
        materials={"steel": {"young": young, "poisson": 0.0, "density": density}},
        supports=[{"group": "xmin"}, {"group": "ymin", "components": ["y"]},
                  {"group": "ymax", "components": ["y"]}],
        analysis=LUMPED | {"mass": mass},
    )  # fmt: skip
    system = build(spec).system
    nothing = np.zeros((2, 2))
    stiffness, masses = (
        system.matrix([Combination(k, m, np.zeros(0))]).toarray()
        for k, m in ((1.0, nothing), (0.0, np.eye(2)))
    )
    # Both rows of nodes move alike in the lowest vibration.
    found = np.sqrt(eigvalsh(stiffness, masses)[0])
    c, h, k = np.sqrt(young / density), length / n, 0.5 * np.pi / length
    closed = 2.0 * c / h * np.sin(0.5 * k * h)
    if mass == "consistent":
        closed *= np.sqrt(3.0 / (2.0 + np.cos(k * h)))
    assert found == pytest.approx(closed, rel=1e-10)
    sign = -1.0 if mass == "lumped" else 1.0
    assert found / (c * k) - 1.0 == pytest.approx(sign * (k * h) ** 2 / 24.0, rel=0.01)


@pytest.mark.parametrize("name", MODELS)
def test_both_ways_take_the_same_steps(name):
    """Band matrices of C and products over the graph, diagonal masses in every term; 1e-11."""
    spec = block(name, 4000, analysis=LUMPED)
    places = stressed(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    ours = start(spec.analysis, places.system, loads, *state)
    assert isinstance(ours.stepper, NativeSteps)
    general = start(spec.analysis, places.system, loads, *state, native=False)
    assert general.counts.factorizations == 0
    for _ in range(300):
        ours.advance()
        general.advance()
    for field in ("displacement", "velocity", "acceleration"):
        wanted = getattr(general, field)
        np.testing.assert_allclose(
            getattr(ours, field), wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max()
        )


def test_steps_may_be_longer():
    """The highest frequency of a block is lower than with consistent masses."""
    both = []
    for mass in ("lumped", "consistent"):
        spec = model("hex8", supports=[{"group": "xmin"}], analysis=LUMPED | {"mass": mass})
        system = build(spec).system
        acting = next(system_matrices(system, MassFactors(system, "auto"))(np.zeros(1)))
        both.append(acting.largest(0.0, 1.0)[0])
    assert np.sqrt(both[0]) < 0.8 * np.sqrt(both[1])


def test_what_has_none_is_refused():
    """Another method, and a beam: one line each."""
    with pytest.raises(InputError, match=r"analysis.mass: found lumped with method newmark; exp"):
        model("hex8", analysis=LUMPED | {"method": "newmark"})
    spec = model(
        "line2", corners=[[0, 0], [1, 0]], divisions=[2], analysis=LUMPED,
        body={"element": "euler_beam_plane",
              "section": {"shape": "rectangle", "width": 0.1, "height": 0.1}},
    )  # fmt: skip
    with pytest.raises(InputError, match=r"lumped with body 'block' of euler_beam_plane; expected"):
        build(spec)
