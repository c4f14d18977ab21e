# SPDX-License-Identifier: BSD-3-Clause
"""Formulas as text: Python's grammar reads them, and nothing of them is ever executed."""

from __future__ import annotations

import ast
import warnings


def formula_tree(text: str) -> ast.expr | None:
    """Return the syntax tree of a formula; None where it is no expression, or nested too deeply.

    Parameters
    ----------
    text : str
        The formula.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers that run into names, and the like
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
