# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge elements``: the standard elements in a table, or one declaration in detail."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from flexforge.codegen.elements.limits import QUADRATURE
from flexforge.commands.command import Command, add_element, find_element
from flexforge.console import show, table

if TYPE_CHECKING:
    import sympy
    from flexforge.codegen.elements.declaration import Element
    from flexforge.codegen.elements.field import AnyElement, FieldElement
    from flexforge.codegen.elements.outline import Outline


def _configure(parser: argparse.ArgumentParser) -> None:
    add_element(parser, optional=True)


def _execute(arguments: argparse.Namespace) -> int:
    if arguments.element is not None:
        from flexforge.codegen.elements.field import FieldElement

        found = find_element(arguments.element)
        if isinstance(found, FieldElement):
            fields = _field_details(found)
            show(arguments, fields, _field_lines(fields))
        else:
            data = _details(found)
            show(arguments, data, _lines(found, data))
        return 0
    from flexforge.codegen.elements.catalogue import LARGE, LUMPED, RODS, SHELLS, outline
    from flexforge.codegen.elements.library import sections, standard_elements, variants

    rows = [_row(element) for element in (*standard_elements(), *variants(), *sections())]
    kinds = (
        *(("rod", RODS), ("large rotations", LARGE), ("shell", SHELLS)),
        ("mass or connector", LUMPED),
    )
    others = [_outline_row(outline(name), kind) for kind, named in kinds for name in named]
    head = ("element", "cell", "nodes", "coordinates", "order", "hypothesis", "points")
    cells = [[row[key] for key in head[:-1]] + [_pair(row["points"])] for row in rows]
    other_head = ("element", "kind", "nodes", "coordinates", "description")
    notes = [
        "",
        "points: quadrature points of stiffness and mass",
        f"quadrature of your own elements: {QUADRATURE}",
        f"terms of each: {', '.join(rows[0]['terms'])}",
        "",
        *table(other_head, [[row[key] for key in other_head] for row in others]),
    ]
    show(arguments, [*rows, *others], [*table(head, cells), *notes])
    return 0


def _outline_row(outline: Outline, kind: str) -> dict[str, Any]:
    """Return what the table says of a rod, shell, mass or connector."""
    return {
        "element": outline.element,
        "kind": kind,
        "cell": outline.cell,
        "nodes": outline.nodes,
        "coordinates": outline.coordinates,
        "description": outline.description,
        "terms": list(outline.terms),
    }


def _row(element: Element) -> dict[str, Any]:
    """Return the table row of an element."""
    from flexforge.codegen.elements.quadrature import point_count
    from flexforge.codegen.elements.terms import terms_of

    points = {k: point_count(element.cell, element.degree[k]) for k in ("stiffness", "mass")}
    return {
        "element": element.name,
        "cell": element.cell,
        "nodes": len(element.nodes),
        "coordinates": element.size,
        "order": _order(element),
        "hypothesis": element.constitutive.name.replace("_", " "),
        "points": points,
        "terms": list(terms_of(element)),
    }


def _pair(points: dict[str, int]) -> str:
    return f"{points['stiffness']}/{points['mass']}"


def _order(element: Element) -> int:
    """Return the degree up to which the shape functions span all polynomials."""
    import sympy
    from flexforge.codegen.elements.interpolation import REFERENCE, complete

    axes = REFERENCE[: element.dimension]
    if not axes:
        return 0
    held = {sympy.expand(m) for m in element.monomials}
    order = 0
    while set(complete(len(axes), order + 1)) <= held:
        order += 1
    return order


def _details(element: Element) -> dict[str, Any]:
    """Return a declaration as plain data."""
    law = element.constitutive
    return _row(element) | {
        "description": element.description,
        "reference_nodes": [[str(x) for x in node] for node in element.nodes],
        "monomials": [str(m) for m in element.monomials],
        "shape": [str(n) for n in element.shape],
        "strain": element.strain,
        "law": {
            "name": law.name,
            "parameters": list(law.parameters),
            "definitions": {str(name): str(value) for name, value in law.definitions},
            "matrix": [[str(x) for x in law.matrix.row(i)] for i in range(law.matrix.rows)],
        },
        "degree": _degrees(element),
        "recovery": [str(m) for m in element.recovery],
        "modes": [str(m) for m in element.modes],
        "section": element.section,
        "density": element.density,
        "units": _units(element),
        "stiffening": _stiffening(element),
    }


def _units(element: AnyElement) -> dict[str, str]:
    """Return the units of the parameters by name."""
    from flexforge.codegen.elements.parameters import infos_of

    return {one.name: one.units for one in infos_of(element)}


def _parameters(data: dict[str, Any]) -> str:
    """Return the parameters with units in plain text."""
    units: dict[str, str] = data["units"]
    return ", ".join(f"{name} [{unit}]" if unit else name for name, unit in units.items())


def _stiffening(element: AnyElement) -> str:
    """Return a description of the geometric stiffness of an element."""
    from flexforge.codegen.elements.terms import stiffening_of, terms_of

    return stiffening_of(element) or ("derived" if "geometric" in terms_of(element) else "none")


def _lines(element: Element, data: dict[str, Any]) -> list[str]:
    """Return a declaration in plain text."""
    law = data["law"]
    lines = [
        f"{element.name}: {element.description}, {element.cell}, {data['nodes']} nodes, "
        f"{data['coordinates']} coordinates",
        f"space         {', '.join(data['monomials'])}",
        f"strain        {element.strain}",
        f"law           {law['name']} of {', '.join(law['parameters'])}",
        *(f"              {name} = {value}" for name, value in law["definitions"].items()),
        f"parameters    {_parameters(data)}",
        f"inertia       {element.density}",
        f"section       {element.section or 'none'}",
        f"quadrature    {_exactness(data['degree'])}; points {_pair(data['points'])}",
        f"recovery      stress extrapolated in {', '.join(data['recovery'])}",
        f"modes         {', '.join(data['modes']) or 'none'}",
        f"stiffening    {data['stiffening']}",
        f"terms         {', '.join(data['terms'])}",
        "",
    ]
    nodes = [
        [k, f"({', '.join(node)})", data["shape"][k]]
        for k, node in enumerate(data["reference_nodes"])
    ]
    return lines + table(("node", "at", "shape function"), nodes)


def _degrees(element: AnyElement) -> dict[str, int | None]:
    """Return the degree to which every quadrature is exact; None for a rule of the user."""
    return {name: n if isinstance(n, int) else None for name, n in element.degree.items()}


def _exactness(degrees: dict[str, int | None]) -> str:
    """Return degrees in words."""
    each = (
        f"{name} by a rule of your own" if n is None else f"{name} exact to degree {n}"
        for name, n in degrees.items()
    )
    return ", ".join(each)


def _field_details(element: FieldElement) -> dict[str, Any]:
    """Return the declaration of an element with a declared field."""
    from flexforge.codegen.elements.terms import terms_of

    law = element.constitutive
    return {
        "element": element.name,
        "description": element.description,
        "cell": element.cell,
        "nodes": len(element.places),
        "carried": list(element.carried),
        "coordinates": element.size,
        "parameters": list(_units(element)),
        "units": _units(element),
        "definitions": {str(name): str(value) for name, value in element.definitions},
        "displacement": _rows(element.displacement),
        "strain": _rows(element.strain),
        "law": {str(name): str(value) for name, value in law.definitions},
        "degree": _degrees(element),
        "stiffening": _stiffening(element),
        "terms": list(terms_of(element)),
    }


def _rows(matrix: sympy.MatrixBase) -> list[list[str]]:
    return [[str(entry) for entry in matrix.row(i)] for i in range(matrix.rows)]


def _field_lines(data: dict[str, Any]) -> list[str]:
    """Return such a declaration in plain text."""
    pairs = [*data["definitions"].items(), *data["law"].items()]
    lines = [
        f"{data['element']}: {data['description']}, {data['cell']}, {data['nodes']} nodes, "
        f"{data['coordinates']} coordinates",
        f"a node has    {' and '.join(data['carried'])}",
        f"parameters    {_parameters(data)}",
        f"quadrature    {_exactness(data['degree'])}, times the points of the section",
        f"stiffening    {data['stiffening']}",
        f"terms         {', '.join(data['terms'])}",
        "",
        *(f"{name} = {value}" for name, value in pairs),
        "",
        "displacement along the axes of the element, and strains, of every nodal coordinate:",
    ]
    columns = zip(*data["displacement"], *data["strain"], strict=True)
    return lines + [f"  {k}: " + ", ".join(column) for k, column in enumerate(columns)]


COMMAND = Command(
    "elements",
    "list the elements, or show the declaration of one",
    "flexforge elements tet10",
    _configure,
    _execute,
)
