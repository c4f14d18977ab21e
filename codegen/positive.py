# SPDX-License-Identifier: BSD-3-Clause
"""The positive part of a quantity, and the step that is its derivative, as functions of SymPy."""

from __future__ import annotations

import sympy


class positive(sympy.Function):  # type: ignore[misc] # noqa: N801 (a name of formulas)
    """A quantity where it is positive, else zero."""

    nargs = 1

    @classmethod
    def eval(cls, value: sympy.Expr) -> sympy.Expr | None:
        """Return the value for numbers."""
        if value.is_number and value.is_comparable:
            return value if value > 0 else sympy.Integer(0)
        return None

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """Return the derivative."""
        return step(self.args[0])


class step(sympy.Function):  # type: ignore[misc] # noqa: N801
    """One where a quantity is positive, else zero: at zero too."""

    nargs = 1

    @classmethod
    def eval(cls, value: sympy.Expr) -> sympy.Expr | None:
        """Return the value for numbers."""
        if value.is_number and value.is_comparable:
            return sympy.Integer(1 if value > 0 else 0)
        return None

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """Return the derivative, which is zero but for the jump."""
        return sympy.Integer(0)


def without_steps(value: sympy.Expr) -> sympy.Expr:
    """Return products of a positive part with its own step without the step."""

    def product(one: sympy.Expr) -> sympy.Expr:
        inside = {part.as_base_exp()[0].args[0] for part in one.args
                  if isinstance(part.as_base_exp()[0], positive)}  # fmt: skip
        return sympy.Mul(*(
            part for part in one.args if not (isinstance(part, step) and part.args[0] in inside)
        ))  # fmt: skip

    return value.replace(lambda one: one.is_Mul and one.has(step), product)
