# SPDX-License-Identifier: BSD-3-Clause
"""An expression in LaTeX, as pieces between which a line may break.

The expressions of a derivation are polynomials, at most divided by a length, so that a small
printer suffices. Unlike SymPy's, it knows the usual order of factors and terms in mechanics, and
where a line may break.
"""

from __future__ import annotations

from typing import NamedTuple

import sympy
from flexforge.codegen.study.latex.notation import name

#: Order of factors in a product, constants first.
_CONSTANTS = ("rho", "lambda", "mu", "young", "poisson", "stiffness", "A", "l")
_FACTORS = (
    *_CONSTANTS, "N", "R", "e", "w", "v_O", "a_O", "sigma", "f", "x", "v", "a", "eps", "d", "u",
    "q", "U", "xi", "eta", "zeta",
)  # fmt: skip
#: Order of terms by the ranks of their factors: motion of the origin first, dimensions of the
#: element last.
_DIMENSIONS = ("A", "l")
_TERMS = (
    "N",
    *(c for c in _CONSTANTS if c not in _DIMENSIONS),
    "R",
    "v_O",
    "a_O",
    *(f for f in _FACTORS if f not in _DIMENSIONS),
    *_DIMENSIONS,
)
_BRACKETS = (("(", ")"), (r"\bigl(", r"\bigr)"), (r"\Bigl(", r"\Bigr)"))

Key = tuple[tuple[int, int, str], ...]


class Piece(NamedTuple):
    """Part of a formula; a line may break before it, inside ``depth`` brackets."""

    text: str
    depth: int


def latex(expression: sympy.Expr) -> str:
    """Return an expression in one line."""
    return " ".join(piece.text for piece in pieces(expression))


def pieces(expression: sympy.Expr, depth: int = 0) -> list[Piece]:
    """Return an expression in pieces: one per term, also for terms in brackets.

    Parameters
    ----------
    expression : sympy.Expr
        Sums, products, integer powers, symbols and numbers.
    depth : int
        Number of brackets around it.
    """
    found: list[Piece] = []
    for term in sorted(sympy.Add.make_args(expression), key=lambda term: _key(term, _TERMS)):
        negative, inner = _term(term, depth)
        sign = "-" if negative else "+" if found else ""
        first = Piece(f"{sign} {inner[0].text}".strip(), depth)
        found += [first, *inner[1:]]
    return found


def _term(term: sympy.Expr, depth: int) -> tuple[bool, list[Piece]]:
    """Return whether a term is negative, and its absolute value in pieces."""
    number, factors = term.as_coeff_mul()
    above: list[sympy.Expr] = []
    below: list[sympy.Expr] = []
    sums: list[tuple[sympy.Expr, int]] = []
    for factor in sorted(factors, key=lambda factor: _key(factor, _FACTORS)):
        base, power = factor.as_base_exp()
        # The sign of a bracket that would begin with a minus is factored out.
        if base.is_Add and power % 2 and _starts_negative(base):
            number, base = -number, -base
        if power < 0:
            below.append(base**-power)
        elif base.is_Add and not _constant(base):
            sums.append((base, int(power)))
        else:
            above.append(base**power)
    head = _head(abs(number), above, below, bare=not sums)
    return bool(number < 0), _with_sums(head, sums, depth)


def _head(
    number: sympy.Rational, above: list[sympy.Expr], below: list[sympy.Expr], *, bare: bool
) -> str:
    """Return a product of a number, powers of symbols, and symbols in the denominator."""
    upper = " ".join(map(_power, above))
    alone = len(below) == 1 and below[0].is_Add and number.q == 1
    lower = latex(below[0]) if alone else " ".join(map(_power, below))
    p, q = (str(n) if n != 1 else "" for n in (number.p, number.q))
    if lower or (q and not upper and bare):
        return rf"\frac{{{f'{p} {upper}'.strip() or 1}}}{{{f'{q} {lower}'.strip()}}}"
    if q:
        p = rf"\tfrac{{{number.p}}}{{{q}}}"
    return f"{p} {upper}".strip() or ("1" if bare else "")


def _with_sums(head: str, sums: list[tuple[sympy.Expr, int]], depth: int) -> list[Piece]:
    """Return a product whose last factors are sums in brackets."""
    found = [Piece(head, depth)]
    for base, power in sums:
        inner = pieces(base, depth + 1)
        left, right = _BRACKETS[min(_nesting(base), len(_BRACKETS) - 1)]
        opened = f"{found[-1].text} {left}{inner[0].text}".strip()
        found[-1] = Piece(opened, found[-1].depth)
        found += inner[1:]
        closed = found[-1].text + right + (f"^{{{power}}}" if power != 1 else "")
        found[-1] = Piece(closed, found[-1].depth)
    return found


def _nesting(expression: sympy.Expr) -> int:
    """Return the nesting depth of brackets in a sum."""
    inner = [
        a
        for term in expression.args
        for factor in sympy.Mul.make_args(term)
        if isinstance(a := factor.as_base_exp()[0], sympy.Add)
    ]
    return 1 + max(map(_nesting, inner)) if inner else 0


def _power(factor: sympy.Expr) -> str:
    base, power = factor.as_base_exp()
    text = f"({latex(base)})" if isinstance(base, sympy.Add) else name(str(base))
    if power == 1:
        return text
    return f"{{{text}}}^{{{power}}}" if "^" in text else f"{text}^{{{power}}}"


def _starts_negative(base: sympy.Add) -> bool:
    """Whether the first term of a sum is printed with a minus sign."""
    term = min(base.args, key=lambda part: _key(part, _TERMS))
    number, factors = term.as_coeff_mul()
    inner = [f.as_base_exp() for f in factors if f.as_base_exp()[0].is_Add]
    given = sum(bool(power % 2) and _starts_negative(b) for b, power in inner)
    return bool(number < 0) != bool(given % 2)


def _constant(expression: sympy.Expr) -> bool:
    """Whether only constants of the material occur, such as in lambda + 2 mu."""
    return all(_rank(str(s), _FACTORS)[0] < len(_CONSTANTS) for s in expression.free_symbols)


def _key(term: sympy.Expr, order: tuple[str, ...]) -> Key:
    """Return the sort key of terms and factors: the ranks of their factors.

    A sum ranks as its first term.
    """
    ranks: list[tuple[int, int, str]] = []
    for factor in sympy.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if isinstance(base, sympy.Symbol):
            ranks += [_rank(str(base), order)] * abs(int(power))
        elif isinstance(base, sympy.Add):
            ranks += min(key for part in base.args if (key := _key(part, order)))
    return tuple(sorted(ranks))


def _rank(text: str, order: tuple[str, ...]) -> tuple[int, int, str]:
    letter = text[:3] if text[1:3] == "_O" else ""
    if not letter:
        letter = "".join(c for c in text.split("_")[0] if c.isalpha())
    rank = order.index(letter) if letter in order else len(order)
    return rank, text.count("'"), text
