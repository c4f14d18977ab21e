# SPDX-License-Identifier: BSD-3-Clause
"""A user's own beam, rod, plate or shell, declared in a TOML file: data only, as in ``user``.

name = "strut"               # a C identifier
cell = "interval"            # interval, triangle or quadrilateral
nodes = [[-1], [1]]          # reference coordinates
carried = ["displacement", "rotation"]   # vectors a node carries: its coordinates are ux1 .. rz2
components = 3               # coordinates of a vector; in the plane the rotation is rz
axes = "line"                # line, facet, oriented_facet or frame: see field_axes
across = ["y", "z"]          # coordinates of the section, or through the thickness
parameters = ["area"]        # scalar arguments besides those of the law and of the axes
degree = { stiffness = 2, mass = 6 }     # the quadrature along the cell is exact for these
field = ["u - y*v_x", "v", "w"]          # displacement along the local axes
position = ["0", "y", "z"]   # place of a point from the cell's, along the axes (default across)
density = "density"          # name of the inertia parameter (default density)
forces = ["N", "-My"]        # names of the section's forces (default none), one a strain

loose = 0                    # motions besides rigid ones that nothing resists (default 0)

[definitions]                # names for lengths and the like, in order; sqrt is known
[functions]                  # names for functions of the place and the nodal coordinates, in order
[strain]                     # strains by name, linear
[law]                        # parameters, and matrix or diagonal: stresses for a unit of volume
[fibres]                     # parts of the section: stiffness, mass and, if others, geometric
[stiffening]                 # strains of second order and their law; without it nothing stiffens
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sympy
from flexforge.codegen.elements.declaration import CELL_DIMENSION
from flexforge.codegen.elements.field import FieldElement, nodal_position
from flexforge.codegen.elements.field_axes import RULES, LocalAxes
from flexforge.codegen.elements.field_conditions import add_functions, formula
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.field_strains import linear_rows, read_stiffening
from flexforge.codegen.elements.interpolation import complete, nodal_basis, tensor
from flexforge.codegen.elements.user_laws import read_section_law
from flexforge.codegen.elements.user_sections import read_degrees, read_fibres, read_forces
from flexforge.codegen.elements.user_values import (
    IDENTIFIER,
    brief,
    choice,
    entries,
    identifiers,
    number,
    table,
    text,
)
from flexforge.codegen.errors import InputError, nearest

_REQUIRED = ("name", "cell", "nodes", "components", "carried", "axes", "degree", "field",
             "strain", "law", "fibres")  # fmt: skip
_OPTIONAL = ("description", "across", "parameters", "position", "density", "forces", "measure",
             "definitions", "functions", "stiffening", "loose")  # fmt: skip
_CARRIED = (["displacement"], ["displacement", "rotation"])
#: Spaces of the positions of the nodes, by cell and number of nodes.
_SPACES = {
    ("interval", 2): tensor(1, 1),
    ("interval", 3): tensor(1, 2),
    ("triangle", 3): complete(2, 1),
    ("triangle", 6): complete(2, 2),
    ("quadrilateral", 4): tensor(2, 1),
}


def declare_field(data: dict[str, Any]) -> FieldElement:
    """Return the element of a declaration.

    Parameters
    ----------
    data : dict
        The keys named above.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    _check_keys(data)
    name = text(data, "name")
    if not re.fullmatch(IDENTIFIER, name):
        raise InputError(f"name: found '{name}'; expected a C identifier of up to 64 characters")
    components = data["components"]
    if components not in (2, 3) or isinstance(components, bool):
        raise InputError(f"components: found {components!r}; expected 2 or 3")
    places, shape = _read_places(data)
    dimension = CELL_DIMENSION[data["cell"]]
    scope = Scope(dimension)
    own = identifiers(data, "parameters") if "parameters" in data else ()
    for parameter in own:
        scope.parameter(parameter, "parameters")
    law_parameters = identifiers(data["law"], "parameters", "law.") if _has(data, "law") else ()
    for parameter in law_parameters:
        scope.parameter(parameter, "law.parameters")
    axes = _read_axes(data, scope, len(places), components, shape)
    for key, value in table(data, "definitions").items():
        _check_name(key, f"definitions.{key}")
        scope.define(key, formula(scope, value, f"definitions.{key}"), f"definitions.{key}")
    constants = scope.constants()
    across = _read_across(data, scope, axes, components)
    carried = tuple(data["carried"]) if data["carried"] in _CARRIED else ()
    if not carried:
        raise InputError(f"carried: found {brief(data['carried'])}; expected one of {_CARRIED}")
    columns = _coordinates(scope, len(places), carried, components)
    named = [c for c in columns if c.name]
    functions = table(data, "functions")
    for key in functions:
        _check_name(key, f"functions.{key}")
    add_functions(scope, functions, named)
    rows = entries(data, "field")
    if len(rows) != components:
        raise InputError(f"field: found {len(rows)} rows; expected {components}")
    displacement = linear_rows(scope, {f"field[{i}]": r for i, r in enumerate(rows)}, columns)
    for i, letter in enumerate("xyz"[:components]):
        value = sympy.Add(*(displacement[i, k] * c for k, c in enumerate(columns)))
        scope.add(f"u{letter}", value, "field", function=True)
    texts = table(data, "strain")
    strain = linear_rows(scope, {f"strain.{key}": value for key, value in texts.items()}, columns)
    for key in texts:
        if key in constants:
            raise InputError(f"strain.{key}: a definition or a parameter has that name already")
    stiffening = None
    if "stiffening" in data:
        stiffening = read_stiffening(scope, constants, data["stiffening"], columns, strain)
    fibres = read_fibres(data, constants, len(across))
    return FieldElement(
        name=name,
        cell=data["cell"],
        places=places,
        carried=carried,
        components=components,
        axes=axes.rows,
        across=across,
        measure=_read_measure(data, scope, axes),
        position=_read_position(data, scope, axes, shape, components),
        displacement=displacement,
        strain=strain,
        constitutive=read_section_law(data["law"], law_parameters, tuple(texts), constants),
        fibres=fibres,
        degree=read_degrees(data, fibres),
        parameters=(*own, *axes.parameters),
        density=text(data, "density") if "density" in data else "density",
        stiffening=stiffening,
        flat=bool(axes.along) and len(places) > CELL_DIMENSION[data["cell"]] + 1,
        loose=_read_loose(data, len(columns)),
        generalized=read_forces(data, len(texts)),
        description=text(data, "description") if "description" in data else "a user's element",
        definitions=tuple(scope.definitions),  # last: formulas add what they sample
    )


def _check_keys(data: Mapping[str, Any]) -> None:
    known = (*_REQUIRED, *_OPTIONAL)
    for key in data:
        if key not in known:
            raise InputError(f"{key}: unknown key{nearest(key, known)}")
    for key in _REQUIRED:
        if key not in data:
            raise InputError(f"{key}: missing; expected one of the required keys")


def _has(data: Mapping[str, Any], key: str) -> bool:
    if not isinstance(data[key], dict):
        raise InputError(f"{key}: found {brief(data[key])}; expected a table")
    return "parameters" in data[key]


def _check_name(name: str, where: str) -> None:
    if not re.fullmatch(IDENTIFIER, name):
        raise InputError(f"{where}: expected a C identifier of up to 64 characters as its name")


def _read_places(
    data: dict[str, Any],
) -> tuple[tuple[tuple[sympy.Rational, ...], ...], tuple[sympy.Expr, ...]]:
    """Return the reference coordinates of the nodes, and the functions of their positions."""
    cell = choice(data, "cell", tuple({cell: None for cell, _ in _SPACES}))
    places = tuple(
        tuple(number(x, f"nodes[{i}]") for x in node)
        for i, node in enumerate(entries(data, "nodes"))
    )
    space = _SPACES.get((cell, len(places)))
    if space is None:
        counts = " or ".join(str(n) for c, n in _SPACES if c == cell)
        raise InputError(f"nodes: found {len(places)}; expected {counts} of a {cell}")
    for i, place in enumerate(places):
        if len(place) != CELL_DIMENSION[cell]:
            raise InputError(
                f"nodes[{i}]: found {len(place)} coordinates; expected {CELL_DIMENSION[cell]}"
            )
    return places, nodal_basis(data["name"], space, places)


def _read_axes(
    data: dict[str, Any], scope: Scope, nodes: int, components: int, shape: tuple[sympy.Expr, ...]
) -> LocalAxes:
    rules = RULES[CELL_DIMENSION[data["cell"]]]
    rule = rules[choice(data, "axes", tuple(rules))]
    for node in range(nodes):
        for i in range(components):
            symbol = nodal_position(node, i)
            scope.add(symbol.name, symbol, "axes")
    return rule(scope, nodes, components, shape)


def _read_across(
    data: dict[str, Any], scope: Scope, axes: LocalAxes, components: int
) -> tuple[sympy.Symbol, ...]:
    """Return the coordinates across the cell; formulas know them, and derivatives along them."""
    letters = [c for c in "xyz"[:components] if c not in axes.along]
    found = data.get("across", [])
    if not isinstance(found, list) or found not in (letters, []):
        raise InputError(f"across: found {brief(found)}; expected {letters} or []")
    return tuple(scope.add_across(letter, "across") for letter in found)


def _coordinates(
    scope: Scope, nodes: int, carried: tuple[str, ...], components: int
) -> list[sympy.Symbol]:
    """Return the nodal coordinates; in the plane the second one of a rotation has no name."""
    columns = []
    for node in range(1, nodes + 1):
        for vector in carried:
            letters = "xyz"[:components]
            if vector == "rotation" and components == 2:
                letters = "z"
            for letter in letters:
                name = f"{vector[0].replace('d', 'u')}{letter}{node}"
                symbol = sympy.Symbol(name, real=True)
                scope.add(name, symbol, "carried")
                columns.append(symbol)
            if len(letters) < components:
                columns.append(sympy.Symbol(f"filling{node}", real=True))
    return columns


def _read_measure(data: dict[str, Any], scope: Scope, axes: LocalAxes) -> sympy.Expr:
    if (axes.measure is None) != ("measure" in data):
        found, wanted = ("missing", "the length or area for a unit of the reference cell")
        if "measure" in data:
            found, wanted = "found one with axes that have theirs", "none"
        raise InputError(f"measure: {found}; expected {wanted}")
    return formula(scope, data["measure"], "measure") if axes.measure is None else axes.measure


def _read_loose(data: dict[str, Any], most: int) -> int:
    found = data.get("loose", 0)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < most:
        raise InputError(f"loose: found {brief(found)}; expected a whole number below {most}")
    return found


def _read_position(
    data: dict[str, Any],
    scope: Scope,
    axes: LocalAxes,
    shape: tuple[sympy.Expr, ...],
    components: int,
) -> sympy.ImmutableMatrix:
    """Return where a point of the undeformed element is."""
    letters = "xyz"[:components]
    written = data.get("position", [c if c in data.get("across", []) else "0" for c in letters])
    if not isinstance(written, list) or len(written) != components:
        raise InputError(f"position: found {brief(written)}; expected {components} formulas")
    local = [formula(scope, row, f"position[{i}]") for i, row in enumerate(written)]
    middle = [
        sympy.Add(*(h * nodal_position(a, i) for a, h in enumerate(shape)))
        for i in range(components)
    ]
    offsets = [axes.rows[k, :].T * value for k, value in enumerate(local) if value != 0]
    return sympy.ImmutableMatrix(sum(offsets, sympy.Matrix(middle)))
