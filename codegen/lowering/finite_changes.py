# SPDX-License-Identifier: BSD-3-Clause
"""What the invariants of a deformation have changed by since rest, and functions of them."""

from __future__ import annotations

import re

import sympy
from flexforge.codegen.elements.energy import AT_REST, GROWTH, MEAN, SQUARES, J
from flexforge.codegen.mechanics.gains import Gain, gain
from flexforge.codegen.mechanics.invariants import scalar_symbol
from sympy.codegen.cfunctions import expm1, log1p

#: What invariants have changed by since rest, and what they are now.
CHANGES = {one: scalar_symbol(f"change_{one}") for one in AT_REST}
NOW = {one: AT_REST[one] + change for one, change in CHANGES.items()}


#: Bases whose broken powers and logarithms are functions of small changes.
BASES = (J, MEAN, GROWTH, *SQUARES)


def in_powers(
    value: sympy.Expr,
) -> tuple[sympy.Expr, dict[sympy.Symbol, dict[sympy.Symbol, sympy.Expr]]]:
    """Return a function with one symbol for every product of powers whose exponents are no numbers.

    Parameters
    ----------
    value : sympy.Expr
        Of the invariants and parameters.

    Returns
    -------
    tuple
        The function, and the exponents by base of each of these symbols; numbers that are added to
        an exponent stay outside.
    """
    found: dict[sympy.Symbol, dict[sympy.Symbol, sympy.Expr]] = {}

    def open_power(one: sympy.Expr) -> bool:
        return bool(one.is_Pow and one.base in BASES and not one.exp.is_Rational)

    def product(one: sympy.Expr) -> sympy.Expr:
        parts = sympy.Mul.make_args(one)
        powers = {part.base: part.exp.as_coeff_Add() for part in parts if open_power(part)}
        exponents = {base: exponent for base, (_, exponent) in powers.items()}
        called = sorted(f"{base}_{exponent}" for base, exponent in exponents.items())
        symbol = sympy.Symbol(re.sub(r"\W+", "_", "_".join(["power", *called])), positive=True)
        found[symbol] = exponents
        outside = [base**number for base, (number, _) in powers.items()]
        return sympy.Mul(symbol, *outside, *(part for part in parts if not open_power(part)))

    def holds(one: sympy.Expr) -> bool:
        return any(open_power(part) for part in sympy.Mul.make_args(one))

    return value.replace(holds, product), found


def following(value: sympy.Expr) -> tuple[Gain, dict[sympy.Symbol, sympy.Expr]]:
    """Return a function of the invariants at rest, now, and what it has gained since.

    Broken powers of J, and of its mean, are powers of one root of each: one exponential. Products
    of powers with parameters as exponents have one exponential too.

    Parameters
    ----------
    value : sympy.Expr
        Of the invariants and parameters.

    Returns
    -------
    tuple
        The function, and what the changes of roots and powers in it are.
    """
    grown: dict[sympy.Symbol, sympy.Symbol] = {}
    changes: dict[sympy.Symbol, sympy.Expr] = {}

    def named(symbol: sympy.Symbol, change: sympy.Expr) -> sympy.Symbol:
        grown[symbol] = scalar_symbol(f"change_{symbol}")
        changes[grown[symbol]] = change
        return symbol

    def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        if base not in BASES or not exponent.is_Rational or exponent.is_Integer:
            return base**exponent
        if exponent.q == 2:
            whole = sympy.floor(exponent)
            return base**whole * sympy.sqrt(base)
        root = sympy.Symbol(f"root{exponent.q}_{base}", positive=True)
        named(root, expm1(-log1p(CHANGES[base]) / exponent.q))
        whole = sympy.ceiling(exponent)
        return base**whole * root ** (exponent.q * (whole - exponent))

    value, powers = in_powers(sympy.expand_log(value, force=True))
    for symbol, exponents in powers.items():
        logarithms = [e * log1p(CHANGES[base]) for base, e in exponents.items()]
        named(symbol, expm1(sympy.Add(*logarithms)))
    value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
    return gain(value, {**AT_REST, **dict.fromkeys(grown, 1)}, CHANGES | grown), changes
