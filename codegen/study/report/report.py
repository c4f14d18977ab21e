# SPDX-License-Identifier: BSD-3-Clause
"""Report of a derivation: kinematics, terms, ledger, agreement; as text and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.errors import FlexforgeError, InputError, nearest
from flexforge.codegen.mechanics.derivation import roll
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.formalisms import formalism_named
from flexforge.codegen.mechanics.frames import Frame, frame_for
from flexforge.codegen.study.report.kinematics import kinematics
from flexforge.codegen.study.report.terms import TermReport, describe_term
from flexforge.codegen.study.timed import derive_timed

EQUATION = "m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q + q* - q_eps - q_omega - m_O a_O"
_FREE_EQUATION = "M z' + 2 C d' + h_omega + (0, 0, (k + k_geo) d) = Q + Q*"


def equation_of(frame: Frame) -> tuple[str, str]:
    """Return the sides of the equation that the terms in a frame make up."""
    left, right = (_FREE_EQUATION if frame.is_free else EQUATION).split(" = ")
    return left, right


@dataclass(frozen=True, slots=True)
class Derivation:
    """Results of a derivation.

    Attributes
    ----------
    element : Element
        The declaration.
    frame : Frame
        The frame it moves in.
    formalisms : tuple of str
        Names of the formalisms.
    kinematics : dict
        Components of velocity, acceleration and strain of the material point, by name.
    constants : dict
        Material constants of the integrands, by name.
    terms : tuple of TermReport
        Terms by the first formalism.
    ledgers : dict
        Operations of the derivation, by formalism, kind and family.
    seconds : dict
        Duration of each formalism.
    unrolled : bool
        Whether all nodal coordinates were written out.
    """

    element: AnyElement
    frame: Frame
    formalisms: tuple[str, ...]
    kinematics: dict[str, sympy.Expr]
    constants: dict[str, sympy.Expr]
    terms: tuple[TermReport, ...]
    ledgers: dict[str, dict[str, dict[str, int]]]
    seconds: dict[str, float]
    unrolled: bool

    @property
    def equation(self) -> str:
        """The equation that the terms make up."""
        speeds = ",  z = (v_O, w, d')" if self.frame.is_free else ""
        return " = ".join(equation_of(self.frame)) + speeds

    @property
    def _first(self) -> str:
        """What rows and columns begin with in a free frame."""
        return "v_O, w, " if self.frame.is_free else ""

    @property
    def agreement(self) -> str:
        """Whether the formalisms agree, in words; empty for a single one."""
        if len(self.formalisms) < 2:
            return ""
        verb = "is" if len(self.terms) == 1 else "are"
        return (
            f"{listed(self.formalisms)} are symbolically equal: when expanded, "
            f"{listed([t.name for t in self.terms])} {verb} the same by all"
        )

    def lines(self) -> list[str]:
        """Return the report in plain text."""
        e = self.element
        lines = [
            f"{e.name}: {len(e.nodes)} nodes, {e.size} coordinates, {self.frame.name} frame, "
            f"derived by {listed(self.formalisms)}",
            "",
            self.equation,
            "",
            "Material point at x, displaced by u = sum_a N_a d_a, local components:",
        ]
        lines += [f"    {name} = {value}" for name, value in self.kinematics.items()]
        section = f", times {e.section}" if e.section else ""
        lines += [
            "",
            f"Integrands over the undeformed element{section}; row {self._first}node a, column "
            f"{self._first}node b" + ("; x_d = x + u:" if self.frame.is_free else ":"),
        ]
        lines += [f"    {name} = {value}" for name, value in self.constants.items()]
        for term in self.terms:
            lines += ["", *term.lines()]
        of = f"all {e.size} coordinates" if self.unrolled else "a pair of nodes"
        lines += ["", f"Operations of the derivation, {of} written out:"]
        for name, ledger in self.ledgers.items():
            lines.append(f"    {name}, {self.seconds[name]:.2f} s")
            for kind, counts in ledger.items():
                words = ", ".join(f"{family} {number}" for family, number in counts.items())
                lines += textwrap.wrap(
                    f"{kind}: {words or 'none'}",
                    92,
                    initial_indent="        ",
                    subsequent_indent="            ",
                )
        return [*lines, "", self.agreement] if self.agreement else lines

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "element": self.element.name,
            "frame": self.frame.name,
            "formalisms": list(self.formalisms),
            "equation": self.equation,
            "kinematics": {name: str(value) for name, value in self.kinematics.items()},
            "constants": {name: str(value) for name, value in self.constants.items()},
            "terms": {term.name: term.as_dict() for term in self.terms},
            "unrolled": self.unrolled,
            "ledger": self.ledgers,
            "seconds": self.seconds,
            "formalisms_equal": True if self.agreement else None,
        }


def report(
    element: AnyElement,
    formalisms: Sequence[str] = ("lagrange",),
    frame: str | None = None,
    term: str | None = None,
    *,
    unrolled: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Derivation:
    """Derive an element and describe the result.

    Parameters
    ----------
    element : Element
        The declaration.
    formalisms : sequence of str
        One or several; several are compared term by term.
    frame : str, optional
        ``planar`` or ``spatial``, by default the one that fits; ``free`` for unknown motion.
    term : str, optional
        Only this term.
    unrolled : bool
        Derive with all nodal coordinates written out, and find the generic pair in the result.
    tell : callable
        Called when a formalism is done.

    Raises
    ------
    InputError
        For an unknown formalism, frame or term.
    FlexforgeError
        If two formalisms disagree.
    """
    formalisms = [formalism_named(one) for one in formalisms]
    chosen = frame_for(element.components, frame, revolved=element.revolved)
    equations = []
    for formalism in formalisms:
        found = derive_timed(element, chosen, formalism, unrolled=unrolled)
        tell(f"{formalism}: {found.seconds:.1f} s")
        equations.append(roll(found) if unrolled else found)
    first = equations[0]
    if term is not None and term not in first.terms:
        raise InputError(
            f"element '{element.name}': term '{term}' is unknown; expected one of "
            f"{', '.join(first.terms)}{nearest(term, first.terms)}"
        )
    names = [term] if term is not None else list(first.terms)
    for other in equations[1:]:
        _check_equal(first, other, names)
    return Derivation(
        element,
        chosen,
        tuple(formalisms),
        kinematics(first.point),
        {str(name): value for name, value in element.constitutive.definitions},
        tuple(describe_term(first.terms[name]) for name in names),
        {e.formalism: e.ledger.counts() for e in equations},
        {e.formalism: e.seconds for e in equations},
        unrolled,
    )


def _check_equal(left: ElementEquations, right: ElementEquations, names: Sequence[str]) -> None:
    """Compare terms as exact symbolic zeros."""
    for name in names:
        # Densities are expanded into one canonical form: equal means identical.
        if left.terms[name].density != right.terms[name].density:
            raise FlexforgeError(
                f"{left.formalism} and {right.formalism} of {left.element} disagree in term {name}"
            )


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
