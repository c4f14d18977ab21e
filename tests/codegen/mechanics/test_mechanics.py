# SPDX-License-Identifier: BSD-3-Clause
"""physics.md section 4, checks 1 and 3, on compiled kernels of every element."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy
from compiled import library
from marks import slow
from specimens import ELEMENTS, affine, distorted, heavy_are_slow, values

OPTIONS = {"density": 0.78, "thickness": 0.35, "young": 2.1, "poisson": 0.29}


@cache
def _motion(size: int):
    """Return R, R', R'', r_O, r_O', r_O'' of an arbitrary motion as functions of time.

    Three successive rotations by smooth angles (one in the plane), differentiated by SymPy.
    """
    t = sympy.Symbol("t")
    a, b, c = sympy.sin(2 * t) + t**2, sympy.Rational(3, 10) + t - t**3, sympy.exp(t / 2)
    sin, cos = sympy.sin, sympy.cos
    if size == 2:
        R = sympy.Matrix([[cos(a), -sin(a)], [sin(a), cos(a)]])
        origin = sympy.Matrix([sin(3 * t), t**2 - cos(t)])
    else:
        Z = sympy.Matrix([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])
        Y = sympy.Matrix([[cos(b), 0, sin(b)], [0, 1, 0], [-sin(b), 0, cos(b)]])
        X = sympy.Matrix([[1, 0, 0], [0, cos(c), -sin(c)], [0, sin(c), cos(c)]])
        R = Z * Y * X
        origin = sympy.Matrix([sin(3 * t), t**2 - cos(t), sympy.exp(-t)])
    wanted = [m.diff(t, k) if k else m for m in (R, origin) for k in (0, 1, 2)]
    return sympy.lambdify(t, wanted, "numpy")


def _frame(size: int, time: float):
    """Return R and derivatives, r_O and derivatives, and the parameters w, e, a_O."""
    R, R1, R2, *origin = (np.array(m, dtype=float) for m in _motion(size)(time))
    origin = [o.ravel() for o in origin]
    spin = R.T @ R1  # w~
    change = R1.T @ R1 + R.T @ R2  # e~
    if size == 2:
        parameters = {"w3": spin[1, 0], "e3": change[1, 0]}
    else:
        axes = ((2, 1), (0, 2), (1, 0))
        parameters = {f"w{k + 1}": spin[i, j] for k, (i, j) in enumerate(axes)}
        parameters |= {f"e{k + 1}": change[i, j] for k, (i, j) in enumerate(axes)}
    local = R.T @ origin[2]
    parameters |= {f"a_O{k + 1}": local[k] for k in range(size)}
    return (R, R1, R2), origin, parameters | OPTIONS


@pytest.mark.parametrize("lanes", [1, slow(8)])
@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_uniform_motion_in_inertial_space_needs_no_force(name, lanes):
    """Check 1: nodes that move uniformly in inertial space make the whole inertia side vanish.

    d_i = R^T (X_i0 + V_i t - r_O) - x_i with arbitrary X_i0, V_i; d', d'' by the product rule.
    m d'' + 2 c d' + (k_eps + k_omega) d + q_eps + q_omega + m_O a_O = 0 to 1e-11 of its parts.
    """
    subject = ELEMENTS[name]
    size, rng = subject.components, np.random.default_rng(31)
    kernels = library(name, lanes)
    count = 5
    x = distorted(subject, count, seed=32)
    for time in (0.0, 0.7, -1.3):
        (R, R1, R2), (o, o1, o2), parameters = _frame(size, time)
        V = rng.standard_normal(x.shape)
        P = 5 * rng.standard_normal(x.shape) + V * time - o[:, None]
        U = V - o1[:, None]
        turn = lambda A, y: np.einsum("ji,ajl->ail", A, y)  # noqa: E731  A^T y
        d = turn(R, P) - x
        d1 = turn(R1, P) + turn(R, U)
        d2 = turn(R2, P) + 2 * turn(R1, U) - (R.T @ o2)[:, None]

        def apply(term, y, x=x, parameters=parameters):
            return np.einsum("aibjl,bjl->ail", kernels[term](x, parameters), y)

        parts = [
            apply("mass", d2),
            2 * apply("coriolis", d1),
            apply("euler", d),
            apply("centrifugal", d),
            kernels["euler_load"](x, parameters),
            kernels["centrifugal_load"](x, parameters),
            kernels["translation"](x, parameters),
        ]
        scale = max(np.abs(p).max() for p in parts)
        assert np.abs(sum(parts)).max() < 1e-11 * scale
        # It can fail: Coriolis with factor one leaves forces of the size of the parts.
        assert np.abs(sum(parts) - parts[1] / 2).max() > 1e-3 * scale
        # And so for every other part that is left out.
        for part in parts:
            assert np.abs(sum(parts) - part).max() > 1e-4 * scale


def _matrix(kernels, term, x, p):
    """Return a term as a square matrix of the first element."""
    k = kernels[term](x, p)[..., 0]
    size = int(np.sqrt(k.size))
    return k.reshape(size, size)


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_skew_symmetric_and_negative(name):
    """Check 3: c and k_eps skew; m, k, k_omega symmetric; m > 0, k >= 0, k_omega <= 0.

    Pairs of nodes are computed once and mirrored, hence exactly; within the block of one node the
    sums of an entry and its mirror image differ by rounding.
    """
    kernels, nodes = library(name), len(ELEMENTS[name].nodes)
    pairs = np.kron(1 - np.eye(nodes), np.ones((ELEMENTS[name].components,) * 2))
    for seed in (41, 42):
        x = distorted(ELEMENTS[name], 1, seed)
        p = values(tuple({q.name for k in kernels.values() for q in k.kernel.parameters}), seed)
        for term in ("coriolis", "euler"):
            k = _matrix(kernels, term, x, p)
            assert np.array_equal(pairs * k, -(pairs * k).T), term
            assert np.abs(k + k.T).max() <= 1e-15 * np.abs(k).max(), term
            assert np.abs(k).max() > 0
        for term in ("mass", "stiffness", "centrifugal"):
            k = _matrix(kernels, term, x, p)
            assert np.array_equal(pairs * k, (pairs * k).T), term
            assert np.abs(k - k.T).max() <= 1e-15 * np.abs(k).max(), term
        size = np.abs(_matrix(kernels, "centrifugal", x, p)).max()
        assert np.linalg.eigvalsh(_matrix(kernels, "mass", x, p)).min() > 0
        assert np.linalg.eigvalsh(_matrix(kernels, "centrifugal", x, p)).max() < 1e-14 * size
        size = np.abs(_matrix(kernels, "stiffness", x, p)).max()
        assert np.linalg.eigvalsh(_matrix(kernels, "stiffness", x, p)).min() > -1e-13 * size


def _volume(subject, x):
    """Return measure, centroid and the moments int y y^T of an affine cell, in closed form.

    Simplex of measure V with corners y_i: V / ((n+1)(n+2)) (sum y_i y_i^T + s s^T), s = sum y_i.
    Parallelepiped: centre c and half edges h_k: V (c c^T + 1/3 sum h_k h_k^T). Wedge and pyramid:
    the integrals over the reference cell, worked out by hand, mapped.
    """
    n = subject.components
    if subject.cell in ("triangle", "tetrahedron"):
        y = x[: n + 1]
        V = abs(np.linalg.det(y[1:] - y[0])) / (2 if n == 2 else 6)
        s = y.sum(axis=0)
        return V, s / (n + 1), V / ((n + 1) * (n + 2)) * (y.T @ y + np.outer(s, s))
    if subject.cell == "wedge":  # int xi^2 = 1/6, xi eta = 1/12, zeta^2 = 1/3, of volume 1
        middle = (x[0] + x[3]) / 2
        A = np.stack([x[1] - x[0], x[2] - x[0], (x[3] - x[0]) / 2], axis=1)
        first = np.array([1, 1, 0]) / 3
        second = np.array([[2, 1, 0], [1, 2, 0], [0, 0, 4]]) / 12
        return _mapped(A, middle, 1.0, first, second)
    if subject.cell == "pyramid":  # int xi^2 = eta^2 = 4/15, zeta^2 = 2/15, of volume 4/3
        middle = (x[0] + x[2]) / 2
        A = np.stack([(x[1] - x[0]) / 2, (x[3] - x[0]) / 2, x[4] - middle], axis=1)
        return _mapped(A, middle, 4 / 3, np.array([0, 0, 1 / 3]), np.diag([4, 4, 2]) / 15)
    origin, along = x[0], [x[1] - x[0], x[3] - x[0], *([x[4] - x[0]] if n == 3 else [])]
    h = np.array(along) / 2
    c = origin + h.sum(axis=0)
    V = abs(np.linalg.det(2 * h))
    return V, c, V * (np.outer(c, c) + h.T @ h / 3)


def _mapped(A, origin, volume, first, second):
    """Return measure, centroid and second moments of the image of a cell under origin + A xi."""
    V, one, two = (np.linalg.det(A) * m for m in (volume, first, second))
    s = A @ one
    moments = V * np.outer(origin, origin) + np.outer(origin, s) + np.outer(s, origin)
    return V, origin + s / V, moments + A @ two @ A.T


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_rigid_motions_see_the_mass_and_the_inertia_tensor(name):
    """Check 3: translations see exactly the total mass, rotations the inertia tensor about O.

    Mass and moments of affine cells in closed form; T = 1/2 w . J w, J = rho int (y.y 1 - y y^T).
    """
    subject = ELEMENTS[name]
    n, kernels = subject.components, library(name)
    x = affine(subject, seed=51)
    p = values(tuple({q.name for k in kernels.values() for q in k.kernel.parameters}))
    rho = p["density"] * p.get("thickness", 1.0)
    V, centre, moments = _volume(subject, x)
    m = _matrix(kernels, "mass", x[..., None], p)
    translations = np.kron(np.ones(len(x)), np.eye(n))  # n x (nodes n)
    assert np.allclose(
        translations @ m @ translations.T, rho * V * np.eye(n), rtol=1e-14, atol=1e-14
    )
    force = kernels["translation"](x[..., None], p)[..., 0]
    a_O = np.array([p[f"a_O{k + 1}"] for k in range(n)])
    assert np.allclose(force.sum(axis=0), rho * V * a_O, rtol=1e-14)
    f = np.array([p[f"f{k + 1}"] for k in range(n)])
    body = kernels["body_load"](x[..., None], p)[..., 0]
    assert np.allclose(body.sum(axis=0), V * p.get("thickness", 1.0) * f, rtol=1e-13)
    if n == 2:
        turn = np.stack([-x[:, 1], x[:, 0]], axis=1).ravel()
        assert np.isclose(turn @ m @ turn, rho * np.trace(moments), rtol=1e-13)
    else:
        turns = np.array([np.cross(axis, x).ravel() for axis in np.eye(3)])
        inertia = rho * (np.trace(moments) * np.eye(3) - moments)
        assert np.allclose(turns @ m @ turns.T, inertia, rtol=1e-13, atol=1e-13)
    scalar = kernels["scalar_mass"](x[..., None], p)[..., 0]
    assert np.isclose(scalar.sum(), rho * V, rtol=1e-14)
    assert np.allclose(scalar @ np.ones(len(x)) @ x, rho * V * centre, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_total_mass_of_distorted_elements(name):
    """On curved elements m, its scalar matrix and m_O see one and the same mass."""
    kernels, subject = library(name), ELEMENTS[name]
    x = distorted(subject, 1, seed=53)
    p = values(tuple({q.name for k in kernels.values() for q in k.kernel.parameters}))
    p |= {f"a_O{k + 1}": 1.0 for k in range(subject.components)}
    total = kernels["scalar_mass"](x, p).sum()
    m = _matrix(kernels, "mass", x, p)
    axis = np.kron(np.ones(len(x)), np.eye(subject.components)[0])
    assert np.isclose(axis @ m @ axis, total, rtol=1e-14)
    assert np.isclose(kernels["translation"](x, p)[:, 0].sum(), total, rtol=1e-14)
    # shoelace formula of the straight-sided ones (corner nodes only)
    if subject.name.startswith(("tri3", "quad4")):
        y = x[..., 0]
        z = np.roll(y, -1, axis=0)
        area = 0.5 * (y[:, 0] * z[:, 1] - y[:, 1] * z[:, 0]).sum()
        assert np.isclose(total, p["density"] * p["thickness"] * area, rtol=1e-13)


@pytest.mark.parametrize("name", heavy_are_slow(*ELEMENTS, more=("hex8",)))
def test_inertia_terms_are_kronecker_products(name):
    """physics.md section 2: one scalar mass matrix times I, w~, e~, w~w~; q_omega = k_omega X."""
    kernels, subject = library(name), ELEMENTS[name]
    n = subject.components
    x = distorted(subject, 1, seed=55)
    p = values(tuple({q.name for k in kernels.values() for q in k.kernel.parameters}))
    s = kernels["scalar_mass"](x, p)[..., 0]
    if n == 2:
        w, e = (p[k] * np.array([[0, -1], [1, 0]]) for k in ("w3", "e3"))
    else:
        w, e = (
            np.array([np.cross([p[f"{k}{i}"] for i in (1, 2, 3)], a) for a in np.eye(3)]).T
            for k in "we"
        )
    for term, block in (("mass", np.eye(n)), ("coriolis", w), ("euler", e), ("centrifugal", w @ w)):
        expected = np.kron(s, block)
        found = _matrix(kernels, term, x, p)
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max(), term
    for load, matrix in (("euler_load", "euler"), ("centrifugal_load", "centrifugal")):
        expected = _matrix(kernels, matrix, x, p) @ x[..., 0].ravel()
        found = kernels[load](x, p)[..., 0].ravel()
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max(), load
