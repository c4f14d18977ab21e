# SPDX-License-Identifier: BSD-3-Clause
"""Result and starting point of lowering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.ir.program import Program
from flexforge.codegen.mechanics.derivation import derive, roll
from flexforge.codegen.mechanics.equations import ElementEquations, Term

E = TypeVar("E", bound=AnyElement)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A term of an element as a program, before any pass.

    Attributes
    ----------
    program : Program
        The program that computes the term.
    meaning, units : str
        Meaning and units of an entry.
    symmetry : str
        Symmetry of the matrix: ``symmetric``, ``skew`` or ``general``.
    structure : str
        Structure of a block: ``full``, ``diagonal`` or ``scalar``.
    """

    program: Program
    meaning: str
    units: str
    symmetry: str = "general"
    structure: str = "full"


@dataclass(frozen=True)
class Derivation(Generic[E]):
    """An element and its equations, which are derived when a term first needs them.

    Attributes
    ----------
    element : Element or FieldElement
        The declaration.
    formalism : str
        Formalism by which the equations are derived.
    unrolled : bool
        Whether all nodal coordinates are written out, instead of a generic pair of nodes.
    """

    element: E
    formalism: str
    unrolled: bool

    @cached_property
    def equations(self) -> ElementEquations:
        """All terms, as densities for a generic pair of nodes."""
        found = derive(self.element, formalism=self.formalism, unrolled=self.unrolled)
        return roll(found) if self.unrolled else found


def lower_term(
    lower: Callable[[E, Term], Program], name: str, derivation: Derivation[E]
) -> Lowered:
    """Return a term of the equations, lowered by the given function."""
    term = derivation.equations.terms[name]
    program = lower(derivation.element, term)
    return Lowered(program, term.meaning, term.units, term.symmetry)


def lower_alone(
    lower: Callable[[E], Program], meaning: str, units: str, derivation: Derivation[E]
) -> Lowered:
    """Return a term that depends on the element alone, without its equations."""
    return Lowered(lower(derivation.element), meaning, units)
