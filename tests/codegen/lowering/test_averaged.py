# SPDX-License-Identifier: BSD-3-Clause
"""Elements whose volume changes by its mean, with an energy: W(F_bar) and its linear limit."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from energies import ISOTROPIC, VALUES, deformed, evaluate, kernel, of_stretches, shaken
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.lowering.tables import evaluate as tabulated

BASES = ("hex8s", "quad4s_plane_strain")


def gradients(base, coordinates, state):
    """Return weights times volumes (q,) and deformation gradients (q, 3, 3) at the points."""
    plain = element(base)
    points, weights = rule(plain.cell, plain.degree["stiffness"])
    size = plain.dimension
    flat = tabulated([d for row in plain.shape_derivatives for d in row], size, points)
    slopes = np.array(flat).reshape(len(points), len(plain.nodes), size)
    before, change = (np.einsum("qak,ai->qik", slopes, x) for x in (coordinates, state))
    F = np.tile(np.eye(3), (len(points), 1, 1))
    F[:, :size, :size] += change @ np.linalg.inv(before)
    return np.array(weights) * np.linalg.det(before), F


def averaged(base, coordinates, state):
    """Return volumes, mean J and F_bar = (J_mean / J)^(1/3) F, in space in the plane too."""
    volumes, F = gradients(base, coordinates, state)
    J = np.linalg.det(F)
    mean = volumes @ J / volumes.sum()
    return volumes, mean, (mean / J)[:, None, None] ** (1.0 / 3.0) * F


#: Of every kind one; the others with the slow tests.
LAWS = [
    one if one in ("neo_hookean", "ogden") else pytest.param(one, marks=pytest.mark.slow)
    for one in ISOTROPIC
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("base", BASES)
def test_the_energy_is_that_of_a_deformation_with_the_mean_volume(base, law):
    """Of stretches of F_bar point by point, whose determinants are the mean J."""
    coordinates, state = shaken(base, law, size=0.2)
    volumes, mean, F = averaged(base, coordinates, state)
    assert np.linalg.det(F) == pytest.approx(mean, rel=1e-14)
    stretches = np.linalg.svd(F, compute_uv=False)
    exact = sum(v * of_stretches(law, x) for v, x in zip(volumes, stretches, strict=True))
    exact *= 0.7 if base.startswith("quad") else 1.0
    found = evaluate(base, law, "strain_energy", coordinates, state)[0]
    assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("base", BASES)
def test_the_limit_of_small_strains_is_the_linear_element(base, law):
    """Selective integration of the library's element with the same two constants."""
    coordinates, state = shaken(base, law)
    limit = deformed(base, law).constitutive
    known = {sympy.Symbol(name, real=True): value for name, value in VALUES.items()}
    matrix = np.array(limit.matrix.subs(dict(limit.definitions)).subs(known), dtype=float)
    bulk, shear = matrix[-1, -1], matrix[-2, -2]
    poisson = (3.0 * bulk - 2.0 * shear) / (2.0 * (3.0 * bulk + shear))
    given = {"young": 2.0 * shear * (1.0 + poisson), "poisson": poisson, "thickness": 0.7}
    linear = compile_kernel(base, "stiffness").program
    exact = interpret(linear, {"coordinates": coordinates[..., None]}, given)[..., 0]
    found = evaluate(base, law, "stiffness", coordinates, state)
    assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("base", BASES)
def test_stresses_are_those_of_the_law_at_that_deformation(base, law):
    """From stretches and axes of F_bar: Cauchy's, and the second Piola-Kirchhoff stress."""
    coordinates, state = shaken(base, law, size=0.2)
    _, mean, F = averaged(base, coordinates, state)
    left, stretches, right = np.linalg.svd(F)
    nominal = np.zeros_like(stretches)
    for q, x in enumerate(stretches):
        for k in range(3):
            moved = x.astype(complex)
            moved[k] += 1e-30j
            nominal[q, k] = of_stretches(law, moved).imag / 1e-30
    true = np.einsum("qik,qk,qjk->qij", left, nominal * stretches / mean, left)
    undeformed = np.einsum("qki,qk,qkj->qij", right, nominal / stretches, right)
    order = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    order = order if base == "hex8s" else (*order[:3], order[5])
    for term, exact in (("point_stress", true), ("point_second_piola_stress", undeformed)):
        voigt = np.array([exact[:, i, j] for i, j in order]).T
        found = evaluate(base, law, term, coordinates, state)
        assert abs(found - voigt).max() < 1e-12 * abs(voigt).max()


@pytest.mark.parametrize("law", ["neo_hookean", pytest.param("gent", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("base", "plain"), [("hex8s", "hex8"), ("quad4s_plane_strain", "quad4_plane_strain")]
)
def test_the_patch_test_is_passed_at_any_uniform_strain(base, plain, law):
    """A distorted cell with the same F everywhere has the forces of the usual element, which do."""
    coordinates, _ = shaken(base, law)
    size = coordinates.shape[1]
    F = np.array([[1.4, 0.3, -0.1], [-0.2, 0.8, 0.25], [0.1, -0.3, 1.1]])[:size, :size]
    state = coordinates @ (F - np.eye(size)).T
    found, exact = (evaluate(one, law, "internal_forces", coordinates, state)
                    for one in (base, plain))  # fmt: skip
    assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.slow
def test_operations_of_mean_volumes():
    """Exact counts of hex8s; those of hex8 are beside them in test_finite."""
    expected = {"internal_forces": 3454, "tangent": 9551, "tangent_action": 4428}
    law = "neo_hookean_isochoric"
    counts = {term: kernel("hex8s", law, term).count.operations for term in expected}
    assert counts == expected
