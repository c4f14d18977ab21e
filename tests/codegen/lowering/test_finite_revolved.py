# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bodies of revolution with an energy: derivatives, stresses, a tube blown up."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from energies import VALUES, checked_tangent, deformed, evaluate, of_stretches, shaken
from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.lowering.tables import evaluate as tabulated
from marks import slow
from scipy.integrate import quad

CASES = [
    ("tri3_axisymmetric", "neo_hookean"),
    ("tri6_axisymmetric", "gent"),
    ("quad4_axisymmetric", "st_venant_kirchhoff"),
    slow("quad4_axisymmetric", "own"),
    slow("quad8_axisymmetric", "mooney_rivlin"),
]


def away(base, law, size=0.1):
    """Return a distorted section away from the axis, and displacements."""
    coordinates, state = shaken(base, law, size=size)
    coordinates = coordinates.copy()
    coordinates[:, 0] += 2.0 - coordinates[:, 0].min()
    return coordinates, state


@pytest.mark.parametrize("law", ["neo_hookean_isochoric", "ogden"])
def test_the_energy_has_the_stretch_of_circles(law):
    """``1 + u_r / r`` along them, integrated around the axis: from stretches point by point."""
    base = "quad4_axisymmetric"
    coordinates, state = away(base, law, size=0.2)
    plain = element(base)
    points, weights = rule(plain.cell, plain.degree["stiffness"])
    flat = tabulated([d for row in plain.shape_derivatives for d in row], 2, points)
    slopes = np.array(flat).reshape(len(points), 4, 2)
    shape = np.array(tabulated(plain.shape, 2, points))
    total = 0.0
    for q, weight in enumerate(weights):
        jacobian = coordinates.T @ slopes[q]
        F = np.eye(3)
        F[:2, :2] += state.T @ slopes[q] @ np.linalg.inv(jacobian)
        radius, outward = shape[q] @ coordinates[:, 0], shape[q] @ state[:, 0]
        F[2, 2] += outward / radius
        volume = weight * np.linalg.det(jacobian) * 2.0 * np.pi * radius
        total += volume * of_stretches(law, np.linalg.svd(F, compute_uv=False))
    assert evaluate(base, law, "strain_energy", coordinates, state)[0] == pytest.approx(
        total, rel=1e-12
    )


@pytest.mark.parametrize(("base", "law"), CASES)
def test_forces_and_tangent_are_complex_steps(base, law):
    """Forces of the energy, tangent of the forces, symmetric; the action is the same matrix."""
    coordinates, state = away(base, law)
    tangent = checked_tangent(base, law, coordinates, state)
    vector = np.random.default_rng(5).standard_normal(state.shape)
    action = evaluate(base, law, "tangent_action", coordinates, np.stack([state, vector]))
    exact = tangent @ vector.ravel()
    assert abs(action.ravel() - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize(("base", "law"), [*CASES, slow("quad4_axisymmetric", "ogden")])
def test_small_strains_are_those_of_the_linear_section(base, law):
    """The tangent at rest is the axisymmetric stiffness, and forces of 1e-9 keep their digits."""
    coordinates, state = away(base, law, size=1e-9)
    n = state.size
    stiffness = evaluate(base, law, "stiffness", coordinates, state).reshape(n, n)
    tangent = evaluate(base, law, "tangent", coordinates, 0.0 * state).reshape(n, n)
    assert abs(tangent - stiffness).max() < 1e-13 * abs(stiffness).max()
    forces = evaluate(base, law, "internal_forces", coordinates, state).ravel()
    assert abs(forces - stiffness @ state.ravel()).max() < 2e-8 * abs(forces).max()


@pytest.mark.parametrize("law", ["neo_hookean", "ogden"])
def test_stresses_of_a_stretched_ring(law):
    """Uniformly stretched outwards and along the axis: rr, zz, rz and hoop."""
    coordinates, _ = away("quad4_axisymmetric", law)
    stretches = np.array([1.4, 0.8, 1.4])
    state = coordinates * (stretches[:2] - 1.0)
    nominal = np.zeros(3)
    for k in range(3):
        x = stretches.astype(complex)
        x[k] += 1e-30j
        nominal[k] = of_stretches(law, x).imag / 1e-30
    true = nominal * stretches / stretches.prod()
    found = evaluate("quad4_axisymmetric", law, "stress", coordinates, state)
    assert abs(found - [true[0], true[1], 0.0, true[2]]).max() < 1e-12 * abs(true).max()
    undeformed = evaluate("quad4_axisymmetric", law, "second_piola_stress", coordinates, state)
    pulled = nominal / stretches
    assert abs(undeformed - [pulled[0], pulled[1], 0.0, pulled[2]]).max() < 1e-12 * abs(true).max()


def test_a_tube_is_blown_up():
    """Pressure of an incompressible neo-Hookean tube of fixed length (Rivlin 1949), integrated.

    ``p = mu int (r^2 / R^2 - R^2 / r^2) dr / r`` with ``r^2 - R^2`` the same everywhere; a bulk
    modulus of 1e5 mu changes it by some 1e-5.
    """
    inner, outer, grown, count = 1.0, 2.0, 1.6, 16
    mu, kappa = VALUES["mu"], 1e5 * VALUES["mu"]
    more = grown**2 - inner**2

    def integrand(r):
        square = r**2 - more
        return (r**2 / square - square / r**2) / r

    exact = mu * quad(integrand, grown, np.sqrt(outer**2 + more))[0]
    radii = np.linspace(inner, outer, 2 * count + 1)
    points = np.array([[r, z] for z in (0.0, 0.05, 0.1) for r in radii])
    row = len(radii)
    first = 2 * np.arange(count)[:, None]
    cells = first + np.array([0, 2, 2 + 2 * row, 2 * row, 1, 2 + row, 1 + 2 * row, row])
    section = deformed("quad8_axisymmetric", "neo_hookean_isochoric")
    kernels = ff.kernels_of(section, ["internal_forces", "tangent"])
    free = np.zeros(points.shape, dtype=bool)
    used = np.unique(cells)
    free[used, 0] = True  # the length is kept
    held = np.flatnonzero(points[:, 0] == inner)
    free[held, 0] = False
    moving = np.flatnonzero(free)
    u = np.zeros_like(points)
    for radius in np.linspace(inner, grown, 7)[1:]:
        step = radius**2 - inner**2
        u[:, 0] = np.sqrt(points[:, 0] ** 2 + step) - points[:, 0]
        for _ in range(12):
            forces = ff.assemble(kernels["internal_forces"], points, cells, u, mu=mu, kappa=kappa)
            left = forces.ravel()[moving]
            if abs(left).max() < 1e-8 * abs(forces).max():
                break
            tangent = ff.assemble(kernels["tangent"], points, cells, u, mu=mu, kappa=kappa)
            u.ravel()[moving] -= np.linalg.solve(tangent.toarray()[np.ix_(moving, moving)], left)
        else:
            raise AssertionError("no equilibrium")
    pressure = -forces[held, 0].sum() / (2.0 * np.pi * grown * 0.1)
    assert abs(pressure) == pytest.approx(exact, rel=1e-3)
