# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an energy that temperatures expand: ``g^3 W(F / g)``, ``g = 1 + expansion T``."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from energies import VALUES, of_stretches, shaken
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.lowering.tables import evaluate as tabulated
from marks import slow

GIVEN = VALUES | {"thickness": 0.7, "expansion": 0.02}
#: A point, points that share a mean volume, the plane, pairs of nodes, principal stretches.
CASES = [
    ("tet4", "neo_hookean"),
    ("quad4s_plane_strain", "neo_hookean"),
    slow("quad8r_plane_strain", "mooney_rivlin"),
    slow("tet4", "ogden"),
    slow("hex8s", "neo_hookean"),
    slow("hex8", "st_venant_kirchhoff"),
    slow("hex20", "gent"),
    slow("hex8s", "ogden"),
]
#: Complex steps do not go through principal axes.
SMOOTH = [one for one in CASES if getattr(one, "values", one)[1] != "ogden"]


@cache
def program(base, law, term):
    """Return the program of a term before all passes, which take most of the time."""
    return compile_kernel(hyperelastic(base, law, grows=True), term, passes={}).program


def evaluate(base, law, term, coordinates, *vectors):
    """Return a term of one element for nodal vectors; temperatures are (n,)."""
    whole = []
    for one in vectors:
        filled = np.zeros(coordinates.shape, dtype=one.dtype)
        filled[:, : one.shape[1] if one.ndim == 2 else 1] = one.reshape(len(one), -1)
        whole.append(filled)
    state = np.stack(whole)[..., None]
    inputs = {"coordinates": coordinates[..., None].astype(state.dtype), "state": state}
    return interpret(program(base, law, term), inputs, GIVEN)[..., 0]


def warm(base, law, seed=7):
    """Return a distorted element, displacements, temperatures and their change."""
    # Cells of many nodes are folded by larger ones.
    coordinates, state = shaken(base, law, size=0.02 if base == "hex20" else 0.1)
    rng = np.random.default_rng(seed)
    return coordinates, state, *rng.uniform(2.0, 12.0, (2, len(coordinates)))


@pytest.mark.parametrize(("base", "law"), CASES)
def test_the_energy_is_that_of_what_is_left_of_the_deformation(base, law):
    """``g^3 W`` of stretches over g, which NumPy finds; in the plane across it too."""
    coordinates, state, warmth, _ = warm(base, law)
    plain = element(base)
    points, weights = rule(plain.cell, plain.degree["stiffness"])
    size, count = plain.dimension, len(points)
    flat = tabulated([d for row in plain.shape_derivatives for d in row], size, points)
    slopes = np.array(flat).reshape(count, len(plain.nodes), size)
    shapes = np.array(tabulated(plain.shape, size, points)).reshape(count, -1)
    before, change = (np.einsum("qak,ai->qik", slopes, x) for x in (coordinates, state))
    F = np.tile(np.eye(3), (count, 1, 1))
    F[:, :size, :size] += change @ np.linalg.inv(before)
    volumes = np.array(weights) * np.linalg.det(before) * (0.7 if size == 2 else 1.0)
    if plain.strain == "selective":
        J = np.linalg.det(F)
        F *= ((volumes @ J / volumes.sum()) / J)[:, None, None] ** (1.0 / 3.0)
    grown = 1.0 + GIVEN["expansion"] * shapes @ warmth
    stretches = np.linalg.svd(F, compute_uv=False) / grown[:, None]
    each = [g**3 * of_stretches(law, x) for g, x in zip(grown, stretches, strict=True)]
    found = evaluate(base, law, "strain_energy", coordinates, state, warmth)[0]
    assert found == pytest.approx(volumes @ each, rel=1e-12)


@pytest.mark.parametrize(("base", "law"), SMOOTH)
def test_forces_tangents_and_loads_are_complex_steps(base, law):
    """By displacements of energy and forces; by temperatures of forces, with the other sign."""
    coordinates, state, warmth, change = warm(base, law)
    vector = np.random.default_rng(5).standard_normal(state.shape)
    forces, tangent = (
        evaluate(base, law, term, coordinates, state, warmth)
        for term in ("internal_forces", "tangent")
    )
    along = evaluate(base, law, "strain_energy", coordinates, state + 1e-30j * vector, warmth)
    assert (forces * vector).sum() == pytest.approx(along[0].imag / 1e-30, rel=1e-12)
    moved = evaluate(base, law, "internal_forces", coordinates, state + 1e-30j * vector, warmth)
    exact = moved.imag / 1e-30
    product = np.einsum("aibj,bj->ai", tangent, vector)
    assert abs(product - exact).max() < 1e-12 * abs(exact).max()
    action = evaluate(base, law, "tangent_action", coordinates, state, vector, warmth)
    assert abs(action - exact).max() < 1e-12 * abs(exact).max()
    heated = evaluate(base, law, "internal_forces", coordinates, state, warmth + 1e-30j * change)
    load = evaluate(base, law, "thermal_load", coordinates, state, warmth, change)
    assert abs(load + heated.imag / 1e-30).max() < 1e-12 * abs(load).max()


@pytest.mark.slow
def test_loads_of_principal_stretches_are_differences():
    """Of forces by temperatures, to the digits that differences of second order have."""
    coordinates, state, warmth, change = warm("tet4", "ogden")
    load = evaluate("tet4", "ogden", "thermal_load", coordinates, state, warmth, change)
    ends = [
        evaluate("tet4", "ogden", "internal_forces", coordinates, state, warmth + s * change)
        for s in (1e-4, -1e-4)
    ]
    assert abs(load + (ends[0] - ends[1]) / 2e-4).max() < 1e-6 * abs(load).max()


@pytest.mark.parametrize("base", ["tet4", "quad4_plane_strain", "quad4s_plane_strain",
                                  "quad4_axisymmetric", slow("hex8s")])  # fmt: skip
def test_at_rest_the_load_is_that_of_the_linear_element(base):
    """Young's modulus and Poisson's ratio of both moduli; free strains of plane strain."""
    law, lame, mu = "neo_hookean", VALUES["lame"], VALUES["mu"]
    coordinates, state, _, change = warm(base, law)
    coordinates = coordinates + np.array([3.0] + [0.0] * (coordinates.shape[1] - 1))
    none = np.zeros(len(change))
    found = evaluate(base, law, "thermal_load", coordinates, 0.0 * state, none, change)
    poisson = lame / (2.0 * (lame + mu))
    given = {"young": 2.0 * mu * (1.0 + poisson), "poisson": poisson, "thickness": 0.7}
    free = GIVEN["expansion"] * (1.0 + poisson if base.endswith("plane_strain") else 1.0)
    linear = compile_kernel(base, "thermal_load", passes={}).program
    strains = [name for name in linear.parameters if name.startswith("expansion")]
    normal = {"tet4": 3, "quad4_axisymmetric": 3}.get(base, coordinates.shape[1])
    values = dict.fromkeys(strains, 0.0) | dict.fromkeys(strains[:normal], free)
    if base.startswith(("hex8s", "quad4s")):  # the last strain is the change of volume
        values[strains[-1]] = normal * free
    if base == "quad4_axisymmetric":
        values = dict.fromkeys(strains, free) | {strains[2]: 0.0}
    warmth = np.pad(change[:, None], ((0, 0), (0, coordinates.shape[1] - 1)))
    inputs = {"coordinates": coordinates[..., None], "state": warmth[..., None]}
    exact = interpret(linear, inputs, given | values)[..., 0]
    assert abs(found - exact).max() < 1e-12 * abs(exact).max()


def test_what_has_grown_freely_is_without_force():
    """Displacements ``(g - 1) X`` of one temperature, of a growth by a third."""
    coordinates, _ = shaken("tet4", "neo_hookean")
    warmth = np.full(len(coordinates), 1.0 / 3.0 / GIVEN["expansion"])
    vectors = coordinates, coordinates / 3.0, warmth
    scale = abs(evaluate("tet4", "neo_hookean", "internal_forces", coordinates, *vectors[:0],
                         0.0 * coordinates, warmth)).max()  # fmt: skip
    forces = evaluate("tet4", "neo_hookean", "internal_forces", *vectors)
    energy = evaluate("tet4", "neo_hookean", "strain_energy", *vectors)
    assert abs(forces).max() < 1e-14 * scale
    assert abs(energy[0]) < 1e-14 * scale * abs(coordinates).max()


def test_expansion_is_no_parameter_of_a_law():
    """Its name belongs to the thermal expansion; rods do not grow."""
    with pytest.raises(InputError, match="'expansion' is the name of"):
        hyperelastic("tet4", "expansion*(I1 - 3 - 2*log(J))", ["expansion"])
    with pytest.raises(InputError, match="found grows with a rod"):
        hyperelastic("simo_beam2", "EA*tension^2", ["EA"], grows=True)
