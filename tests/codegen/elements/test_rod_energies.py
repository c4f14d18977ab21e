# SPDX-License-Identifier: BSD-3-Clause
"""Rods with large rotations: what their declarations mean, and what is refused in one line."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import LARGE, find
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.terms import FINITE, terms_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.generate import generate

WIRE = """
name = "wire"
extends = ["simo_beam2"]
energy = "EA/2*tension^2 + GA/2*(shearing_y^2 + shearing_z^2) + EI/2*(bending_y^2 + bending_z^2) + GJ/2*twisting^2"
law = { parameters = ["EA", "GA", "EI", "GJ"] }
units = { EA = "N", GA = "N", EI = "N m^2", GJ = "N m^2" }
"""  # noqa: E501
STRIP = """
name = "strip"
extends = ["simo_beam3_plane"]
energy = "EA/2*tension^2 + GA/2*shearing_y^2 + EI/2*bending_y^2"
law = { parameters = ["EA", "GA", "EI"] }
"""
STRAINS = "tension, bending_y, shearing_y, bending_z, shearing_z, twisting"


@pytest.mark.parametrize("name", LARGE)
def test_terms_are_those_of_energies_and_of_inertia(name):
    """No stress stiffens them besides: that is part of the tangent."""
    found = terms_of(find(name))
    assert {*FINITE, "stiffness", "mass", "coriolis", "body_load"} < {*found}
    assert not {"geometric", "section_geometric"} & {*found}


def test_formulas_need_nothing_of_the_law_that_they_replace(tmp_path):
    """Every term of a beam in the plane knows the parameters of the formula and of the mass."""
    path = tmp_path / "strip.toml"
    path.write_text(STRIP)
    for term in ("tangent", "stiffness", "mass"):
        known = {one.name for one in compile_kernel(find(path), term).parameters}
        assert known <= {"EA", "GA", "EI", "area", "inertia_z", "offset_y", "density"}
    found = compile_kernel(hyperelastic("cable3", "EA/2*tension^2", ["EA"]), "mass")
    assert [one.name for one in found.parameters] == ["area", "density"]


def test_a_file_with_a_formula_is_a_rod(tmp_path):
    """Its parameters are those of the formula and of the mass; its limit is the formula's."""
    path = tmp_path / "wire.toml"
    path.write_text(WIRE)
    found = find(path)
    EA, GA, EI, GJ = (sympy.Symbol(name, real=True) for name in ("EA", "GA", "EI", "GJ"))
    law = found.constitutive
    assert law.matrix.subs(dict(law.definitions)) == sympy.diag(EA, EI, GA, EI, GA, GJ)
    assert found.constitutive.parameters == ("EA", "GA", "EI", "GJ")
    assert "shear_y" not in found.parameters
    assert "area" in found.parameters
    assert found.units["EI"] == "N m^2"
    same = hyperelastic("simo_beam2", found.energy.formula, ["EA", "GA", "EI", "GJ"])
    assert same.constitutive == law
    assert same.fibres == found.fibres


ROPE = """
name = "rope"
cell = "interval"
nodes = [[-1], [1]]
components = 2
carried = ["displacement"]
axes = "line"
parameters = ["area"]
degree = { stiffness = 0, mass = 2 }
field = "displacement"
strain = { tension = "(ux2 - ux1)/length" }
finite = { tension = "green" }
fibres = { stiffness = [{ at = [], weight = "area" }], mass = [{ at = [], weight = "area" }] }

[law]
parameters = ["young"]
stress = { tension = "young*tension" }
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROPE.replace('"displacement"]', '"displacement", "slope"]').replace("finite", "units"),
         "carried: found slopes without the table finite"),
        (ROPE, "axes: found 'line' in a rod with the table finite; expected 'frame'"),
        ('name = "rope"\nextends = ["cable2"]\n[[fibres.stiffness]]\nat = []\n'
         'weight = "area/2"\n[[fibres.stiffness]]\nat = []\nweight = "area/2"\n',
         "fibres.stiffness: found 2 points in a rod with the"),
    ],
)  # fmt: skip
def test_rods_have_the_axes_of_their_measures_and_one_section(tmp_path, text, message):
    path = tmp_path / "rope.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        find(path)


@pytest.mark.parametrize(
    ("energy", "parameters", "message"),
    [
        ("EA/2*tenson^2", ["EA"],
         rf"energy: found 'tenson'; .* strains \({STRAINS}\) and parameters; .*'tension'"),
        ("EA*tension", ["EA"], "energy: found 'EA.tension', which has the stress EA of 'tension'"),
        ("EA/2*tension^2", ["EA", "GA"], "energy: found the parameter 'GA', which .* not have"),
        ("tension^2/2", ["tension"], "energy: found the parameter 'tension', which formulas know"),
    ],
)  # fmt: skip
def test_formulas_that_are_none_are_refused(energy, parameters, message):
    with pytest.raises(InputError, match=message):
        hyperelastic("simo_beam2", energy, parameters)


def test_cables_bend_alike_in_all_directions():
    """A curvature in axes of the frame: an energy of one direction would not be objective."""
    with pytest.raises(InputError, match="not the same for bending in every direction"):
        hyperelastic("ancf_cable", "EA/2*tension^2 + EI/2*bending_x^2", ["EA", "EI"])


def test_energies_of_small_displacements_are_refused(tmp_path):
    """A formula needs the strains of large ones, which solids and linear beams do not declare."""
    path = tmp_path / "beam.toml"
    path.write_text('name = "beam"\nextends = ["timoshenko_beam"]\nenergy = "tension^2"\n')
    with pytest.raises(InputError, match=r"beam.toml:3: energy: found it without the table finite"):
        find(path)
    path.write_text('name = "plate"\nextends = ["mitc4"]\n[finite]\nmembrane_x = "green"\n')
    with pytest.raises(InputError, match="finite: found it in an element that is no rod"):
        find(path)
    path.write_text('name = "rope"\nextends = ["cable2"]\n[finite]\ntension = "green**2"\n')
    with pytest.raises(InputError, match=r"finite.tension: found 'green\*\*2'"):
        find(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("simo_beam2", "belong to spins w in the frame, dR = w~ R"),
        ("simo_beam2_plane", "of a rotation the first component counts"),
        ("ancf_cable_plane", "slopes are derivatives of the displacement by the length at rest"),
    ],
)
def test_generated_folders_say_what_rotations_and_slopes_are(name, words, tmp_path):
    generate(name, tmp_path / "out", terms=["internal_forces"], lanes=[1])
    assert words in (tmp_path / "out" / "README.md").read_text()
