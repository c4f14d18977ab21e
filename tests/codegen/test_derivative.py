# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives as SymPy finds them: the very same expressions, not only equal ones."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.energy import ENERGIES
from flexforge.codegen.elements.library import element
from flexforge.codegen.positive import positive

x, y, z, n = sympy.symbols("x y z n", positive=True)
FORMULAS = (
    sympy.Integer(3),
    x,
    x * y + 2 * x**2 - y,
    (x + y) ** 3 * (x - y) / (1 + x * y),
    2 * (x + y) * z,
    sympy.sqrt(x**2 + y**2) / x,
    x**n * y ** (x - 1) + 2**x,
    sympy.exp(x * sympy.sin(y * x)) * sympy.log(x + y),
    positive(x - 2 * y) ** 2 * sympy.atan2(y, x),
    (x * y + z) ** 2 * sympy.cos((x * y + z) ** 2),
)


@pytest.mark.parametrize("formula", FORMULAS, ids=map(str, FORMULAS))
def test_as_sympy(formula):
    """By every symbol, and by one that does not occur: equal to the last node."""
    for symbol in (x, y, z, n, sympy.Symbol("absent")):
        assert sympy.srepr(derivative(formula, symbol)) == sympy.srepr(sympy.diff(formula, symbol))


@pytest.mark.parametrize("name", ENERGIES)
def test_energies(name):
    """Slopes of the shipped laws by all invariants and parameters."""
    value = ENERGIES[name].value
    for symbol in sorted(value.free_symbols, key=str):
        assert sympy.srepr(derivative(value, symbol)) == sympy.srepr(sympy.diff(value, symbol))


@pytest.mark.parametrize("name", ENERGIES)
def test_second_derivatives(name):
    """Curvatures of the shipped laws by pairs of invariants, in either order."""
    value, used = ENERGIES[name].value, ENERGIES[name].used
    for one in used:
        for other in used:
            expected = sympy.srepr(sympy.diff(value, one, other))
            assert sympy.srepr(derivative(value, one, other)) == expected


def test_shape_functions():
    """Of a cell with quotients, the pyramid, along each axis."""
    pyramid = element("pyramid5")
    for function in pyramid.shape:
        for symbol in pyramid.symbols.values():
            expected = sympy.diff(function, symbol)
            assert sympy.srepr(derivative(function, symbol)) == sympy.srepr(expected)
