# SPDX-License-Identifier: BSD-3-Clause
"""The formalisms arrive at the same element equations, and at those of physics.md section 2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from compiled import kernel_of
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element, facet
from flexforge.codegen.elements.terms import LOADS, MATRICES
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.mechanics.derivation import derive, roll
from flexforge.codegen.mechanics.equations import collect
from flexforge.codegen.mechanics.formalisms import FORMALISMS, formalism
from flexforge.codegen.mechanics.formalisms.gibbs_appell import energy_of_accelerations
from flexforge.codegen.mechanics.formalisms.motion import FirstOrder
from flexforge.codegen.mechanics.frames import PLANAR, SPATIAL, frame_for
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol
from marks import slow
from specimens import ELEMENTS, REPEATED, SMALL, equations

ALL_TERMS = ["mass", "coriolis", "stiffness", "euler", "centrifugal", "geometric", "euler_load",
             "centrifugal_load", "translation", "body_load"]  # fmt: skip
#: All coordinates written out: every element takes seconds, so the larger ones are slow tests.
UNROLLED = [
    slow(name) if subject.size > 8 else name
    for name, subject in ELEMENTS.items()
    if name not in REPEATED
]
#: One element of each dimension: block densities depend on frame and law only.
PAIR = ("quad4_plane_stress", "quad4_plane_strain", slow("tet4"))


def _zero(matrix):
    return sympy.Matrix(matrix).applyfunc(sympy.expand).is_zero_matrix


def _tilde(frame, vector):
    """Return the cross product matrix, written out by hand (not the frame's own)."""
    if frame is PLANAR:
        return vector[0] * sympy.Matrix([[0, -1], [1, 0]])
    columns = [sympy.Matrix(vector).cross(sympy.eye(3)[:, j]) for j in range(3)]
    return sympy.Matrix.hstack(*columns)


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_of_one_law_share_their_block(name):
    """Their generic pair is one point, of which it is derived: what holds of one holds of all."""
    size, strain = ELEMENTS[name].components, "plane_strain" in name
    same = "tet4" if size == 3 else f"quad4_{'plane_strain' if strain else 'plane_stress'}"
    found, expected = derive(ELEMENTS[name]), equations(same)
    assert found.point == expected.point
    assert found.terms == expected.terms


@pytest.mark.parametrize("name", PAIR)
def test_block_densities_are_equal(name):
    """physics.md section 4, check 2: all formalisms agree as exact symbolic zeros, term by term."""
    first, *others = (equations(name, formalism) for formalism in FORMALISMS)
    assert list(first.terms) == ALL_TERMS
    for other in others:
        assert list(other.terms) == ALL_TERMS
        for term in ALL_TERMS:
            assert first.terms[term].density == other.terms[term].density, (other.formalism, term)
            assert not _zero(first.terms[term].density), term


@pytest.mark.parametrize("name", UNROLLED)
def test_unrolled_densities_are_equal_and_made_of_the_block(name):
    """With all coordinates written out: the formalisms agree, and each block is the generic one.

    physics.md section 4, checks 2 and 3 on the whole matrices: symmetric and skew as declared.
    """
    first, *others = (equations(name, formalism, unrolled=True) for formalism in FORMALISMS)
    for other in others:
        for term in ALL_TERMS:
            assert first.terms[term].density == other.terms[term].density, (other.formalism, term)
    block, rolled = equations(name), roll(first)
    assert rolled.point == block.point
    subject = ELEMENTS[name]
    for term in ALL_TERMS:
        density = first.terms[term].density
        assert density.rows == subject.size
        # plain transposes of p x p matrices: m, k, k_omega, k_geo symmetric, c, k_eps skew
        sign = {"symmetric": 1, "skew": -1}.get(first.terms[term].symmetry)
        assert sign is None or density == sign * density.T, term
        assert rolled.terms[term].density == block.terms[term].density, term


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_unrolled_derivation_gives_the_same_kernels(name):
    """Both ways of deriving lead to the same C text, kernel by kernel."""
    subject = ELEMENTS[name]
    for term in (*MATRICES, *LOADS, "geometric"):
        block = kernel_of(name, term)
        unrolled = compile_kernel(subject, term, unrolled=True)
        assert unrolled.pieces == block.pieces, term


def test_nodes_treated_unlike_are_noticed():
    """An element whose equations are not one block repeated cannot be rolled up."""
    derived = equations("tri3_plane_stress", unrolled=True)
    density = sympy.Matrix(derived.terms["mass"].density)
    density[0, 2] *= 2
    spoiled = replace(derived.terms["mass"], density=sympy.ImmutableMatrix(density))
    with pytest.raises(FlexforgeError, match="term mass treats the nodes 1, 2 unlike 1, 3"):
        roll(replace(derived, terms=derived.terms | {"mass": spoiled}))


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize("name", PAIR)
def test_densities_are_those_of_physics_section_2(name, formalism):
    """Every term against the integrands of physics.md section 2, written here by hand."""
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
            [
                [(g[j] if k == i else 0) + (g[i] if k == j and i != j else 0) for k in range(size)]
                for i, j in strains
            ]
        )

    sigma = sympy.zeros(size, size)
    for symbol, (i, j) in zip(
        sympy.symbols(f"sigma1:{len(strains) + 1}", real=True), strains, strict=True
    ):
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

    class Wrong(MaterialPoint):
        def transport_acceleration(self, ledger):
            w = self.frame.tilde(self.frame.angular_velocity)
            rates = self.interpolate(self.velocities, ledger, "a")
            return super().transport_acceleration(ledger) - 4 * w * rates

    point = point_of(element("tri3"), PLANAR, ("a", "b"))
    wrong = Wrong(point.frame, point.nodes, point.strain_operator, point.law)
    right, spoiled = (_collected("kane", one) for one in (point, wrong))
    assert right["coriolis"].density == -spoiled["coriolis"].density
    assert right["mass"].density == spoiled["mass"].density


@pytest.mark.parametrize(
    ("forgotten", "factor"), [("dA/dt", sympy.Rational(1, 2)), ("db/dt", None)]
)
@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_maggi_without_the_derivatives_of_its_constraints(name, forgotten, factor):
    """physics.md section 3: A' z and b' belong to q''; who forgets A' z finds half of Coriolis.

    b' holds the other half, and the whole of k_eps and k_omega.
    """

    class Forgetful(Ledger):
        def total(self, expression, rates, family):
            change = super().total(expression, rates, family)
            return sympy.Integer(0) if family == forgotten else change

    subject = element(name)
    point = point_of(subject, frame_for(subject.components), ("a", "b"))
    right, wrong = (_collected("maggi", point, ledger) for ledger in (Ledger(), Forgetful()))
    assert wrong["coriolis"].density == right["coriolis"].density / 2
    kept = factor is not None
    for term in ("euler", "centrifugal"):
        assert (wrong[term].density == right[term].density) == kept
        assert wrong[term].density.is_zero_matrix != kept
    assert wrong["mass"].density == right["mass"].density


@pytest.mark.parametrize("name", ["quad4", "tet4"])
def test_hamilton_needs_neither_e_nor_the_acceleration_of_the_origin(name):
    """physics.md section 3: Hamilton's pair is first order and written in w and v_O only."""
    subject = element(name)
    point = point_of(subject, frame_for(subject.components), ("a", "b"))
    pair = formalism("hamilton")(point, Ledger())
    assert isinstance(pair, FirstOrder)
    used = set().union(*(e.free_symbols for e in (*pair.momenta, *pair.forces)))
    frame = point.frame
    assert not used & {*frame.angular_acceleration, *frame.acceleration, *point.accelerations}
    assert set(frame.velocity) | set(frame.angular_velocity) <= used


@pytest.mark.parametrize("name", ["quad4", slow("tet4")])
def test_gibbs_appell_takes_only_the_terms_that_matter(name):
    """dS/dd'' of the complete S = 1/2 rho a.a is that of its quadratic and linear parts."""
    subject = element(name)
    point = point_of(subject, frame_for(subject.components), ("a", "b"))
    acceleration = point.acceleration(Ledger())
    complete = DENSITY * acceleration.dot(acceleration) / 2
    taken = energy_of_accelerations(point, Ledger())
    for variable in point.accelerations:
        assert sympy.expand(sympy.diff(complete - taken, variable)) == 0
    assert sympy.expand(complete - taken) != 0


def test_what_is_no_term_is_refused():
    """A residual with a velocity of the origin, or with a product of w and e, is not accepted."""
    point = point_of(element("tri3"), PLANAR, ("a", "b"))
    good = formalism("lagrange")(point, Ledger()).residuals
    w, e = PLANAR.angular_velocity[0], PLANAR.angular_acceleration[0]
    for extra, words in (
        (PLANAR.velocity[0] * point.coordinates[0], "velocity of the origin"),
        (w * e * point.coordinates[0], "left over in equation 1"),
        (w * e, "left over"),
        (point.coordinates[0] ** 2, "no term of the equations"),
        (point.accelerations[0] * w, "no term of the equations"),
    ):
        with pytest.raises(FlexforgeError, match=words):
            collect("pair", "lagrange", point, [good[0] + extra, *good[1:]], Ledger())


def _collected(name, point, ledger=None):
    """Return the terms a formalism comes to at a point."""
    ledger = ledger or Ledger()
    motion = formalism(name)(point, ledger)
    return collect("pair", name, point, motion.second_order(point, Ledger()), ledger).terms


def test_a_new_formalism_is_one_file_and_one_name(tmp_path, monkeypatch):
    """A file in the folder and its name in FORMALISMS: derived, compared, counted, documented."""
    from flexforge.codegen.mechanics import formalisms
    from flexforge.codegen.study.as_written import natural_programs, write_equations
    from flexforge.codegen.study.comparison import count_formalism
    from flexforge.codegen.study.report.report import report

    text = Path(formalisms.__file__).with_name("virtual_power.py").read_text()
    (tmp_path / "newton.py").write_text(text.replace('"Virtual power"', '"Newton"'))
    monkeypatch.setattr(formalisms, "__path__", [*formalisms.__path__, str(tmp_path)])
    monkeypatch.setattr(formalisms, "FORMALISMS", (*formalisms.FORMALISMS, "newton"))
    monkeypatch.setattr(formalisms, "_REGISTERED", {})  # other tests may have taken the name
    found = report(element("tri3"), ("lagrange", "newton"))
    assert found.agreement.startswith("lagrange and newton are symbolically equal")
    natural = write_equations(element("tri3"), "newton")
    assert count_formalism(natural, natural_programs(natural)).differentiations == 0
    assert formalisms.text("newton").title == "Newton"


def test_unknown_formalism_and_frames():
    """Wrong names and frames of the wrong dimension end in one line."""
    tet4, tri3 = element("tet4"), element("tri3")
    for call, words in (
        (lambda: derive(tet4, formalism="lagrang"), "did you mean 'lagrange'"),
        (lambda: derive(tet4, PLANAR), "does not fit an element with 3 coordinates per node"),
        (lambda: derive(tri3, SPATIAL), "expected 'planar'"),
        (lambda: derive(tet4, formalism="gibs_appell"), "did you mean 'gibbs_appell'"),
        (lambda: derive(facet("quad4", 3)), "needs the derivatives N_a,3 .* has N_a,1, N_a,2"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
