# SPDX-License-Identifier: BSD-3-Clause
"""Derivation: Element + Frame + Formalism -> ElementEquations.

Two ways, both honest. *Block*: the formalism is applied to a field carried by two generic nodes
a and b; its row a, column b serves every pair of nodes, because an isoparametric element treats
all of its nodes alike. *Unrolled*: all coordinates of the element are written out.
"""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.equations import ElementEquations, collect
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.formalisms import formalism as formalism_by_name
from flexforge.codegen.frames import Frame, frame_for
from flexforge.codegen.kinematics import MaterialPoint, gradient_symbols, shape_symbol
from flexforge.codegen.ledger import Ledger


def derive(
    element: Element,
    frame: Frame | None = None,
    formalism: str = "lagrange",
    *,
    unrolled: bool = False,
) -> ElementEquations:
    """Derive the equations of motion of an element in a moving frame.

    Parameters
    ----------
    element : Element
        The declaration.
    frame : Frame, optional
        Planar or spatial; by default the one that fits the element.
    formalism : str
        ``lagrange`` or ``kane``.
    unrolled : bool
        Write out all nodal coordinates instead of one generic pair of nodes.

    Returns
    -------
    ElementEquations
        Densities of all terms: p x p unrolled; else the c x c block of row node a, column node b.

    Raises
    ------
    InputError
        For an unknown formalism or a frame of another dimension.
    """
    chosen = frame_for(element.components, frame.name if frame else None)
    if not unrolled:
        point = MaterialPoint.of(element, chosen, ("a", "b"))
        return _derive_block(element.name, point, formalism)
    labels = [str(k + 1) for k in range(len(element.nodes))]
    point = MaterialPoint.of(element, chosen, labels)
    ledger = Ledger()
    residuals = formalism_by_name(formalism)(point, ledger)
    return collect(element.name, formalism, point, residuals, ledger)


def _derive_block(name: str, point: MaterialPoint, formalism: str) -> ElementEquations:
    """Return the generic block; derived once for all elements that share the point."""
    equations = _pair(point, formalism)
    return ElementEquations(name, formalism, point, equations.terms, equations.ledger)


@cache
def _pair(point: MaterialPoint, formalism: str) -> ElementEquations:
    """Derive for the nodes a, b and keep row a, column b, after checking that the pair is generic.

    The diagonal block (a, a) must be the block (a, b) with b replaced by a; else the element does
    not treat its nodes alike and has to be derived unrolled.
    """
    ledger = Ledger()
    residuals = formalism_by_name(formalism)(point, ledger)
    c = point.dimension
    equations = collect("a pair of nodes", formalism, point, residuals[:c], ledger)
    same = dict(
        zip(
            (shape_symbol("b"), *gradient_symbols("b", c)),
            (shape_symbol("a"), *gradient_symbols("a", c)),
            strict=True,
        )
    )
    terms = {}
    for term in equations.terms.values():
        density = term.density
        if density.cols > 1:
            diagonal, density = density[:, :c], density[:, c:]
            if not (density.subs(same) - diagonal).applyfunc(sympy.expand).is_zero_matrix:
                raise FlexforgeError(
                    f"{formalism}: term {term.name} treats a pair of nodes unlike a single one; "
                    "derive it unrolled"
                )
        terms[term.name] = type(term)(
            term.name, term.symbol, density, term.symmetry, term.depends, term.units, term.meaning
        )
    return ElementEquations("a pair of nodes", formalism, point, terms, ledger)
