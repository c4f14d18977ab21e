# SPDX-License-Identifier: BSD-3-Clause
"""The formalisms arrive at the same element equations, and at those of PHYSICS section 2."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.derivation import derive
from flexforge.codegen.elements.library import element
from flexforge.codegen.equations import collect
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.formalisms import FORMALISMS
from flexforge.codegen.frames import PLANAR, SPATIAL
from flexforge.codegen.kinematics import (
    DENSITY,
    MaterialPoint,
    gradient_symbols,
    shape_symbol,
)
from flexforge.codegen.ledger import Ledger
from specimens import ELEMENTS, SMALL, equations

ALL_TERMS = ["mass", "coriolis", "stiffness", "euler", "centrifugal", "geometric", "euler_load",
             "centrifugal_load", "translation", "body_load"]  # fmt: skip
#: One element of each dimension: block densities depend on frame and law only.
PAIR = ("quad4_plane_stress", "quad4_plane_strain", "tet4")


def _zero(matrix):
    return sympy.Matrix(matrix).applyfunc(sympy.expand).is_zero_matrix


def _tilde(frame, vector):
    """Return the cross product matrix, written out by hand (not the frame's own)."""
    if frame is PLANAR:
        return vector[0] * sympy.Matrix([[0, -1], [1, 0]])
    columns = [sympy.Matrix(vector).cross(sympy.eye(3)[:, j]) for j in range(3)]
    return sympy.Matrix.hstack(*columns)


@pytest.mark.parametrize("name", ELEMENTS)
def test_block_densities_are_equal(name):
    """PHYSICS section 4, check 2: Lagrange and Kane agree as exact symbolic zeros, term by term."""
    one, other = (equations(name, formalism) for formalism in FORMALISMS)
    assert list(one.terms) == list(other.terms) == ALL_TERMS
    for term in ALL_TERMS:
        difference = one.terms[term].density - other.terms[term].density
        assert _zero(difference), term
        assert not _zero(one.terms[term].density), term


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n == "tet4" else ()) for n in SMALL]
)
def test_unrolled_densities_are_equal_and_made_of_the_block(name):
    """With all coordinates written out: the formalisms agree, and each block is the generic one.

    PHYSICS section 4, check 3 on the whole matrices: symmetric and skew as declared.
    """
    one, other = (equations(name, formalism, unrolled=True) for formalism in FORMALISMS)
    block = equations(name)
    subject = ELEMENTS[name]
    size, nodes = subject.components, len(subject.nodes)
    for term in ALL_TERMS:
        density = one.terms[term].density
        assert _zero(density - other.terms[term].density), term
        assert density.rows == nodes * size
        # plain transposes of p x p matrices: m, k, k_omega, k_geo symmetric, c, k_eps skew
        sign = {"symmetric": 1, "skew": -1}.get(one.terms[term].symmetry)
        assert sign is None or _zero(density - sign * density.T), term
        for i, j in ((0, 0), (1, 2), (2, 1)):
            known = {}
            for generic, node in (("a", i + 1), ("b", j + 1)):
                known[shape_symbol(generic)] = shape_symbol(str(node))
                known |= dict(zip(gradient_symbols(generic, size),
                                  gradient_symbols(str(node), size), strict=True))  # fmt: skip
            expected = block.terms[term].density.subs(known, simultaneous=True)
            columns = slice(j * size, (j + 1) * size) if density.cols > 1 else slice(0, 1)
            assert _zero(density[i * size : (i + 1) * size, columns] - expected), (term, i, j)


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("name", PAIR)
def test_densities_are_those_of_physics_section_2(name, formalism):
    """Every term against the integrands of PHYSICS section 2, written here by hand."""
    terms = equations(name, formalism).terms
    subject = ELEMENTS[name]
    size = subject.components
    frame = PLANAR if size == 2 else SPATIAL
    Na, Nb = shape_symbol("a"), shape_symbol("b")
    w, e = (_tilde(frame, v) for v in (frame.angular_velocity, frame.angular_acceleration))
    x = sympy.Matrix(sympy.symbols(f"x1:{size + 1}", real=True))
    f = sympy.Matrix(sympy.symbols(f"f1:{size + 1}", real=True))
    strains = {2: [(0, 0), (1, 1), (0, 1)],
               3: [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]}[size]  # fmt: skip

    def B(node):
        g = gradient_symbols(node, size)
        return sympy.Matrix(
            [[(g[j] if k == i else 0) + (g[i] if k == j and i != j else 0) for k in range(size)]
             for i, j in strains]
        )  # fmt: skip

    sigma = sympy.zeros(size, size)
    for symbol, (i, j) in zip(sympy.symbols(f"sigma1:{len(strains) + 1}", real=True), strains,
                              strict=True):  # fmt: skip
        sigma[i, j] = sigma[j, i] = symbol
    ga, gb = (sympy.Matrix(gradient_symbols(n, size)) for n in "ab")
    rho = DENSITY
    expected = {
        "mass": rho * Na * Nb * sympy.eye(size),
        "coriolis": rho * Na * Nb * w,
        "euler": rho * Na * Nb * e,
        "centrifugal": rho * Na * Nb * w * w,
        "stiffness": B("a").T * subject.constitutive.matrix * B("b"),
        "geometric": (ga.T * sigma * gb)[0] * sympy.eye(size),
        "euler_load": rho * Na * e * x,
        "centrifugal_load": rho * Na * w * w * x,
        "translation": rho * Na * sympy.Matrix(frame.acceleration),
        "body_load": Na * f,
    }
    for term, density in expected.items():
        assert _zero(terms[term].density - density), term


@pytest.mark.parametrize(
    ("name", "unrolled"),
    [("tri3_plane_stress", False), ("tri3_plane_stress", True), ("tet4", False)],
)
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_velocity_of_the_origin_cancels(formalism, name, unrolled):
    """v_O enters T and its derivatives but no force: only a_O remains, in one term."""
    derived = equations(name, formalism, unrolled)
    frame = derived.point.frame
    for term in derived.terms.values():
        assert not term.density.free_symbols & set(frame.velocity), term.name
        if term.name != "translation":
            assert not term.density.free_symbols & set(frame.acceleration), term.name


@pytest.mark.parametrize("name", PAIR)
def test_terms_depend_on_what_they_say(name):
    """The declared dependence on w, e, a_O, sigma_0, f is exactly the one of the density."""
    derived = equations(name)
    frame = derived.point.frame
    sources = {
        "w": set(frame.angular_velocity),
        "e": set(frame.angular_acceleration),
        "a_O": set(frame.acceleration),
        "sigma_0": set(derived.point.initial_stress),
        "f": set(derived.point.body_force),
    }
    for term in derived.terms.values():
        found = tuple(k for k, symbols in sources.items() if term.density.free_symbols & symbols)
        assert found == term.depends, term.name


def test_a_formalism_with_a_wrong_sign_is_noticed():
    """The comparison can fail: with -2 w x v' in place of 2 w x v' the Coriolis terms differ."""
    point = MaterialPoint.of(element("tri3"), PLANAR, ("a", "b"))
    right = FORMALISMS["kane"](point, Ledger())

    class Wrong(MaterialPoint):
        def acceleration(self):
            w = self.frame.tilde(self.frame.angular_velocity)
            return super().acceleration() - 4 * w * self.interpolate(self.velocities)

    spoiled = FORMALISMS["kane"](Wrong.of(element("tri3"), PLANAR, ("a", "b")), Ledger())
    a, b = (
        collect("pair", "kane", point, residuals[:2], Ledger()).terms
        for residuals in (right, spoiled)
    )
    assert not _zero(a["coriolis"].density - b["coriolis"].density)
    assert _zero(a["mass"].density - b["mass"].density)


def test_what_is_no_term_is_refused():
    """A residual with a velocity of the origin, or with a product of w and e, is not accepted."""
    point = MaterialPoint.of(element("tri3"), PLANAR, ("a", "b"))
    good = FORMALISMS["lagrange"](point, Ledger())[:2]
    w, e = PLANAR.angular_velocity[0], PLANAR.angular_acceleration[0]
    for extra, words in (
        (PLANAR.velocity[0] * point.coordinates[0], "velocity of the origin"),
        (w * e * point.coordinates[0], "left over"),
        (w * e, "left over"),
    ):
        with pytest.raises(FlexforgeError, match=words):
            collect("pair", "lagrange", point, [good[0] + extra, good[1]], Ledger())


def test_unknown_formalism_and_frames():
    """Wrong names and frames of the wrong dimension end in one line."""
    tet4, tri3 = element("tet4"), element("tri3")
    for call, words in (
        (lambda: derive(tet4, formalism="lagrang"), "did you mean 'lagrange'"),
        (lambda: derive(tet4, PLANAR), "does not fit an element with 3 coordinates a node"),
        (lambda: derive(tri3, SPATIAL), "expected 'planar'"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
