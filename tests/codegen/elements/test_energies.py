# SPDX-License-Identifier: BSD-3-Clause
"""Energies of elements: what formulas mean, and what is refused in one line."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.energy import AT_REST, ENERGIES, I1, J
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.terms import FINITE, further_terms_of, terms_of
from flexforge.codegen.elements.user_energies import energy_of
from flexforge.codegen.errors import InputError

RUBBER = """
name = "rubber"
extends = ["hex8"]
energy = "mu/2*(I1 - 3) - mu*log(J)"
parameters = ["mu"]
units = { mu = "Pa" }
"""


def test_a_file_of_five_lines_is_an_element(tmp_path):
    """It has the terms of large deformations, and the stiffness at rest."""
    path = tmp_path / "rubber.toml"
    path.write_text(RUBBER)
    found = find(path)
    mu = sympy.Symbol("mu", real=True)
    assert found.energy.value == mu / 2 * (I1 - 3) - mu * sympy.log(J)
    assert {*FINITE, "stiffness", "mass", "coriolis"} < {*terms_of(found)}
    assert {"tangent_action", "stress", "second_piola_stress"} < {*terms_of(found)}
    assert not {"geometric", "thermal_stress"} & {*terms_of(found), *further_terms_of(found)}
    assert found.units == {"mu": "Pa"}
    named = dict(found.constitutive.definitions)
    law = found.constitutive.matrix.subs(named)
    assert law == mu * sympy.diag(2, 2, 2, 1, 1, 1)


@pytest.mark.parametrize("name", ENERGIES)
def test_laws_are_isotropic_at_rest(name):
    """H of every law is that of two constants, and the energy at rest is zero."""
    law = ENERGIES[name].limit(3)
    matrix = law.matrix.subs(dict(law.definitions))
    along, across, shear = matrix[0, 0], matrix[0, 1], matrix[3, 3]
    assert sympy.simplify(along - across - 2 * shear) == 0
    expected = sympy.diag(*3 * [along - across], *3 * [shear])
    expected[:3, :3] += across * sympy.ones(3, 3)
    assert (matrix - expected).applyfunc(sympy.simplify).is_zero_matrix
    assert sympy.simplify(ENERGIES[name].value.subs(AT_REST)) == 0


@pytest.mark.parametrize(
    ("energy", "parameters", "message"),
    [
        ("neo_hokean", (), "energy: found 'neo_hokean'; expected a formula, or .*'neo_hookean'"),
        ("neo_hookean", ["mu"], "parameters: found them beside energy 'neo_hookean', which has"),
        (
            "mu*(I1 - 3)",
            (),
            r"energy: found 'mu'; expected \+ - \* / \^, log, exp, sqrt, positive, invariants",
        ),
        ("mu*(I1 - 3)", ["mu", "k"], "found the parameter 'k', which 'mu.*' does not have"),
        ("mu*(I5 - 3)", ["mu"], "energy: found 'I5'; expected .*did you mean 'I[1246]'|I1"),
        ("mu*(I1 - 3", ["mu"], "energy: found 'mu.*'; expected a formula of invariants"),
        ("mu*sin(I1)", ["mu"], r"energy: found 'sin\(I1\)'; expected"),
        ("mu*I1**J", ["mu"], "energy: found the power 'J'; expected a number"),
        ("(I1 + I2 + J)^100", (), r"powers to 100 in all; expected 12 at most"),
        ("((I1 + J)^4)^5", (), r"powers to 20 in all; expected 12 at most"),
        ("mu/0*I1", ["mu"], "energy: found a division by zero in 'mu / 0'"),
        ("2*mu", ["mu"], "energy: found .2.mu., which does not change with the deformation"),
        ("J*I1", ["J"], "energy: found the parameter 'J', which formulas know already"),
        ("lambda*(I1 - 3)", ["lambda"], "parameters: found 'lambda', a word of Python"),
        ("w1*(I1 - 3)", ["w1"], "parameters: 'w1' is the name of a motion"),
        ("+".join(["I1"] * 200), (), "energy: found a formula of 599 characters; expected at most"),
        ("__import__('os').system('true')", (), "energy: found '__import__"),
    ],
)
def test_what_is_no_energy_is_refused(energy, parameters, message):
    """Unknown names and functions, numbers that are none, and what formulas must not do."""
    with pytest.raises(InputError, match=message) as error:
        energy_of(energy, parameters)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("element", "energy", "message"),
    [
        ("hex8", "I1 - 3", "found 'I1 - 3', which has the stress 2 where nothing is deformed"),
        ("quad4", "neo_hookean", "found plane stress with an energy; expected plane strain"),
        ("hex8i", "gent", "'hex8i': found it with an energy; expected a solid or plane element"),
        ("mitc4", "gent", "'mitc4': found it with an energy; expected a solid or plane element"),
    ],
)
def test_what_cannot_have_an_energy_is_refused(element, energy, message):
    """Stresses at rest, plane stress, incompatible modes, shells."""
    with pytest.raises(InputError, match=message):
        hyperelastic(element, energy)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('strain = "axial"', "energy: found it beside strain 'axial'; expected .small_strain. or"),
        ('energy = "gent"', "parameters: found them beside energy 'gent'"),
        ("energy = 3", "energy: "),
    ],
)
def test_files_are_refused_by_their_key(tmp_path, line, message):
    """With the name of the file and the line."""
    key = line.split(" = ")[0]
    kept = [one for one in RUBBER.splitlines() if not one.startswith(key)]
    path = tmp_path / "rubber.toml"
    path.write_text("\n".join([*kept, line]) + "\n")
    with pytest.raises(InputError, match=message) as error:
        find(path)
    assert "rubber.toml" in str(error.value)
