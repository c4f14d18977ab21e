# SPDX-License-Identifier: BSD-3-Clause
"""Beams and cables at large displacements in balance: closed forms, equations of their sections."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.elements.hyperelastic import hyperelastic
from marks import slow
from newton_rods import Rod
from rod_equations import clamped_arc, elastic_catenary, elastica
from scipy.spatial.transform import Rotation

#: EI = 1; what stretches and shears is 1e7 times as stiff.
STIFF = 1e7
SLENDER = {"young": 1.0, "poisson": 0.0, "area": STIFF, "inertia_y": 1.0, "inertia_z": 1.0,
           "torsion": 2.0, "shear_y": 2.0, "shear_z": 2.0, "offset_y": 0.0, "offset_z": 0.0,
           "orientation1": 0.0, "orientation2": 1.0, "orientation3": 0.0}  # fmt: skip
#: Three nodes are quick in the plane.
BEAMS = ("simo_beam2", slow("simo_beam3"), "simo_beam2_plane", "simo_beam3_plane")


def cantilever(name, count, values=SLENDER):
    """Return a rod of length 1 along x, clamped at its first node, and no loads."""
    size = 2 if name.endswith("plane") else 3
    points = np.zeros((count + 1, size))
    points[:, 0] = np.linspace(0.0, 1.0, count + 1)
    needed = ("young", "poisson", "area", "inertia_z", "offset_y", "shear_y")
    rod = Rod(name, points, {k: values[k] for k in needed} if size == 2 else values)
    rod.free[0] = False
    return rod, np.zeros_like(rod.rest)


@pytest.mark.parametrize("turns", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", BEAMS)
def test_a_moment_rolls_a_cantilever_up(name, turns):
    """M = 2 pi EI/L is one turn: sections turn evenly, and the ends meet after whole turns."""
    rod, loads = cantilever(name, 10, SLENDER | {"area": 1e4})
    loads[-1, 1, -1 if loads.shape[2] == 3 else 0] = 2.0 * np.pi * turns
    steps = 1 if loads.shape[2] == 2 else int(8 * turns)
    state, changes = rod.bent(loads, steps)
    angle = 2.0 * np.pi * turns * rod.points[:, 0]
    if loads.shape[2] == 2:
        assert abs(state[:, 1, 0] - angle).max() < 1e-8
    else:
        cosines = Rotation.from_rotvec(state[:, 1]).as_matrix()[:, 0, :2]
        assert abs(cosines - np.stack([np.cos(angle), -np.sin(angle)], axis=1)).max() < 1e-8
    places = rod.places(state)
    if turns >= 1.0:
        assert abs(places[-1, :2]).max() < 1e-8
    if "2" in name:  # chords as long as the elements, along the sections in their middle
        middle = (angle[1:] + angle[:-1]) / 2.0
        sides = np.stack([np.cos(middle), np.sin(middle)], axis=1) / 10.0
        assert abs(np.diff(places[:, :2], axis=0) - sides).max() < 1e-8
    # Once it is near, errors of Newton's method are squares of those before.
    assert changes[-1] < max(10.0 * changes[-2] ** 2, 1e-8)


def test_a_circle_about_any_axis():
    """Clamped along a direction of space, with a moment about an axis across it."""
    along, axis = np.array([2.0, -1.0, 2.0]) / 3.0, np.array([2.0, 2.0, -1.0]) / 3.0
    values = SLENDER | dict(zip((f"orientation{k}" for k in (1, 2, 3)), axis, strict=True))
    rod = Rod("simo_beam2", np.linspace(0.0, 1.0, 9)[:, None] * along, values)
    rod.free[0] = False
    loads = np.zeros_like(rod.rest)
    loads[-1, 1] = 2.0 * np.pi * axis
    state, _ = rod.bent(loads, 8)
    assert np.linalg.norm(rod.places(state)[-1]) < 1e-8


#: Mattiasson, International Journal for Numerical Methods in Engineering 17 (1981), table 1.
PRINTED = {1.0: (0.30172, 0.05643), 5.0: (0.71379, 0.38763), 10.0: (0.81061, 0.55500)}


@pytest.mark.parametrize("load", PRINTED)
def test_elastica_by_integrals_is_that_of_the_table(load):
    """Lateral deflection and shortening, to all printed digits."""
    assert np.round(elastica(load), 5) == pytest.approx(PRINTED[load], abs=1e-12)


@pytest.mark.parametrize("load", PRINTED)
@pytest.mark.parametrize("name", BEAMS)
def test_elastica(name, load):
    """A dead load at the tip; errors fall with the square of the length, or its fourth power."""
    exact, errors = np.array(elastica(load)), []
    counts = (10, 20) if "3" in name else (20, 40)
    for count in counts:
        rod, loads = cantilever(name, count)
        loads[-1, 0, 1] = load
        state, _ = rod.bent(loads, 4)
        tip = rod.places(state)[-1]
        errors.append(np.array([tip[1], 1.0 - tip[0]]) - exact)
    order = 4 if "3" in name else 2
    assert abs(errors[1]).max() < (3e-6 if order == 4 else 2e-4)
    better = errors[1] + (errors[1] - errors[0]) / (2**order - 1)
    assert abs(better).max() < 2e-6  # P/EA, by which it is longer, is 1e-6


@pytest.mark.parametrize("name", ["ancf_cable_plane", slow("ancf_cable")])
def test_elastica_of_a_cable_with_slopes(name):
    """The same without a rotation: a clamped slope, errors of the fourth order."""
    exact, errors = np.array(elastica(5.0)), []
    for count in (10, 20, 40):
        points = np.zeros((count + 1, 2 if name.endswith("plane") else 3))
        points[:, 0] = np.linspace(0.0, 1.0, count + 1)
        rod = Rod(name, points, {"young": 1.0, "area": STIFF, "inertia": 1.0})
        rod.free[0] = False
        loads = np.zeros_like(rod.rest)
        loads[-1, 0, 1] = 5.0
        state, _ = rod.bent(loads, 8)
        tip = rod.places(state)[-1]
        errors.append(abs(np.array([tip[1], 1.0 - tip[0]]) - exact).max())
    assert errors[1] < errors[0] / 5.0
    assert errors[2] < errors[1] / 10.0
    assert errors[2] < 1e-5


#: Bathe and Bolourchi, International Journal for Numerical Methods in Engineering 14 (1979).
ARC = {"young": 1e7, "poisson": 0.0, "area": 1.0, "inertia_y": 1 / 12, "inertia_z": 1 / 12,
       "torsion": 0.1406, "shear_y": 1.0, "shear_z": 1.0, "offset_y": 0.0, "offset_z": 0.0,
       "orientation1": 0.0, "orientation2": 0.0, "orientation3": 1.0}  # fmt: skip


def bent_arc(name, count):
    """Return an arc of 45 degrees and radius 100 in its plane x, y, and 600 along z at its tip."""
    angle = np.linspace(0.0, np.pi / 4.0, count + 1)
    points = 100.0 * np.stack([np.sin(angle), 1.0 - np.cos(angle), 0.0 * angle], axis=1)
    rod = Rod(name, points, ARC)
    rod.free[0] = False
    loads = np.zeros_like(rod.rest)
    loads[-1, 0, 2] = 600.0
    return rod, rod.bent(loads, 12)[0]


def test_arc_of_45_degrees():
    """Bending, shear and torsion at once, against the equations of the section by collocation."""
    stiffness = (1e7, 5e6, 5e6, 0.1406 * 5e6, 1e7 / 12, 1e7 / 12)
    exact = clamped_arc(25.0 * np.pi, 0.01, stiffness, [0.0, 0.0, 600.0])
    tips = []
    for count in (8, 16):
        rod, state = bent_arc("simo_beam2", count)
        tips.append(rod.places(state)[-1])
    # They print 47.2, 15.9, 53.4 of eight straight elements.
    assert tips[0] == pytest.approx([47.2, 15.7, 53.4], abs=0.25)
    assert (4.0 * tips[1] - tips[0]) / 3.0 == pytest.approx(exact, abs=5e-4)
    # No moment acts on a free node: the tangent is symmetric.
    tangent = rod.assembled("tangent", state).toarray()[6:, 6:]
    assert abs(tangent - tangent.T).max() < 1e-11 * abs(tangent).max()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("simo_beam2", 64), ("simo_beam3", 32)])
def test_fine_arcs_of_45_degrees(name, count):
    """Both elements converge to the same tip."""
    stiffness = (1e7, 5e6, 5e6, 0.1406 * 5e6, 1e7 / 12, 1e7 / 12)
    exact = clamped_arc(25.0 * np.pi, 0.01, stiffness, [0.0, 0.0, 600.0])
    tips = []
    for one in (count // 2, count):
        rod, state = bent_arc(name, one)
        tips.append(rod.places(state)[-1])
    assert (4.0 * tips[1] - tips[0]) / 3.0 == pytest.approx(exact, abs=2e-5)


def test_balance_does_not_depend_on_the_way_there():
    """Two forces one after the other, in either order, and both at once."""
    rod, loads = cantilever("simo_beam2", 6)
    first, second = loads.copy(), loads.copy()
    first[-1, 0, 1], second[-1, 0] = 6.0, [-2.0, 0.0, 5.0]
    both = first + second
    straight, _ = rod.bent(both, 6)
    for one in (first, second):
        state, _ = rod.bent(one, 4)
        for share in (0.25, 0.5, 0.75, 1.0):
            state, _ = rod.bent(one + share * (both - one), 1, start=state)
        assert abs(state - straight).max() < 1e-9


@pytest.mark.parametrize("name", ["cable2_plane", "cable3_plane"])
def test_a_heavy_rope_hangs_in_an_elastic_catenary(name):
    """Twice as long as its span; its weight hangs on the nodes as it would on the rope."""
    stiffness, weight, length, span = 50.0, 1.0, 2.0, 1.0
    rope = hyperelastic(name, "EA/2*(stretch - 1)^2", ["EA"])
    sag, pull = elastic_catenary(span, length, stiffness, weight)
    errors = []
    for count in (20, 40):
        points = np.zeros((count + 1, 2))
        points[:, 0] = np.linspace(0.0, length, count + 1)
        rod = Rod(rope, points, {"EA": stiffness})
        rod.free[[0, -1]] = False
        loads = np.zeros_like(rod.rest)
        share = [1 / 2, 1 / 2] if name == "cable2_plane" else [1 / 6, 1 / 6, 2 / 3]
        for cell in rod.cells:
            loads[cell, 1] -= np.array(share) * weight * length / count
        # The ends come together in a deep arc, in which the rope is pulled already.
        state = rod.rest.copy()
        along = rod.points[:, 0] / length
        state[:, 0] = along * span - rod.points[:, 0]
        state[:, 1] = -4.0 * 1.2 * along * (1.0 - along)
        state, _ = rod.bent(loads, 1, start=state)
        places = rod.places(state)
        forces = rod.assembled("internal_forces", state)
        errors.append(np.array([places[:, 1].min() - sag, abs(forces[0, 0]) - pull]))
    if name == "cable2_plane":
        better = errors[1] + (errors[1] - errors[0]) / 3.0
        assert abs(better).max() < 1e-5
    else:  # of third order
        assert abs(errors[1]).max() < 1e-4
        assert abs(errors[1]).max() < abs(errors[0]).max() / 6.0
