# SPDX-License-Identifier: BSD-3-Clause
"""Expressions of a derivation written in the field u = N d instead of nodal coordinates.

``N_a d_a,1 + N_b d_b,1`` becomes ``u1``, ``N_a,2 d_a,1 + N_b,2 d_b,1`` becomes ``u1,2``: an exact
substitution wherever all nodes contribute with the same factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import sympy
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol

#: The field of each kind of nodal coordinates: in the frame, and along fixed axes.
FIELDS = {"d": "u", "q": "U"}


@dataclass(frozen=True)
class Field:
    """The field interpolated from the nodes of a point, and its derivatives.

    Attributes
    ----------
    point : MaterialPoint
        The point.
    """

    point: MaterialPoint

    @cached_property
    def _names(self) -> dict[tuple[sympy.Expr, sympy.Symbol], list[sympy.Expr]]:
        """Products of the other nodes and name of the field, by the product of the first node."""
        first, *others = self.point.nodes
        size = self.point.dimension
        shapes = {
            node: (shape_symbol(node), *gradient_symbols(node, size)) for node in self.point.nodes
        }
        names = {}
        for (letter, field), rate in product(FIELDS.items(), ("", "'", "''")):
            nodal = self.point.nodal(letter + rate)
            values = {node: nodal[k * size :] for k, node in enumerate(self.point.nodes)}
            for i, slope in product(range(size), range(size + 1)):
                name = f"{field}{i + 1}{f',{slope}' if slope else ''}{rate}"
                key = shapes[first][slope] * values[first][i], sympy.Symbol(name, real=True)
                names[key] = [shapes[node][slope] * values[node][i] for node in others]
        return names

    def write(self, expression: sympy.Expr) -> sympy.Expr:
        """Return an expression with the field in place of its nodal values."""
        if not expression.args:
            return expression
        changed = expression.func(*map(self.write, expression.args))
        return self._of_sum(changed) if isinstance(changed, sympy.Add) else changed

    def _of_sum(self, expression: sympy.Add) -> sympy.Expr:
        amounts = dict(reversed(term.as_coeff_Mul()) for term in expression.args)
        for term, amount in list(amounts.items()):
            symbols = term.free_symbols
            for (first, named), others in self._names.items():
                if not others[-1].free_symbols <= symbols or term not in amounts:
                    continue
                factor = term / others[-1]
                alike = [factor * other for other in others]
                # The remainder of the first node stays: a sum can contain two fields.
                rest = amounts.get(factor * first, sympy.Integer(0)) - amount
                if rest * amount < 0 or any(amounts.get(other) != amount for other in alike):
                    continue
                for done in alike:
                    del amounts[done]
                amounts[factor * first] = rest
                key = factor * named
                amounts[key] = amounts.get(key, sympy.Integer(0)) + amount
        return sympy.Add(*(amount * term for term, amount in amounts.items()))

    def multiplied_out(self, expression: sympy.Expr) -> sympy.Expr:
        """Return an expression in the field, expanded and ordered by its test functions.

        A row of the equations is ``N_a`` times forces plus ``N_a,j`` times stresses; mass density
        and material constants are factored out of each.
        """
        node, size = self.point.nodes[0], self.point.dimension
        tests = (shape_symbol(node), *gradient_symbols(node, size))
        field = self.write(sympy.expand(expression))
        rows = sympy.collect(field, tests, evaluate=False)
        constants = (DENSITY, *self.point.law.matrix.free_symbols, *self.point.initial_stress)
        return sympy.Add(
            *(
                test * _grouped(sympy.expand(part), sorted(constants, key=str))
                for test, part in rows.items()
            )
        )

    def abbreviated(
        self, expression: sympy.Expr, known: Mapping[sympy.Expr, sympy.Symbol]
    ) -> sympy.Expr:
        """Return an expression in the field and in already named quantities.

        Factors of an initial stress stay: it does work on gradients, not on strains.
        """
        if expression in known:
            return known[expression]
        if not expression.args:
            return expression
        if isinstance(expression, sympy.Mul) and set(expression.args) & set(
            self.point.initial_stress
        ):
            return self.write(expression)
        args = [self.abbreviated(arg, known) for arg in expression.args]
        changed = expression.func(*args)
        return self._of_sum(changed) if isinstance(changed, sympy.Add) else changed


def _grouped(expression: sympy.Expr, constants: list[sympy.Symbol]) -> sympy.Expr:
    """Return a sum grouped by material constants, with other terms unchanged."""
    groups = sympy.collect(expression, constants, evaluate=False)
    return sympy.Add(*(sympy.Mul(c, part, evaluate=True) for c, part in groups.items()))
