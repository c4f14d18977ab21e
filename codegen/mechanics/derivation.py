# SPDX-License-Identifier: BSD-3-Clause
"""Derivation: Element + Frame + Formalism -> ElementEquations.

There are two ways. *Block*: the formalism is applied to a field carried by two generic nodes a and
b; row a, column b of the result holds for every pair of nodes, because an isoparametric element
treats all nodes alike. *Unrolled*: all coordinates of the element are written out, as in the
papers; :func:`roll` finds the generic pair in the result, which leads to the same kernels.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import sympy
from flexforge.codegen.arguments import element as is_element
from flexforge.codegen.arguments import of, optional, text, typed
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.mechanics.equations import ElementEquations, collect
from flexforge.codegen.mechanics.formalisms import Formalism, formalism_named
from flexforge.codegen.mechanics.formalisms import formalism as formalism_by_name
from flexforge.codegen.mechanics.frames import Frame, frame_for
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, with_nodes

#: The generic blocks that were derived. A formalism that was registered anew is another function
#: under the same name.
_PAIRS: dict[tuple[MaterialPoint, str, Formalism], ElementEquations] = {}


@typed(
    element=is_element,
    formalism=text,
    frame=optional(of(Frame, str, expected="a Frame or the name of one")),
)
def derive(
    element: AnyElement | str | Path,
    frame: Frame | str | None = None,
    formalism: str = "lagrange",
    *,
    unrolled: bool = False,
    initial_stress: bool = True,
) -> ElementEquations:
    """Derive the equations of motion of an element in a moving frame.

    What a pair of nodes leads to is kept: a second call for the same strain, law and formalism
    returns it, with the time of the first in ``seconds``.

    Parameters
    ----------
    element : Element, str or Path
        A declaration, or the name or file of one.
    frame : Frame or str, optional
        ``planar`` or ``spatial``; by default the one that fits the element. The motion of a frame
        ``free`` is unknown: its speeds v_O and w have rows and columns before those of the nodes.
    formalism : str
        One of :data:`flexforge.codegen.mechanics.formalisms.FORMALISMS`.
    unrolled : bool
        Write out all nodal coordinates instead of one generic pair of nodes.
    initial_stress : bool
        Include the initial stress of a solid, from which its geometric stiffness follows; the
        papers leave it out.

    Returns
    -------
    ElementEquations
        Densities of all terms: p x p unrolled; else the c x c block of row node a, column node b.

    Raises
    ------
    InputError
        For an unknown formalism, a frame of another dimension, an element whose strain uses a
        derivative that its shape functions do not have, or a bar, beam or shell without initial
        stress.

    Examples
    --------
    The Coriolis term of nodes a and b in the plane is skew, and the same by Kane and Lagrange:

    >>> import flexforge as ff
    >>> triangle = ff.element("tri3")
    >>> coriolis = ff.derive(triangle).terms["coriolis"]
    >>> coriolis.density
    Matrix([
    [             0, -N_a*N_b*rho*w3],
    [N_a*N_b*rho*w3,               0]])
    >>> ff.derive(triangle, formalism="kane").terms["coriolis"].density == coriolis.density
    True

    In a frame of unknown motion the mass matrix has rows of v_O and w as well, here 2 + 1:

    >>> ff.derive(triangle, "free").terms["mass"].density[:3, :3]
    Matrix([
    [      rho,        0,                 -rho*x_d2],
    [        0,      rho,                  rho*x_d1],
    [-rho*x_d2, rho*x_d1, rho*x_d1**2 + rho*x_d2**2]])
    """
    element = declaration(element)
    formalism = formalism_named(formalism)
    point = _point(element, frame, unrolled=unrolled, initial_stress=initial_stress)
    if unrolled:
        return _derive(element.name, point, formalism)
    return replace(_pair(point, formalism), element=element.name)


def is_kept(
    element: AnyElement,
    frame: Frame | str | None,
    formalism: str,
    *,
    initial_stress: bool = True,
) -> bool:
    """Return whether a pair of nodes was derived before, so that it is not derived again.

    Parameters
    ----------
    element, frame, formalism, initial_stress
        As of :func:`derive`.
    """
    point = _point(element, frame, unrolled=False, initial_stress=initial_stress)
    return (point, formalism, formalism_by_name(formalism)) in _PAIRS


def _point(
    element: AnyElement, frame: Frame | str | None, *, unrolled: bool, initial_stress: bool
) -> MaterialPoint:
    """Return the material point whose equations are derived."""
    named = frame.name if isinstance(frame, Frame) else frame
    chosen = frame_for(element.components, named, revolved=element.revolved)
    if isinstance(element, Element):
        _check_derivatives(element, point_of(element, chosen, ("a",)))
    labels = [str(k + 1) for k in range(len(element.nodes))] if unrolled else ["a", "b"]
    point = point_of(element, chosen, labels)
    if not initial_stress:
        if not isinstance(element, Element):
            raise InputError(
                f"initial_stress: found False for '{element.name}', whose strains of second order "
                "are part of its declaration; expected True, or a solid or plane element"
            )
        point = replace(point, prestressed=False)
    return point


def roll(equations: ElementEquations) -> ElementEquations:
    """Return the generic block of nodes a, b from which all blocks of the equations follow.

    Parameters
    ----------
    equations : ElementEquations
        Derived for all the nodes of an element, or for two.

    Raises
    ------
    FlexforgeError
        If a block is not the generic one with its nodes substituted: the element does not treat its
        nodes alike.
    """
    point = equations.point
    nodes = point.nodes
    terms = {}
    for name, term in equations.terms.items():
        rows, columns = (_of_nodes(point, size) for size in term.density.shape)
        others = nodes[: len(columns)]
        blocks = {
            (i, j): term.density.extract(rows[i], columns[j])
            for i in range(len(nodes))
            for j in range(len(others))
        }
        first, last = nodes[0], others[-1]
        generic = with_nodes(blocks[0, len(others) - 1], {last: "b"} | {first: "a"})
        for (i, j), block in blocks.items():
            expected = with_nodes(generic, {"a": nodes[i], "b": nodes[j]})
            if block != expected:
                raise FlexforgeError(
                    f"{equations.formalism} of {equations.element}: term {name} treats the nodes "
                    f"{nodes[i]}, {nodes[j]} unlike {first}, {last}; expected one block for all"
                )
        terms[name] = replace(term, density=sympy.ImmutableMatrix(generic))
    generic_point = replace(point, nodes=("a", "b"))
    return replace(equations, point=generic_point, terms=terms)


def _of_nodes(point: MaterialPoint, size: int) -> list[list[int]]:
    """Return the rows or columns of every node, after those of a free frame; a load has one."""
    if size == 1:
        return [[0]]
    c = point.dimension
    frame = size - c * len(point.nodes)
    return [
        [*range(frame), *range(frame + k * c, frame + (k + 1) * c)] for k in range(len(point.nodes))
    ]


def _check_derivatives(element: Element, point: MaterialPoint) -> None:
    """Check that the strain uses only derivatives along the directions of the cell."""
    slopes = gradient_symbols("a", point.dimension)
    missing = [s for s in slopes[element.dimension :] if s in point.strain_matrix.free_symbols]
    if missing:
        raise InputError(
            f"element '{element.name}': strain '{element.strain}' needs the derivatives "
            f"{', '.join(map(str, missing))} of its shape functions; a {element.cell} has "
            f"{', '.join(map(str, slopes[: element.dimension])) or 'none'}"
        )


def _derive(name: str, point: MaterialPoint, formalism: str) -> ElementEquations:
    """Apply a formalism to a point and collect the terms of its equations."""
    ledger = Ledger()
    motion = formalism_by_name(formalism)(point, ledger)
    equations = collect(name, formalism, point, motion.second_order(point, Ledger()), ledger)
    ledger.stop()
    return equations


def _pair(point: MaterialPoint, formalism: str) -> ElementEquations:
    """Return the generic block, derived once for all elements with the same point."""
    key = point, formalism, formalism_by_name(formalism)
    if key not in _PAIRS:
        _PAIRS[key] = roll(_derive("a pair of nodes", point, formalism))
    return _PAIRS[key]
