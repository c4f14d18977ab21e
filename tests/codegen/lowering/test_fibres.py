# SPDX-License-Identifier: BSD-3-Clause
"""Energies of fibres: stretched along, across, pressed; directions; small strains."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from energies import FIBRES, VALUES, evaluate
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.user_energies import energy_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from marks import slow

CUBE = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
ALONG = {f"fibre{n}_{axis}": float(axis == "x") for n in (1, 2) for axis in "xyz"}
CROSSED = {"fibre1_x": 2.0, "fibre1_y": 1.0, "fibre1_z": 0.0,
           "fibre2_x": 2.0, "fibre2_y": -1.0, "fibre2_z": 0.0}  # fmt: skip


def at(term, given, state):
    """Return a term of a cube."""
    return evaluate("hex8", FIBRES, term, CUBE, state, **given)


def of_stretches(given, x):
    """Return the energy of Holzapfel, Gasser and Ogden for stretches along the axes."""
    v, J = VALUES | given, x[0] * x[1] * x[2]
    bar = J ** (-2.0 / 3.0) * x**2
    total = v["mu"] / 2.0 * (bar.sum() - 3.0) + v["kappa"] / 2.0 * (J - 1.0) ** 2
    for n in (1, 2):
        a = np.array([v[f"fibre{n}_{axis}"] for axis in "xyz"])
        fourth = (bar * a**2).sum() / (a @ a)
        d = v["dispersion"]
        strain = d * (bar.sum() - 3.0) + (1.0 - 3.0 * d) * (fourth - 1.0)
        if strain.real > 0.0:
            total = total + v["k1"] / (2.0 * v["k2"]) * (np.exp(v["k2"] * strain**2) - 1.0)
    return total


@pytest.mark.parametrize("given", [ALONG, CROSSED], ids=["along", "crossed"])
@pytest.mark.parametrize(
    "stretches",
    [(1.3, 0.9, 0.9), (0.9, 1.3, 0.9), (1.2, 1.2, 0.7), (0.8, 1.1, 1.1)],
    ids=["along", "across", "wide", "pressed"],
)
def test_forces_on_a_stretched_cube(stretches, given):
    """Uniaxial along and across fibres, biaxial, and pressed along them: dW / d lambda."""
    forces = at("internal_forces", given, CUBE * (np.array(stretches) - 1.0))
    for k in range(3):
        moved = np.array(stretches, dtype=complex)
        moved[k] += 1e-30j
        exact = of_stretches(given, moved).imag / 1e-30
        assert forces[CUBE[:, k] == 1.0, k].sum() == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_fibres_that_are_pressed_bear_nothing():
    """Without dispersion what is left is the matrix: forces and tangent, and at rest."""
    given = ALONG | {"dispersion": 0.0}
    corner = CUBE[[0, 1, 3, 4]]
    for stretches in ((0.8, 1.2, 1.1), (1.0, 1.0, 1.0)):
        state = corner * (np.array(stretches) - 1.0)
        for term in ("internal_forces", "tangent", "point_stress"):
            exact = evaluate("tet4", "neo_hookean_isochoric", term, corner, state)
            found = evaluate("tet4", FIBRES, term, corner, state, **given)
            assert abs(found - exact).max() < 1e-13 * (1.0 + abs(exact).max())


def test_directions_are_those_of_vectors_of_any_length():
    """Ten times as long, they say the same."""
    state = CUBE * np.array([0.3, -0.1, -0.1])
    longer = {name: -10.0 * value for name, value in CROSSED.items()}
    one, other = (at("internal_forces", given, state) for given in (CROSSED, longer))
    assert one == pytest.approx(other, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("base", ["tet4", slow("hex8"), slow("hex8s"), slow("quad4_plane_strain")])
def test_the_limit_has_stiffer_directions(base):
    """Fibres that bear pressure too: 4 k a a a a in H, the tangent at rest, forces of 1e-9."""
    text = "mu/2*(I1_bar - 3) + kappa/2*(J - 1)^2 + k1/2*(I4 - 1)^2"
    subject = hyperelastic(base, text, ["mu", "kappa", "k1"])
    given = VALUES | {"thickness": 0.7}
    rng = np.random.default_rng(4)
    nodes = np.array([[float(x) for x in node] for node in subject.nodes])
    coordinates = nodes + 0.1 * rng.uniform(-1.0, 1.0, nodes.shape)
    state = 1e-9 * rng.uniform(-1.0, 1.0, nodes.shape)

    def of(term, u):
        inputs = {"coordinates": coordinates[..., None], "state": u[..., None]}
        return interpret(compile_kernel(subject, term).program, inputs, given)[..., 0]

    n = state.size
    stiffness = of("stiffness", state).reshape(n, n)
    tangent = of("tangent", 0.0 * state).reshape(n, n)
    assert abs(tangent - stiffness).max() < 1e-13 * abs(stiffness).max()
    forces = of("internal_forces", state).ravel()
    assert abs(forces - stiffness @ state.ravel()).max() < 2e-8 * abs(forces).max()
    if subject.components == 3:
        law = subject.constitutive.matrix
        for symbol, value in reversed(subject.constitutive.definitions):
            law = law.subs(symbol, value)
        known = {sympy.Symbol(name, real=True): value for name, value in VALUES.items()}
        found = np.array(law.subs(known), dtype=float)
        a = np.array([VALUES[f"fibre1_{axis}"] for axis in "xyz"])
        a /= np.linalg.norm(a)
        along = np.array([a[0] ** 2, a[1] ** 2, a[2] ** 2, a[1] * a[2], a[0] * a[2], a[0] * a[1]])
        mu, bulk = VALUES["mu"], VALUES["kappa"]
        exact = np.diag([2.0 * mu] * 3 + [mu] * 3)
        exact[:3, :3] += bulk - 2.0 * mu / 3.0
        exact += 4.0 * VALUES["k1"] * np.outer(along, along)
        assert found == pytest.approx(exact, abs=1e-12)


def test_directions_of_no_family_are_refused():
    """A direction belongs to the invariant of its fibres, and is a parameter with it."""
    law = energy_of("k1/2*(I6 - 1)^2", ["k1"])
    assert law.parameters == ("k1", "fibre2_x", "fibre2_y", "fibre2_z")
    with pytest.raises(InputError, match="'fibre1_x', a direction of fibres which 'k1/2"):
        energy_of("k1/2*(I6 - 1)^2", ["k1", "fibre1_x"])


def test_plane_fibres_may_leave_the_plane():
    """In plane strain what they have across it is not stretched."""
    square = CUBE[:4, :2]
    state = square * np.array([0.3, -0.2])
    forces = evaluate("quad4_plane_strain", FIBRES, "internal_forces", square, state)
    for k in range(2):
        moved = np.array([1.3, 0.8, 1.0], dtype=complex)
        moved[k] += 1e-30j
        exact = 0.7 * of_stretches({}, moved).imag / 1e-30
        assert forces[square[:, k] == 1.0, k].sum() == pytest.approx(exact, rel=1e-12)
