# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of anisotropic materials: isotropic ones in disguise, bars off axis, waves, frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.solvers import factorize
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.unknown_map import UnknownMap
from marks import same_flags, slow
from models import CUBE, DISTORTED, PLANE, STEEL, build, model

STEEL_SHEAR = 2e11 / 2.6
DISGUISED = {
    "density": 7800.0,
    "orthotropic": {
        "E1": 2e11, "E2": 2e11, "E3": 2e11, "nu12": 0.3, "nu13": 0.3, "nu23": 0.3,
        "G12": STEEL_SHEAR, "G13": STEEL_SHEAR, "G23": STEEL_SHEAR,
    },
    "orientation": {"axis": [1, 2, 3], "angle": 0.7},
}  # fmt: skip
PLY = {"E1": 40e9, "E2": 10e9, "E3": 8e9, "nu12": 0.3, "nu13": 0.25, "nu23": 0.35,
       "G12": 5e9, "G13": 4e9, "G23": 3e9}  # fmt: skip


def _ply(angle: float, axis: tuple[float, ...] = (0, 0, 1)) -> dict:
    return {
        "density": 1600.0, "orthotropic": PLY, "orientation": {"axis": list(axis), "angle": angle},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "body"),
    [
        ("tri3", {}),
        ("quad4", {"hypothesis": "plane_strain"}),
        slow("quad4", {"element": "quad4i"}),
        slow("quad8", {"hypothesis": "axisymmetric", "thickness": None}),
        pytest.param("tet4", {}, marks=same_flags),
        slow("hex8", {}),
        slow("hex8", {"element": "hex8i"}),
        slow("tet10", {}),
        slow("wedge15", {}),
    ],
)
def test_isotropic_in_disguise(cell: str, body: dict) -> None:
    """Nine constants of steel, in any axes: stiffness and stresses of steel to round-off."""
    corners = {} if cell in PLANE else {"corners": DISTORTED}
    one, other = (
        build(model(cell, body=body, materials={"steel": material}, **corners)).system.bodies[0]
        for material in (STEEL, DISGUISED)
    )
    assert "_anisotropic" in other.element
    scale = np.abs(one.stiffness).max()
    assert np.abs(other.stiffness - one.stiffness).max() <= 1e-13 * scale
    np.testing.assert_array_equal(other.mass, one.mass)
    moved = 1e-4 * np.random.default_rng(4).standard_normal(one.points.shape)
    expected = one.stress(moved)
    assert np.abs(other.stress(moved) - expected).max() <= 1e-12 * np.abs(expected).max()
    if "geometric" in one.kernels:
        expected = one.prestress(moved)
        assert np.abs(other.prestress(moved) - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("cell", ["quad4", slow("hex8")])
def test_patch_of_a_turned_material(cell: str) -> None:
    """Irons' patch test: a linear field inside a distorted patch, and its stress C eps."""
    plane = cell in PLANE
    material = _ply(0.6, (0, 0, 1) if plane else (1, 1, 0.3))
    given = {} if plane else {"corners": DISTORTED}
    places = build(model(cell, [3] * (2 if plane else 3), materials={"steel": material}, **given))
    system, body = places.system, places.system.bodies[0]
    d = system.dimension
    faces = ["xmin", "xmax", "ymin", "ymax"] + ([] if plane else ["zmin", "zmax"])
    outer = np.unique(np.concatenate([places.mesh.select(face).nodes for face in faces]))
    inner = np.setdiff1d(np.arange(system.size), outer)
    body.points[inner] += 0.03 * np.random.default_rng(5).uniform(-1, 1, (len(inner), d))
    gradient = 1e-4 * np.array([[1.0, 0.4, -0.3], [0.2, -0.7, 0.5], [0.6, 0.1, 0.8]])[:d, :d]
    exact = body.points @ gradient.T
    inside = (inner[:, None] * d + np.arange(d)).ravel()
    system = replace(system, map=UnknownMap(system.map.shape, inside))
    elastic = [Combination(1.0, np.zeros((d, d)), np.zeros(0))]
    fixed = exact.copy()
    fixed.ravel()[system.map.places] = 0.0
    load = -system.restrict(system.apply(elastic, fixed))
    factors = factorize(system.matrix(elastic), positive_definite=True)
    found = fixed + system.expand(factors.solve(load))
    assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
    pairs = [(0, 0), (1, 1), (0, 1)] if plane else [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    strain = [gradient[i, j] if i == j else gradient[i, j] + gradient[j, i] for i, j in pairs]
    expected = (body.law.spread @ body.law.stiffness @ strain)[[0, 1, 2, 5, 3, 4]]
    assert np.abs(body.stress(found) - expected).max() <= 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("angle", [0.0, 0.5, np.pi / 2])
@pytest.mark.parametrize("cell", ["quad4", slow("hex8")])
def test_a_bar_off_axis(cell: str, angle: float) -> None:
    """A block pulled along x by p stretches by p L / Ex: 1/Ex = c^4/E1 + .. (Jones, 2.97)."""
    plane = cell in PLANE
    # Held as a body in space only: a bar off axis shears while it stretches.
    corner = {"group": "corner1"}
    side = {"group": "corner2", "components": ["y"] if plane else ["y", "z"]}
    third = [] if plane else [{"group": "corner4", "components": ["z"]}]
    spec = model(
        cell,
        materials={"steel": _ply(angle)},
        supports=[corner, side, *third],
        loads=[{"kind": "pressure", "group": "xmax", "value": -1e6},
               {"kind": "pressure", "group": "xmin", "value": -1e6}],
    )  # fmt: skip
    places = build(spec)
    u = solve_static(places.system, Loads(spec, places), 0.0, "auto").displacement
    body = places.system.bodies[0]
    c, s = np.cos(angle), np.sin(angle)
    soft = c**4 / PLY["E1"] + s**4 / PLY["E2"]
    soft += (1 / PLY["G12"] - 2 * PLY["nu12"] / PLY["E1"]) * s**2 * c**2
    assert u[places.mesh.select("corner2").nodes[0], 0] == pytest.approx(1e6 * soft, rel=1e-9)
    stress = body.stress(u)
    np.testing.assert_allclose(stress, np.tile([1e6, 0, 0, 0, 0, 0], (len(u), 1)), atol=1e-2)


def test_waves_along_and_across_the_fibres() -> None:
    """A quarter wave of compression in a held column: f = sqrt(C11 / rho) / 4 L, along each axis.

    One-dimensional strain: C11 of the material along x, then turned so that its axis 2 lies there.
    """
    from flexforge.runtime.vibration.modes import solve_modes

    found = []
    for angle in (0.0, np.pi / 2):
        sides = [{"group": "all", "components": ["y", "z"]}, {"group": "xmin"}]
        spec = model("hex8", [16, 1, 1], materials={"steel": _ply(angle)}, supports=sides)
        places = build(spec)
        body = places.system.bodies[0]
        modes = solve_modes(places.system, 1, None, 0.0, "auto")
        speed = np.sqrt(body.law.stiffness[0, 0] / 1600.0)
        assert modes.frequencies[0] == pytest.approx(speed / 4, rel=1e-3)
        found.append(modes.frequencies[0])
    assert found[0] > 1.8 * found[1]


@same_flags
def test_inertia_is_untouched_by_the_law() -> None:
    """Mass and moments of a body do not know what it is made of, but for its density."""
    given = {"corners": CUBE, "body": {"frame": {"velocity": 3.0}}}
    light = {**STEEL, "density": 1600.0}
    one, other = (
        build(model("hex8", materials={"steel": material}, **given)).system.bodies[0]
        for material in (light, _ply(0.4))
    )
    np.testing.assert_array_equal(one.mass, other.mass)
    np.testing.assert_array_equal(one.moments, other.moments)


@pytest.mark.parametrize(
    ("material", "words"),
    [
        ({"orthotropic": PLY | {"nu12": 3.0}}, "orthotropic: not positive definite: found nu"),
        ({"orthotropic": PLY, "young": 1.0}, "found young and orthotropic; expected young and"),
        ({"orthotropic": PLY, "transverse": {"E1": 1.0, "E2": 1.0, "nu12": 0.1, "nu23": 0.1,
                                             "G12": 1.0}}, "found orthotropic and transverse"),
        ({"orthotropic": PLY | {"E4": 1.0}}, "orthotropic.E4: unknown key; did you mean"),
        ({"orthotropic": {k: v for k, v in PLY.items() if k != "G23"}}, "G23: missing; expected"),
        ({"orthotropic": PLY, "orientation": {"axis1": [1, 2, 3], "axis2": [2, 4, 6]}},
         "orientation: found the parallel vectors"),
        ({"orthotropic": PLY, "orientation": {"axis1": [1, 2, 3]}}, "found axis1; expected axis1"),
        ({"orthotropic": PLY, "orientation": {"axis": [0, 0, 0], "angle": 1.0}}, "length 0"),
        ({"young": 1.0, "poisson": 0.1, "orientation": {"axis": [0, 0, 1], "angle": 1.0}},
         "orientation: found one of an isotropic material"),
        ({"anisotropic": [1.0] * 20}, "anisotropic: found a list of 20 values; expected a list of"),
        ({"anisotropic": [1.0] * 21}, "anisotropic: not positive definite: found C22 = 1"),
        ({"transverse": {"E1": 1.0, "E2": 1.0, "nu12": 0.1, "nu23": -1.5, "G12": 1.0}},
         "found nu23 = -1.5; expected more than -1"),
        ({"young": 1.0}, "materials.steel.poisson: missing; expected Poisson's ratio"),
    ],
)  # fmt: skip
def test_faults_of_materials(material: dict, words: str) -> None:
    """One line: key, what was found, what is expected."""
    with pytest.raises(InputError, match=words) as caught:
        model("hex8", materials={"steel": {"density": 1.0} | material})
    assert "\n" not in str(caught.value)


def test_elements_that_take_isotropic_materials_only() -> None:
    """Selective integration tells volume from shape, which an anisotropic material does not."""
    with pytest.raises(
        InputError, match="found the anisotropic 'steel' of element hex8s; expected"
    ):
        model("hex8", body={"element": "hex8s"}, materials={"steel": DISGUISED})


def test_transverse_isotropy_has_no_direction_across() -> None:
    """Turned about its axis 1, a transversely isotropic material stays what it is."""
    from flexforge.runtime.model.schema_material import MaterialSpec

    data = {"E1": 40e9, "E2": 10e9, "nu12": 0.3, "nu23": 0.35, "G12": 5e9}
    turn = {"axis": (1.0, 0.0, 0.0), "angle": 0.8}
    plain, turned = (
        MaterialSpec(density=1.0, transverse=data, **extra).stiffness()
        for extra in ({}, {"orientation": turn})
    )
    np.testing.assert_allclose(turned, plain, atol=1e-13 * plain.max())
