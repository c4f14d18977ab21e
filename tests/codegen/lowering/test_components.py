# SPDX-License-Identifier: BSD-3-Clause
"""Energies of components of C and E: beside the same laws in invariants, and anisotropic ones."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.user_energies import energy_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from marks import slow

VALUES = {"lame": 2.0, "mu": 3.0, "c": 0.7, "C11": 5.0, "b": 3.0, "d": 1.5, "e": 0.8,
          "thickness": 0.7}  # fmt: skip
VENANT = "lame/2*(E11 + E22 + E33)^2 + mu*(E11^2 + E22^2 + E33^2 + 2*(E12^2 + E23^2 + E13^2))"
HOOKEAN = "mu/2*(C11 + C22 + C33 - 3) - mu*log(J) + lame/2*log(J)^2"
#: Fung's exponential of an orthotropic form; a constant is called like a component of C.
FUNG = "c/2*(exp(C11*E11^2 + b*E22^2 + d*E33^2 + 2*e*E11*E22 + e*E12^2 + d*E23^2 + b*E13^2) - 1)"
TERMS = ("strain_energy", "internal_forces", "tangent", "point_stress")


def of(subject, term, coordinates, state):
    """Return a term of one element, as lowered, by the arithmetic of its arrays."""
    dtype = state.dtype
    inputs = {"coordinates": coordinates.astype(dtype)[..., None], "state": state[..., None]}
    return interpret(compile_kernel(subject, term, passes={}).program, inputs, VALUES)[..., 0]


def shaken(subject, size=0.1, seed=5):
    """Return positions and displacements of a distorted element, at a distance from an axis."""
    rng = np.random.default_rng(seed)
    nodes = np.array([[float(x) for x in node] for node in subject.nodes])
    nodes[:, 0] += 3.0
    return (nodes + size * rng.uniform(-1.0, 1.0, nodes.shape),
            size * rng.uniform(-1.0, 1.0, nodes.shape))  # fmt: skip


@pytest.mark.parametrize(
    ("base", "text", "law"),
    [
        slow("tet4", VENANT, "st_venant_kirchhoff"),
        slow("quad4_plane_strain", VENANT, "st_venant_kirchhoff"),
        ("tri3_axisymmetric", VENANT, "st_venant_kirchhoff"),
        slow("quad4s_plane_strain", VENANT, "st_venant_kirchhoff"),
        slow("tet4", HOOKEAN, "neo_hookean"),
        ("quad4_plane_strain", HOOKEAN, "neo_hookean"),
        slow("hex8s", HOOKEAN, "neo_hookean"),
    ],
)
def test_laws_in_components_are_those_of_invariants(base, text, law):
    """The trace of E and of its square, and that of C, written out: the same to round-off."""
    own, known = hyperelastic(base, text, ["lame", "mu"]), hyperelastic(base, law)
    coordinates, state = shaken(known)
    for term in TERMS:
        found, exact = (of(one, term, coordinates, state) for one in (own, known))
        assert abs(found - exact).max() < 1e-13 * max(abs(exact).max(), 1.0)
    small = 1e-9 * state
    found, exact = (of(one, "internal_forces", coordinates, small) for one in (own, known))
    assert abs(found - exact).max() < 1e-12 * abs(exact).max()


def test_forces_between_states_are_those_of_invariants():
    """The discrete gradient of St. Venant-Kirchhoff's law, both ways."""
    own = hyperelastic("tet4", VENANT, ["lame", "mu"])
    known = hyperelastic("tet4", "st_venant_kirchhoff")
    coordinates, state = shaken(known)
    both = np.stack([state, 0.5 * state[::-1]])
    found, exact = (of(one, "conserving_action", coordinates, both) for one in (own, known))
    assert abs(found - exact).max() < 1e-13 * abs(exact).max()


@pytest.mark.parametrize("base", [slow("tet4"), slow("quad4_plane_strain"), "tri3_axisymmetric"])
def test_an_anisotropic_law(base):
    """Forces by complex steps of the energy, tangents by those of the forces; nothing by a turn."""
    subject = hyperelastic(base, FUNG, ["c", "C11", "b", "d", "e"])
    coordinates, state = shaken(subject)
    forces, n = of(subject, "internal_forces", coordinates, state), state.size
    tangent = of(subject, "tangent", coordinates, state).reshape(n, n)
    for k in range(n):
        moved = state.astype(complex)
        moved.ravel()[k] += 1e-30j
        energy = of(subject, "strain_energy", coordinates, moved).imag / 1e-30
        assert forces.ravel()[k] == pytest.approx(energy.item(), rel=1e-11, abs=1e-12)
        slope = of(subject, "internal_forces", coordinates, moved).imag.ravel() / 1e-30
        assert abs(tangent[:, k] - slope).max() < 1e-12 * abs(tangent).max()
    assert abs(tangent - tangent.T).max() < 1e-13 * abs(tangent).max()
    if base == "tet4":
        turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))
        turn *= np.linalg.det(turn)
        turned = (coordinates + state) @ turn.T - coordinates
        found = of(subject, "internal_forces", coordinates, turned)
        assert abs(found - forces @ turn.T).max() < 1e-12 * abs(forces).max()


def test_the_limit_is_an_orthotropic_matrix():
    """Of Fung's law: c times the form in the exponent; the constant C11 is no component of C."""
    law = hyperelastic("tet4", FUNG, ["c", "C11", "b", "d", "e"]).constitutive
    known = {sympy.Symbol(name, real=True): value for name, value in VALUES.items()}
    found = law.matrix
    for symbol, value in reversed(law.definitions):
        found = found.subs(symbol, value)
    exact = np.diag(
        [VALUES[k] for k in ("C11", "b", "d")] + [VALUES[k] / 4 for k in ("d", "b", "e")]
    )
    exact[0, 1] = exact[1, 0] = VALUES["e"]
    assert np.array(found.subs(known), dtype=float) == pytest.approx(VALUES["c"] * exact, abs=1e-12)


def test_components_of_the_deformation_gradient_are_refused():
    """They change where a body turns, so that no energy depends on them."""
    with pytest.raises(InputError, match="F11.*changes where the body turns.*C11 or E11"):
        energy_of("mu/2*(F11 - 1)^2", ["mu"])
