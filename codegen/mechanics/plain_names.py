# SPDX-License-Identifier: BSD-3-Clause
"""Symbols renamed to words that Python and SymPy read back as symbols.

``N_a,1`` is not an identifier, ``lambda`` a word of Python, ``zeta`` a function of SymPy: a text of
an expression with them is not the expression again.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

import sympy


def plain_name(name: str) -> str:
    """Return a name as an identifier that neither Python nor SymPy gives another meaning.

    Examples
    --------
    >>> plain_name("N_a,1"), plain_name("lambda"), plain_name("zeta"), plain_name("rho")
    ('N_a_1', 'lambda_', 'zeta_', 'rho')
    """
    found = re.sub(r"\W", "_", name.replace("'", "_dot"))
    return f"{found}_" if keyword.iskeyword(found) or hasattr(sympy, found) else found


class Symbols(dict[str, sympy.Symbol]):
    """Symbols by name; the error for a name that was made plain says what it is called here.

    Examples
    --------
    >>> try:
    ...     Symbols(E1_=sympy.Symbol("E1_", real=True))["E1"]
    ... except KeyError as error:
    ...     print(error.args[0])
    E1: is called E1_ here, as E1 is a function or constant of SymPy
    """

    def __missing__(self, name: str) -> sympy.Symbol:
        """Raise the error for a name that is not there."""
        plain = plain_name(name) if isinstance(name, str) else name
        if plain == name or plain not in self:
            raise KeyError(name)
        why = f"{name} is not an identifier"
        if name.isidentifier():
            word = keyword.iskeyword(name)
            why = f"{name} is a {'word of Python' if word else 'function or constant of SymPy'}"
        raise KeyError(f"{name}: is called {plain} here, as {why}")


def plain_symbols(symbols: Iterable[sympy.Symbol]) -> dict[sympy.Symbol, sympy.Symbol]:
    """Return real symbols with plain names for those whose names are not plain.

    Parameters
    ----------
    symbols : iterable of sympy.Symbol
        All symbols of the expressions; a plain name that is already taken gets a bar more.
    """
    given = sorted(symbols, key=str)
    taken = {symbol.name for symbol in given}
    found = {}
    for symbol in given:
        name = plain_name(symbol.name)
        if name == symbol.name:
            continue
        while name in taken:
            name += "_"
        taken.add(name)
        found[symbol] = sympy.Symbol(name, real=True)
    return found
