# SPDX-License-Identifier: BSD-3-Clause
"""Structure theorems of physics.md, sections 2 and 4: the compiler finds them by looking."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.lowering.structure import find_structure, find_symmetry
from flexforge.codegen.mechanics.frames import PLANAR, SPATIAL
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol
from specimens import ELEMENTS, equations

N_A, N_B = shape_symbol("a"), shape_symbol("b")
PAIR = ("quad4_plane_stress", "tet4")


def _zero(matrix):
    return sympy.Matrix(matrix).applyfunc(sympy.expand).is_zero_matrix


def _tilde(frame, vector):
    if frame is PLANAR:
        return vector[0] * sympy.Matrix([[0, -1], [1, 0]])
    columns = [sympy.Matrix(vector).cross(sympy.eye(3)[:, j]) for j in range(3)]
    return sympy.Matrix.hstack(*columns)


@pytest.mark.parametrize("name", PAIR)
def test_inertia_terms_are_a_scalar_mass_times_a_block(name):
    """physics.md section 2: m -> I, c -> w~, k_eps -> e~, k_omega -> w~w~; found, not assumed."""
    terms = equations(name).terms
    frame = PLANAR if ELEMENTS[name].components == 2 else SPATIAL
    w, e = (_tilde(frame, v) for v in (frame.angular_velocity, frame.angular_acceleration))
    blocks = {"mass": sympy.eye(frame.dimension), "coriolis": w, "euler": e, "centrifugal": w * w}
    for term, block in blocks.items():
        found = find_structure(terms[term].density)
        assert found.name == "kronecker", term
        # Where rho is put is a matter of taste: scalar (x) block is what counts.
        assert _zero(found.scalar * found.block - DENSITY * N_A * N_B * block), term
        assert found.scalar.free_symbols >= {N_A, N_B}
        assert not found.block.free_symbols & {N_A, N_B}
    geometric = find_structure(terms["geometric"].density)
    assert geometric.name == "kronecker"
    assert geometric.block == sympy.eye(frame.dimension)
    assert find_structure(terms["stiffness"].density).name == "full"


@pytest.mark.parametrize("name", PAIR)
def test_symmetries(name):
    """physics.md section 4, check 3: c and k_eps skew; m, k, k_omega, k_geo symmetric."""
    for term in equations(name).terms.values():
        if term.density.cols > 1:
            assert find_symmetry(term.density) == term.symmetry, term.name
            assert find_structure(term.density).symmetry == term.symmetry
    expected = {"mass": "symmetric", "coriolis": "skew", "stiffness": "symmetric",
                "euler": "skew", "centrifugal": "symmetric", "geometric": "symmetric"}  # fmt: skip
    terms = equations(name).terms
    assert {t: terms[t].symmetry for t in expected} == expected


@pytest.mark.parametrize("name", PAIR)
def test_centrifugal_stiffness_is_coriolis_twice(name):
    """K_omega = c m^-1 c for the common blocks: w~ I^-1 w~; never positive.

    x . w~w~ x = -|w x x|^2 (Lagrange's identity gives |w|^2 |x|^2 - (w.x)^2 >= 0).
    """
    terms = equations(name).terms
    blocks = {
        t: sympy.Matrix(terms[t].density / (N_A * N_B * DENSITY)).applyfunc(sympy.cancel)
        for t in ("mass", "coriolis", "centrifugal")
    }
    c = blocks["coriolis"]
    assert _zero(c * blocks["mass"].inv() * c - blocks["centrifugal"])
    frame = PLANAR if c.rows == 2 else SPATIAL
    x = sympy.Matrix(sympy.symbols(f"y1:{c.rows + 1}", real=True))
    form = (x.T * blocks["centrifugal"] * x)[0]
    w = sympy.Matrix(frame.angular_velocity)
    across = x.dot(x) * w.dot(w) - (w.dot(x) ** 2 if c.rows == 3 else 0)
    assert _zero(sympy.Matrix([form + across]))


def test_planar_centrifugal_stiffness_is_minus_w_squared_mass():
    """physics.md section 2, planar: k_omega = -w^2 m, c = w int rho N^T J N."""
    terms = equations("quad4_plane_stress").terms
    (w,) = PLANAR.angular_velocity
    assert _zero(terms["centrifugal"].density + w**2 * terms["mass"].density)
    J = sympy.Matrix([[0, -1], [1, 0]])
    assert _zero(terms["coriolis"].density - w * terms["mass"].density * J)


@pytest.mark.parametrize("name", PAIR)
def test_loads_are_stiffnesses_times_positions(name):
    """q_omega = k_omega X and q_eps = k_eps X: with x = N_b X summed over b."""
    terms = equations(name).terms
    size = ELEMENTS[name].components
    x = sympy.Matrix(sympy.symbols(f"x1:{size + 1}", real=True))
    for load, matrix in (("centrifugal_load", "centrifugal"), ("euler_load", "euler")):
        assert _zero(
            terms[load].density - (terms[matrix].density / N_B).applyfunc(sympy.cancel) * x
        )


def test_structure_by_hand():
    """Zero, kronecker, full and the three symmetries on blocks written by hand."""
    (ax, ay), (bx, by) = gradient_symbols("a", 2), gradient_symbols("b", 2)
    s, t = sympy.symbols("s t")
    zero = sympy.ImmutableMatrix(2, 2, [0] * 4)
    assert find_structure(zero).name == "zero"
    kronecker = sympy.ImmutableMatrix([[s * ax * bx, 0], [t * ax * bx, s * ax * bx]])
    found = find_structure(kronecker)
    assert found.name == "kronecker"
    assert _zero(found.scalar * found.block - kronecker)
    assert found.symmetry == "general"
    full = sympy.ImmutableMatrix([[ax * bx, ax * by], [ay * bx, ay * by]])
    assert find_structure(full).name == "full"
    assert find_symmetry(full) == "symmetric"
    assert find_symmetry(sympy.ImmutableMatrix([[0, ax * by], [-ay * bx, 0]])) == "skew"
    # the scalar of a geometric stiffness: one entry, gradients in two directions
    assert find_symmetry(sympy.ImmutableMatrix([[s * ax * bx + t * ay * by]])) == "symmetric"
    assert find_symmetry(sympy.ImmutableMatrix([[s * (ax * by - ay * bx)]])) == "skew"
    # a symmetric matrix whose pairs are not: exchanging the nodes exchanges the factors
    assert find_symmetry(sympy.ImmutableMatrix([[ax * by, 0], [0, ax * by]])) == "general"
