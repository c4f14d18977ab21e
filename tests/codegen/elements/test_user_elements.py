# SPDX-License-Identifier: BSD-3-Clause
"""Elements that are not standard: declared, derived, compiled and checked like the others."""

from __future__ import annotations

from dataclasses import replace

import by_sympy
import numpy as np
import pytest
import sympy
from compiled import native
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.constitutive import PLANE_STRESS, Constitutive
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import complete, tensor
from flexforge.codegen.elements.library import element, facet
from flexforge.codegen.elements.terms import ACTIONS, terms_of
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.runtime.assembly.kernels import kernels_of
from specimens import distorted, relative, spring_point, values

ONE = sympy.Integer(1)
HALF = sympy.Rational(1, 2)


def quad9():
    """Return the nine-node Lagrange quadrilateral declared anew: corners, middles, centre."""
    nodes = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, -1), (1, 0), (0, 1), (-1, 0), (0, 0)]
    exact = tuple(tuple(sympy.Integer(x) for x in n) for n in nodes)
    return Element("quad9", "quadrilateral", exact, tensor(2, 2), 2, "small_strain", PLANE_STRESS,
                   {"stiffness": 5, "mass": 5}, tensor(2, 1), "thickness")  # fmt: skip


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("components", [2, 3])
def test_the_spring_point_in_closed_form(components, lanes):
    """A point has k = kappa I, m = mu I, c = mu w~, k_eps = mu e~, k_omega = mu w~w~, by hand.

    The uniform results are spread over the lanes: all of them say the same.
    """
    kernels = native(spring_point(components), lanes=lanes)
    assert set(kernels) == set(terms_of(spring_point(components)))
    assert "geometric" not in kernels
    assert "stress" not in kernels
    p = {"stiffness": 3.0, "mass": 2.0, "w1": 0.3, "w2": -0.4, "w3": 0.5, "e1": 1.0, "e2": 2.0,
         "e3": 3.0, "a_O1": 5.0, "a_O2": 6.0, "a_O3": 7.0, "f1": 8.0, "f2": 9.0,
         "f3": 10.0}  # fmt: skip
    X = np.random.default_rng(1).standard_normal((1, components, lanes))
    tilde = lambda v: np.array([np.cross(v, a) for a in np.eye(3)]).T  # noqa: E731
    w = tilde([p["w1"], p["w2"], p["w3"]] if components == 3 else [0, 0, p["w3"]])
    e = tilde([p["e1"], p["e2"], p["e3"]] if components == 3 else [0, 0, p["e3"]])
    n = components
    expected = {
        "stiffness": 3.0 * np.eye(n), "mass": 2.0 * np.eye(n), "coriolis": 2.0 * w[:n, :n],
        "euler": 2.0 * e[:n, :n], "centrifugal": 2.0 * (w @ w)[:n, :n],
        "scalar_mass": np.array([[2.0]]),
    }  # fmt: skip
    for term, matrix in expected.items():
        found = kernels[term](X, p)
        for lane in range(lanes):
            assert np.allclose(found[..., lane].reshape(matrix.shape), matrix, rtol=1e-15), term
    for lane in range(lanes):
        x = np.zeros(3)
        x[:n] = X[0, :, lane]
        for term, force in (
            ("euler_load", 2.0 * e @ x),
            ("centrifugal_load", 2.0 * w @ w @ x),
            ("translation", [10.0, 12.0, 14.0]),
            ("body_load", [8.0, 9.0, 10.0]),
        ):
            found = kernels[term](X, p)[0, :, lane]
            assert np.allclose(found, np.array(force)[:n], rtol=1e-14, atol=1e-15), term


def test_the_spring_point_of_a_file(tmp_path):
    """The same element, declared in a TOML file, is the same declaration."""
    path = tmp_path / "oscillator.toml"
    path.write_text(
        'name = "oscillator"\ncell = "point"\nnodes = [[]]\nmonomials = ["1"]\ncomponents = 2\n'
        'strain = "displacement"\nlaw = "spring"\ndensity = "mass"\n'
        "degree = { stiffness = 0, mass = 0 }\n"
    )
    loaded, declared = load_element(path), spring_point(2)
    assert loaded == declared
    texts = [compile_kernel(e, "centrifugal").pieces for e in (loaded, declared)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "subject", [spring_point(2), spring_point(3), quad9()], ids=["point2", "point3", "quad9"]
)
def test_formalisms_agree(subject):
    """All formalisms agree symbolically on elements that are declared here."""
    one, *others = (derive(subject, formalism=f) for f in FORMALISMS)
    for other in others:
        assert one.terms.keys() == other.terms.keys()
        for term in one.terms:
            assert one.terms[term].density == other.terms[term].density, (other.formalism, term)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 8])
def test_quad9_agrees_with_sympy(lanes):
    """All terms of the nine-node element against the symbolic densities, to 1e-13."""
    subject = quad9()
    equations = derive(subject)
    X = distorted(subject, 9, seed=81)
    state = 0.1 * np.random.default_rng(82).standard_normal(X.shape)
    terms = [t for t in terms_of(subject) if t not in (*ACTIONS, "lumped_mass")]
    for term, kernel in native(subject, terms, lanes=lanes).items():
        p = values(tuple(q.name for q in kernel.kernel.parameters))
        expected = by_sympy.reference(subject, equations, term, X, p, state)
        assert relative(kernel(X, p, state), expected) < 1e-13, term


def test_quad9_reproduces_quadratic_fields_on_bilinear_cells():
    """Q2 keeps its order where serendipity loses it: x^2 is in the space of a straight quad9.

    Arnold, Boffi and Falk, Mathematics of Computation 71 (2002): Q2 contains P2 on every bilinear
    image, the eight-node space does not. sigma_xx = 2 x of u_x = x^2 is bilinear in xi: recovered.
    """
    corners = np.array([[0, 0], [2, 0.1], [1.7, 1.6], [-0.2, 1.0]])
    subjects = {"quad9": element("quad9"), "quad8": element("quad8")}
    errors = {}
    for name, subject in subjects.items():
        nodes = np.array([[float(x) for x in n] for n in subject.nodes])
        N = np.array(
            [
                (1 + nodes[:, 0] * a) * (1 + nodes[:, 1] * b) / 4
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
        ).T
        X = N @ corners
        u = np.stack([X[:, 0] ** 2, X[:, 0] * X[:, 1]], axis=1)
        stress = native(subject, ["stress"])["stress"]
        p = {"young": 1.0, "poisson": 0.0}
        found = stress(X[..., None], p, u[..., None])[:, 0, 0]
        errors[name] = np.abs(found[:4] - 2 * X[:4, 0]).max()
    assert errors["quad9"] < 1e-12
    assert errors["quad8"] > 1e-3


def test_a_law_of_the_users_own():
    """An orthotropic plane law with a square root in its definitions compiles and is right.

    G = sqrt(E1 E2) / 2 as a stand-in for a shear modulus that is defined by a root.
    """
    e1, e2 = sympy.symbols("young_x young_y", real=True)
    shear = sympy.Symbol("shear", real=True)
    law = Constitutive("orthotropic", ("young_x", "young_y"), ((shear, sympy.sqrt(e1 * e2) / 2),),
                       sympy.ImmutableMatrix(sympy.diag(e1, e2, shear)))  # fmt: skip
    subject = replace(element("quad4"), name="ortho4", constitutive=law)
    X = distorted(subject, 5, seed=83)
    p = {"young_x": 4.0, "young_y": 9.0, "thickness": 0.5}
    for lanes in (1, 4):
        k = native(subject, ["stiffness"], lanes=lanes)["stiffness"](X, p)
        expected = by_sympy.integral(subject, derive(subject), "stiffness", X, p)
        assert relative(k, expected) < 1e-13
    kernel = compile_kernel(subject, "stiffness")
    assert kernel.count.roots == 1
    assert kernel.pieces.uses_roots


@pytest.mark.parametrize("name", ["law11", "law33", "rho_"])
def test_parameters_called_like_symbols_of_ours(name, tmp_path):
    """The same matrices as with a plain name: entries of the law are not mistaken for it."""
    x = [[0.0, 0.0], [1.0, 0.1], [1.2, 1.0], [0.1, 0.9]]
    found = []
    for called in ("C", name):
        path = tmp_path / f"{called}.toml"
        path.write_text(
            f'''extends = ["quad4_plane_strain"]
            name = "own"
            [law]
            parameters = ["A", "B", "{called}"]
            matrix = [["A", "B", "0"], ["B", "A", "0"], ["0", "0", "{called}"]]'''
        )
        kernels = kernels_of(path, ("stiffness", "mass"))
        elastic = {"A": 3.0, "B": 1.0, called: 0.7, "thickness": 1.5}
        found.append(
            (
                kernels["stiffness"](x, **elastic),
                kernels["mass"](x, density=2.0, thickness=1.5),
            )
        )
    for mine, plain in zip(found[1], found[0], strict=True):
        assert np.array_equal(mine, plain)


@pytest.mark.parametrize("name", ["rho", "R11", "inverse_radius"])
def test_symbols_of_the_equations_are_no_parameters(name, tmp_path):
    """A shear modulus called rho became the density."""
    path = tmp_path / "own.toml"
    path.write_text(
        f'''extends = ["quad4_plane_strain"]
        [law]
        parameters = ["A", "B", "{name}"]
        matrix = [["A", "B", "0"], ["B", "A", "0"], ["0", "0", "{name}"]]'''
    )
    with pytest.raises(InputError, match=f"'{name}' is a symbol of the equations"):
        kernels_of(path, ("stiffness",))


def test_a_facet_has_a_pressure_only():
    """A line in the plane bounds a plane body: a bar's stiffness is not offered under its name."""
    line = facet("line2", 2)
    assert terms_of(line) == ("pressure",)
    with pytest.raises(InputError, match="has no term 'stiffness'; expected one of pressure"):
        compile_kernel(line, "stiffness")


def test_a_pyramid_of_ones_own(tmp_path):
    """A pyramid's fifth function is a ratio: declared in a file it is the standard element."""
    text = """name = "mine"
cell = "pyramid"
nodes = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]]
monomials = ["1", "xi", "eta", "zeta", "MONOMIAL"]
components = 3
strain = "small_strain"
law = "isotropic"
degree = { stiffness = 3, mass = 3 }
"""
    file = tmp_path / "mine.toml"
    file.write_text(text.replace("MONOMIAL", "xi*eta/(1 - zeta)"))
    mine, standard = load_element(file), element("pyramid5")
    assert mine.shape == standard.shape
    X = distorted(standard, 2, seed=86)
    p = values(("young", "poisson"))
    a, b = (native(e, ["stiffness"])["stiffness"](X, p) for e in (standard, mine))
    assert relative(a, b) < 1e-14
    for other in ("xi*eta/zeta", "xi/(1 - zeta)**2", "1/(2 - zeta)"):
        file.write_text(text.replace("MONOMIAL", other))
        with pytest.raises(InputError, match=r"monomials\[4\]: found .*expected a polynomial"):
            load_element(file)


def test_an_element_that_is_declared_like_a_standard_one_is_it():
    """The standard triangle declared anew, its monomials in another order: the same matrices.

    The nine-node quadrilateral declared anew is the standard one but for its name.
    """
    assert replace(quad9(), name="quad9_plane_stress") == element("quad9")
    standard = element("tri3")
    mine = replace(standard, name="mine", monomials=tuple(reversed(complete(2, 1))))
    X = distorted(standard, 2, seed=85)
    p = values(("young", "poisson", "thickness"))
    a, b = (native(e, ["stiffness"])["stiffness"](X, p) for e in (standard, mine))
    assert relative(a, b) < 1e-14
