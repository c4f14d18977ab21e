# SPDX-License-Identifier: BSD-3-Clause
"""Named quantities: intermediate results of a derivation, each written and differentiated once.

The velocity of the last link of a chain written out in coordinates grows with the square of its
length, its mass matrix with the fourth power. Written in the velocity of the link before, it is one
sum. A derivation with named quantities never writes anything out: derivatives follow by the chain
rule from name to name, and equal expressions have one name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import sympy

#: Derivatives in one direction: of symbols that are given, and of expressions found so far.
_Changes = dict[sympy.Basic, sympy.Expr]


class Quantities:
    """Names and definitions of intermediate results, and their derivatives.

    Parameters
    ----------
    velocities : mapping
        Rate symbol of every coordinate; with them a quantity of known rate has derivatives by
        coordinates without being differentiated, as ``df/dq = df'/dq'``.

    Attributes
    ----------
    definitions : dict
        Expression of every name, in symbols and earlier names.
    derived : int
        Derivatives of definitions so far.
    """

    def __init__(self, velocities: Mapping[sympy.Symbol, sympy.Symbol]) -> None:
        self.velocities = dict(velocities)
        self.definitions: dict[sympy.Symbol, sympy.Expr] = {}
        self.derived = 0
        self._names: dict[sympy.Expr, sympy.Symbol] = {}
        self._rates: dict[sympy.Symbol, Callable[[], sympy.Expr]] = {}
        self._known_rates: dict[sympy.Symbol, sympy.Expr] = {}
        self._partial: dict[sympy.Symbol, _Changes] = {}
        self._total: dict[int, tuple[Mapping[sympy.Symbol, sympy.Expr], _Changes]] = {}

    def name(self, value: sympy.Expr, rate: Callable[[], sympy.Expr] | None = None) -> sympy.Expr:
        """Return a name for an expression; numbers, symbols and their negatives are their own.

        Parameters
        ----------
        value : sympy.Expr
            In symbols and earlier names.
        rate : callable, optional
            Returns its time derivative where a shorter one is known than the chain rule finds.
        """
        if _is_simple(value):
            return value
        if value.could_extract_minus_sign():
            return -self.name(-value, None if rate is None else lambda: -rate())
        known = self._names.get(value)
        if known is None:
            known = sympy.Symbol(f"s.{len(self.definitions) + 1}", real=True)
            self._names[value], self.definitions[known] = known, value
            if rate is not None:
                self._rates[known] = rate
        return known

    def column(
        self, values: Iterable[sympy.Expr], rates: Callable[[], Sequence[sympy.Expr]] | None = None
    ) -> sympy.Matrix:
        """Return names for the entries of a column; ``rates`` returns their derivatives."""

        def rate(k: int) -> Callable[[], sympy.Expr] | None:
            return None if rates is None else lambda: rates()[k]

        return sympy.Matrix([self.name(value, rate(k)) for k, value in enumerate(values)])

    def partial(self, value: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
        """Return the partial derivative by a symbol, in names."""
        changes = self._partial.setdefault(variable, {variable: sympy.Integer(1)})
        velocity = self.velocities.get(variable)

        def of_name(name: sympy.Symbol) -> sympy.Expr | None:
            rate = None if velocity is None else self._rate(name)
            return None if rate is None else self.partial(rate, velocity)

        return self._change(value, changes, of_name)

    def total(self, value: sympy.Expr, rates: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
        """Return the time derivative, in names; ``rates`` are those of the symbols."""
        _, changes = self._total.setdefault(id(rates), (rates, dict(rates)))
        # Known rates are written in the velocities, which other speeds may have replaced here.
        other = {v: rates[q] for q, v in self.velocities.items() if rates.get(q, v) != v}

        def of_name(name: sympy.Symbol) -> sympy.Expr | None:
            rate = self._rate(name)
            return rate if rate is None or not other else self.at([rate], other)[0]

        return self._change(value, changes, of_name)

    def reverse(
        self,
        weighted: Iterable[tuple[sympy.Expr, sympy.Expr]],
        variables: Sequence[sympy.Symbol],
    ) -> list[sympy.Expr]:
        """Return the derivatives of a weighted sum by several symbols, weights held fixed.

        From the sum back to the symbols every name is passed once, however many symbols there are:
        the forces of all speeds cost little more than one.
        """
        pairs = list(weighted)
        names = list(self.below(value for value, _ in pairs))
        moving: set[sympy.Basic] = set(variables)
        for name in names:
            if not moving.isdisjoint(self.definitions[name].free_symbols):
                moving.add(name)
        slopes: dict[sympy.Basic, list[sympy.Expr]] = {symbol: [] for symbol in moving}
        for value, weight in pairs:
            self._spread(value, weight, slopes)
        for name in reversed(names):
            if slopes.get(name):
                self.derived += 1
                weight = self.name(sympy.Add(*slopes[name]))
                self._spread(self.definitions[name], weight, slopes)
        return [sympy.Add(*slopes[variable]) for variable in variables]

    def _spread(
        self,
        value: sympy.Expr,
        weight: sympy.Expr,
        slopes: Mapping[sympy.Basic, list[sympy.Expr]],
    ) -> None:
        """Add the weighted derivatives of an expression by its symbols to theirs."""
        if value in slopes:
            slopes[value].append(weight)
        args = value.args
        match value:
            case sympy.Add():
                for arg in args:
                    self._spread(arg, weight, slopes)
            case sympy.Mul():
                for k, arg in enumerate(args):
                    if not slopes.keys().isdisjoint(arg.free_symbols):
                        others = sympy.Mul(weight, *args[:k], *args[k + 1 :])
                        self._spread(arg, others, slopes)
            case sympy.Pow() if args[1].is_number:
                base, exponent = args
                self._spread(base, weight * exponent * base ** (exponent - 1), slopes)
            case sympy.Function() | sympy.Pow():
                for k, arg in enumerate(args):
                    if not slopes.keys().isdisjoint(arg.free_symbols):
                        self._spread(arg, weight * self.name(value.fdiff(k + 1)), slopes)

    def at(
        self, values: Sequence[sympy.Expr], known: Mapping[sympy.Symbol, sympy.Expr]
    ) -> list[sympy.Expr]:
        """Return expressions with symbols replaced, in their definitions too."""
        done: dict[sympy.Basic, sympy.Expr] = dict(known)
        for symbol in self.below(values):
            if symbol not in done:
                definition = self.definitions[symbol]
                changed = definition.xreplace(done)
                done[symbol] = symbol if changed == definition else self.name(changed)
        return [value.xreplace(done) for value in values]

    def below(self, values: Iterable[sympy.Basic]) -> Iterator[sympy.Symbol]:
        """Yield the names that expressions depend on, each after those it is defined by."""
        seen: set[sympy.Symbol] = set()
        pending = [(symbol, False) for symbol in _names_in(values, self.definitions)]
        while pending:
            symbol, is_ready = pending.pop()
            if is_ready:
                yield symbol
            elif symbol not in seen:
                seen.add(symbol)
                pending.append((symbol, True))
                inner = _names_in([self.definitions[symbol]], self.definitions)
                pending += [(one, False) for one in inner if one not in seen]

    def _rate(self, name: sympy.Symbol) -> sympy.Expr | None:
        """Return the time derivative of a name, where it was given."""
        if name not in self._known_rates and name in self._rates:
            self._known_rates[name] = self._rates[name]()
        return self._known_rates.get(name)

    def _change(
        self,
        value: sympy.Expr,
        changes: _Changes,
        of_name: Callable[[sympy.Symbol], sympy.Expr | None],
    ) -> sympy.Expr:
        """Return the derivative of an expression in one direction."""
        known = changes.get(value)
        if known is not None:
            return known
        if isinstance(value, sympy.Symbol):
            found: sympy.Expr = sympy.Integer(0)
            if value in self.definitions:
                self.derived += 1
                own = of_name(value)
                if own is None:
                    own = self._change(self.definitions[value], changes, of_name)
                found = self.name(own)
            changes[value] = found
            return found
        inner = [self._change(arg, changes, of_name) for arg in value.args]
        match value:
            case sympy.Add():
                found = sympy.Add(*inner)
            case sympy.Mul():
                args = value.args
                found = sympy.Add(
                    *(
                        sympy.Mul(*args[:k], change, *args[k + 1 :])
                        for k, change in enumerate(inner)
                        if change != 0
                    )
                )
            case sympy.Pow() if inner[1] == 0:
                base, exponent = value.args
                found = inner[0] * exponent * base ** (exponent - 1) if inner[0] != 0 else inner[0]
            case _:
                # A function, such as a sine, whose derivative is one too and deserves a name.
                found = sympy.Add(
                    *(
                        change * self.name(value.fdiff(k + 1))
                        for k, change in enumerate(inner)
                        if change != 0
                    )
                )
        changes[value] = found
        return found


def _is_simple(value: sympy.Expr) -> bool:
    """Whether an expression is a number, a symbol, or the negative of one."""
    if not value.args:
        return True
    return (
        isinstance(value, sympy.Mul)
        and len(value.args) == 2
        and (value.args[0] == -1 and not value.args[1].args)
    )


def _names_in(
    values: Iterable[sympy.Basic], definitions: Mapping[sympy.Symbol, sympy.Expr]
) -> list[sympy.Symbol]:
    """Return the names that occur, in the order of their definition."""
    found = {s for value in values for s in value.free_symbols if s in definitions}
    return sorted(found, key=lambda symbol: (len(symbol.name), symbol.name))
