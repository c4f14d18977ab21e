# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bodies of revolution with torsion: a field in space, differentiated and integrated.

The oracle is the field in Cartesian coordinates: a point at the angle p about the axis e_2 is
``(r cos p, z, r sin p)``, and the field has the components u_r, u_z, u_t along ``e_r = (cos p, 0,
sin p)``, e_2 and ``e_t = (-sin p, 0, cos p)``, at p = 0 along e_1, e_2 and ``e_1 x e_2 = e_3``.
"""

from __future__ import annotations

from dataclasses import replace

import handwritten
import numpy as np
import pytest
import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.constitutive import anisotropic
from flexforge.codegen.elements.facts import FACTS, FULL_MASS, TORSION
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.library import PLANE, element, facet
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.frames import SPATIAL
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.study.verification.run import verify
from marks import slow
from specimens import distorted, heavy_are_slow, relative

CELLS = heavy_are_slow(*PLANE, more=("tri6", "quad8", "quad9"))
EVERY = [name for name, facts in FACTS.items() if TORSION in facts.hypotheses]
P = {"young": 2.1, "poisson": 0.29, "density": 0.78, "w2": 1.3, "e2": -0.4, "a_O2": 0.7,
     "f1": 0.4, "f2": -0.6, "f3": 0.9, "pressure": 1.7}  # fmt: skip
_OTHERS = [one for one in FORMALISMS if one not in ("lagrange", "maggi")]
VOIGT = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]


def _run(subject, term, X, values, state=None):
    """Return the output of a term as lowered, of elements (nodes, components, count).

    The passes of the compiler and what prints C are tested elsewhere.
    """
    kernel = compile_kernel(subject, term, passes={})
    inputs = {"coordinates": X} | ({} if state is None else {"state": state})
    return interpret(kernel.program, inputs, {p.name: values[p.name] for p in kernel.parameters})


def _shapes(cell, count, seed):
    """Return sections away from the axis (nodes, 3, count)."""
    plane = distorted(element(cell, "axisymmetric"), count, seed)
    plane[:, 0] += 1.0 - plane[:, 0].min()
    return np.concatenate([plane, np.zeros_like(plane[:, :1])], axis=1)


def _gradient(node):
    """Return the gradient of a field N_a d_a in space at the angle 0, and the symbols d_a."""
    r, z, p = sympy.symbols("r z p", positive=True)
    N = sympy.Function("N")(r, z)
    d = sympy.Matrix(sympy.symbols(f"d_{node}1:4", real=True))
    axes = sympy.Matrix(
        [[sympy.cos(p), 0, -sympy.sin(p)], [0, 1, 0], [sympy.sin(p), 0, sympy.cos(p)]]
    )
    place = sympy.Matrix([r * sympy.cos(p), z, r * sympy.sin(p)])
    change = (axes * d * N).jacobian([r, z, p]) * place.jacobian([r, z, p]).inv()
    shapes = {
        N.diff(r): sympy.Symbol(f"N_{node},1", real=True),
        N.diff(z): sympy.Symbol(f"N_{node},2", real=True),
        N: sympy.Symbol(f"N_{node}", real=True),
    }
    found = change.subs(p, 0)
    for known, symbol in shapes.items():
        found = found.subs(known, symbol)
    return found.subs(r, 1 / sympy.Symbol("inverse_radius", real=True)).expand(), d


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_inertia_is_that_of_a_body_in_space(formalism):
    """w~, e~ and w~ w~ with w along e_2 between all three components, on the position (r, z, 0)."""
    equations = derive(element("tri3", TORSION), formalism=formalism)
    w, e, a, x, y = sympy.symbols("w2 e2 a_O2 x1 x2", real=True)
    Na, Nb = sympy.symbols("N_a N_b", real=True)
    turn = sympy.Matrix([[0, 0, 1], [0, 0, 0], [-1, 0, 0]])
    assert turn * sympy.Matrix([x, y, 0]) == sympy.Matrix([0, 1, 0]).cross(sympy.Matrix([x, y, 0]))
    place, mass = sympy.Matrix([x, y, 0]), DENSITY * Na
    expected = {
        "mass": mass * Nb * sympy.eye(3),
        "coriolis": mass * Nb * w * turn,
        "euler": mass * Nb * e * turn,
        "centrifugal": mass * Nb * w**2 * turn**2,
        "euler_load": mass * e * turn * place,
        "centrifugal_load": mass * w**2 * turn**2 * place,
        "translation": mass * a * sympy.Matrix([0, 1, 0]),
        "body_load": Na * sympy.Matrix(sympy.symbols("f1:4", real=True)),
    }
    for name, density in expected.items():
        assert (equations.terms[name].density - density).expand().is_zero_matrix, name


@pytest.mark.parametrize("formalism", ["lagrange", "maggi", *map(slow, _OTHERS)])
def test_stiffness_is_that_of_a_field_in_space(formalism):
    """k and k_geo from the field in space: its strain, and Green's 1/2 grad u^T grad u."""
    terms = derive(element("quad4_anisotropic", TORSION), formalism=formalism).terms
    left, da = _gradient("a")
    right, db = _gradient("b")
    H, sigma = anisotropic(6).matrix, sympy.symbols("sigma1:7", real=True)

    def strain(G):
        return sympy.Matrix([G[i, j] if i == j else G[i, j] + G[j, i] for i, j in VOIGT])

    rows, columns = (strain(G).jacobian(d) for G, d in ((left, da), (right, db)))
    assert (terms["stiffness"].density - rows.T * H * columns).expand().is_zero_matrix
    whole = left.T * right
    energy = sum(
        s * (whole[i, j] if i == j else whole[i, j] + whole[j, i])
        for s, (i, j) in zip(sigma, VOIGT, strict=True)
    )
    expected = sympy.Matrix(3, 3, lambda i, j: sympy.diff(energy, da[i], db[j]))
    assert (terms["geometric"].density - expected).expand().is_zero_matrix


class ByHand(handwritten.Handwritten):
    """The element with the six strains of cylindrical coordinates, as printed in textbooks.

    Sokolnikoff, Mathematical Theory of Elasticity, section 48: rr, zz, tt, zt, rt, rz.
    """

    def __init__(self, cell, X, H):
        # Three points where a plane triangle has one, six where it has three.
        rule = {"tri3": ("tri6", "stiffness"), "tri6": ("tri6", "mass")}
        points = handwritten.quadrature(*rule.get(cell, (cell, "stiffness")))
        material = P["young"], P["poisson"], P["density"]
        super().__init__(cell, "plane_strain", X[:, :2], *material, rules=lambda *_: points)
        self.H = H

    def rows(self):
        """Yield N, its gradient, B (6, 3 nodes) and the volume of every point."""
        for N, G, dV in self.points("stiffness"):
            r = N @ self.X[:, 0]
            B = np.zeros((6, self.nodes, 3))
            B[0, :, 0], B[1, :, 1], B[2, :, 0] = G[:, 0], G[:, 1], N / r
            B[3, :, 2], B[4, :, 2] = G[:, 1], G[:, 0] - N / r
            B[5, :, 0], B[5, :, 1] = G[:, 1], G[:, 0]
            yield N / r, G, B.reshape(6, -1), dV * 2 * np.pi * r


def _law(law):
    if not law:
        return handwritten.elasticity("", P["young"], P["poisson"])
    square = np.random.default_rng(8).standard_normal((6, 6))
    return square @ square.T + np.eye(6)


@pytest.mark.parametrize("law", ["", "_anisotropic"])
@pytest.mark.parametrize("cell", CELLS)
def test_kernels_by_hand(cell, law):
    """Stiffness, stresses at the points, and geometric stiffness, on distorted sections."""
    H = _law(law)
    values = P | {f"H{i + 1}{j + 1}": H[i, j] for i in range(6) for j in range(i, 6)}
    X = _shapes(cell, 2, seed=111)
    state = 0.1 * np.random.default_rng(9).standard_normal(X.shape)
    subject = element(f"{cell}{law}", TORSION)
    found = _run(subject, "stiffness", X, values), _run(subject, "geometric", X, values, state)
    for e in range(2):
        stiffness = np.zeros((3 * len(X), 3 * len(X)))
        geometric = np.zeros_like(stiffness)
        for N, G, B, dV in ByHand(cell, X[..., e], H).rows():
            stiffness += dV * B.T @ H @ B
            xx, yy, zz, yz, xz, xy = H @ B @ state[..., e].ravel()
            sigma = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            gradients = np.zeros((3, 3, len(X), 3))  # du_i/dx_j of every coordinate
            for i in range(3):
                gradients[i, 0, :, i], gradients[i, 1, :, i] = G[:, 0], G[:, 1]
            gradients[0, 2, :, 2], gradients[2, 2, :, 0] = -N, N
            flat = gradients.reshape(3, 3, -1)
            geometric += dV * np.einsum("ija,jk,ikb->ab", flat, sigma, flat)
        for one, expected in zip(found, (stiffness, geometric), strict=True):
            own = one[..., e].reshape(*expected.shape, 1)
            assert relative(own, expected[..., None]) < 1e-12


@pytest.mark.parametrize("cell", ["tri3", "quad4", slow("tri6"), slow("quad8"), slow("quad9")])
def test_torsion_and_section_are_apart_in_isotropic_bodies(cell):
    """Within the section it is the element without torsion, and nothing couples both.

    A turn about the axis, u_t = c r, and a shift along it are the only motions without energy.
    """
    X = _shapes(cell, 1, seed=112)
    k = _run(element(cell, TORSION), "stiffness", X, P)[..., 0]
    plane = _run(element(cell, "axisymmetric"), "stiffness", X[:, :2], P)[..., 0]
    assert relative(k[:, :2, :, :2][..., None], plane[..., None]) < 1e-13
    assert not k[:, :2, :, 2].any() and not k[:, 2, :, :2].any()
    energies, shapes = np.linalg.eigh(k.reshape(X.size, X.size))
    assert np.abs(energies[:2]).max() < 1e-13 * energies[-1] and energies[2] > 1e-6 * energies[-1]
    rigid = np.zeros((X.shape[0], 3, 2))
    rigid[:, 1, 0], rigid[:, 2, 1] = 1.0, X[:, 0, 0]
    rigid = rigid.reshape(-1, 2)
    assert np.abs(rigid - shapes[:, :2] @ shapes[:, :2].T @ rigid).max() < 1e-11


def test_pure_torsion():
    """u_t = c z r: the shear c r between z and t alone, on nodes where the element is exact."""
    X = _shapes("quad9", 1, seed=113)
    corners = X[:4, :2, 0]
    X[:, :2, 0] = np.vstack(
        [corners, (corners + np.roll(corners, -1, axis=0)) / 2, corners.mean(axis=0)]
    )
    c, (r, z) = 0.2, (X[:, 0, 0], X[:, 1, 0])
    state = np.zeros_like(X)
    state[:, 2, 0] = c * z * r
    section = element("quad9", TORSION)
    r = _run(section, "points", X, P)[:, 0, 0]
    stress = _run(section, "point_stress", X, P, state)[..., 0]
    expected = np.zeros_like(stress)
    expected[:, 3] = P["young"] / (2 * (1 + P["poisson"])) * c * r
    assert np.abs(stress - expected).max() < 1e-13


@pytest.mark.parametrize("cell", ["line2", "line3"])
def test_pressure_on_a_cone(cell):
    """A pressure is normal to its facet: nothing along circles, p 2 pi R L on the section."""
    X = np.array([[1.2, 0.3, 0.0], [2.0, 1.1, 0.0], [1.6, 0.7, 0.0]])[: 2 if cell == "line2" else 3]
    found = _run(facet(cell, 3, revolved=True), "pressure", X[..., None], P)[..., 0]
    along = X[1] - X[0]
    normal = np.array([along[1], -along[0], 0.0])
    expected = -P["pressure"] * 2 * np.pi * 1.6 * normal
    assert np.allclose(found.sum(axis=0), expected, rtol=1e-13)
    assert not found[:, 2].any()


@pytest.mark.parametrize("name", [slow(one) if one != "quad4" else one for one in EVERY])
def test_every_cell_is_verified(name):
    """Rigid motions, motions without energy, uniform motion in space, formalisms alike."""
    found = list(verify(element(name, TORSION)))
    lacking = {"motions without mass"} if name in FULL_MASS else set()
    assert {one.check for one in found if not one.passed} == lacking
    assert "uniform motion in space needs no force" in [one.check for one in found]


def test_what_a_section_with_torsion_is():
    """It has all terms of a solid but the actions; the axial frame alone fits; no energies."""
    section = element("quad8r", TORSION)
    assert (section.name, section.components, section.ambient) == ("quad8r_" + TORSION, 3, 2)
    assert terms_of(section) == (
        "stiffness", "mass", "coriolis", "euler", "centrifugal", "scalar_mass", "lumped_mass",
        "euler_load", "centrifugal_load", "translation", "body_load", "geometric", "stress",
    )  # fmt: skip
    assert derive(section).point.frame.name == "axial"
    with pytest.raises(InputError, match="frame 'spatial' does not fit"):
        derive(section, SPATIAL)
    with pytest.raises(InputError, match="frame 'free' is not for bodies of revolution"):
        derive(section, "free")
    with pytest.raises(InputError, match="found it with an energy; expected"):
        hyperelastic(section, "neo_hookean")
    with pytest.raises(InputError, match="2 components; expected 3 for a section"):
        replace(section, components=2)
