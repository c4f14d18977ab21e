# SPDX-License-Identifier: BSD-3-Clause
"""From the notation of the audit to LaTeX, one to one."""

from __future__ import annotations

import re

from flexforge.codegen.study.audit.notation import Factor, Term, parse

GREEK = {
    "α": r"\alpha", "δ": r"\delta", "ρ": r"\rho", "ω": r"\omega", "ε": r"\varepsilon",
    "σ": r"\sigma", "θ": r"\theta", "Δ": r"\Delta",
}  # fmt: skip
DOTS = {0: "{}", 1: r"\dot{{{}}}", 2: r"\ddot{{{}}}"}
NAME = re.compile(r"(?P<base>∂?[^\W\d_]+)(?P<sub>\w*?)(?P<star>\*?)(?P<primes>'*)$")


def latex(text: str) -> str:
    """Return a form in LaTeX.

    Parameters
    ----------
    text : str
        A sum in the notation of `flexforge.codegen.study.audit.notation`.
    """
    return _sum(parse(text)) if text.strip() != "0" else "0"


def _sum(terms: tuple[Term, ...]) -> str:
    parts: list[str] = []
    for term in terms:
        sign = "- " if term.number < 0 else "+ " if parts else ""
        number = abs(term.number)
        size = "" if number == 1 and term.factors else str(number)
        if number.denominator != 1:
            size = rf"\tfrac{{{number.numerator}}}{{{number.denominator}}}"
        parts.append(sign + " ".join(filter(None, [size, *map(_factor, term.factors)])))
    return " ".join(parts)


def _factor(factor: Factor) -> str:
    if factor.name == "int":
        text = rf"\int_V {_sum(factor.group)}\,dV"
    elif factor.group:
        text = f"({_sum(factor.group)})"
    else:
        text = _symbol(factor)
    for power in factor.powers:
        text = f"{{{text}}}^{{{power}}}" if "^" in text else f"{text}^{{{power}}}"
    return text


def _symbol(factor: Factor) -> str:
    """Return a symbol with its dots, its own subscript, star and indices."""
    match = NAME.match(factor.name)
    if match is None:
        return rf"\mathrm{{{factor.name}}}"
    base, sub = match["base"], match["sub"].lstrip("_")
    star, primes = match["star"], len(match["primes"])
    above = "*" if star else ""
    if len(base) == 2 and base[1] == "O":
        base, sub = base[0], "O"
    elif base == "mOI":
        base, sub, above = "m", "O", "I"
    base = GREEK.get(base, base if len(base) == 1 else rf"\mathrm{{{base}}}")
    sub = GREEK.get(sub, sub)
    below = ",".join(filter(None, [sub, factor.indices or ""]))
    text = DOTS[primes].format(base) + (f"_{{{below}}}" if below else "")
    return text + (f"^{{{above}}}" if above else "")
