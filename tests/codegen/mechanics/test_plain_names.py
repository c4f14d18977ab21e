# SPDX-License-Identifier: BSD-3-Clause
"""What users get from a derivation can be read by SymPy again, as a text and as a function."""

from __future__ import annotations

from pathlib import Path

import flexforge as ff
import pytest
import sympy
from flexforge.codegen.mechanics.plain_names import plain_name, plain_symbols
from marks import slow


@pytest.mark.parametrize("element", ["tri3", "hex8", slow("euler_beam"), slow("mitc4")])
def test_densities_survive_their_text(element: str) -> None:
    """By str with the symbols as locals, by srepr without; sympify alone gives the same names."""
    equations = ff.derive(element)
    plain = equations.plain()
    for symbols in (equations.symbols, plain.symbols):  # your own symbols match if they are real
        assert all(symbol == sympy.Symbol(n, real=True) for n, symbol in symbols.items())
    for name, term in plain.terms.items():
        density = term.density
        assert sympy.sympify(str(density), locals=plain.symbols) == density, name
        assert sympy.sympify(sympy.srepr(density)) == density, name
        loose = sympy.sympify(str(density))
        assert {s.name for s in loose.free_symbols} == {s.name for s in density.free_symbols}
        original = equations.terms[name].density
        assert sympy.sympify(sympy.srepr(original)) == original, name


def test_plain_terms_are_the_same_functions() -> None:
    """The stiffness as a function of numbers is that of the original, exactly for whole ones."""
    equations = ff.derive("quad4")
    given, plain = (one.terms["stiffness"].density for one in (equations, equations.plain()))
    names = ["N_a,1", "N_a,2", "N_b,1", "N_b,2", "lambda", "mu"]
    symbols, renamed = equations.symbols, equations.plain().symbols
    numbers = [2, -3, 5, 7, 11, 13]
    first = sympy.lambdify([symbols[n] for n in names], given)(*numbers)
    second = sympy.lambdify([renamed[plain_name(n)] for n in names], plain)(*numbers)
    assert (first == second).all()
    young, poisson = sympy.symbols("young poisson", real=True)  # your own symbols match if real
    law = dict(equations.plain().point.law.definitions)
    assert law[renamed["mu"]] == young / (2 * (1 + poisson))


def test_shape_functions_survive_their_text() -> None:
    """zeta is a function of SymPy, unless locals say otherwise."""
    for function in ff.element("hex20").shape:
        symbols = {symbol.name: symbol for symbol in function.free_symbols}
        assert sympy.sympify(str(function), locals=symbols) == function


def test_a_plain_name_that_is_taken_gets_a_bar() -> None:
    """Two symbols stay two."""
    one, two = sympy.symbols("N_a N_a_1", real=True)
    other = sympy.Symbol("N_a,1", real=True)
    assert plain_symbols([one, two, other]) == {other: sympy.Symbol("N_a_1_", real=True)}


def test_a_name_that_was_made_plain_is_told(tmp_path: Path) -> None:
    """A parameter E1 is E1_ in plain equations, and E1 among the arguments of kernels."""
    law = """
extends = ["quad4"]
name = "own"
[law]
parameters = ["E1"]
matrix = [["E1", "0", "0"], ["0", "E1", "0"], ["0", "0", "E1"]]
"""
    (tmp_path / "own.toml").write_text(law)
    own = ff.element(tmp_path / "own.toml")
    plain = ff.derive(own).plain()
    assert plain.symbols["E1_"] == sympy.Symbol("E1_", real=True)
    with pytest.raises(
        KeyError, match="E1: is called E1_ here, as E1 is a function or constant of"
    ):
        plain.symbols["E1"]
    with pytest.raises(
        KeyError, match="N_a,1: is called N_a_1 here, as N_a,1 is not an identifier"
    ):
        plain.symbols["N_a,1"]
    with pytest.raises(KeyError, match="^'E7'$"):
        plain.symbols["E7"]
    assert "E1" in {p.name for p in ff.compile(own, "stiffness").parameters}
