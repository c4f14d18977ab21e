# SPDX-License-Identifier: BSD-3-Clause
"""Equations of nodes that follow points: derivatives along increments, and motions that keep them.

Derivatives are compared with differences of third order of what they are derivatives of, at states
that are far from the undeformed one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.curved.aligned import Plane, Straight
from flexforge.runtime.system.curved.family import Family
from flexforge.runtime.system.curved.follow import Follow, Turned
from flexforge.runtime.system.curved.mean_rotation import MeanRotation
from flexforge.runtime.system.curved.pattern import BestTurn, Mean
from flexforge.runtime.system.curved.rows import CurvedRows
from flexforge.runtime.system.rotation_vectors import composed, matrices

RNG = np.random.default_rng(7)
POINTS = RNG.uniform(-1.0, 1.0, (6, 3))
FLAT = POINTS * [1.0, 1.0, 0.0]
LINE = np.array([0.2, -0.4, 0.1]) + np.array([0.0, 1.0, 0.4, -0.3, 2.0, 0.7])[:, None] * [1, 2, -2]
NODES = np.arange(6)
#: Vectors: the nodes, the displacements of two points, their rotations, and an expansion.
COUNT, BASES, TURNS, STRAIN = 11, np.array([6, 7]), np.array([8, 9]), 10
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


def families(d: int) -> dict[str, Callable[[], Family]]:
    """Return an instance of every kind in d dimensions, with arms that are not small."""
    arms, owners = POINTS[:, :d], np.array([0, 0, 1, 1, 0, 1])
    stretched = RNG.uniform(-1.0, 1.0, (6, 2, d))
    strains = STRAIN * d + np.array([[0, 1], [1, 0]])
    found: dict[str, Callable[[], Family]] = {
        "follow": lambda: Follow("c", NODES, owners, arms, BASES, TURNS),
        "knot": lambda: Follow("c", NODES, owners, arms, BASES, TURNS, stretched, strains),
        "mean": lambda: Mean("c", NODES, arms + 0.5, 6, 8, levers=True),
        "no levers": lambda: Mean("c", NODES, arms + 0.5, 6, 8, levers=False),
        "best turn": lambda: BestTurn("c", NODES, arms, 8),
        "line": lambda: Straight("c", NODES, LINE[:, :d]),
    }
    if d == 3:
        angles = np.array([[24, 25, 26]])
        found["plane"] = lambda: Plane("c", NODES, FLAT)
        places = NODES[None], POINTS[None]
        found["rotation"] = lambda: MeanRotation("c", *places, AXIS[None], angles, AXIS[None])
    return found


CASES = [(d, kind) for d in (2, 3) for kind in families(d)]


def moved(u: Floats, change: Floats, kind: str) -> Floats:
    """Return displacements after a change, whose rotations are spins except of mean angles."""
    found = u + change
    if u.shape[1] == 3 and kind != "rotation":
        found[TURNS] = composed(u[TURNS], change[TURNS])
    return found


def derivative(function: Callable[[float], Floats], step: float = 1e-3) -> Floats:
    """Return the derivative at zero, of order six."""
    weights = {1: 45.0, 2: -9.0, 3: 1.0}
    parts = [w * (function(k * step) - function(-k * step)) for k, w in weights.items()]
    return np.asarray(sum(parts) / (60.0 * step))


@pytest.mark.parametrize(("d", "kind"), CASES)
def test_slopes_and_their_slopes_are_derivatives(d: int, kind: str) -> None:
    """Along one change of all places: of h, of ``G^T forces``, and of h twice along a motion."""
    family = families(d)[kind]()
    size = 0.2 if kind == "rotation" else 0.6
    u, change = size * RNG.standard_normal((2, COUNT, d))
    forces = RNG.standard_normal(len(family.places))

    def pulled(at: Floats) -> Floats:
        out = np.zeros(COUNT * d)
        np.add.at(out, family.places, family.slopes(at) * forces[:, None])
        return out

    along = (family.slopes(u) * change.ravel()[family.places]).sum(axis=1)
    exact = derivative(lambda s: family.values(moved(u, s * change, kind)))
    assert np.allclose(along, exact, rtol=1e-9, atol=1e-10)
    rows, columns, values = family.second(u, forces)
    second = np.bincount(rows, values * change.ravel()[columns], minlength=COUNT * d)
    exact = derivative(lambda s: pulled(moved(u, s * change, kind)))
    assert np.allclose(second, exact, rtol=1e-8, atol=1e-9)
    # With constant rates (spins) h' is the slopes times them all the way.
    faster = derivative(
        lambda s: (family.slopes(moved(u, s * change, kind)) * change.ravel()[family.places]).sum(
            axis=1
        )
    )
    assert np.allclose(family.bent(u, change), faster, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(("d", "kind"), CASES)
def test_a_rigid_motion_by_any_angle_keeps_them(d: int, kind: str) -> None:
    """Of all nodes and points, by 2.5 rad; the slopes of each equation are not small there."""
    family = families(d)[kind]()
    vector = np.array([0.0, 0.0, 2.5]) if d == 2 else np.array([1.5, -1.2, 1.6])
    if kind == "rotation":
        vector = 2.5 * AXIS
    turn, shift = matrices(vector[None])[0][:d, :d], np.array([0.3, -0.8, 0.5])[:d]
    places = {"plane": FLAT, "line": LINE}.get(kind, POINTS)[:, :d]
    u = np.zeros((COUNT, d))
    if kind in ("mean", "no levers"):
        places = places + 0.5
    u[NODES] = shift + places @ (turn - np.eye(d)).T
    u[BASES] = shift
    if kind == "no levers":
        u[BASES] = u[NODES].mean(axis=0)
    u[TURNS] = vector[:d] if d == 3 else [2.5, 0.0]
    assert np.abs(family.values(u)).max() < 1e-13
    assert (np.abs(family.slopes(u)).max(axis=1) > 0.05).all()


def test_rotations_that_follow() -> None:
    """Derivatives of log(R_i R_p^T) where they are apart; that of moments where they are not."""
    family = Turned("c", TURNS[:1], TURNS[1:], 3, 0.7)
    u, change = RNG.standard_normal((2, COUNT, 3))
    forces = RNG.standard_normal(3)
    along = (family.slopes(u) * change.ravel()[family.places]).sum(axis=1)
    exact = derivative(lambda s: family.values(moved(u, s * change, "")))
    assert np.allclose(along, exact, rtol=1e-8, atol=1e-9)
    u[TURNS[0]] = u[TURNS[1]]

    def pulled(at: Floats) -> Floats:
        out = np.zeros(COUNT * 3)
        np.add.at(out, family.places, family.slopes(at) * forces[:, None])
        return out

    rows, columns, values = family.second(u, forces)
    second = np.bincount(rows, values * change.ravel()[columns], minlength=COUNT * 3)
    exact = derivative(lambda s: pulled(moved(u, s * change, "")))
    assert np.allclose(second, exact, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Plane("c", NODES, POINTS), "off the plane of the others"),
        (lambda: Plane("c", NODES, LINE), "found nodes on a line"),
        (lambda: Plane("c", NODES[:3], FLAT[:3]), "found 3 nodes"),
        (lambda: Straight("c", NODES, POINTS), "off the line of the others"),
        (lambda: Straight("c", NODES, 0 * POINTS), "found nodes at one place"),
        (lambda: BestTurn("c", NODES, LINE, 8), "found nodes in a line"),
        (
            lambda: MeanRotation(
                "c",
                NODES[None],
                LINE[None],
                np.array([[1, 2, -2]]) / 3,
                np.array([[24]]),
                np.ones((1, 1)),
            ),
            "found all nodes on one axis",
        ),
    ],
)
def test_patterns_that_hold_nothing_are_refused(make: Callable[[], Family], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize("size", [1e-3, 0.1, 2.0])
def test_rotations_that_are_added_up(size: float) -> None:
    """Of one point of two: derivatives by the components of its rotation vector."""
    rows = CurvedRows([families(3)["knot"]()], (COUNT, 3), TURNS[:1])
    u, change = 0.6 * RNG.standard_normal((2, COUNT, 3))
    u[TURNS[0]] *= size / np.linalg.norm(u[TURNS[0]])
    forces = RNG.standard_normal(rows.count)

    def at(s: float) -> Floats:
        found = u + s * change
        found[TURNS[1]] = composed(u[TURNS[1:]], s * change[TURNS[1:]])[0]
        return found

    exact = derivative(lambda s: rows.values(at(s)))
    assert np.allclose(rows.slopes(u) @ change.ravel(), exact, rtol=1e-9, atol=1e-10)
    exact = derivative(lambda s: rows.slopes(at(s)).T @ forces)
    assert np.allclose(rows.second(u, forces) @ change.ravel(), exact, rtol=1e-8, atol=1e-9)
    exact = derivative(lambda s: rows.slopes(at(s)) @ change.ravel())
    assert np.allclose(rows.bent(u, change), exact, rtol=1e-8, atol=1e-9)
