# SPDX-License-Identifier: BSD-3-Clause
"""Equilibrium: patch tests, rigid motions, reactions, prestress, Euler loads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.model import schema_mesh
from flexforge.runtime.solvers import factorize
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.statics.rigid import free_motions, rigid_motions
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.unknown_map import UnknownMap
from marks import slow
from models import ALL, DISTORTED, PLANE, SOLID, build, model, stressed


def solve(spec):
    """Return a model's system and equilibrium."""
    places = stressed(spec)
    return places.system, solve_static(places.system, Loads(spec, places), 0.0, "auto")


@pytest.mark.parametrize("cell", ALL)
def test_patch_with_prescribed_boundary(cell: str) -> None:
    """physics.md 4.6: a linear displacement of the boundary gives the same inside, and its stress.

    Hooke's law for the constant strain; 3 x 3 (x 3) distorted elements, inner nodes shifted.
    """
    plane = cell in PLANE
    spec = model(cell, [3] * (2 if plane else 3), **({} if plane else {"corners": DISTORTED}))
    places = build(spec)
    system, body = places.system, places.system.bodies[0]
    d = system.dimension
    faces = ["xmin", "xmax", "ymin", "ymax"] + ([] if plane else ["zmin", "zmax"])
    outer = np.unique(np.concatenate([places.mesh.select(face).nodes for face in faces]))
    inner = np.setdiff1d(np.arange(system.size), outer)
    if cell in ("tri3", "quad4", "tet4", "hex8"):  # midside nodes must stay in the middle
        rng = np.random.default_rng(5)
        body.points[inner] += 0.03 * rng.uniform(-1, 1, (len(inner), d))
    gradient = 1e-4 * np.array([[1.0, 0.4, -0.3], [0.2, -0.7, 0.5], [0.6, 0.1, 0.8]])[:d, :d]
    exact = body.points @ gradient.T + 1e-5
    inside = (inner[:, None] * d + np.arange(d)).ravel()
    system = replace(system, map=UnknownMap(system.map.shape, inside))
    elastic = [Combination(1.0, np.zeros((d, d)), np.zeros(0))]
    fixed = exact.copy()
    fixed.ravel()[system.map.places] = 0.0
    load = -system.restrict(system.apply(elastic, fixed))
    found = fixed + system.expand(
        factorize(system.matrix(elastic), positive_definite=True).solve(load)
    )
    assert len(inner) > 0
    assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
    strain = np.zeros((3, 3))
    strain[:d, :d] = 0.5 * (gradient + gradient.T)
    young, poisson = 2e11, 0.3
    if plane:  # plane stress: sigma_zz = 0
        strain[2, 2] = -poisson / (1 - poisson) * (strain[0, 0] + strain[1, 1])
    full = (
        young
        / (1 + poisson)
        * (strain + poisson / (1 - 2 * poisson) * np.trace(strain) * np.eye(3))
    )
    expected = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[1, 2], full[0, 2]]
    stress = body.stress(found)
    assert np.abs(stress - expected).max() <= 1e-10 * np.abs(full).max()


@pytest.mark.parametrize("cell", ALL)
def test_rigid_motions_cost_no_force(cell: str) -> None:
    """physics.md 4.6: exactly 3 or 6 rigid motions, which the stiffness does not feel."""
    spec = model(cell, **({} if cell in PLANE else {"corners": DISTORTED}))
    system = build(spec).system
    d = system.dimension
    elastic = [Combination(1.0, np.zeros((d, d)), np.zeros(0))]
    motions = rigid_motions(system.bodies[0].points)
    for k in range(motions.shape[2]):
        force = system.apply(elastic, np.ascontiguousarray(motions[:, :, k]))
        assert np.abs(force).max() <= 1e-13 * system.stiffness_scale * 10
    values = np.linalg.eigvalsh(system.matrix(elastic).toarray())
    zero = int((np.abs(values) < 1e-10 * values.max()).sum())
    assert zero == motions.shape[2]


def test_reactions_balance_the_loads() -> None:
    """Supports take the whole force: reactions and loads add up to zero, in force and moment."""
    spec = model(
        "tet10",
        supports=[{"group": "zmin"}],
        loads=[{"kind": "force", "group": "zmax", "total": [3e3, -2e3, 5e3]}],
    )
    system, found = solve(spec)
    points = system.bodies[0].points
    load = np.array([3e3, -2e3, 5e3])
    assert np.allclose(found.reaction.sum(axis=0), -load, rtol=1e-9)
    moment = np.cross(points, found.reaction).sum(axis=0)
    top = points[points[:, 2] > 1 - 1e-9]
    applied = np.cross(top, np.tile(load / len(top), (len(top), 1))).sum(axis=0)
    assert np.allclose(moment, -applied, atol=1e-6 * np.abs(applied).max())


@pytest.mark.parametrize("solver", ["auto", "scipy"])
def test_reactions_of_a_slender_body_balance_the_loads(solver: str) -> None:
    """MacNeal and Harder's cantilever bears its load to 11 digits, with whatever factors.

    Entries of the assembled matrix are rounded: solutions of it alone leave 7e-9 of the load.
    """
    corners = [[x, y, z] for z in (0, 0.1) for x, y in ((0, 0), (6, 0), (6, 0.2), (0, 0.2))]
    spec = model(
        "hex20",
        [24, 2, 1],
        corners=corners,
        supports=[{"group": "xmin"}],
        loads=[{"kind": "force", "group": "xmax", "total": [0.0, 0.0, 1.0]}],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, solver)
    points = places.system.bodies[0].points
    force, moment = found.reaction.sum(axis=0), np.cross(points, found.reaction).sum(axis=0)
    assert np.abs(force - [0.0, 0.0, -1.0]).max() <= 1e-11
    assert np.abs(moment - np.cross([6.0, 0.1, 0.05], [0.0, 0.0, -1.0])).max() <= 6e-11


def test_the_euler_term_couples_and_is_solved() -> None:
    """With a large angular acceleration the skew k_eps is iterated on; a dense solve agrees."""
    spec = model(
        "quad8",
        [8, 2],
        corners=[[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
        body={"frame": {"acceleration": 2000.0, "velocity0": 40.0}},
        supports=[{"group": "xmin"}],
        include={"geometric": False},
    )
    system, found = solve(spec)
    places = build(spec)
    spins = system.spins(0.0)
    c = [Combination(1.0, spins[0].stiffness, np.zeros(0))]
    force = system.restrict(Loads(spec, places).at(0.0, spins))
    exact = np.linalg.solve(system.matrix(c).toarray(), force)
    assert np.abs(spins[0].stiffness - spins[0].stiffness.T).max() > 0
    assert np.allclose(system.restrict(found.displacement), exact, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize(
    ("frame", "cause"),
    [({}, "the stiffness is singular or nearly so"),
     ({"acceleration": 20.0}, "the angular acceleration is too large for an equilibrium")],
)  # fmt: skip
def test_what_does_not_converge_has_a_cause(frame, cause, monkeypatch) -> None:
    """Only the Euler term is iterated on; at rest there is none, and the stiffness is to blame."""
    monkeypatch.setattr("flexforge.runtime.statics.static.LARGEST_RESIDUAL", -1.0)
    spec = model("quad4", body={"frame": frame}, supports=[{"group": "xmin"}],
                 include={"geometric": False})  # fmt: skip
    with pytest.raises(AnalysisError, match=cause):
        solve(spec)


@pytest.mark.parametrize(
    ("supports", "motions"),
    [
        ([], "translation along x, translation along y, translation along z, rotation about x, "
             "rotation about y, rotation about z"),
        ([{"group": "zmin", "components": ["z"]}],
         "translation along x, translation along y, rotation about z"),
        ([{"group": "zmin_xmin"}], "rotation about y"),
    ],
)  # fmt: skip
def test_free_motions_are_named(supports: list, motions: str) -> None:
    """A body that is not held is named with its motions; the input is wrong, not the solver."""
    spec = model("hex8", supports=supports)
    with pytest.raises(InputError, match="body 'block' is free to move") as caught:
        solve(spec)
    for motion in motions.split(", "):
        assert motion in str(caught.value) or "rotation" in motion
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("cell", SOLID)
def test_held_bodies_have_no_free_motion(cell: str) -> None:
    """A clamped face holds everything."""
    assert free_motions(build(model(cell, supports=[{"group": "zmin"}])).system) == []


def test_geometric_stiffness_of_a_stretched_bar() -> None:
    """A bar under axial force N resists a rotation of its axis like a string: G sums to N / L.

    Uniform stress sigma in x: G = sigma A / L for a linear transverse displacement (closed form).
    """
    spec = model("hex8", [4, 1, 1], body={"frame": {"velocity": 1.0}})
    body = build(spec).system.bodies[0]
    stretched = 1e-3 * body.points * np.array([1.0, -0.3, -0.3])  # uniaxial stress E 1e-3
    body = body.stressed([body.prestress(stretched)])
    c = Combination(0.0, np.zeros((3, 3)), np.ones(1))
    across = np.zeros_like(body.points)
    across[:, 2] = body.points[:, 0]
    work = float(np.sum(across * body.apply(c, across)))
    assert work == pytest.approx(2e11 * 1e-3 * 1.0, rel=1e-10)  # sigma A (dw/dx)^2 L
    along = np.zeros_like(body.points)
    along[:, 2] = body.points[:, 1]
    assert abs(float(np.sum(along * body.apply(c, along)))) <= 1e-8 * work


def test_prestress_stiffens_with_the_square_of_the_speed() -> None:
    """k_geo of a rotating cantilever: G of one unit pattern times w^2, tension from the load."""
    spec = model(
        "hex8",
        [8, 1, 1],
        corners=[[x, y, z] for z in (0, 0.05)
                 for x, y in ((0, 0), (1, 0), (1, 0.05), (0, 0.05))],
        body={"frame": {"velocity": {"ramp": {"to": 100.0, "duration": 1.0}}}},
        supports=[{"group": "xmin"}],
        analysis={"kind": "transient", "duration": 1.0, "steps": 10},
    )  # fmt: skip
    report = prestressed(build(spec).system, "auto")
    assert report.patterns == 1
    system = report.system
    (slow,), (fast,) = system.spins(0.5), system.spins(1.0)
    assert slow.prestress[0] == pytest.approx(50.0**2)
    assert fast.prestress[0] == pytest.approx(100.0**2)
    body = system.bodies[0]
    across = np.zeros_like(body.points)
    across[:, 2] = body.points[:, 0]
    c = Combination(0.0, np.zeros((3, 3)), np.ones(1))
    # int N (dw/dx)^2 dx with N = rho A (L^2 - x^2) / 2 of a bar under unit w^2: rho A L^3 / 3.
    found = float(np.sum(across * body.apply(c, across)))
    assert found == pytest.approx(7800 * 0.05**2 / 3, rel=2e-2)


def test_automatic_prestress_is_left_out_of_a_free_body() -> None:
    """A free body has no static prestress: "auto" says so, ``true`` is refused."""
    frame = {"frame": {"velocity": 10.0}}
    report = prestressed(build(model("hex8", body=frame)).system, "auto")
    assert report.patterns == 0
    assert "left out" in report.warning
    with pytest.raises(InputError, match="geometric = false"):
        prestressed(build(model("hex8", body=frame, include={"geometric": True})).system, "auto")


@pytest.mark.parametrize("name", ["quad4i", slow("quad8r"), slow("hex8s")])
def test_variants_carry_a_bar(name: str) -> None:
    """A variant on the cells of a block: a bar under tension stretches by p L / E, stress p."""
    plane = name.startswith("quad")
    spec = model(
        schema_mesh.cell_of(name),
        body={"element": name},
        supports=[
            {"group": f"{axis}min", "components": [axis]} for axis in ("xy" if plane else "xyz")
        ],
        loads=[{"kind": "pressure", "group": "xmax", "value": -1e6}],
    )
    system, found = solve(spec)
    u = found.displacement
    body = system.bodies[0]
    end = body.points[:, 0] == 1
    assert u[end, 0] == pytest.approx(1e6 / 2e11, rel=1e-12)
    stress = body.stress(u)
    assert stress[:, 0] == pytest.approx(1e6, rel=1e-9)
    assert np.abs(stress[:, 1:]).max() < 1e-3
