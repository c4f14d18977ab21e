# SPDX-License-Identifier: BSD-3-Clause
"""Bodies in free frames: forces are the gradient of an energy that rigid motions leave as it is."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.free_body import FreeBody
from scipy.spatial.transform import Rotation

BASE = [[0, 0], [1, 0], [1, 0.3], [0, 0.3]]
ELASTIC = {d: Combination(1.0, np.zeros((d, d)), np.zeros(0)) for d in (2, 3)}
NOTHING = {d: Combination(0.0, np.zeros((d, d)), np.zeros(0)) for d in (2, 3)}
STEP = 1e-6


def _body(dimension, **changes):
    corners = BASE if dimension == 2 else [[*p, z] for z in (0, 0.2) for p in BASE]
    cell = "quad4" if dimension == 2 else "hex8"
    body = {"name": "b", "element": cell, "material": "m", "frame": "free"} | changes
    if dimension == 2:
        body["thickness"] = 0.1
    spec = model_from_dict(
        {
            "mesh": {"block": {"cell": cell, "corners": corners,
                               "divisions": [3, 2, 2][:dimension]}},
            "materials": {"m": {"young": 1e6, "poisson": 0.3, "density": 1000}},
            "bodies": [body],
            "analysis": {"kind": "transient", "duration": 1.0, "steps": 1},
        }
    )  # fmt: skip
    return build_system(spec, build_mesh(spec)).system.bodies[0]


@pytest.fixture(params=[2, 3], ids=["plane", "space"])
def moved(request):
    """Return a body, coordinates far from the undeformed ones, and a turn."""
    d = request.param
    body, rng = _body(d), np.random.default_rng(d)
    assert isinstance(body, FreeBody)
    turn = Rotation.from_rotvec([0.4, -0.7, 1.1] if d == 3 else [0, 0, 2.1]).as_matrix()[:d, :d]
    deformed = body.points + 0.01 * rng.normal(size=body.points.shape)
    return body, deformed @ turn.T + rng.normal(size=d) - body.points, turn, rng


def _forces(body, u):
    d = body.dimension
    return body.inner(ELASTIC[d], NOTHING[d], u, np.zeros_like(u), np.zeros_like(u))


def test_forces_are_the_gradient_of_the_energy(moved):
    body, u, _, rng = moved
    along = rng.normal(size=u.shape)
    energy = [body.energies(u + s * STEP * along, 0 * u)[1] for s in (1, -1)]
    slope = (energy[0] - energy[1]) / (2 * STEP)
    assert (_forces(body, u) * along).sum() == pytest.approx(slope, rel=1e-8)


def test_the_change_of_forces_is_their_derivative(moved):
    """Far from the undeformed state, with the turn of the frame; linear in the changes."""
    body, u, _, rng = moved
    d, rest = body.dimension, np.zeros_like(u)
    along = rng.normal(size=u.shape)
    differences = [_forces(body, u + s * STEP * along) / (2 * STEP) for s in (1, -1)]
    change = body.change(ELASTIC[d], NOTHING[d], u, rest)(along, rest)
    size = np.abs(change).max()
    assert change == pytest.approx(differences[0] - differences[1], abs=1e-7 * size)
    without = body.turned(body.attitude(u).turn).blocks(ELASTIC[d]) @ along.ravel()
    assert np.abs(without.reshape(u.shape) - change).max() > 1e-3 * size


def test_rigid_motions_change_nothing(moved):
    """The energy stays, the forces turn, their sum and moment vanish."""
    body, u, turn, rng = moved
    x = body.points + u
    again = x @ turn.T + rng.normal(size=body.dimension) - body.points
    energies = body.energies(again, 0 * u)[1], body.energies(u, 0 * u)[1]
    assert energies[0] == pytest.approx(energies[1], rel=1e-10)
    force = _forces(body, u)
    assert _forces(body, again) == pytest.approx(force @ turn.T, abs=1e-8 * np.abs(force).max())
    assert force.sum(axis=0) == pytest.approx(0.0, abs=1e-11 * np.abs(force).max())
    arms = body._in_space(x)
    moment = np.cross(arms, body._in_space(force)).sum(axis=0)
    assert moment == pytest.approx(0.0, abs=1e-10 * np.abs(force).max())


def test_the_frame_satisfies_buckens_condition(moved):
    """int rho d = 0, int rho X x d = 0 about the centre; undeformed bodies turn with R."""
    body, u, turn, _ = moved
    d = body.relative(u)
    mean = body.moments[:, 0] @ d
    assert mean == pytest.approx(0.0, abs=1e-12)
    centred = body.points - body.first_moment / body.total_mass
    weights = body._in_space(body.mass_times(centred))
    assert np.cross(weights, body._in_space(d)).sum(axis=0) == pytest.approx(0.0, abs=1e-13)
    rigid = body.points @ turn.T - body.points
    assert body.relative(rigid) == pytest.approx(0.0, abs=1e-13)
    assert body.attitude(rigid).turn[: len(turn), : len(turn)] == pytest.approx(turn, abs=1e-13)


def test_rates_of_the_frame_are_derivatives(moved):
    """d', w, v_O, e and a_O against central differences along a motion with acceleration."""
    body, u, _, rng = moved
    v, a = rng.normal(size=u.shape), rng.normal(size=u.shape)

    def at(t):
        return u + t * v + 0.5 * t * t * a, v + t * a

    (before, slower), (after, faster) = at(-STEP), at(STEP)
    rate = (body.relative(after) - body.relative(before)) / (2 * STEP)
    assert body.relative_rate(u, v) == pytest.approx(rate, abs=1e-8)
    now = body.frame(0.0, u, v, a)
    one, other = body.frame(0.0, before, slower, a), body.frame(0.0, after, faster, a)
    spin = now.R.T @ (other.R - one.R) / (2 * STEP)
    assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx(now.w, abs=1e-8)
    assert (other.w - one.w) / (2 * STEP) == pytest.approx(now.e, abs=1e-8)
    assert (other.r_O - one.r_O) / (2 * STEP) == pytest.approx(now.R @ now.v_O, abs=1e-8)
    change = (other.R @ other.v_O - one.R @ one.v_O) / (2 * STEP)
    assert change == pytest.approx(now.R @ now.a_O, abs=1e-8)


def test_damping_does_not_resist_rigid_motions(moved):
    """Rates relative to the frame alone: a rigid velocity is free of it, others lose power."""
    body, u, _, rng = moved
    d = body.dimension
    viscous = Combination(0.3, 0.2 * np.eye(d), np.zeros(0))
    x, w = body._in_space(body.points + u), np.array([0.3, -0.2, 0.9])
    w[: 3 - d + 0] = 0.0 if d == 2 else w[: 3 - d + 0]
    if d == 2:
        w[:2] = 0.0
    rigid = (np.cross(w, x) + [0.4, 0.1, 0.0])[:, :d]
    still, zero = _forces(body, u), np.zeros_like(u)
    moving = body.inner(ELASTIC[d], viscous, u, rigid, zero)
    assert moving == pytest.approx(still, abs=1e-9 * np.abs(still).max())
    v = rng.normal(size=u.shape)
    lost = ((body.inner(ELASTIC[d], viscous, u, v, zero) - still) * v).sum()
    assert lost > 0


def test_matrices_turn_with_the_body(moved):
    """``R k R^T``; masses stay."""
    body, u, turn, rng = moved
    d, x = body.dimension, rng.normal(size=u.shape)
    turned = body.turned(body.attitude(body.points @ turn.T - body.points).turn)
    found = (turned.matrix(ELASTIC[d]) @ x.ravel()).reshape(x.shape)
    assert found == pytest.approx(body.apply(ELASTIC[d], x @ turn) @ turn.T, rel=1e-9, abs=1e-7)
    mass = Combination(0.0, np.eye(d), np.zeros(0))
    assert abs(turned.matrix(mass) - body.matrix(mass)).max() < 1e-12


def test_bodies_that_have_no_free_frame():
    spec = model_from_dict(
        {
            "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [2]}},
            "materials": {"m": {"young": 1e6, "poisson": 0.3, "density": 1000}},
            "bodies": [{"name": "rod", "element": "bar2_plane", "material": "m",
                        "section": {"area": 1e-3}, "frame": "free"}],
            "analysis": {"kind": "transient", "duration": 1.0, "steps": 1},
        }
    )  # fmt: skip
    with pytest.raises(
        InputError, match="body 'rod': found a free frame with element 'bar2_plane'"
    ):
        build_system(spec, build_mesh(spec))
