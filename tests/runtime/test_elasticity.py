# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness of anisotropic materials: closed forms, rotation, reduction to the plane, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime import elasticity

#: A ply of graphite and epoxy (Jones, Mechanics of Composite Materials, table 2-3), Pa.
YOUNG, POISSON, SHEAR = (207e9, 5e9, 5e9), (0.25, 0.25, 0.3), (2.6e9, 2.6e9, 1.9e9)


def test_isotropic_constants_given_as_orthotropic() -> None:
    """Nine constants of an isotropic material make its stiffness, which no rotation changes."""
    expected = elasticity.isotropic(2e11, 0.3)
    shear = 2e11 / 2.6
    found = elasticity.orthotropic([2e11] * 3, [0.3] * 3, [shear] * 3)
    np.testing.assert_allclose(found, expected, atol=1e-15 * expected.max() * 10)
    turned = elasticity.rotate(found, elasticity.axes_of_angle([1, 2, 3], 0.7))
    np.testing.assert_allclose(turned, expected, atol=1e-14 * expected.max())


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 4, 1.2])
def test_modulus_off_axis(angle: float) -> None:
    """1/Ex = c^4/E1 + (1/G12 - 2 nu12/E1) s^2 c^2 + s^4/E2 (Jones, equation 2.97)."""
    stiffness = elasticity.orthotropic(YOUNG, POISSON, SHEAR)
    turned = elasticity.rotate(stiffness, elasticity.axes_of_angle([0, 0, 1], angle))
    c, s = np.cos(angle), np.sin(angle)
    expected = c**4 / YOUNG[0] + s**4 / YOUNG[1]
    expected += (1 / SHEAR[0] - 2 * POISSON[0] / YOUNG[0]) * s**2 * c**2
    assert np.linalg.inv(turned)[0, 0] == pytest.approx(expected, rel=1e-12)
    plane = elasticity.reduce(turned, np.zeros(6), "plane_stress").stiffness
    assert np.linalg.inv(plane)[0, 0] == pytest.approx(expected, rel=1e-12)


def test_a_quarter_turn_swaps_the_axes() -> None:
    """Turned by 90 degrees about z, axis 1 lies along y."""
    straight = elasticity.orthotropic(YOUNG, POISSON, SHEAR)
    turned = elasticity.rotate(straight, elasticity.axes_of_angle([0, 0, 2], np.pi / 2))
    order = [1, 0, 2, 4, 3, 5]
    np.testing.assert_allclose(turned, straight[np.ix_(order, order)], atol=1e-4)
    by_vectors = elasticity.axes_of_vectors([0, 3, 0], [-1, 5, 0])
    np.testing.assert_allclose(elasticity.rotate(straight, by_vectors), turned, atol=1e-4)


def test_rotation_is_that_of_tensors() -> None:
    """sigma = C eps in either axes: the stress of a rotated strain is the rotated stress."""
    rng = np.random.default_rng(3)
    root = rng.standard_normal((6, 6))
    stiffness = root @ root.T
    axes = elasticity.axes_of_angle(rng.standard_normal(3), 1.1)
    strain = rng.standard_normal((3, 3))
    strain = strain + strain.T

    def voigt(tensor, shear):
        return np.array([tensor[i, j] * (1 if i == j else shear) for i, j in elasticity.VOIGT])

    own = stiffness @ voigt(axes @ strain @ axes.T, 2)
    tensor = np.array(
        [[own[0], own[5], own[4]], [own[5], own[1], own[3]], [own[4], own[3], own[2]]]
    )
    found = elasticity.rotate(stiffness, axes) @ voigt(strain, 2)
    np.testing.assert_allclose(found, voigt(axes.T @ tensor @ axes, 1), rtol=1e-12, atol=1e-12)


def test_reductions_of_an_isotropic_material() -> None:
    """Plane stress, plane strain and revolution in closed form, thermal stress out of plane too.

    Zienkiewicz and Taylor vol. 1, section 4.2: in plane strain sigma_zz = nu (sigma_xx + sigma_yy)
    - E alpha, and the free strain of the law is (1 + nu) alpha.
    """
    young, nu, alpha = 2.1, 0.3, 0.01
    full, strain = elasticity.isotropic(young, nu), np.array([alpha] * 3 + [0] * 3)
    stress = elasticity.reduce(full, strain, "plane_stress")
    expected = young / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    np.testing.assert_allclose(stress.stiffness, expected, atol=1e-14)
    np.testing.assert_allclose(stress.expansion, [alpha, alpha, 0])
    assert not stress.spread[2:5].any() and not stress.held.any()
    held = elasticity.reduce(full, strain, "plane_strain")
    np.testing.assert_allclose(held.stiffness, full[np.ix_([0, 1, 5], [0, 1, 5])])
    np.testing.assert_allclose(held.expansion, [(1 + nu) * alpha] * 2 + [0], atol=1e-16)
    np.testing.assert_allclose(held.spread[2], [nu, nu, 0], atol=1e-15)
    np.testing.assert_allclose(held.held, [0, 0, -young * alpha, 0, 0, 0], atol=1e-15)
    ring = elasticity.reduce(full, strain, "axisymmetric")
    np.testing.assert_allclose(ring.expansion, [alpha, alpha, 0, alpha], atol=1e-16)
    assert not ring.held.any()


def test_all_constants_of_a_material() -> None:
    """21 constants in the order of their rows make the matrix that has them."""
    root = np.random.default_rng(8).standard_normal((6, 6))
    stiffness = root @ root.T
    found = elasticity.anisotropic(stiffness[np.triu_indices(6)])
    np.testing.assert_array_equal(found, np.triu(stiffness) + np.triu(stiffness, 1).T)


@pytest.mark.parametrize(
    ("poisson", "words"),
    [
        ((7.0, 0.25, 0.3), r"found nu12 = 7; expected less than sqrt\(E1/E2\) = 6.4342"),
        ((0.25, -7.0, 0.3), r"found nu13 = -7; expected less than sqrt\(E1/E3\)"),
        ((0.25, 0.25, 1.0), r"found nu23 = 1; expected less than sqrt\(E2/E3\) = 1"),
        ((6.0, 6.0, 0.9), "nu12, nu13, nu23 = 6, 6, 0.9, too large together"),
    ],
)
def test_constants_that_would_give_energy_back(poisson: tuple[float, ...], words: str) -> None:
    """The bounds of Lempriere (AIAA Journal 6, 1968), and which constant passes them."""
    with pytest.raises(InputError, match=words):
        elasticity.orthotropic(YOUNG, poisson, SHEAR)


def test_the_constant_that_is_too_small_is_named() -> None:
    """The first leading minor that is not positive names its constant on the diagonal."""
    stiffness = elasticity.isotropic(2e11, 0.3)
    stiffness[2, 2] = 1e10
    with pytest.raises(InputError, match="found C33 = 1e\\+10; expected more than 6.92308e\\+10"):
        elasticity.anisotropic(stiffness[np.triu_indices(6)])
