# SPDX-License-Identifier: BSD-3-Clause
"""Description of a formalism: the text between the formulas of documents and pages.

Formulas in backticks use the plain notation of ``flexforge.codegen.study.latex.notation``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """The description of a formalism; each module has its own as ``TEXT``.

    Attributes
    ----------
    title : str
        Heading.
    start : str
        Starting point, in a few words.
    principle : str
        Its equation, in the plain notation.
    gives : str
        Kind of the resulting equations.
    idea : str
        The idea in plain words, for a reader who knows Lagrange.
    difference : str
        Difference from Lagrange.
    recipe : tuple of str
        Steps of the method.
    useful : str
        When to choose it.
    remark : str
        Remark for reading its formulas.
    """

    title: str
    start: str
    principle: str
    gives: str
    idea: str
    difference: str
    recipe: tuple[str, ...]
    useful: str
    remark: str = ""
