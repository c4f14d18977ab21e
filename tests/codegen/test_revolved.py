# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bodies of revolution: what all formalisms derive, and kernels by hand."""

from __future__ import annotations

from functools import cache

import handwritten
import numpy as np
import pytest
import sympy
from compiled import native
from flexforge.cli import main
from flexforge.codegen.elements.library import PLANE, element, facet
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.kinematics import DENSITY
from marks import slow
from specimens import distorted, heavy_are_slow, relative

CELLS = heavy_are_slow(*PLANE, more=("tri6", "quad8", "quad9"))
P = {"young": 2.1, "poisson": 0.29, "density": 0.78, "w2": 1.3, "a_O2": 0.7, "f1": 0.4, "f2": -0.6,
     "pressure": 1.7}  # fmt: skip


@cache
def _kernels(cell, lanes):
    return native(element(cell, "axisymmetric"), lanes=lanes)


def _shapes(cell, count, seed):
    """Return sections away from the axis (nodes, 2, count)."""
    X = distorted(element(cell, "axisymmetric"), count, seed)
    X[:, 0] += 1.0 - X[:, 0].min()
    return X


class ByHand(handwritten.Handwritten):
    """A section with its hoop strain u_r / r (Zienkiewicz and Taylor vol. 1, section 5.2)."""

    def __init__(self, cell, X):
        # Three points where a plane triangle has one, six where it has three.
        rule = {"tri3": ("tri6", "stiffness"), "tri6": ("tri6", "mass")}
        points = handwritten.quadrature(*rule.get(cell, (cell, "stiffness")))
        super().__init__(
            cell,
            "plane_strain",
            X,
            P["young"],
            P["poisson"],
            P["density"],
            rules=lambda *_: points,
        )
        full = handwritten.elasticity("", P["young"], P["poisson"])
        self.H = full[np.ix_([0, 1, 5, 2], [0, 1, 5, 2])]

    def points(self, purpose):
        for N, G, dV in super().points(purpose):
            yield N, G, dV * 2 * np.pi * (N @ self.X[:, 0])

    def rows(self, purpose):
        """Yield B (4, 2 nodes) and the volume of every point."""
        for N, G, dV in self.points(purpose):
            hoop = np.zeros((self.nodes, 2))
            hoop[:, 0] = N / (N @ self.X[:, 0])
            yield np.vstack([self.strain_matrix(G), hoop.ravel()]), dV

    def stiffness(self):
        return sum(dV * B.T @ self.H @ B for B, dV in self.rows("stiffness"))

    def stresses(self, state):
        return np.array([self.H @ B @ np.ravel(state) for B, _ in self.rows("stiffness")])


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_rotation_about_the_axis_is_derived(formalism):
    """w along the axis: rho w^2 r and -w^2 on u_r come out of every formalism, nothing else.

    Whoever turns with the body sees no Coriolis and no Euler force within the section.
    """
    for unrolled in (False, True):
        terms = derive(
            element("tri3", "axisymmetric"), formalism=formalism, unrolled=unrolled
        ).terms
        for name in ("coriolis", "euler", "euler_load"):
            assert terms[name].density.is_zero_matrix
        w, x = sympy.symbols("w2 x1", real=True)
        node = "1" if unrolled else "a"
        N = sympy.Symbol(f"N_{node}", real=True)
        assert terms["centrifugal_load"].density[0] == -DENSITY * w**2 * N * x
        assert terms["centrifugal_load"].density[1] == 0
        assert terms["centrifugal"].density[1, 1] == 0
        assert terms["centrifugal"].density[0, 0] == -(w**2) * terms["mass"].density[0, 0]


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_geometric_stiffness_is_derived(formalism):
    """From Green's strain in cylindrical coordinates, 1/2 (grad u^T grad u) with u_r / r as tt.

    Written out here for u = (u_r(r, z), u_z(r, z)) and differentiated twice: rr, zz, rz, tt.
    """
    density = derive(element("tri3", "axisymmetric"), formalism=formalism).terms["geometric"]
    d = sympy.symbols("u_a w_a u_b w_b", real=True)
    N, Nr, Nz = (
        [sympy.Symbol(f"N_{node}{end}", real=True) for node in "ab"] for end in ("", ",1", ",2")
    )
    u, ur, uz = (f[0] * d[0] + f[1] * d[2] for f in (N, Nr, Nz))
    wr, wz = (f[0] * d[1] + f[1] * d[3] for f in (Nr, Nz))
    inverse = sympy.Symbol("inverse_radius", real=True)
    strains = [(ur**2 + wr**2) / 2, (uz**2 + wz**2) / 2, ur * uz + wr * wz, (u * inverse) ** 2 / 2]
    stresses = sympy.symbols("sigma1:5", real=True)
    work = sum(s * e for s, e in zip(stresses, strains, strict=True))
    expected = sympy.Matrix(2, 2, lambda i, j: sympy.diff(work, d[i], d[2 + j]))
    assert (density.density - expected).applyfunc(sympy.expand).is_zero_matrix


@pytest.mark.parametrize("lanes", [slow(1), 8])
@pytest.mark.parametrize("cell", CELLS)
def test_stiffness_and_stress_by_hand(cell, lanes):
    """B^T H B over rings of volume 2 pi r dA, on distorted sections; nodal stresses rr zz rz tt."""
    X = _shapes(cell, 3, seed=101)
    state = 0.1 * np.random.default_rng(5).standard_normal(X.shape)
    found = _kernels(cell, lanes)["stiffness"](X, P)
    stresses = _kernels(cell, lanes)["stress"](X, P, state)
    for e in range(3):
        by_hand = ByHand(cell, X[..., e])
        expected = by_hand.stiffness()
        assert relative(found[..., e].reshape(*expected.shape, 1), expected[..., None]) < 1e-12
        nodal = _nodal(by_hand, state[..., e])
        assert relative(stresses[..., e][..., None], nodal[..., None]) < 1e-11


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("cell", CELLS)
def test_geometric_stiffness_by_hand(cell, lanes):
    """grad N_a . sigma . grad N_b on both displacements, and sigma_tt N_a N_b / r^2 on u_r."""
    X = _shapes(cell, 3, seed=105)
    state = 0.1 * np.random.default_rng(6).standard_normal(X.shape)
    found = _kernels(cell, lanes)["geometric"](X, P, state)
    for e in range(3):
        by_hand = ByHand(cell, X[..., e])
        expected = np.zeros((by_hand.nodes, 2, by_hand.nodes, 2))
        places = zip(by_hand.points("stiffness"), by_hand.stresses(state[..., e]), strict=True)
        for (N, G, dV), (rr, zz, rz, tt) in places:
            slopes = G @ np.array([[rr, rz], [rz, zz]]) @ G.T
            hoop = tt * np.outer(N, N) / (N @ X[:, 0, e]) ** 2
            expected[:, 0, :, 0] += dV * (slopes + hoop)
            expected[:, 1, :, 1] += dV * slopes
        assert relative(found[..., e][..., None], expected[..., None]) < 1e-11


def _nodal(by_hand, state):
    """Return the stresses of the points fitted as the plane element fits them."""
    points, _ = by_hand.rules(by_hand.name, "stiffness")
    at_points = by_hand.stresses(state)
    degree = {"tri3": 0, "tri6": 1}.get(by_hand.name)
    if degree is None:
        fit = lambda p: [1, p[0], p[1], p[0] * p[1]]  # noqa: E731
    else:
        fit = lambda p: [1.0, *p][: 1 + 2 * degree]  # noqa: E731
    nodes = np.array([fit(p) for p in handwritten.NODES[by_hand.name]])
    return nodes @ np.linalg.lstsq(np.array([fit(p) for p in points]), at_points, rcond=None)[0]


@pytest.mark.parametrize("cell", CELLS)
def test_mass_and_loads_of_rings(cell):
    """Mass 2 pi rho R A (Pappus), k_omega X = q_omega, a shift along the axis is the one rigid."""
    X = distorted(element(cell, "axisymmetric"), 1, seed=102, amplitude=0.0)
    X[:, 0] += 1.0 - X[:, 0].min()
    kernels = _kernels(cell, 1)
    corners = X[: 3 if cell.startswith("tri") else 4, :, 0]
    x, y = corners.T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum() / 2
    centroid = ((x + np.roll(x, -1)) * cross).sum() / (6 * area)
    mass = P["density"] * 2 * np.pi * centroid * area
    assert np.isclose(kernels["scalar_mass"](X, P).sum(), mass, rtol=1e-13)
    assert np.isclose(kernels["lumped_mass"](X, P).sum(), mass, rtol=1e-13)
    force = kernels["translation"](X, P)[..., 0].sum(axis=0)
    assert np.allclose(force, [0, mass * P["a_O2"]], rtol=1e-13)
    X = _shapes(cell, 1, seed=103)
    k = kernels["centrifugal"](X, P).reshape(X.size, X.size)
    load = kernels["centrifugal_load"](X, P)[..., 0].ravel()
    assert np.allclose(k @ X.ravel(), load, rtol=0, atol=1e-12 * np.abs(load).max())
    k = kernels["stiffness"](X, P).reshape(X.size, X.size)
    squares = np.linalg.eigvalsh(k)
    assert abs(squares[0]) < 1e-12 * squares[-1] and squares[1] > 1e-5 * squares[-1]
    along = np.tile([0.0, 1.0], len(X))
    assert np.abs(k @ along).max() < 1e-12 * np.abs(k).max()


@pytest.mark.parametrize("cell", CELLS)
def test_uniform_dilatation(cell):
    """u = c x stretches r, z and the hoops alike: one stress, 3 K c, at every node."""
    X = _shapes(cell, 1, seed=104)
    c = 0.2
    stress = _kernels(cell, 1)["stress"](X, P, c * X)[..., 0]
    bulk = P["young"] / (3 * (1 - 2 * P["poisson"]))
    assert np.abs(stress[:, [0, 1, 3]] - 3 * bulk * c).max() < 1e-12
    assert np.abs(stress[:, 2]).max() < 1e-12


@pytest.mark.parametrize("cell", ["line2", "line3"])
def test_pressure_on_a_cone(cell):
    """A pressure on a straight facet: force p times its ring, 2 pi R L (Pappus), along the normal.

    The normal is the tangent turned clockwise.
    """
    kernel = native(facet(cell, 2, revolved=True))["pressure"]
    a, b = np.array([1.2, 0.3]), np.array([2.0, 1.1])
    xi = handwritten.NODES[cell][:, 0]
    X = (np.outer(1 - xi, a) + np.outer(1 + xi, b)) / 2
    force = kernel(X[..., None], P)[..., 0].sum(axis=0)
    t = b - a
    ring = 2 * np.pi * (a + b)[0] / 2
    assert np.allclose(force, -P["pressure"] * ring * np.array([t[1], -t[0]]), rtol=1e-13)


def test_terms_and_frames_of_a_section():
    """A section has the terms that are not zero; its frame is axial, no other fits."""
    section = element("quad4", "axisymmetric")
    assert terms_of(section) == (
        "stiffness",
        "mass",
        "centrifugal",
        "scalar_mass",
        "lumped_mass",
        "centrifugal_load",
        "translation",
        "body_load",
        "geometric",
        "stress",
    )
    from flexforge.codegen.mechanics.frames import PLANAR

    assert derive(section).point.frame.name == "axial"
    with pytest.raises(InputError, match="frame 'planar' does not fit"):
        derive(section, PLANAR)


def test_a_section_is_reported(capsys):
    """Text and LaTeX of a derivation cope with terms that are zero."""
    for option in ((), ("--latex",)):
        assert main(["derive", "tri3_axisymmetric", *option]) == 0
    assert "w2**2" in capsys.readouterr().out
