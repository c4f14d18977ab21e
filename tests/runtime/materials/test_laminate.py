# SPDX-License-Identifier: BSD-3-Clause
"""Laminates: homogeneous plates, symmetric and cross-ply stacks, sandwiches, mass."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime import elasticity
from flexforge.runtime.materials.laminate import Ply, laminate

STEEL = elasticity.isotropic(2e11, 0.3)


def _graphite() -> np.ndarray:
    """Return the stiffness of a ply whose reduced stiffness is near 20, 0.7, 2, 0.7 (Msi)."""
    e1, e2, nu = 20.0, 2.0, 0.35
    return elasticity.orthotropic((e1, e2, e2), (nu, nu, 0.3), (0.7, 0.7, 0.5))


def _reduced(angle: float) -> np.ndarray:
    """Return Q-bar of the ply by the invariants of Tsai and Pagano (Jones, equation 2.85)."""
    e1, e2, nu, g = 20.0, 2.0, 0.35, 0.7
    minor = nu * e2 / e1
    q11, q22, q12 = (value / (1 - nu * minor) for value in (e1, e2, nu * e2))
    u1 = (3 * q11 + 3 * q22 + 2 * q12 + 4 * g) / 8
    u2 = (q11 - q22) / 2
    u3 = (q11 + q22 - 2 * q12 - 4 * g) / 8
    u4 = (q11 + q22 + 6 * q12 - 4 * g) / 8
    u5 = (q11 + q22 - 2 * q12 + 4 * g) / 8
    c2, c4, s2, s4 = np.cos(2 * angle), np.cos(4 * angle), np.sin(2 * angle), np.sin(4 * angle)
    b16, b26 = u2 * s2 / 2 + u3 * s4, u2 * s2 / 2 - u3 * s4
    return np.array([
        [u1 + u2 * c2 + u3 * c4, u4 - u3 * c4, b16],
        [u4 - u3 * c4, u1 - u2 * c2 + u3 * c4, b26],
        [b16, b26, u5 - u3 * c4],
    ])  # fmt: skip


@pytest.mark.parametrize("count", [1, 4])
def test_a_homogeneous_plate(count: int) -> None:
    """A = Q h, B = 0, D = Q h^3 / 12, shear 5/6 G h, gyration h / sqrt(12), however it is cut."""
    h = 0.01
    found = laminate([Ply(h / count, 0.3, STEEL, 7800.0)] * count)
    plane = elasticity.reduce(STEEL, np.zeros(6), "plane_stress").stiffness
    np.testing.assert_allclose(found.A, plane * h, atol=1e-5)
    np.testing.assert_allclose(found.D, plane * h**3 / 12, atol=1e-9)
    assert np.abs(found.B).max() <= 1e-12 * np.abs(found.A).max() * h
    np.testing.assert_allclose(found.shear, 5 / 6 * 2e11 / 2.6 * h * np.eye(2), rtol=1e-10, atol=1)
    assert found.mass == pytest.approx(78.0)
    assert abs(found.mass_centre) < 1e-17
    assert found.gyration == pytest.approx(h / np.sqrt(12))


@pytest.mark.parametrize("angles", [(0.0, 0.9), (0.5, -0.5), (0.3, 1.2, -0.4)])
def test_stiffness_by_invariants(angles: tuple[float, ...]) -> None:
    """A, B, D are sums of Q-bar (z2 - z1), (z2^2 - z1^2) / 2, (z2^3 - z1^3) / 3 (Jones, 4.22)."""
    thickness = 0.2
    found = laminate([Ply(thickness, angle, _graphite(), 1.0) for angle in angles])
    z = thickness * (np.arange(len(angles) + 1) - len(angles) / 2)
    for power, matrix in ((1, found.A), (2, found.B), (3, found.D)):
        expected = sum(
            _reduced(angle) * (z[k + 1] ** power - z[k] ** power) / power
            for k, angle in enumerate(angles)
        )
        np.testing.assert_allclose(matrix, expected, atol=1e-12)


def test_a_published_laminate() -> None:
    """A and D of [0/45/90/-45]s in lb and in, to the digits printed.

    PtFEM/ClassicalLaminateTheory.jl, test/test_clt1.jl; the constants across the plies, which are
    not printed there, do not enter.
    """
    ply = elasticity.orthotropic((20e6, 1.5e6, 1.5e6), (0.34, 0.34, 0.3), (1e6, 1e6, 1e6))
    angles = np.radians([0, 45, 90, -45, -45, 90, 45, 0])
    found = laminate([Ply(0.0075, angle, ply, 1.0) for angle in angles])
    membrane = [[525698, 155811, 0], [155811, 525698, 0], [0, 0, 184943]]
    bending = [[250.495, 32.687, 23.619], [32.687, 93.036, 23.619], [23.619, 23.619, 41.427]]
    np.testing.assert_allclose(found.A, membrane, atol=0.5)
    np.testing.assert_allclose(found.D, bending, atol=5e-4)


def test_couplings_of_stacks() -> None:
    """A symmetric stack has no B; an antisymmetric angle-ply B16 and B26 alone (Jones, 4.4)."""
    symmetric = laminate([Ply(1.0, a, _graphite(), 1.0) for a in (0.4, -0.9, -0.9, 0.4)])
    assert np.abs(symmetric.B).max() < 1e-13
    angle = laminate([Ply(1.0, a, _graphite(), 1.0) for a in (0.5, -0.5)])
    assert np.abs(angle.B[:2, :2]).max() < 1e-13 and abs(angle.B[2, 2]) < 1e-13
    assert abs(angle.B[0, 2]) > 0.1
    assert np.abs(angle.A[:2, 2]).max() < 1e-13
    cross = laminate([Ply(1.0, a, _graphite(), 1.0) for a in (0.0, np.pi / 2)])
    assert cross.B[0, 0] == pytest.approx(-cross.B[1, 1])
    assert np.abs(cross.B[:, 2]).max() < 1e-13 and abs(cross.B[0, 1]) < 1e-13


def test_shear_of_a_sandwich() -> None:
    """Thin stiff skins on a soft core: G d^2 / c of the core, d between the middles of the skins.

    Allen, Analysis and Design of Structural Sandwich Panels (1969), equation 2.12; the skins are a
    hundredth of the core, whose own bending and their shear are left out there.
    """
    core = elasticity.isotropic(1e6, 0.3)
    skin, thick = 1e-4, 1e-2
    found = laminate([Ply(skin, 0, STEEL, 7800.0), Ply(thick, 0, core, 50.0),
                      Ply(skin, 0, STEEL, 7800.0)])  # fmt: skip
    expected = 1e6 / 2.6 * (thick + skin) ** 2 / thick
    np.testing.assert_allclose(found.shear, expected * np.eye(2), rtol=1e-3, atol=1e-6 * expected)


def test_shear_turns_with_the_ply() -> None:
    """One ply: 5/6 h times its shear moduli; a quarter turn swaps them, a mirror turns S12."""
    straight, turned = (laminate([Ply(2.0, a, _graphite(), 1.0)]).shear for a in (0.0, np.pi / 2))
    np.testing.assert_allclose(straight, 5 / 6 * 2.0 * np.diag([0.7, 0.5]), rtol=1e-10)
    np.testing.assert_allclose(turned, straight[::-1, ::-1], atol=1e-12)
    once, back = (laminate([Ply(1.0, a, _graphite(), 1.0)] * 2).shear for a in (0.6, -0.6))
    np.testing.assert_allclose(once, back * [[1, -1], [-1, 1]], atol=1e-12)
    np.testing.assert_allclose(once, once.T, atol=1e-12)


def test_mass_of_unequal_plies() -> None:
    """Parallel axes: the centre of mass of two plies, and their radius of gyration about it."""
    found = laminate([Ply(0.002, 0, STEEL, 8000.0), Ply(0.004, 0, STEEL, 2000.0)], offset=0.001)
    # From -0.002 to 0 and to 0.004: 16 kg/m^2 at -0.001 and 8 kg/m^2 at 0.002.
    assert found.mass == pytest.approx(24.0)
    assert abs(found.mass_centre) < 1e-17
    second = 16 * (0.001**2 + 0.002**2 / 12) + 8 * (0.002**2 + 0.004**2 / 12)
    assert found.gyration == pytest.approx(np.sqrt(second / 24))
    assert found.values["density"] == pytest.approx(4000.0)
    assert found.values["A11"] == found.A[0, 0] and found.values["S12"] == found.shear[0, 1]


def test_plies_that_are_none() -> None:
    """No plies, or one without thickness."""
    with pytest.raises(InputError, match="found no plies"):
        laminate([])
    with pytest.raises(InputError, match=r"plies\[1\].thickness: found 0; expected"):
        laminate([Ply(1.0, 0, STEEL, 1.0), Ply(0.0, 0, STEEL, 1.0)])
