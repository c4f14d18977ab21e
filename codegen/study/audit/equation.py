# SPDX-License-Identifier: BSD-3-Clause
"""A printed equation as data: its prints, the readings it may need, its paper.

A reading says how a notation is understood; it never mends a formula. It may change the letters
of indices, transpose a row into a column, or say what a symbol stands for. It may not change a
sign, a number, or the number of terms; only where the rendering at hand may have lost or moved a
dot may it change dots, and then it says so. ``reading`` enforces this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flexforge.codegen.study.audit.instant import Array, Instant


@dataclass(frozen=True, slots=True)
class Reading:
    """How a part of a printed form is understood.

    Attributes
    ----------
    old, new : str
        The part as printed and as read, each in the notation of the printed form.
    why : str
        The sentence that states the reading.
    rendering : bool
        The text at hand, not the paper, may be at fault: dots may be changed too.
    """

    old: str
    new: str
    why: str
    rendering: bool = False


@dataclass(frozen=True)
class Context:
    """What the symbols of a paper stand for, and the words its results are written in.

    Attributes
    ----------
    instant : Instant
        The motion both sides are evaluated on.
    values : mapping
        Arrays by `Factor.key`.
    """

    instant: Instant
    values: Mapping[str, Array]


@dataclass(frozen=True)
class Form:
    """One print of an equation.

    Attributes
    ----------
    source : str
        The equation as printed, LaTeX.
    printed : str
        Its right side (or the whole, zero on one side) in the notation of `notation`.
    derived : callable
        Returns the other side, derived by SymPy, on the context's instant.
    readings : tuple of Reading
        Applied in turn where the literal form does not agree.
    meant : tuple of (str, callable), optional
        Where the printed left side lacks a dot: the left side that is meant, as LaTeX, and its
        value. The right side is compared with it, and the dot is a finding if the two differ.
    left : str
        What the derived side is, LaTeX: the left side, or 0 where the whole equation is held.
    """

    source: str
    printed: str
    derived: Callable[[], Array]
    readings: tuple[Reading, ...] = ()
    meant: tuple[str, Callable[[], Array]] | None = None
    left: str = ""


@dataclass(frozen=True)
class Equation:
    """A printed equation that states a result.

    Attributes
    ----------
    number : str
        As in the paper: ``"42"``, ``"A.3"``; parts of one equation as ``"12a"``.
    title : str
        What it states.
    form : Form
        The print that is audited.
    context : callable
        Returns what the symbols stand for.
    free : str or None
        Free indices; None for matrix notation.
    vocabulary : tuple of str
        Terms in which the derived side is written out.
    how : str
        How the derived side is obtained, in a sentence.
    second : Form, optional
        Another print of the same article, where its text differs.
    """

    number: str
    title: str
    form: Form
    context: Callable[[], Context]
    free: str | None
    vocabulary: tuple[str, ...]
    how: str
    second: Form | None = None


@dataclass(frozen=True)
class Paper:
    """A paper and its audited equations.

    Attributes
    ----------
    key : str
        Citation key, ``Scutaru 2023``.
    reference : str
        The full reference.
    equations : tuple of Equation
        Those that state a result, in the order of the paper.
    definitions : mapping
        Number and subject of the numbered equations that define and state no result.
    prints : tuple of str
        Names of the prints, where there are two.
    remark : str
        What the reader of the table should know.
    """

    key: str
    reference: str
    equations: tuple[Equation, ...]
    definitions: Mapping[str, str] = field(default_factory=dict)
    prints: tuple[str, ...] = ()
    remark: str = ""
