# SPDX-License-Identifier: BSD-3-Clause
"""What a formalism says about itself: the words between the formulas of documents and pages.

Between backticks stands the plain notation of ``flexforge.codegen.study.latex.notation``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a formalism; each module holds its own as ``TEXT``.

    Attributes
    ----------
    title : str
        As a heading.
    start : str
        What it starts from, in a few words.
    principle : str
        Its equation, in the plain notation.
    gives : str
        What kind of equations come out.
    idea : str
        In plain words, for someone who knows Lagrange.
    difference : str
        From Lagrange.
    recipe : tuple of str
        Its steps.
    useful : str
        When one would choose it.
    remark : str
        What to know when reading its formulas.
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
