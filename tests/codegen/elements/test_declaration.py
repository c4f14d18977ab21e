# SPDX-License-Identifier: BSD-3-Clause
"""What a declaration can get wrong is said in one line that names element, finding and remedy."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.constitutive import ISOTROPIC, spring
from flexforge.codegen.elements.interpolation import complete, tensor
from flexforge.codegen.elements.library import element, facet, standard_elements
from flexforge.codegen.errors import InputError

QUAD = element("quad4")
WRONG = {
    "monomials": ({"monomials": complete(2, 1)}, "4 nodes but 3 monomials"),
    "cell": ({"cell": "quadrilatral"}, "cell 'quadrilatral' is unknown.*mean 'quadrilateral'"),
    "node": (
        {"nodes": (*QUAD.nodes[:3], (sympy.Integer(0),))},
        "node 3 has 1 coordinates; expected 2 in a quadrilateral",
    ),
    "components": ({"components": 1}, "1 components; expected 2 in a planar frame, 3 in"),
    "strain": ({"strain": "smal_strain"}, "did you mean 'small_strain'"),
    "law": ({"constitutive": ISOTROPIC}, "law 'isotropic' acts on 6 strains; 'small_strain' has 3"),
    "degree": ({"degree": {"stiffness": 3}}, "degree 'mass' is missing"),
    "name": ({"name": "my quad"}, "expected letters, digits and _"),
    "point": (
        {"cell": "point", "nodes": ((),), "monomials": (sympy.Integer(1),)},
        "a point has no gradient; expected strain 'displacement'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_declarations(case):
    """A declaration that cannot work is refused where it is made."""
    change, words = WRONG[case]
    with pytest.raises(InputError, match=words) as caught:
        replace(QUAD, **change)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("element '")


def test_a_line_in_space_is_neither_solid_nor_facet():
    """A bar in space has no gradient operator here and bounds no solid: refused, not guessed."""
    line = facet("line2", 2)
    with pytest.raises(InputError, match="expected a solid, a facet or a point"):
        replace(line, components=3, constitutive=ISOTROPIC)


def test_singular_basis():
    """Monomials that the nodes cannot tell apart: four corners do not determine xi^2 - 1."""
    xi = QUAD.monomials[1]
    wrong = replace(QUAD, monomials=(*QUAD.monomials[:3], xi**2))
    with pytest.raises(InputError, match="element 'quad4_plane_stress': its nodes do not"):
        _ = wrong.shape


def test_repeated_monomials():
    """They are named, not blamed on the nodes."""
    wrong = replace(QUAD, monomials=(*QUAD.monomials[:3], QUAD.monomials[1]))
    with pytest.raises(InputError, match=r"monomials\[3\]: found 'eta' again"):
        _ = wrong.shape


def test_more_recovery_functions_than_points():
    """Four stress functions cannot be fitted to one point."""
    wrong = replace(QUAD, degree={"stiffness": 1, "mass": 3}, recovery=tensor(2, 1))
    with pytest.raises(
        InputError, match=r"found 4 functions of recovery, .* and 1 points of quadrature"
    ):
        compile_kernel(wrong, "stress")


def test_standard_elements_by_name():
    """Five plane cells under two hypotheses, and eight solids."""
    names = [e.name for e in standard_elements()]
    assert len(names) == len(set(names)) == 18
    for name in names:
        assert element(name).name == name
    assert element("tri3", "plane_strain").name == "tri3_plane_strain"
    assert element("tri3").name == "tri3_plane_stress"
    assert [element(n).size for n in ("tri6", "quad8", "quad9", "tet10", "hex20", "hex27")] == [
        12,
        16,
        18,
        30,
        60,
        81,
    ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: element("hex9"), "did you mean 'hex8'"),
        (lambda: element("hex8", "plane_stress"), "solids have none"),
        (lambda: element("quad4", "plane_stres"), "did you mean 'plane_stress'"),
        (lambda: facet("quad4", 2), "is not a facet of a 2-D body; expected one of line2, line3"),
        (lambda: facet("tri3", 4), "expected one of none"),
    ],
)
def test_unknown_standard_elements(call, words):
    """Unknown names and hypotheses get the nearest known one."""
    with pytest.raises(InputError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_laws_against_the_inverse_compliance():
    """H of every hypothesis is the inverse of the compliance matrix (Hooke's law), numerically."""
    import handwritten
    import numpy as np

    young, poisson = 2.1, 0.29
    for subject in standard_elements():
        law = subject.constitutive
        given = dict(zip(sympy.symbols("young poisson", real=True), (young, poisson), strict=True))
        matrix = law.matrix.subs(dict(law.definitions)).subs(given)
        found = np.array(matrix.tolist(), dtype=float)
        hypothesis = "_".join(subject.name.split("_")[1:])
        expected = handwritten.elasticity(hypothesis, young, poisson)
        assert np.allclose(found, expected, rtol=1e-14, atol=1e-14)
    assert spring(2).matrix.shape == (2, 2)
