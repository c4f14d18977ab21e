# SPDX-License-Identifier: BSD-3-Clause
"""Links without supports: shapes of reduced models in mean axes, of bodies of any size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.undamped import solve_undamped
from scipy.linalg import eigh, null_space
from scipy.optimize import brentq
from swinging import G, begin, coordinates, follow, frames, pin, transient
from vibrating import BENDING, LINE, beam

RUBBER = {"m": {"young": 1e9, "poisson": 0.3, "density": 2000.0}}
BALL = [{"name": "ball", "kind": "spherical", "links": ["ground", "l"], "at": [[0, 0, 0]] * 2}]
PIN = [pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"], axis=[0, 1, 0])]


def box(name, divisions, low, high):
    """Return the mesh of a block."""
    (x, y, z), (u, v, w) = low, high
    corners = [[a, b, c] for c in (z, w) for a, b in ((x, y), (u, y), (u, v), (x, v))]
    return {name: {"cell": "hex8", "divisions": divisions, "corners": corners}}


def solid(divisions=(8, 2, 2), joints=(), at=(0.0, 0.0, 0.0), reduction=None, **keys):
    """Return a bar of solid elements, 1 m by 4 cm square, on a link that turns or hangs."""
    low, high = np.add(at, [0.0, -0.02, -0.02]), np.add(at, [1.0, 0.02, 0.02])
    return {
        "mesh": {"blocks": box("b", list(divisions), low.tolist(), high.tolist())},
        "materials": RUBBER,
        "bodies": [{"name": "b", "cells": "b", "element": "hex8i", "material": "m", "frame": "l"}],
        "links": [{"name": "l"} if joints else {"name": "l", "angular_velocity": [3.0, 4.0, 5.0]}],
        "joints": list(joints),
        "reduction": {"modes": 7, "static": False, **(reduction or {})},
        "analysis": transient(0.02, 20, rho_infinity=0.8),
        **keys,
    }  # fmt: skip


def with_fin(**keys):
    """Return the bar with a second body on it, and a point mass beside the axis."""
    tables = solid(**keys)
    tables["mesh"]["blocks"] |= box("fin", [6, 2, 2], [0.0, 0.02, -0.02], [1.0, 0.12, 0.02])
    tables["bodies"].append(tables["bodies"][0] | {"name": "fin", "cells": "fin"})
    tables["masses"] = [{"name": "tip", "group": "fin.corner3", "mass": 0.05, "frame": "l"}]
    # Faces meet at y = 0.02: corners 4, 3, 8, 7 of the bar are 1, 2, 5, 6 of the fin.
    tables["connectors"] = [
        {"name": f"c{one}", "kind": "bushing", "between": [f"b.corner{one}", f"fin.corner{two}"],
         "stiffness": [1e6, 1e6, 1e6]}
        for one, two in ((4, 1), (3, 2), (8, 5))
    ]  # fmt: skip
    return tables


CASES = {
    "flying": solid(),
    "pinned": solid(joints=PIN),
    "on a ball": solid(joints=BALL),
    "end kept": solid(joints=PIN, reduction={"keep": ["b.xmax"]}),
    "two bodies and masses": with_fin(),
    "far away": solid(joints=PIN, at=(300.0, -200.0, 0.0))
    | {"joints": [PIN[0] | {"at": [[0, 0, 0], "b.xmin"]}]},
    "beam": beam(8, "timoshenko_beam", joints=PIN, reduction={"modes": 4, "static": False})
    | {"analysis": transient(0.02, 20)},
    "beam of the plane": beam(8, reduction={"modes": 4, "static": False})
    | {"analysis": transient(0.02, 20)},
}


def momenta(system):
    """Return momenta of rigid motions, by the masses of nodes alone, (n, 6 or 3)."""
    d, found = system.dimension, []
    points = [np.asarray(b.part.points) for b in system.bodies]
    middle = np.concatenate(points).mean(axis=0)
    for axis in range(3 if d == 2 else 6):
        load = np.zeros((system.size, d))
        for body, at in zip(system.bodies, points, strict=True):
            field = np.zeros_like(body.points)
            if axis < d:
                field[: len(at), axis] = 1.0
            else:
                unit = np.eye(3)[2 if d == 2 else axis - 3]
                field[: len(at)] = np.cross(unit, at - middle)[:, :d]
                field[len(at) :] = unit if d == 3 else [1.0, 0.0]
            load[body.nodes] += body.mass_times(field)
        found.append(system.restrict(load))
    return np.array(found).T


def dense(links, system):
    """Return squares and shapes of the lowest vibrations with kept coordinates at zero, densely."""
    stiffness, mass = (one.toarray() for one in Pencil.at_rest(system).matrices)
    border = momenta(system)
    border = border / np.linalg.norm(border, axis=0)
    values = links.basis.interface.values.toarray()
    free = null_space(np.vstack([border.T, values]), rcond=1e-10)
    squares, turns = eigh(free.T @ stiffness @ free, free.T @ mass @ free)
    return squares, free @ turns, border, stiffness


@pytest.mark.parametrize("krylov", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_shapes_are_those_of_a_dense_elimination(case, krylov, monkeypatch):
    """The same space as by eliminating Buckens' conditions densely, by both eigenvalue solvers.

    Constraint modes have unit kept values, no momenta, and no forces but on what is kept.
    """
    if krylov:
        monkeypatch.setattr(quadratic, "DENSE", 0)
    motion = begin(CASES[case])
    links, system = motion.links, motion.system
    squares, shapes, border, stiffness = dense(links, system)
    kept, basis = len(links.basis.interface.kept), links.basis.matrix
    count = basis.shape[1] - kept
    assert (2.0 * np.pi * links.basis.frequencies) ** 2 == pytest.approx(squares[:count], rel=1e-9)
    sizes = np.linalg.norm(basis, axis=0)
    assert np.abs(border.T @ basis / sizes).max() < 1e-9
    values = links.basis.interface.values @ basis
    assert values == pytest.approx(np.eye(kept, basis.shape[1]), abs=1e-9 * sizes.max())
    pulled = shapes.T @ stiffness @ basis[:, :kept]
    assert np.abs(pulled).max(initial=0.0) < 1e-7 * np.abs(stiffness @ basis).max()
    # Of a multiple frequency at the end of the list any shape will do.
    whole = squares[count] > squares[count - 1] * (1.0 + 1e-6)
    span = np.linalg.qr(shapes[:, : count if whole else count - 1])[0]
    mine = np.linalg.qr(basis[:, kept:])[0]
    assert np.linalg.norm(span - mine @ (mine.T @ span), axis=0).max() < 1e-6


def test_free_beam_has_the_frequencies_of_the_closed_form():
    """cos x cosh x = 1 for a slender beam in the plane, in its shapes."""
    tables = beam(24, reduction={"modes": 3, "static": False}) | {"analysis": transient(0.02, 20)}
    found = begin(tables).links.basis.frequencies
    roots = [brentq(lambda x: np.cos(x) - 1.0 / np.cosh(x), a, a + 1.5) for a in (4.0, 7.0, 10.2)]
    exact = np.square(roots) * np.sqrt(BENDING / LINE) / (2.0 * np.pi)
    assert found == pytest.approx(exact, rel=4e-3)  # rotary inertia lowers the third by 3e-3


@pytest.mark.parametrize("case", ["solid", "beam"])
def test_symmetric_bodies_have_every_frequency_twice(case, monkeypatch):
    """Bending in both directions of a square or round bar, which one Krylov vector may miss."""
    monkeypatch.setattr(quadratic, "DENSE", 0)
    tables = solid((24, 2, 2)) if case == "solid" else beam(40, "timoshenko_beam")
    tables |= {"reduction": {"modes": 8, "static": False}, "analysis": transient(0.02, 20)}
    found = begin(tables).links.basis.frequencies
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[3] == pytest.approx(found[2], rel=1e-9)
    assert found[2] > 2.0 * found[1]


def test_loads_without_deformation_add_no_shapes():
    """Gravity and Euler's forces accelerate a free body; centrifugal ones alone deform it."""
    weight = [{"kind": "gravity", "acceleration": [0, 0, -G]}]
    sizes = [
        begin(solid(reduction={"static": static}, loads=weight)).links.basis.matrix.shape[1]
        for static in (False, True)
    ]
    assert sizes[1] - sizes[0] == 6  # symmetric products of rates, as far as vibrations lack them


def test_reduced_body_that_flies_keeps_its_momenta():
    """Begun bent and turning: momenta of the second order, as of all coordinates."""
    drifts = []
    for steps in (50, 100):
        tables = solid(
            reduction={"static": True}, analysis=transient(0.05, steps, rho_infinity=1.0),
            initial=[{"body": "b", "velocity": ["0", "2*cos(3*x)", "3*x"]}],
        )  # fmt: skip

        def account(motion):
            one = motion.links.model.account(motion.point)
            return [*one.momentum, one.kinetic + one.strain]

        found = follow(tables, account)
        drifts.append(np.abs(found - found[0]).max(axis=0) / np.abs(found[0]).max())
    assert np.all(drifts[0] < 1e-5)
    assert np.all(drifts[1][:-1] < 0.35 * drifts[0][:-1])


def _tip(motion):
    """Return the place of the middle of the free end in space."""
    state = frames(motion)[0]
    body = motion.system.bodies[0]
    at = body.part.points
    end = np.flatnonzero(np.isclose(at[:, 0], at[:, 0].max()))
    return state[0] + state[1:4] @ (at[end] + motion.displacement[body.nodes[end]]).mean(axis=0)


def test_mean_axes_move_like_six_held_coordinates():
    """A pendulum of solid elements in all that bends it: one place in space, up to rotations^2."""
    tables = solid((12, 3, 3), joints=PIN, reduction={"modes": 12, "static": True})
    tables |= {
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "analysis": transient(0.25, 250, rho_infinity=0.7),
    }
    held = [{"group": "b.xmin", "components": ["x", "y", "z"]}]

    def look(motion):
        return [*_tip(motion), coordinates(motion)[0, 0]]

    one, two = (follow(tables | {"supports": s}, look) for s in ([], held))
    drop = np.ptp(one[:, 2])
    assert drop > 0.2
    assert np.abs(one - two)[:, :3].max() < 5e-4 * drop


def test_place_of_the_bodies_in_their_link_does_not_matter():
    """Tens of metres from the origin of its link a body flies as it does there."""
    paths, frequencies = [], []
    for at in ([0.0, 0.0, 0.0], [30.0, -20.0, 10.0]):
        tables = solid(at=at, reduction={"static": True})
        tables["links"][0] |= {"velocity": (-np.cross([3.0, 4.0, 5.0], at)).tolist()}
        frequencies.append(begin(tables).links.basis.frequencies[:7])
        paths.append(follow(tables, _tip) - at)
    assert frequencies[1] == pytest.approx(frequencies[0], rel=1e-6)
    assert np.abs(paths[1] - paths[0]).max() < 1e-5


def test_given_displacements_lose_their_rigid_part():
    """Of a state at t = 0 in mean axes the deformation remains, in all coordinates and in shapes.

    What is left of ``x^2`` along a uniform bar is ``x^2 - x + 1/6``.
    """
    shapes = []
    for reduction in ({}, {"reduction": {"modes": 12, "static": False}}):
        tables = beam(16, initial=[{"body": "b", "displacement": ["0", "1e-3*x**2", "0"]}])
        motion = begin(tables | reduction | {"analysis": transient(0.02, 20)})
        body = motion.system.bodies[0]
        shapes.append(motion.displacement[body.nodes[: len(body.part.points)], 1])
        x = body.part.points[:, 0]
    line = 1e-3 * (x**2 - x + 1.0 / 6.0)
    for shape in shapes:
        assert np.abs(shape - line).max() < 3e-5


def test_mass_beside_the_axis_is_part_of_the_mean():
    """A heavy tip: the middle of the displacements is where the mass is, not the volume."""
    motion = begin(with_fin())
    system, basis = motion.system, motion.links.basis.matrix
    total = np.zeros((3, basis.shape[1]))
    for k, shape in enumerate(basis.T):
        total[:, k] = system.mass_times(system.expand(shape)).sum(axis=0)
    assert np.abs(total).max() < 1e-9 * system.total_mass * np.abs(basis).max()


def test_bodies_that_hang_together_nowhere_are_refused():
    """One frame cannot follow two bodies that no elements, springs or joints connect."""
    tables = with_fin()
    del tables["connectors"]
    with pytest.raises(AnalysisError, match=r"body 'fin' is free to move .* hang together"):
        begin(tables)


def test_more_modes_than_motions_are_all_motions():
    """A beam of two elements has 9 coordinates, three of which are those of the frame."""
    tables = beam(2, reduction={"modes": 50, "static": False}) | {"analysis": transient(0.02, 20)}
    assert begin(tables).links.basis.matrix.shape[1] == 6


def test_too_few_motions_beside_kept_ones_are_refused():
    """Two elements, both ends kept: the three coordinates in the middle are those of the frame."""
    tables = beam(2, reduction={"modes": 2, "keep": ["b.xmin", "b.xmax"]})
    with pytest.raises(AnalysisError, match="reduction: found 3 coordinates besides .* kept"):
        begin(tables | {"analysis": transient(0.02, 20)})


def test_large_unreduced_bodies_are_told_of_reduction():
    """No other limit than that of dense matrices of links."""
    tables = solid((12, 4, 4))
    del tables["reduction"]
    with pytest.raises(InputError, match=r"found 975 elastic coordinates .* \[reduction\]"):
        begin(tables)


@pytest.mark.slow  # 20 s
def test_large_body_has_the_frequencies_of_a_free_body():
    """Of 25,584 coordinates, against shifted factors of the body without conditions."""
    tables = solid((40, 15, 12), reduction={"modes": 12, "static": True})
    found = begin(tables).links.basis.frequencies
    spec = model_from_dict(tables)
    system = build_system(spec, build_mesh(spec)).system
    free = solve_undamped(Pencil.at_rest(replace(system)), 18, None, "auto").squares
    assert system.unknowns == 25584
    assert (free[:6] == 0.0).all()
    assert 2.0 * np.pi * found[:12] == pytest.approx(np.sqrt(free[6:]), rel=1e-8)
