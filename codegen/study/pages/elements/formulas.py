# SPDX-License-Identifier: BSD-3-Clause
"""The shape functions of an element as it declares them: as formulas, and to be drawn.

For a beam or a shell they are those of the deflection, for an element of length one or on the
reference triangle: the displacement of points on the axis or middle surface due to a displacement
or rotation of a node.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.interpolation import complete
from flexforge.codegen.study.pages.elements.cells import places_of, view_of

#: Elements of more nodes show one function of each kind.
_MOST = 8
_SOFTNESS = sympy.Symbol("phi")
_LENGTH = sympy.Symbol("l")
_BEAM = {"softness_y": _SOFTNESS, "length": _LENGTH}
#: The reference triangle: the local positions of its corners.
_TRIANGLE = {"x1_": 0, "x2_": 1, "x3_": 0, "y1_": 0, "y2_": 0, "y3_": 1, "double_area": 1}
_TURN = {
    "rotation": ("theta_x", "theta_y", "theta_z"),
    "slope": ("s_x", "s_y", "s_z"),
    "displacement": ("u", "v", "w"),
}


@dataclass(frozen=True)
class Function:
    """A shape function.

    Attributes
    ----------
    symbol : str
        Name in the notation of SymPy: ``N_0``.
    node : int
        Number of its node.
    part : str
        Kind of its node: a corner, the middle of an edge.
    value : sympy.Expr
        The function in the reference coordinates.
    """

    symbol: str
    node: int
    part: str
    value: sympy.Expr


def functions(element: AnyElement) -> tuple[Function, ...]:
    """Return the shape functions: all for a continuum, bar or beam, those of node 0 for a shell."""
    view, places = view_of(element), places_of(element)
    parts = [view.part(place) for place in places]
    if isinstance(element, FieldElement):
        return tuple(
            Function(name, node, parts[node], value) for name, node, value in _deflections(element)
        )
    return tuple(
        Function(f"N_{node}", node, parts[node], sympy.factor(value))
        for node, value in enumerate(element.shape)
    )


def _deflections(element: FieldElement) -> list[tuple[str, int, sympy.Expr]]:
    """Return the coefficients of nodal coordinates in the deflection: name, node, function."""
    row = {"interval": min(1, len(element.across))}.get(element.cell, 2)
    zero = dict.fromkeys(element.across, 0)
    known: dict[str, sympy.Expr | int] = {"offset_y": 0, "offset_z": 0, **_BEAM, **_TRIANGLE}
    found = []
    vectors = len(element.carried)
    for column in range(element.displacement.cols):
        vector, axis = divmod(column, element.components)
        node, which = divmod(vector, vectors)
        if node > 0 and element.dimension == 2:
            break
        value = element.displacement[row, column].subs(zero)
        value = value.subs({s: known[s.name] for s in value.free_symbols if s.name in known})
        if value != 0:
            name = f"{_TURN[element.carried[which]][axis]}_{node}"
            found.append((name, node, sympy.factor(value)))
    return found


def shown(element: AnyElement) -> tuple[Function, ...]:
    """Return the functions shown on a page: all, or the first of each kind if there are many."""
    found = functions(element)
    if len(found) <= _MOST:
        return found
    return tuple({f.part: f for f in reversed(found)}.values())[::-1]


def formulas(element: AnyElement) -> str:
    """Return the functions of :func:`shown` as lines of LaTeX."""
    return " \\\\\n".join(rf"{_symbol(f)} &= {sympy.latex(f.value)}" for f in shown(element))


def _symbol(function: Function) -> str:
    """Return the name of a function as LaTeX."""
    *name, node = function.symbol.split("_")
    if name == ["N"]:
        return f"N_{{{node}}}"
    letter = {"theta": r"\theta"}.get(name[0], name[0])
    return f"N_{{{letter}_{{{''.join((*name[1:], node))}}}}}"


def for_drawing(function: Function, softness: int = 0) -> sympy.Expr:
    """Return the function of a beam of length one with a given shear flexibility."""
    return function.value.subs({_SOFTNESS: softness, _LENGTH: 1})


def softens(function: Function) -> bool:
    """Return whether the function depends on shear."""
    return bool(function.value.has(_SOFTNESS))


def space(element: Element) -> str:
    """Return the monomials of the interpolation as LaTeX."""
    return r",\; ".join(sympy.latex(m) for m in element.monomials)


def order(element: Element) -> int:
    """Return the degree up to which the functions reproduce every polynomial of the cell."""
    degree = 0
    while set(complete(element.dimension, degree + 1)) <= set(element.monomials):
        degree += 1
    return degree
