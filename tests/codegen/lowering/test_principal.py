# SPDX-License-Identifier: BSD-3-Clause
"""Energies of principal stretches, against 50 digits where stretches are alike and nearly alike."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from energies import VALUES, evaluate, shaken
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.user_energies import energy_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.divided import divided
from marks import slow
from scipy.spatial.transform import Rotation

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.1, 0.1], [-0.1, 0.2, 0.9]])
TERMS = [(VALUES[f"mu{n}"], VALUES[f"alpha{n}"]) for n in (1, 2, 3)]
STRETCHES = {
    "rest": (1.0, 1.0, 1.0),
    "all alike": (1.3, 1.3, 1.3),
    "two alike": (1.2, 1.2, 0.8),
    "unlike": (1.7, 1.2, 0.6),
    **{f"{d:g} apart": (1.2, 1.2 + d, 0.8) for d in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)},
    **{f"all {d:g} apart": (1.1, 1.1 + d, 1.1 - d) for d in (1e-5, 1e-9)},
}


def energy(state):
    """Return Ogden's energy of a tetrahedron for displacements, from the eigenvalues of C."""
    corners = mpmath.matrix(CORNERS.tolist())
    edges = mpmath.matrix(3, 3)
    moved = mpmath.matrix(3, 3)
    for k in range(3):
        for i in range(3):
            edges[i, k] = corners[k + 1, i] - corners[0, i]
            moved[i, k] = edges[i, k] + state[k + 1, i] - state[0, i]
    F = moved * edges**-1
    J = mpmath.det(F)
    squares = mpmath.eigsy(F.T * F, eigvals_only=True)
    bars = [mpmath.sqrt(one) / mpmath.cbrt(J) for one in squares]
    total = sum(m / a * (sum(bar**a for bar in bars) - 3) for m, a in TERMS)
    total += mpmath.mpf(VALUES["kappa"]) / 2 * (J - 1) ** 2
    return total * mpmath.det(edges) / 6


def slopes(state):
    """Return the derivatives of the energy by central differences: errors of a step's square."""
    step = mpmath.mpf("1e-17")
    found = np.zeros((4, 3), dtype=object)
    for a in range(4):
        for i in range(3):
            up, down = state.copy(), state.copy()
            up[a, i] += step
            down[a, i] -= step
            found[a, i] = (energy(up) - energy(down)) / (2 * step)
    return found


@pytest.mark.parametrize("case", STRETCHES)
def test_forces_and_tangents_have_all_their_digits(case):
    """Turned at random: forces and the tangent times a vector against differences of 50 digits."""
    first, second = Rotation.random(2, random_state=4).as_matrix()
    F = first @ np.diag(STRETCHES[case]) @ second
    state = CORNERS @ (F - np.eye(3)).T
    vector = np.random.default_rng(3).standard_normal((4, 3))
    with mpmath.workdps(50):
        wide = np.array([[mpmath.mpf(x) for x in row] for row in state])
        exact = slopes(wide)
        step = mpmath.mpf("1e-10")
        along = np.array([[mpmath.mpf(x) for x in row] for row in vector])
        bent = (slopes(wide + step * along) - slopes(wide - step * along)) / (2 * step)
        exact, bent = exact.astype(float), bent.astype(float)
    forces = evaluate("tet4", "ogden", "internal_forces", CORNERS, state)
    tangent = evaluate("tet4", "ogden", "tangent", CORNERS, state)
    assert abs(forces - exact).max() < 2e-15 * VALUES["kappa"]
    found = np.einsum("aibj,bj->ai", tangent, vector)
    assert abs(found - bent).max() < 1e-13 * abs(bent).max()
    action = evaluate("tet4", "ogden", "tangent_action", CORNERS, np.stack([state, vector]))
    assert abs(action - bent).max() < 1e-13 * abs(bent).max()
    matrix = tangent.reshape(12, 12)
    assert abs(matrix - matrix.T).max() < 1e-14 * abs(matrix).max()


@pytest.mark.parametrize("size", [0.2, 1e-3, 1e-9, 0.0])
@pytest.mark.parametrize(
    "base",
    ["tet4", slow("quad4_plane_strain"), slow("quad4s_plane_strain")],
)
def test_powers_of_two_and_minus_two_are_mooney_and_rivlin(base, size):
    """Energy, forces, tangent and stress are those of invariants, to round-off."""
    terms = {"mu1": 3.0, "alpha1": 2.0, "mu2": -1.4, "alpha2": -2.0, "mu3": 0.0, "alpha3": 1.0}
    coordinates, state = shaken(base, "mooney_rivlin", size=size)
    for term in ("strain_energy", "internal_forces", "tangent", "point_stress"):
        found, exact = (
            evaluate(base, law, term, coordinates, state, **terms)
            for law in ("ogden", "mooney_rivlin")
        )
        # An energy is of second order in strains, of which it has the digits.
        digits = 1e-13 if term != "strain_energy" or size > 1e-2 else 1e-5
        if term != "strain_energy" or size != 1e-9:
            assert abs(found - exact).max() <= digits * abs(exact).max()


def test_any_symmetric_formula_is_a_law():
    """Hencky's energy of logarithmic strains, written in stretches and in J: forces and tangent."""
    logs = " + ".join(f"log(stretch{k})^2" for k in (1, 2, 3))
    hencky = hyperelastic("tet4", f"mu*({logs}) + lame/2*log(J)^2", ["mu", "lame"])
    given = {"mu": 3.0, "lame": 2.0}
    turn = Rotation.random(random_state=5).as_matrix()
    stretches = np.array([1.5, 1.5, 0.7])
    F = turn @ np.diag(stretches)
    state = CORNERS @ (F - np.eye(3)).T
    inputs = {"coordinates": CORNERS[..., None], "state": state[..., None]}
    stress = interpret(compile_kernel(hencky, "point_stress").program, inputs, given)[0, :, 0]
    true = (6.0 * np.log(stretches) + 2.0 * np.log(stretches.prod())) / stretches.prod()
    exact = turn @ np.diag(true) @ turn.T
    order = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
    assert stress == pytest.approx([exact[i, j] for i, j in order], rel=1e-13)
    tangent = interpret(compile_kernel(hencky, "tangent").program, inputs, given)[..., 0]
    forces = compile_kernel(hencky, "internal_forces").program
    vector = np.random.default_rng(3).standard_normal((4, 3))

    def at(step):
        moved = {**inputs, "state": (state + step * vector)[..., None]}
        return interpret(forces, moved, given)[..., 0]

    h = 3e-4
    slope = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    found = np.einsum("aibj,bj->ai", tangent, vector)
    assert abs(found - slope).max() < 1e-9 * abs(slope).max()  # h^4, times fifth derivatives


@pytest.mark.parametrize(
    "text", ["x**3*y", "x**(-2)", "sqrt(x)", "x**a/y", "log(x + 2*y)", "exp(x)*y**2", "x*y + z"]
)
def test_divided_differences(text):
    """Each rule, far apart, and where both quantities are one: the derivative there."""
    names = sympy.symbols("x y z d a", positive=True)
    x, y, _, d, a = names
    value = sympy.sympify(text, {str(one): one for one in names})
    found = divided(value, x, y, d)
    swapped = value.subs({x: y, y: x}, simultaneous=True)
    at = {x: 1.7, y: 1.2, a: 2.3}
    exact = ((value - swapped) / (x - y)).subs(at)
    assert found.subs({**at, d: 0.5}).evalf() == pytest.approx(float(exact), rel=1e-14)
    alike = {one: sympy.Rational(17, 10) for one in (x, y)} | {a: sympy.Rational(23, 10)}
    slope = (sympy.diff(value, x) - sympy.diff(value, y)).subs(alike)
    near = found.subs({**alike, d: sympy.Rational(1, 10**30)})
    assert float(near.evalf(80)) == pytest.approx(float(slope), rel=1e-14)


@pytest.mark.parametrize(
    ("energy_text", "message"),
    [
        ("stretch1^2 - 1", "which changes where stretch1 and stretch2 are exchanged"),
        ("stretch1*stretch2 + stretch3^2", "stretch2 and stretch3 are exchanged; expected"),
        ("(stretch1 + stretch2 + stretch3)^J", "found the power 'J'; expected a number"),
    ],
)
def test_what_is_no_law_of_stretches_is_refused(energy_text, message):
    """Formulas in which stretches are not alike: in no body of the same law along all axes."""
    with pytest.raises(InputError, match=message) as error:
        energy_of(energy_text)
    assert "\n" not in str(error.value)
