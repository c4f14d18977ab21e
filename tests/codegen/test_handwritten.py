# SPDX-License-Identifier: BSD-3-Clause
"""Compiled kernels against elements written by hand (see handwritten.py for its sources)."""

from __future__ import annotations

import handwritten
import numpy as np
import pytest
from compiled import library
from flexforge.codegen.elements.terms import ACTIONS
from specimens import (
    ELEMENTS,
    FACET_ELEMENTS,
    affine,
    cell_of,
    distorted,
    heavy_are_slow,
    hypothesis_of,
    rotation,
    values,
)

#: Terms that have a test of their own, test_actions.py.
OTHERS = (*ACTIONS, "lumped_mass")
ALL = ("young", "poisson", "density", "thickness", "pressure", "w1", "w2", "w3", "e1", "e2", "e3",
       "a_O1", "a_O2", "a_O3", "f1", "f2", "f3")  # fmt: skip
#: Printed tables of simplex rules have 15 digits; conditioning of distorted elements takes one.
TOLERANCE = 1e-12


def _vector(stem, size, p):
    if stem in "we":
        return np.array([p[f"{stem}3"]] if size == 2 else [p[f"{stem}{i}"] for i in (1, 2, 3)])
    return np.array([p[f"{stem}{i + 1}"] for i in range(size)])


def by_hand(name, X, p, state, rules=handwritten.quadrature):
    """Return all terms by the hand-written element."""
    plane = {"thickness": p["thickness"]} if ELEMENTS[name].section else {}
    one = handwritten.Handwritten(
        cell_of(name),
        hypothesis_of(name),
        X,
        p["young"],
        p["poisson"],
        p["density"],
        **plane,
        rules=rules,
    )
    size = one.dim
    w, e = (handwritten.skew(_vector(s, size, p), size) for s in "we")
    rho, identity = p["density"], np.eye(size)
    mass = one.inertia(identity)
    return {
        "stiffness": one.stiffness(),
        "mass": mass,
        "scalar_mass": mass[::size, ::size],
        "coriolis": one.inertia(w),
        "euler": one.inertia(e),
        "centrifugal": one.inertia(w @ w),
        "geometric": one.geometric(state),
        "stress": one.nodal_stresses(state),
        "euler_load": one.load(lambda x: rho * e @ x),
        "centrifugal_load": one.load(lambda x: rho * w @ w @ x),
        "translation": one.load(lambda x: rho * _vector("a_O", size, p)),
        "body_load": one.load(lambda x: _vector("f", size, p)),
    }


def _compare(name, X, rules=handwritten.quadrature, terms=None, tolerance=TOLERANCE):
    p = values(ALL)
    state = 0.1 * np.random.default_rng(2).standard_normal(X.shape)
    expected = by_hand(name, X, p, state, rules)
    for term, kernel in library(name).items():
        if (terms is not None and term not in terms) or term in OTHERS:
            continue
        found = kernel(X[..., None], p, state[..., None])[..., 0]
        e = expected[term]
        assert np.abs(found.reshape(e.shape) - e).max() < tolerance * np.abs(e).max(), term


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_distorted_elements(name, seed):
    """Every term of a distorted, curved element equals B^T H B and its companions by hand."""
    _compare(name, distorted(ELEMENTS[name], 1, seed)[..., 0])


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_affine_elements_against_a_rule_of_its_own(name):
    """On affine cells the integrals are exact: no quadrature rule of flexforge takes part."""
    terms = ("stiffness", "mass", "scalar_mass", "coriolis", "euler", "centrifugal", "euler_load",
             "centrifugal_load", "translation", "body_load")  # fmt: skip
    dense = lambda cell, _: handwritten.collapsed(cell)  # noqa: E731
    _compare(name, affine(ELEMENTS[name], seed=4), dense, terms, 1e-13)


def test_stiffness_of_the_constant_strain_triangle_by_paper_and_pencil():
    """Unit right triangle, plane stress, E = 1, nu = 0, t = 1 (Hughes, section 3.4, by hand).

    B = [-1 0 1 0 0 0; 0 -1 0 0 0 1; -1 -1 0 1 1 0], H = diag(1, 1, 1/2), area 1/2.
    """
    B = np.array([[-1, 0, 1, 0, 0, 0], [0, -1, 0, 0, 0, 1], [-1, -1, 0, 1, 1, 0.0]])
    expected = B.T @ np.diag([1, 1, 0.5]) @ B / 2
    X = np.array([[0, 0], [1, 0], [0, 1.0]])[..., None]
    p = {"young": 1.0, "poisson": 0.0, "thickness": 1.0, "density": 12.0}
    kernels = library("tri3_plane_stress")
    assert np.allclose(kernels["stiffness"](X, p).reshape(6, 6), expected, rtol=0, atol=1e-15)
    # consistent mass rho A / 12 [2 1 1; 1 2 1; 1 1 2] (Zienkiewicz and Taylor vol. 1, 16.2)
    mass = kernels["scalar_mass"](X, p)[..., 0]
    assert np.allclose(mass, 0.5 * (np.ones((3, 3)) + np.eye(3)), rtol=0, atol=1e-15)


def test_stiffness_of_the_square():
    """Bilinear square, plane stress, E = 1, nu = 0.3: k_11 = 0.494505 (Sigmund 2001).

    Sigmund, A 99 line topology optimization code, Struct. Multidisc. Optim. 21: the first row of KE
    is E / (1 - nu^2) [1/2 - nu/6, 1/8 + nu/8, -1/4 - nu/12, -1/8 + 3 nu/8, -1/4 + nu/12,
    -1/8 - nu/8, nu/6, 1/8 - 3 nu/8].
    """
    nu = 0.3
    row = [1/2 - nu/6, 1/8 + nu/8, -1/4 - nu/12, -1/8 + 3*nu/8, -1/4 + nu/12, -1/8 - nu/8, nu/6,
           1/8 - 3*nu/8]  # fmt: skip
    X = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])[..., None]
    k = library("quad4_plane_stress")["stiffness"](
        X, {"young": 1.0, "poisson": nu, "thickness": 1.0}
    )
    assert np.allclose(k.reshape(8, 8)[0], np.array(row) / (1 - nu**2), rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", FACET_ELEMENTS)
def test_pressure_of_distorted_facets(name):
    """Follower-free pressure on curved facets equals - int N^T p n dA by hand."""
    subject = FACET_ELEMENTS[name]
    X = distorted(subject, 3, seed=8)
    p = values(ALL)
    thickness = p["thickness"] if subject.components == 2 else 1.0
    for kernel in (library(name)["pressure"], library(name, 8)["pressure"]):
        found = kernel(X, p)
        for k in range(3):
            expected = handwritten.pressure(name.split("_")[1], X[..., k], p["pressure"], thickness)
            error = np.abs(found[..., k] - expected).max()
            assert error < TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize("name", FACET_ELEMENTS)
def test_pressure_of_flat_facets(name):
    """A pressure on a flat facet gives the force - p A n, whose moment is that of its centre.

    In the plane n is the tangent turned clockwise, in space x_xi cross x_eta (outward on facets
    as the mesh delivers them).
    """
    subject = FACET_ELEMENTS[name]
    nodes = handwritten.NODES[name.split("_")[1]]
    X = np.hstack([nodes, np.zeros((len(nodes), 1))]) * 1.5
    rng = np.random.default_rng(9)
    Q = rotation(subject.components, rng)
    shift = rng.standard_normal(subject.components)
    area = {"line": 3.0, "tri": 1.125, "qua": 9.0}[name.split("_")[1].rstrip("0123456789")[:4][:3]
                                                  if "line" not in name else "line"]  # fmt: skip
    normal = Q @ (np.array([0.0, -1.0]) if subject.components == 2 else np.array([0, 0, 1.0]))
    p = values(ALL)
    thickness = p["thickness"] if subject.components == 2 else 1.0
    force = library(name)["pressure"]((X @ Q.T + shift)[..., None], p)[..., 0]
    total = -p["pressure"] * area * thickness * normal
    assert np.allclose(force.sum(axis=0), total, rtol=0, atol=1e-13)
    centre = (X.mean(axis=0) if "tri" not in name else np.array([0.5, 0.5, 0])) @ Q.T + shift
    arms = X @ Q.T + shift - centre
    if subject.components == 2:
        moment = (arms[:, 0] * force[:, 1] - arms[:, 1] * force[:, 0]).sum()
    else:
        moment = np.cross(arms, force).sum(axis=0)
    assert np.allclose(moment, 0, atol=1e-13)
