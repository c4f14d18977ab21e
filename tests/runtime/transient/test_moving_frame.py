# SPDX-License-Identifier: BSD-3-Clause
"""physics.md section 4 on assembled systems: identity, structure, total mass and inertia."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.inertia import pattern_inverse, prestress_patterns, skew, spin
from flexforge.runtime.system.loads import Loads
from models import ALL, DISTORTED, PLANE, build, model

TUMBLING = {
    "velocity": ["3 + sin(5*t)", "2*cos(3*t)", "1 - t**2"],
    "origin": {"position": ["0.3*sin(4*t)", "t**2", "0.1*cos(2*t)"]},
}
SPINNING = {"angle": "2*t + 1.5*t**2", "origin": {"position": ["sin(t)", "0.5*t**2", 0]}}


def moving(cell: str):
    """Return a block in a frame that moves in every way it can."""
    plane = cell in PLANE
    tables = {} if plane else {"corners": DISTORTED}
    places_model = model(cell, body={"frame": SPINNING if plane else TUMBLING}, **tables)
    return places_model, build(places_model)


@pytest.mark.parametrize("cell", ALL)
def test_uniform_motion_in_inertial_space_needs_no_force(cell: str) -> None:
    """physics.md 4.1: nodes that move uniformly make the inertia side vanish, to 1e-11 relative.

    d = R^T (X0 + V t - r_O) - x; its derivatives in the frame follow by the chain rule with R' = R
    w~ and R'' = R (e~ + w~ w~).
    """
    spec, places = moving(cell)
    system, body = places.system, places.system.bodies[0]
    rng = np.random.default_rng(3)
    start, speed = rng.standard_normal((2, *body.part.points.shape))
    if system.dimension == 2:
        start[:, 2] = speed[:, 2] = 0.0
    t = 0.7
    frame = body.motion.at(t)
    w, turn = skew(frame.w), skew(frame.e) + skew(frame.w) @ skew(frame.w)
    # y = R^T (X - r_O): y' = -w~ y + R^T X' - v_O, y'' from a = R^T X'' = 0 in the moving frame.
    y = (start + speed * t - frame.r_O) @ frame.R
    rate = speed @ frame.R - frame.v_O - y @ w.T
    second = -frame.a_O - y @ turn.T - 2.0 * rate @ w.T
    d, v, a = (z[:, : system.dimension] for z in (y - body.part.points, rate, second))
    (blocks,) = system.spins(t)
    none = np.zeros(len(body.patterns))
    terms = [
        system.mass_times(a),
        system.apply([Combination(0.0, blocks.coriolis, none)], v),
        system.apply([Combination(0.0, blocks.stiffness, none)], d),
        -Loads(spec, places).at(t, [blocks]),
    ]
    size = max(np.abs(term).max() for term in terms)
    assert np.abs(sum(terms)).max() <= 1e-11 * size


@pytest.mark.parametrize("cell", ALL)
def test_rigid_motions_see_mass_and_inertia(cell: str) -> None:
    """physics.md 4.3: translations see the total mass, rotations the inertia (exact integrals)."""
    plane = cell in PLANE
    places = build(model(cell))
    system, body = places.system, places.system.bodies[0]
    volume = 0.1 if plane else 1.0
    assert body.total_mass == pytest.approx(7800 * volume, rel=1e-13)
    ones = np.ones((system.size, system.dimension))
    assert np.allclose(system.mass_times(ones).sum(axis=0), 7800 * volume, rtol=1e-13)
    x = body.points
    turned = np.column_stack([-x[:, 1], x[:, 0], np.zeros(len(x))])[:, : system.dimension]
    polar = float(np.sum(turned * system.mass_times(turned)))
    assert polar == pytest.approx(7800 * volume * 2 / 3, rel=1e-12)  # int x^2 + y^2 of a unit block


def test_structure_of_the_blocks() -> None:
    """physics.md 4.3: Coriolis and Euler blocks skew, the centrifugal one symmetric and <= 0."""
    rng = np.random.default_rng(4)
    w, e = rng.standard_normal((2, 3))
    zero = np.zeros(3)
    frame = FrameState(w, e, zero, zero, np.eye(3), zero)
    patterns = prestress_patterns(None)
    blocks = spin(frame, IncludeSpec(), pattern_inverse(patterns), 3)
    only_euler = spin(frame, IncludeSpec(centrifugal_stiffness=False), pattern_inverse(patterns), 3)
    only_softening = spin(frame, IncludeSpec(euler=False), pattern_inverse(patterns), 3)
    assert np.allclose(blocks.coriolis, -blocks.coriolis.T, atol=0)
    assert np.allclose(only_euler.stiffness, -only_euler.stiffness.T, atol=0)
    assert np.allclose(only_softening.stiffness, only_softening.stiffness.T, atol=1e-15)
    assert np.linalg.eigvalsh(only_softening.stiffness).max() <= 1e-14
    assert np.allclose(only_euler.stiffness + only_softening.stiffness, blocks.stiffness)
    assert np.allclose(blocks.coriolis, 2 * skew(w), atol=0)


@pytest.mark.parametrize("axis", [None, np.array([1.0, 2.0, -2.0])])
def test_patterns_combine_to_the_centrifugal_block(axis: np.ndarray | None) -> None:
    """``w~ w~`` is the stated combination of the unit patterns, also for a w of any direction."""
    w = np.array([0.3, -1.2, 2.0]) if axis is None else 1.7 * axis
    zero = np.zeros(3)
    frame = FrameState(w, zero, zero, zero, np.eye(3), zero)
    patterns = prestress_patterns(axis)
    factors = spin(frame, IncludeSpec(), pattern_inverse(patterns), 3).prestress
    combined = np.tensordot(factors, patterns, axes=1)
    assert np.allclose(combined, skew(w) @ skew(w), rtol=1e-13)


def test_each_term_can_be_left_out() -> None:
    """[include] removes exactly the term it names."""
    zero, w, e = np.zeros(3), np.array([0.0, 0.0, 2.0]), np.array([0.0, 0.0, 3.0])
    frame = FrameState(w, e, zero, zero, np.eye(3), zero)
    none = np.zeros((9, 0))
    full = spin(frame, IncludeSpec(), none, 2)
    assert (full.coriolis == 2 * skew(w)[:2, :2]).all()
    assert not spin(frame, IncludeSpec(coriolis=False), none, 2).coriolis.any()
    left = spin(frame, IncludeSpec(euler=False, centrifugal_load=False), none, 2)
    assert (left.stiffness == -4.0 * np.eye(2)).all()
    assert (left.load == skew(e)[:2, :2]).all()
