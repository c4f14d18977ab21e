# SPDX-License-Identifier: BSD-3-Clause
"""Facts of a declaration, as rows of a table."""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.parameters import infos_of
from flexforge.codegen.elements.quadrature import GivenRule, rule
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.elements.terms import further_terms_of, terms_of
from flexforge.codegen.study.pages.elements.cells import places_of
from flexforge.codegen.study.pages.elements.families import Family
from flexforge.codegen.study.pages.elements.formulas import order, space
from flexforge.codegen.study.pages.elements.texts import ORDERS, STRAINS

_AXES = "xyz"
#: Strains of bodies of revolution, by the coordinates per node: t is along circles.
_CYLINDRICAL = {2: "rr, zz, rz, hoop", 3: "rr, zz, hoop, zt, rt, rz"}


def general(element: AnyElement) -> list[tuple[str, str]]:
    """Return the facts common to all elements of a page, with their values."""
    places = places_of(element)
    rows = [("reference cell", element.cell), ("nodes", str(len(places)))]
    if isinstance(element, FieldElement):
        return [*rows, ("quadrature", _quadrature(element))]
    rows.append(("interpolation space", f"${space(element)}$"))
    rows.append(("complete polynomials", f"up to degree {order(element)}"))
    if element.modes:
        modes = r",\; ".join(sympy.latex(mode) for mode in element.modes)
        rows.append(("incompatible modes", f"${modes}$"))
    return rows


def node_rows(element: AnyElement) -> list[list[str]]:
    """Return the number and the reference coordinates of every node."""
    found = element.places if isinstance(element, FieldElement) else element.nodes
    return [[str(i), *(str(x) for x in place)] for i, place in enumerate(found)]


def orders(cell: str) -> list[str]:
    """Return a text about different node numbering of a cell in other programs."""
    return [
        f"{program}: our nodes in order are its nodes {', '.join(map(str, order[cell]))}, "
        "counted from 0."
        for program, order in ORDERS.items()
        if cell in order
    ]


def member(element: AnyElement) -> dict[str, object]:
    """Return the facts that distinguish an element from the others on its page."""
    return {"name": element.name, "rows": _rows(element)}


def _rows(element: AnyElement) -> list[tuple[str, str]]:
    rows = [
        ("coordinates per node", _carried(element)),
        ("nodal coordinates", str(element.size)),
    ]
    if isinstance(element, FieldElement):
        forces = ", ".join(f"`{name.lstrip('-')}`" for name in element.generalized if name)
        rows += [("section forces", forces)] if forces else []
    else:
        pairs = stress_components(element.strain, element.components)
        names = ", ".join(_AXES[i] + _AXES[j] for i, j in pairs)
        if element.revolved:
            names = _CYLINDRICAL[element.components]
        rows.append(("strain", f"{STRAINS[element.strain]}: {names}"))
        rows.append(("quadrature", _quadrature(element)))
    rows += [("parameters", _parameters(element)), ("kernels", _code(terms_of(element)))]
    further = further_terms_of(element) if "stiffness" in terms_of(element) else ()
    if further and not _lumped(element):
        rows.append(("further kernels, on demand", _code(further)))
    return rows


def _lumped(element: AnyElement) -> bool:
    return isinstance(element, FieldElement) and not element.generalized


def _carried(element: AnyElement) -> str:
    size = element.components
    if not isinstance(element, FieldElement):
        if element.revolved:
            return f"displacement {', '.join(('u_r', 'u_z', 'u_t')[:size])}"
        return f"displacement, {size}"
    if size == 2 and "rotation" in element.carried:
        return "displacement, 2; rotation, 1, and one without effect"
    return "; ".join(f"{vector}, {size}" for vector in element.carried)


def _parameters(element: AnyElement) -> str:
    """Return the parameters with their units: law, section, density."""
    return ", ".join(
        f"`{one.name}`" if one.units in ("", "1") else f"`{one.name}` {one.units}"
        for one in infos_of(element)
    )


def _code(names: list[str] | tuple[str, ...]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _quadrature(element: AnyElement) -> str:
    """Return points and degree of every integral, with equal ones combined."""
    words = []
    for purpose, degree in element.degree.items():
        count = len(rule(element.cell, degree)[1])
        points = f"{count} point" + ("s" if count > 1 else "")
        exact = "" if isinstance(degree, GivenRule) else f", degree {degree}"
        words.append(f"{purpose}: {points}{exact}")
    return "; ".join(words)


def summary(family: Family) -> dict[str, str]:
    """Return the row of the index."""
    element = family.first
    counts = {p: str(len(rule(element.cell, d)[1])) for p, d in element.degree.items()}
    return {
        "name": family.name,
        "cell": element.cell,
        "nodes": str(len(places_of(element))),
        "coordinates": str(element.size),
        "order": "" if isinstance(element, FieldElement) else str(order(element)),
        "points": " / ".join(counts.get(p, "-") for p in ("stiffness", "mass")),
        "members": ", ".join(_kind(family, member) for member in family.members),
    }


def _kind(family: Family, element: AnyElement) -> str:
    """Return the name part that distinguishes an element from the others on its page."""
    ending = element.name.removeprefix(family.name).strip("_").replace("_", " ")
    if family.kind in ("rods", "lumped"):
        return {"": "in space", "laminate": "of plies"}.get(ending, f"in the {ending}")
    return ending or ("homogeneous" if family.kind == "shell" else "")
