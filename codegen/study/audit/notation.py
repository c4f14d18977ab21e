# SPDX-License-Identifier: BSD-3-Clause
"""The text notation of printed forms, and its parser: literal and without meaning.

A sum of products by juxtaposition, in one of two notations that share the grammar::

    m[rt] δ''[t] + 2 m[ik,rt] α[ij] α'[jk] δ'[r]          index notation
    ω^T N^T m (N δ' - 1/2 q)                              matrix notation

A prime is a dot of the paper, ``^T`` a transposition, ``^-1`` an inverse, ``(...)^2`` a square
(of a vector: its scalar product with itself), ``int(...)`` an integral over the volume. An
undefined or wrong symbol is kept as printed; its meaning is checked later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from flexforge.codegen.errors import FlexforgeError

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:/\d+)?)|(?P<name>[^\W\d]\w*\*?'*)(?P<indices>\[[^\]]*\])?"
    r"|(?P<power>\^(?:T|-1|2))|(?P<sign>[+\-()]))"
)


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor of a product: a symbol with its indices, or a sum in parentheses.

    Attributes
    ----------
    name : str
        The symbol with its dots as primes; ``""`` for a group, ``"int"`` for an integral.
    indices : str or None
        As printed, with groups separated by commas; None in matrix notation.
    powers : tuple of str
        ``T``, ``-1`` and ``2`` in the order they are applied.
    group : tuple of Term
        The sum of a group or an integral.
    """

    name: str
    indices: str | None = None
    powers: tuple[str, ...] = ()
    group: tuple[Term, ...] = ()

    @property
    def key(self) -> str:
        """The key of its value: ``m22`` for ``m[ik,rt]``, ``m2`` for ``m[rt]``."""
        if self.indices is None:
            return self.name
        return self.name + "".join(str(len(part)) for part in self.indices.split(","))

    @property
    def letters(self) -> str:
        """The index letters without commas."""
        return (self.indices or "").replace(",", "")

    def __str__(self) -> str:
        text = self.name
        if self.name in ("", "int"):
            text += f"({text_of(self.group)})"
        if self.indices is not None:
            text += f"[{self.indices}]"
        return text + "".join(f"^{power}" for power in self.powers)


@dataclass(frozen=True, slots=True)
class Term:
    """A number times factors."""

    number: Fraction
    factors: tuple[Factor, ...]

    def __str__(self) -> str:
        number = "" if abs(self.number) == 1 and self.factors else f"{abs(self.number)} "
        return (number + " ".join(str(factor) for factor in self.factors)).strip()


def text_of(terms: tuple[Term, ...]) -> str:
    """Return a sum as it would be written."""
    if not terms:
        return "0"
    parts = [("- " if term.number < 0 else "+ ") + str(term) for term in terms]
    text = " ".join(parts)
    return text[2:] if text.startswith("+ ") else "-" + text[2:]


def parse(text: str) -> tuple[Term, ...]:
    """Return the terms of a printed form.

    Parameters
    ----------
    text : str
        In the notation of this module; ``"0"`` is the empty sum.

    Raises
    ------
    FlexforgeError
        If the text does not follow the grammar.
    """
    tokens = list(_tokens(text))
    terms, end = _sum(tokens, 0, text)
    if end != len(tokens):
        raise FlexforgeError(f"'{text}': unbalanced parenthesis")
    return tuple(term for term in terms if term.number)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while text[position:].strip():
        match = TOKEN.match(text, position)
        if match is None:
            raise FlexforgeError(f"'{text}': cannot be read at '{text[position:].strip()[:20]}'")
        kind = match.lastgroup or ""
        if kind == "indices":
            yield "indexed", match["name"] + match["indices"]
        else:
            yield kind, match[kind]
        position = match.end()


def _sum(tokens: list[tuple[str, str]], at: int, text: str) -> tuple[tuple[Term, ...], int]:
    """Parse a sum that begins at a token; return the sum and its end."""
    terms: list[Term] = []
    number, factors = Fraction(1), list[Factor]()
    empty = True
    while at < len(tokens) and tokens[at] != ("sign", ")"):
        kind, value = tokens[at]
        at += 1
        if kind == "sign" and value in "+-":
            if not empty:
                terms.append(Term(number, tuple(factors)))
            number, factors, empty = Fraction(-1 if value == "-" else 1), [], True
            continue
        empty = False
        if kind == "number":
            number *= Fraction(value)
        elif kind == "power":
            if not factors:
                raise FlexforgeError(f"'{text}': ^{value[1:]} follows nothing")
            factors[-1] = replace(factors[-1], powers=(*factors[-1].powers, value[1:]))
        elif kind == "indexed":
            name, _, indices = value.partition("[")
            factors.append(Factor(name, indices[:-1].replace(" ", "")))
        elif kind == "name" and (value != "int" or at == len(tokens) or tokens[at][1] != "("):
            factors.append(Factor(value))
        else:
            inner, at = _sum(tokens, at + (kind == "name"), text)
            if at == len(tokens):
                raise FlexforgeError(f"'{text}': unbalanced parenthesis")
            factors.append(Factor("int" if kind == "name" else "", group=inner))
            at += 1
    if not empty:
        terms.append(Term(number, tuple(factors)))
    return tuple(terms), at


def expand(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Expand the groups without powers; an integral becomes a factor ``dV``."""
    result: list[Term] = []
    for term in terms:
        partial = [Term(term.number, ())]
        for factor in term.factors:
            if factor.powers or not factor.group:
                choices: tuple[Term, ...] = (Term(Fraction(1), (factor,)),)
            else:
                choices = expand(factor.group)
            measure = (Factor("dV"),) if factor.name == "int" and not factor.powers else ()
            partial = [
                Term(one.number * two.number, one.factors + two.factors + measure)
                for one in partial
                for two in choices
            ]
        result += partial
    return tuple(result)
