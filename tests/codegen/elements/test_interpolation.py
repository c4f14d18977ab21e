# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions, exactly: what every isoparametric interpolation must satisfy."""

from __future__ import annotations

from itertools import product

import handwritten
import numpy as np
import pytest
import sympy
from flexforge.codegen.elements.interpolation import (
    REFERENCE,
    complete,
    nodal_basis,
    serendipity,
    tensor,
)
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.cells import CELLS
from specimens import ELEMENTS, FACET_ELEMENTS, cell_of

#: One declaration of every cell, lines included.
BY_CELL = {cell_of(name): subject for name, subject in ELEMENTS.items()}
BY_CELL |= {
    name.split("_")[1]: subject
    for name, subject in FACET_ELEMENTS.items()
    if name.split("_")[1] not in BY_CELL
}
#: Total degree of the polynomials a cell reproduces (Zienkiewicz and Taylor vol. 1, chapter 8).
LINEAR = ("line2", "tri3", "quad4", "tet4", "pyramid5", "wedge6", "hex8")
COMPLETE = {cell: 1 if cell in LINEAR else 2 for cell in BY_CELL}


def _zero(expression):
    return sympy.expand(expression) == 0


@pytest.mark.parametrize("cell", BY_CELL)
def test_one_at_their_node_and_zero_at_the_others(cell):
    """N_a(xi_b) = delta_ab, exactly."""
    subject = BY_CELL[cell]
    for a, function in enumerate(subject.shape):
        for b, node in enumerate(subject.nodes):
            value = function.subs(dict(zip(REFERENCE, node, strict=False)))
            assert value == (1 if a == b else 0)


@pytest.mark.parametrize("cell", BY_CELL)
def test_partition_of_unity(cell):
    """Sum of N is one and the sum of every derivative zero: rigid translations are exact."""
    subject = BY_CELL[cell]
    assert _zero(sum(subject.shape) - 1)
    for j in range(subject.dimension):
        assert _zero(sum(row[j] for row in subject.shape_derivatives))


@pytest.mark.parametrize("cell", BY_CELL)
def test_polynomials_are_reproduced(cell):
    """Sum_a p(xi_a) N_a = p for every polynomial p of the degree of the cell, exactly."""
    subject = BY_CELL[cell]
    axes = REFERENCE[: subject.dimension]
    for powers in product(range(COMPLETE[cell] + 1), repeat=subject.dimension):
        if sum(powers) > COMPLETE[cell]:
            continue
        p = sympy.Mul(*(x**k for x, k in zip(axes, powers, strict=True)))
        interpolated = sum(
            p.subs(dict(zip(axes, node, strict=True))) * N
            for node, N in zip(subject.nodes, subject.shape, strict=True)
        )
        assert _zero(interpolated - p), p


@pytest.mark.parametrize("cell", BY_CELL)
def test_not_more_than_the_space(cell):
    """The test above can fail: one degree more is not reproduced by any of these cells."""
    subject = BY_CELL[cell]
    p = REFERENCE[0] ** (COMPLETE[cell] + 1)
    interpolated = sum(
        p.subs(dict(zip(REFERENCE, node, strict=False))) * N
        for node, N in zip(subject.nodes, subject.shape, strict=True)
    )
    assert not _zero(interpolated - p)


@pytest.mark.parametrize("cell", BY_CELL)
def test_derivatives_are_those_of_the_functions(cell):
    """The declared derivatives are the symbolic ones, and the printed formulas' by complex step."""
    subject = BY_CELL[cell]
    axes = REFERENCE[: subject.dimension]
    for function, row in zip(subject.shape, subject.shape_derivatives, strict=True):
        assert all(_zero(sympy.diff(function, x) - d) for x, d in zip(axes, row, strict=True))
    values = sympy.lambdify(axes, list(subject.shape), "numpy")
    slopes = sympy.lambdify(axes, [list(r) for r in subject.shape_derivatives], "numpy")
    for point in np.random.default_rng(5).uniform(-1, 1, (4, subject.dimension)):
        assert np.allclose(values(*point), handwritten.shape(cell, point), rtol=0, atol=1e-14)
        expected = handwritten.shape_derivatives(cell, point)
        assert np.allclose(slopes(*point), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("cell", BY_CELL)
def test_node_order_is_the_order_of_vtk(cell):
    """Nodes stand where VTK puts them: the printed figures, and the runtime's table of cells."""
    nodes = np.array([[float(x) for x in node] for node in BY_CELL[cell].nodes])
    assert np.array_equal(nodes, handwritten.NODES[cell])
    assert np.array_equal(nodes, np.array(CELLS[cell].reference))


def test_dimensions_of_the_spaces():
    """P_k has (k+d choose d) monomials, Q_k (k+1)^d, the quadratic serendipity space 8 and 20.

    Arnold and Awanou, Foundations of Computational Mathematics 11 (2011), table 1.
    """
    for d in (1, 2, 3):
        for k in (0, 1, 2, 3):
            assert len(complete(d, k)) == sympy.binomial(k + d, d)
            assert len(tensor(d, k)) == (k + 1) ** d
    assert (len(serendipity(2)), len(serendipity(3))) == (8, 20)
    xi, eta, zeta = REFERENCE
    assert xi**2 * eta in serendipity(2)
    assert xi**2 * eta * zeta in serendipity(3)
    assert not {xi**2 * eta**2, xi**2 * eta**2 * zeta} & set(serendipity(3))


def test_nodes_that_do_not_determine_the_functions():
    """A singular Vandermonde matrix is the fault of the declaration and is said in one line."""
    nodes = [(sympy.Integer(0),), (sympy.Integer(1),), (sympy.Integer(1),)]
    with pytest.raises(InputError, match="element 'twice': its nodes do not determine") as caught:
        nodal_basis("twice", complete(1, 2), nodes)
    assert "\n" not in str(caught.value)
