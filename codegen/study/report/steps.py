# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a derivation, as formulas in the field of the element."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import sympy
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.mechanics.equations import ElementEquations, collect
from flexforge.codegen.mechanics.formalisms import formalism, text
from flexforge.codegen.mechanics.formalisms.energies import lagrangian
from flexforge.codegen.mechanics.formalisms.motion import FirstOrder, Motion
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger, Step
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.study.report.field import Field


@dataclass(frozen=True, slots=True)
class Formula:
    """One step of a derivation: a scalar, or a component of a vector.

    Attributes
    ----------
    step : str
        Name of the step in the ledger: ``v``, ``T``, ``dL/dd'``.
    component : str
        Index of a vector or matrix, ``1`` or ``12``; empty for a scalar and for the first one of
        a family.
    value : sympy.Expr
        Value in nodal coordinates; or a matrix.
    forms : tuple of sympy.Expr
        The value in the field: with names of earlier results, if that is shorter, then in full.
    """

    step: str
    component: str
    value: sympy.Expr
    forms: tuple[sympy.Expr, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The derivation by one formalism.

    Attributes
    ----------
    name : str
        Name of the formalism.
    text : Text
        Description of the formalism.
    known : tuple of str
        Steps written before, by another formalism or in the common part.
    formulas : tuple of Formula
        The other steps, in order.
    results : tuple of Formula
        The first equations as the formalism writes them, each named by its left side: ``0``, or
        a momentum ``p_a,1`` and its rate ``p'_a,1``.
    families : dict
        Names of steps that are more specific than their family, by family.
    equations : ElementEquations
        The resulting equations, split into terms, and the ledger.
    """

    name: str
    text: Text
    known: tuple[str, ...]
    formulas: tuple[Formula, ...]
    results: tuple[Formula, ...]
    families: dict[str, str]
    equations: ElementEquations

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Counts by kind and family."""
        return self.equations.ledger.counts()


@dataclass(frozen=True, slots=True)
class Steps:
    """All derivations of an element, each with only its new steps.

    Attributes
    ----------
    point : MaterialPoint
        Point with the nodes of the formulas.
    kinematics, energies : tuple of Formula
        The common part before any formalism: v, a and the strain; T, V, W.
    sections : tuple of Section
        One per formalism.
    """

    point: MaterialPoint
    kinematics: tuple[Formula, ...]
    energies: tuple[Formula, ...]
    sections: tuple[Section, ...]


def steps(
    element: AnyElement, formalisms: Sequence[str], nodes: Sequence[str] = ("a", "b"), rows: int = 1
) -> Steps:
    """Derive an element by several formalisms and return their steps.

    Parameters
    ----------
    element : Element
        The declaration.
    formalisms : sequence of str
        Their names, in the order of the sections.
    nodes : sequence of str
        Labels of the nodes: two generic ones, or all.
    rows : int
        Number of written equations of the first node.
    """
    point = point_of(element, frame_for(element.components, revolved=element.revolved), nodes)
    writer = _Writer(point, rows)
    ledger = Ledger()
    point.velocity(ledger)
    point.acceleration(ledger)
    point.strain(point.coordinates, ledger)
    kinematics = writer.formulas(ledger.steps)
    ledger = Ledger()
    lagrangian(point, ledger)
    energies = writer.formulas(ledger.steps)
    return Steps(point, kinematics, energies, tuple(writer.section(name) for name in formalisms))


class _Writer:
    """Writes steps as formulas and keeps track of those already written."""

    def __init__(self, point: MaterialPoint, rows: int) -> None:
        self.point = point
        self.rows = rows
        self.field = Field(point)
        self.written: set[tuple[str, sympy.Basic]] = set()
        self.names: dict[sympy.Expr, sympy.Symbol] = {}

    def section(self, name: str) -> Section:
        ledger = Ledger()
        motion = formalism(name)(self.point, ledger)
        known = [self._name(s) for s in ledger.steps if self._key(s) in self.written]
        formulas = self.formulas(ledger.steps)
        results = tuple(self._result(step, value) for step, value in self._first(motion))
        # Splitting the equations into terms is counted too, as in `derive`.
        residuals = motion.second_order(self.point, Ledger())
        equations = collect(name, name, self.point, residuals, ledger)
        families = {s.name: self._name(s) for s in ledger.steps if self._name(s) != s.name}
        return Section(
            name, text(name), tuple(dict.fromkeys(known)), formulas, results, families, equations
        )

    def formulas(self, noted: Iterable[Step]) -> tuple[Formula, ...]:
        found: list[Formula] = []
        for step in noted:
            if self._key(step) in self.written:
                continue
            self.written.add(self._key(step))
            found += self._components(step)
        return tuple(found)

    def _components(self, step: Step) -> list[Formula]:
        name, value = self._name(step), step.value
        if not isinstance(value, sympy.MatrixBase):
            return [self._formula(name, "", value)]
        if value.cols > 1:
            written = value.applyfunc(self.field.write).as_immutable()
            return [Formula(name, "", value.as_immutable(), (written,))]
        found = [self._formula(name, str(i + 1), entry) for i, entry in enumerate(value)]
        for formula in found:
            if isinstance(formula.value, sympy.Add):
                symbol = sympy.Symbol(f"{name}{formula.component}", real=True)
                for form in (
                    formula.value,
                    *formula.forms,
                    self.field.multiplied_out(formula.value),
                ):
                    self.names[form] = symbol
        return found

    def _formula(self, name: str, component: str, value: sympy.Expr) -> Formula:
        field = self.field
        full = shortest(
            field.write(value), field.write(sympy.factor_terms(value)), self._multiplied_out(value)
        )
        brief = field.abbreviated(value, self.names)
        brief = shortest(brief, self._multiplied_out(brief), field.abbreviated(full, self.names))
        forms = (brief, full) if _size(brief) < _size(full) else (full,)
        return Formula(name, component, value, forms)

    def _first(self, motion: Motion) -> list[tuple[str, sympy.Expr]]:
        """Return the first equations as the formalism writes them, by their left sides."""
        if not isinstance(motion, FirstOrder):
            return [("0", residual) for residual in motion.residuals[: self.rows]]
        return [
            (str(name), value)
            for letter, values in (("p", motion.momenta), ("p'", motion.forces))
            for name, value in zip(self.point.nodal(letter)[: self.rows], values, strict=False)
        ]

    def _result(self, name: str, value: sympy.Expr) -> Formula:
        """Return an equation, written in full only the first time."""
        found = self._formula(name, "", value)
        key = (name, found.forms[-1])
        forms = found.forms[:1] if key in self.written else found.forms
        self.written.add(key)
        return replace(found, forms=forms)

    def _multiplied_out(self, value: sympy.Expr) -> sympy.Expr:
        """Return a value in expanded form; an energy is unchanged to keep its squares."""
        squared = any(power.base.is_Add for power in value.atoms(sympy.Pow))
        return self.field.write(value) if squared else self.field.multiplied_out(value)

    def _name(self, step: Step) -> str:
        """Return the name of a step, which distinguishes strains by their variables.

        A strain of velocities is the strain rate; one of both is that of the quadratic strain.
        """
        used = step.value.free_symbols
        if "eps" not in step.name or not set(self.point.velocities) & used:
            return step.name
        return step.name.replace("eps", "epsq" if set(self.point.coordinates) & used else "eps'")

    def _key(self, step: Step) -> tuple[str, sympy.Basic]:
        value = step.value
        return step.name, value.as_immutable() if isinstance(value, sympy.MatrixBase) else value


def shortest(*forms: sympy.Expr) -> sympy.Expr:
    """Return the expression of fewest operations; the first one of several equal ones."""
    return min(forms, key=_size)


def _size(expression: sympy.Expr) -> int:
    return int(expression.count_ops())
