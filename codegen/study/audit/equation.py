# SPDX-License-Identifier: BSD-3-Clause
"""A printed equation as data: its printed versions, readings, and paper.

A reading states how a notation is understood; it never corrects a formula. It may change the
letters of indices, transpose a row into a column, or state the meaning of a symbol. It may not
change a sign, a number, or the number of terms. It may change dots only if the available rendering
may have lost or moved a dot, and then it states so. ``reading`` enforces this.
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
        The available text, not the paper, may be wrong: dots may be changed too.
    """

    old: str
    new: str
    why: str
    rendering: bool = False


@dataclass(frozen=True)
class Context:
    """Values of the symbols of a paper.

    Attributes
    ----------
    instant : Instant
        The motion on which both sides are evaluated.
    values : mapping
        Arrays by `Factor.key`.
    """

    instant: Instant
    values: Mapping[str, Array]


@dataclass(frozen=True)
class Form:
    """One printed version of an equation.

    Attributes
    ----------
    source : str
        The equation as printed, LaTeX.
    printed : str
        Its right side (or the whole, zero on one side) in the notation of `notation`.
    derived : callable
        Returns the other side, derived by SymPy, on the context's instant.
    readings : tuple of Reading
        Applied one by one if the literal form does not agree.
    meant : tuple of (str, callable), optional
        If the printed left side lacks a dot: the intended left side, as LaTeX, and its value. The
        right side is compared with it, and the dot is a finding if the two differ.
    left : str
        The derived side in LaTeX: the left side, or 0 if the form is the whole equation.
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
        The statement of the equation.
    form : Form
        The audited version.
    context : callable
        Returns the values of the symbols.
    free : str or None
        Free indices; None for matrix notation.
    vocabulary : tuple of str
        Terms used to write the derived side.
    how : str
        Derivation of the derived side, in a sentence.
    second : Form, optional
        Another version of the same article, if its text differs.
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
        Equations that state a result, in the order of the paper.
    definitions : mapping
        Number and subject of the numbered equations that only define something.
    prints : tuple of str
        Names of the printed versions, if there are two.
    remark : str
        Remark for readers of the table.
    """

    key: str
    reference: str
    equations: tuple[Equation, ...]
    definitions: Mapping[str, str] = field(default_factory=dict)
    prints: tuple[str, ...] = ()
    remark: str = ""
