# SPDX-License-Identifier: BSD-3-Clause
"""Formulas as text: parsed with Python's grammar and never executed."""

from __future__ import annotations

import ast
import warnings


def formula_tree(text: str) -> ast.expr | None:
    """Return the syntax tree of a formula, or None if it is invalid or nested too deeply.

    Parameters
    ----------
    text : str
        The formula.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers directly followed by names, and the like
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
