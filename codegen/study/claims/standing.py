# SPDX-License-Identifier: BSD-3-Clause
"""C11: gyroscopic terms of bodies that spin, in axes that stand still, by every formalism."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.standing_axes import in_standing_axes
from flexforge.codegen.study.claims.claim import Finding, Table, holds
from flexforge.codegen.study.claims.free import Cost

#: Beams that shafts are made of, and a solid, whose nodes move and do not turn.
SHOWN = ("timoshenko_beam", "euler_beam", "tet4")
#: The terms of the turning frame that the change takes.
TAKEN = ("mass", "coriolis", "centrifugal")
_AXIS = sympy.symbols("n1:4", real=True)
_FAMILY = "change of axes"


@dataclass(frozen=True, slots=True)
class Row:
    """What a formalism takes for the terms of an element in axes that stand still.

    Attributes
    ----------
    element, formalism : str
        What is derived, and how.
    derivation : Cost
        Of the derivation in the turning frame.
    change : int
        Products and sums of the change of axes, per pair of vectors.
    kernels : tuple of int
        Operations per element of the kernels of `TAKEN`.
    """

    element: str
    formalism: str
    derivation: Cost
    change: int
    kernels: tuple[int, ...]


def c11(elements: Sequence[str] = SHOWN, formalisms: Sequence[str] = tuple(FORMALISMS)) -> Finding:
    """Return what every formalism takes for the terms of axes that stand still."""
    rows, agree, none = [], True, True
    for name in elements:
        derived = {one: derive(declaration(name), None, one) for one in formalisms}
        changed = {one: standing_terms(equations) for one, equations in derived.items()}
        first = changed[formalisms[0]]
        agree &= all(found[:2] == first[:2] for found in changed.values())
        if name == "tet4":
            none = first[0].is_zero_matrix is True and first[1].is_zero_matrix is True
        for one in formalisms:
            kernels = tuple(
                compile_kernel(name, term, formalism=one).count.operations for term in TAKEN
            )
            cost, ledger = Cost.of(derived[one].ledger), changed[one][2]
            rows.append(Row(name, one, cost, ledger.operations, kernels))
    return finding(rows, agree=agree, none=none)


def finding(rows: Sequence[Row], *, agree: bool, none: bool) -> Finding:
    """Return the finding of rows.

    Parameters
    ----------
    rows : sequence of Row
        Every formalism of every element.
    agree : bool
        Whether the terms are the same by all formalisms, compared as data.
    none : bool
        Whether those of the solid vanish.
    """
    by_element: dict[str, set[tuple[int, ...]]] = {}
    for row in rows:
        by_element.setdefault(row.element, set()).add((row.change, *row.kernels))
    same = all(len(found) == 1 for found in by_element.values())
    return Finding(
        "C11",
        "Gyroscopic terms of bodies that spin, in axes that stand still, come from the integrals "
        "of the turning frame by a change of axes, and are the same by all formalisms.",
        "no paper: their frames turn with the body",
        f"{holds(agree, same, none)}; fewest operations by {_least(rows)}",
        "Each formalism is derived in the frame that turns, a pair of nodes or vectors at a time. "
        "The change of axes makes `c - m n~` and `k_omega + m n~ n~ - 2 c n~` of m, c and k_omega "
        "about an axis n ([physics](physics.md#bodies-that-spin-in-axes-that-stand-still)); its "
        "products and sums are counted per pair, as those of the derivations are. The results are "
        "compared as data, and those of a solid, whose nodes do not turn, vanish. Operations of "
        "kernels are per element, compiled by each formalism: there is one kernel for all, and "
        "only the derivations differ. All are derived with initial stress, which beams always "
        "have.",
        (
            Table(
                (
                    "element", "formalism", "differentiations", "operations without collecting",
                    "all operations", "change of axes",
                    *(f"{term} kernel" for term in TAKEN),
                ),
                tuple(
                    (row.element, row.formalism, *row.derivation.compared, row.change, *row.kernels)
                    for row in rows
                ),
            ),
        ),
    )  # fmt: skip


def standing_terms(equations: ElementEquations) -> tuple[sympy.Matrix, sympy.Matrix, Ledger]:
    """Return densities in axes that stand still at a unit speed, and the count of the change.

    Parameters
    ----------
    equations : ElementEquations
        Of a pair of nodes or vectors, in a spatial frame.
    """
    ledger = Ledger()
    frame = equations.point.frame
    unit = dict(zip(frame.angular_velocity, _AXIS, strict=True))
    mass, coriolis, centrifugal = (
        sympy.Matrix(equations.terms[one].density.xreplace(unit)) for one in TAKEN
    )
    found = in_standing_axes(
        mass,
        coriolis,
        centrifugal,
        frame.tilde(_AXIS),
        lambda a, b: ledger.times(a, b, _FAMILY),
        lambda *several: ledger.add(_FAMILY, *several),
    )
    gyroscopic, centre = (one.applyfunc(sympy.expand) for one in found)
    return gyroscopic, centre, ledger


def _least(rows: Sequence[Row]) -> str:
    """Return the formalism that derives an element with the fewest operations, or all of them."""
    best: Mapping[str, str] = {
        name: min(
            (row for row in rows if row.element == name),
            key=lambda row: row.derivation.compared[2],
        ).formalism
        for name in dict.fromkeys(row.element for row in rows)
    }
    return " or ".join(dict.fromkeys(best.values()))
