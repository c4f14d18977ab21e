# SPDX-License-Identifier: BSD-3-Clause
"""flexforge check-element: good elements pass, and what is wrong with bad ones is named."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.study.verification import quadrature_notes, verify
from flexforge.codegen.study.verification.integration import collapsed_rule
from flexforge.codegen.study.verification.trial import Trial
from specimens import distorted

EXAMPLE = Path(__file__).parents[3] / "examples" / "elements" / "membrane.toml"
ONE = sympy.Integer(1)
SQUARE = """
name = "mine"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = "small_strain"
law = "plane_strain"
degree = { stiffness = 3, mass = 3 }
"""


def _failed(element):
    return {f.check: f for f in verify(element) if not f.passed}


@pytest.mark.parametrize(
    "name",
    ["tri6", "quad4_plane_strain", "quad9_axisymmetric", "tet4", "quad4i",
     "bar3_plane",
     *(pytest.param(n, marks=pytest.mark.slow) for n in ("wedge6", "hex8s", "pyramid5",
                                                         "timoshenko_beam_plane",
                                                         "hex20", "bar2", "euler_beam", "dkt3",
                                                         "mitc4", "dkt3_laminate",
                                                         "timoshenko_beam_laminate"))],
)  # fmt: skip
def test_elements_of_the_library_pass(name):
    """Every check holds for them."""
    assert _failed(find(name)) == {}


@pytest.mark.slow
def test_hourglasses_are_counted():
    """One point in a hexahedron leaves 12 motions without energy besides the six rigid ones.

    24 coordinates, 6 strains at one point: 18 motions without energy (Flanagan and Belytschko
    1981).
    """
    element = replace(find("hex8"), name="hourglass", recovery=(ONE,),
                      degree={"stiffness": 1, "mass": 3})  # fmt: skip
    (finding,) = _failed(element).values()
    assert finding.check == "motions without energy"
    assert finding.found.startswith(
        "18, 12 of them not seen by the quadrature of one point; one on"
    )
    assert finding.expected == "6"


def test_an_hourglass_is_written_out():
    """The hourglass of a quadrilateral moves its corners by 1, -1, 1, -1; it is xi times eta."""
    element = replace(find("quad4"), recovery=(ONE,), degree={"stiffness": 1, "mass": 3})
    found = _failed(element)["motions without energy"].found
    assert found.startswith("5, 2 of them not seen by the quadrature of one point; ")
    assert found.endswith("one on the reference cell: ux = (1, -1, 1, -1) at nodes 0 to 3")


def test_missing_energy_that_no_quadrature_finds():
    """A strain without shear leaves motions free whatever the number of points."""
    law = replace(
        find("quad4").constitutive,
        matrix=sympy.ImmutableMatrix(sympy.eye(2)), definitions=(), parameters=(),
    )  # fmt: skip
    element = replace(find("quad4"), name="net", strain="ux_x ; uy_y", constitutive=law)
    assert "with exact quadrature too" in _failed(element)["motions without energy"].found


def test_one_point_beside_the_centre_fails_the_patch_test(tmp_path):
    """Forces of a constant strain are not the exact ones: neighbours do not balance."""
    path = tmp_path / "mine.toml"
    rule = "degree = { mass = 3 }\nquadrature.stiffness = { points = PLACE, weights = WEIGHTS }"
    text = SQUARE.replace("degree = { stiffness = 3, mass = 3 }", rule)
    path.write_text(text.replace("PLACE", "[[0.5, 0.5], [0.5, -0.5]]").replace("WEIGHTS", "[2, 2]"))
    assert "forces of constant strain are exact" in _failed(load_element(path))


def test_inexact_quadrature_is_noted():
    """The centre point of a bubble misses its mass; what is exact on straight cells has no note."""
    assert quadrature_notes(find("quad8")) == quadrature_notes(find("pyramid5")) == []
    (note,) = quadrature_notes(find("quad8r"))
    assert note.startswith("quadrature of the stiffness: by its 4 points it is")


@pytest.mark.parametrize("cell", ["triangle", "quadrilateral", "tetrahedron", "wedge", "pyramid"])
def test_the_finer_rule_is_exact(cell):
    """It integrates the squares of all monomials of degree two as the rule of the compiler does."""
    points, weights = map(np.array, rule(cell, 4))
    fine = collapsed_rule(cell, 3)
    for powers in product(range(3), repeat=points.shape[1]):
        if sum(powers) <= 2:
            of = [(np.prod(p ** (2 * np.array(powers)), axis=1) * w).sum()
                  for p, w in ((points, weights),
                               (np.array(fine.points), np.array(fine.weights)))]  # fmt: skip
            assert abs(of[0] - of[1]) < 1e-14


def test_motions_without_mass_are_counted():
    """One point gives a tetrahedron the mass of three motions, the others have none."""
    element = replace(find("tet4"), name="light", degree={"stiffness": 0, "mass": 1})
    finding = _failed(element)["motions without mass"]
    assert finding.found.startswith("9, 9 of them not seen by the quadrature of one point")
    assert finding.expected == "0"


def test_neighbours_that_part_are_noticed(tmp_path):
    """A quadrilateral on x^2 and y^2 in place of xy has functions that leave their facets."""
    path = tmp_path / "mine.toml"
    path.write_text(SQUARE.replace('"xi*eta"', '"xi**2 + xi*eta"'))
    failed = _failed(load_element(path))
    found = failed["zero on facets of other nodes"].found
    assert found.startswith("not that of node 2 on the facet eta = -1 and ")


def test_the_example_is_what_it_says(tmp_path):
    """A strain and a law written out give the stiffness of the named ones of plane stress."""
    text = EXAMPLE.read_text()
    start = text.index("units =")  # of the parameters of the law, which follows
    named = text[:start].replace(
        'strain = ["ux_x", "uy_y", "ux_y + uy_x"]', 'strain = "small_strain"\nlaw = "plane_stress"'
    )
    path = tmp_path / "named.toml"
    path.write_text(named)
    written, plain = load_element(EXAMPLE), load_element(path)
    assert _failed(written) == {}
    X = distorted(plain, 2, seed=3)
    values = {"young": 2.1, "poisson": 0.29, "thickness": 0.35, "E1": 2.1, "E2": 2.1,
              "nu12": 0.29, "G12": 2.1 / 2.58}  # fmt: skip
    found, expected = (
        interpret(compile_kernel(e, "stiffness").program, {"coordinates": X}, values)
        for e in (written, plain)
    )
    assert np.abs(found - expected).max() < 1e-14 * np.abs(expected).max()


OWN_LAW = """
name = "strip"
cell = "triangle"
nodes = [[0, 0], [1, 0], [0, 1]]
monomials = ["1", "xi", "eta"]
components = 2
strain = ["ux_x", "uy_y", "ux_y + uy_x"]
section = "thickness"
degree = { stiffness = 1, mass = 2 }
[law]
parameters = ["C11", "C12", "C22", "C66"]
matrix = [["C11", "C12", "0"], ["C12", "C22", "0"], ["0", "0", "C66"]]
"""


def test_a_law_gets_values_that_are_definite(tmp_path):
    """C11 = C12 = C22 would be singular; values that are given are kept, and told if singular."""
    path = tmp_path / "strip.toml"
    path.write_text(OWN_LAW)
    element = load_element(path)
    assert all(finding.passed for finding in verify(element))
    given = Trial(element, {"C12": 0.9})
    assert given.value("C12") == 0.9 and given.value("C11") * given.value("C22") > 0.81
    singular = {"C11": 0.3, "C12": 0.3, "C22": 0.3}
    (law,) = [one for one in verify(element, singular) if one.check.startswith("the law")]
    assert not law.passed and "C12 = 0.3" in law.found
    with pytest.raises(InputError, match="found a value of 'C13'; expected one of C11, C12"):
        next(verify(element, {"C13": 1.0}))


def test_a_rule_of_ones_own(tmp_path):
    """Points and weights given by hand: those of Gauss give the same matrix, one point another."""
    path = tmp_path / "mine.toml"
    rule = "degree = { mass = 3 }\n[quadrature.stiffness]\npoints = POINTS\nweights = WEIGHTS\n"
    body = SQUARE.replace("degree = { stiffness = 3, mass = 3 }", rule)
    g = 3**-0.5
    four = [[-g, -g], [-g, g], [g, -g], [g, g]]
    X = distorted(find("quad4"), 2, seed=3)
    values = {"young": 2.1, "poisson": 0.29}

    def stiffness(text, points=(), weights=()):
        path.write_text(text.replace("POINTS", str(points)).replace("WEIGHTS", str(weights)))
        program = compile_kernel(load_element(path), "stiffness").program
        return interpret(program, {"coordinates": X}, values)

    usual = stiffness(SQUARE)
    gauss = stiffness(body, four, [1, 1, 1, 1])
    assert np.abs(gauss - usual).max() < 1e-14 * np.abs(usual).max()
    one = stiffness(body, [[0, 0]], [4])
    assert np.abs(one - usual).max() > 1e-2 * np.abs(usual).max()


SHAPE = 'shape = ["(1-xi)*(1-eta)/4", "(1+xi)*(1-eta)/4", "(1+xi)*(1+eta)/4", "(1-xi)*(1+eta)/4"]'
MONOMIALS = 'monomials = ["1", "xi", "eta", "xi*eta"]'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"xi*eta"]', '"sin(xi)"]', r"monomials\[3\]: found 'sin\(xi\)'; expected a polynomial"),
        ('"xi*eta"]', '"xi*eta", "xi**2"]', "4 nodes but 5 monomials"),
        ('["1", "xi"', '["xi**2", "xi"', "sum of the shape functions .* expected 1"),
        (MONOMIALS, SHAPE.replace("(1-xi)*(1-eta)/4", "(1-xi)*(1-eta)/2"),
         r"shape\[0\]: is 2 at node 0; expected 1"),
        (MONOMIALS, MONOMIALS + "\n" + SHAPE, "monomials, shape: found both"),
        (MONOMIALS, "", "monomials, shape: found neither"),
        ('"small_strain"', '["ux_x", "uy_y*uy_y", "ux_y"]', r"strain\[1\]: .* a linear form"),
        ('"small_strain"', '["ux_x", "uz_z"]', r"strain\[1\]: found 'uz_z'; expected"),
        ('"small_strain"', '["ux_x", "uy_y"]', "law: 'plane_strain' does not fit|acts on 3"),
        ('law = "plane_strain"', 'law = { parameters = ["a"], matrix = [["a", "1"], ["0", "a"]] }',
         r"law.matrix\[1\]\[0\]: .*expected a symmetric"),
        ("stiffness = 3, mass = 3 }", "mass = 3 }", "degree: found"),
        ("degree = { stiffness = 3, mass = 3 }",
         "degree = { mass = 3 }\nquadrature.stiffness = { points = [[0, 0]], weights = [3] }",
         "their sum is 3; expected 4, the measure of the quadrilateral"),
        ("degree = { stiffness = 3, mass = 3 }",
         "degree = { mass = 3 }\nquadrature.stiffness = { points = [[0, 0], [3, 0]], "
         "weights = [2, 2] }",
         r"stiffness.points\[1\]: found \(3, 0\), outside the quadrilateral; expected -1 <= xi"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(old, new, said, tmp_path):
    """A file that declares no element that can work is refused with its key and the reason."""
    assert old in SQUARE
    path = tmp_path / "mine.toml"
    path.write_text(SQUARE.replace(old, new, 1))
    with pytest.raises(InputError, match=said) as caught:
        load_element(path)
    assert str(caught.value).startswith(str(path))


def test_a_singular_jacobian_is_named(tmp_path):
    """With xi^3 for xi the coordinate is xi^3: at the centre, a point of nine, it stands still."""
    path = tmp_path / "mine.toml"
    text = SQUARE.replace('"xi", "eta"', '"xi**3", "eta"').replace("stiffness = 3", "stiffness = 5")
    path.write_text(text)
    with pytest.raises(InputError, match=r"Jacobian of element 'mine' is .* at the point \(0, "):
        load_element(path)
