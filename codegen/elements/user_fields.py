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
field = ["u - y*v_x", "v", "w"]          # displacement along the local axes, or a vector
position = ["0", "y", "z"]   # place of a point from the cell's, likewise (default across)
density = "density"          # name of the inertia parameter (default density)
forces = ["N", "-My"]        # names of the section's forces (default none), one a strain

loose = 0                    # motions besides rigid ones that nothing resists (default 0)

rates = { x = ["1/length"] } # of axes = "frame": derivatives along axes, by factors of f_xi, f_eta

[definitions]                # names for lengths and the like, in order; sqrt is known
[functions]                  # names for functions of the place and the nodal coordinates, in order
[strain]                     # strains by name, linear
[law]                        # parameters; stress: by strain, for a unit of volume
[fibres]                     # parts of the section: stiffness, mass and, if others, geometric
[stiffening]                 # strain: of second order, and their stress; or nothing stiffens
"""

from __future__ import annotations

from typing import Any

import sympy
from flexforge.codegen.elements.calls import Value, is_vector
from flexforge.codegen.elements.declaration import CELL_DIMENSION
from flexforge.codegen.elements.field import FieldElement, nodal_position
from flexforge.codegen.elements.field_axes import RULES, LocalAxes
from flexforge.codegen.elements.field_conditions import add_functions
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.field_strains import linear_rows, read_stiffening
from flexforge.codegen.elements.interpolation import REFERENCE, complete, nodal_basis, tensor
from flexforge.codegen.elements.user_laws import named_forces, read_stresses, section_law
from flexforge.codegen.elements.user_sections import read_degrees, read_fibres, read_forces
from flexforge.codegen.elements.user_values import (
    brief,
    check_keys,
    checked_name,
    choice,
    entries,
    identifiers,
    number,
    table,
    text,
)
from flexforge.codegen.errors import InputError

_REQUIRED = ("name", "cell", "nodes", "components", "carried", "axes", "degree", "field",
             "strain", "law", "fibres")  # fmt: skip
_OPTIONAL = ("description", "across", "parameters", "position", "density", "forces", "measure",
             "rates", "definitions", "functions", "stiffening", "loose")  # fmt: skip
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
    check_keys(data, _REQUIRED, _OPTIONAL)
    name = checked_name(text(data, "name"), "name")
    components = data["components"]
    if components not in (2, 3) or isinstance(components, bool):
        raise InputError(f"components: found {components!r}; expected 2 or 3")
    places, shape = _read_places(data)
    dimension = CELL_DIMENSION[data["cell"]]
    scope = Scope(dimension, shape)
    own = identifiers(data, "parameters") if "parameters" in data else ()
    for parameter in own:
        scope.parameter(parameter, "parameters")
    law = table(data, "law")
    check_keys(law, ("stress",), ("parameters",), where="law.")
    law_parameters = identifiers(law, "parameters", "law.") if "parameters" in law else ()
    for parameter in law_parameters:
        scope.parameter(parameter, "law.parameters")
    axes = _read_axes(data, scope, len(places), components)
    for key, value in table(data, "definitions").items():
        where = f"definitions.{checked_name(key, f'definitions.{key}')}"
        scope.define(key, scope.read(value, where, vectors=True), where)
    _read_rates(data, scope, axes)
    constants = scope.constants()
    across = _read_across(data, scope, components)
    carried = tuple(data["carried"]) if data["carried"] in _CARRIED else ()
    if not carried:
        raise InputError(f"carried: found {brief(data['carried'])}; expected one of {_CARRIED}")
    columns = _coordinates(scope, len(places), carried, components)
    functions = table(data, "functions")
    for key in functions:
        checked_name(key, f"functions.{key}")
    add_functions(scope, functions, columns)
    field, written = _read_components(data, "field", scope, components)
    displacement = linear_rows(field, written, columns)
    for i, letter in enumerate("xyz"[:components]):
        value = sympy.Add(*(displacement[i, k] * c for k, c in enumerate(columns)))
        scope.add(f"u{letter}", value, "field", function=True)
    texts = table(data, "strain")
    strains = {key: scope.read(value, f"strain.{key}") for key, value in texts.items()}
    strain = linear_rows(strains, texts, columns)
    for key, value in strains.items():
        if scope.get(key, value) != value:
            raise InputError(f"strain.{key}: a definition or a function has that name already")
        if key not in scope:  # strains of second order are made of them
            scope.add(key, value, f"strain.{key}")
    rows = {key: strain[k, :] for k, key in enumerate(texts)}
    stresses = read_stresses(
        table(law, "stress", "law."), tuple(texts), tuple(texts), constants, "law.stress."
    )
    forces = read_forces(data, len(texts))
    stiffening = None
    if "stiffening" in data:
        known = constants | dict(zip(data.get("across", []), across, strict=True))
        known = named_forces(forces, stresses) | known
        stiffening = read_stiffening(scope, known, data["stiffening"], columns, rows)
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
        position=_read_position(data, scope, axes, components),
        displacement=displacement,
        strain=strain,
        constitutive=section_law(stresses, law_parameters, tuple(texts)),
        fibres=fibres,
        degree=read_degrees(data, fibres),
        parameters=(*own, *axes.parameters),
        density=text(data, "density") if "density" in data else "density",
        stiffening=stiffening,
        flat=bool(axes.along) and len(places) > CELL_DIMENSION[data["cell"]] + 1,
        loose=_read_loose(data, len(columns)),
        generalized=forces,
        description=text(data, "description") if "description" in data else "a user's element",
        definitions=tuple(scope.definitions),  # last: formulas add what they sample
    )


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
    shape = nodal_basis(data["name"], space, places)
    return places, tuple(map(_in_factors, shape)) if CELL_DIMENSION[cell] == 2 else shape


def _in_factors(function: sympy.Expr) -> sympy.Expr:
    """Return a shape function in factors that are positive at the origin, such as 1 - xi.

    Products along the two sides of a cell take fewer operations than their sums.
    """
    number, factors = sympy.factor_list(function)
    centre = dict.fromkeys(REFERENCE, 0)
    signs = [-1 if factor.subs(centre) < 0 else 1 for factor, _ in factors]
    positive = ((sign * f) ** power for sign, (f, power) in zip(signs, factors, strict=True))
    return sympy.Mul(number * sympy.prod(signs), *positive)


def _read_axes(data: dict[str, Any], scope: Scope, nodes: int, components: int) -> LocalAxes:
    rules = RULES[CELL_DIMENSION[data["cell"]]]
    return rules[choice(data, "axes", tuple(rules))](scope, nodes, components)


def _read_rates(data: dict[str, Any], scope: Scope, axes: LocalAxes) -> None:
    """Read derivatives along axes that the frame's axes do not have."""
    size = len(scope.reference)
    for letter, factors in table(data, "rates").items():
        where = f"rates.{letter}"
        if axes.along or letter not in "xyz"[:size]:
            wanted = "none with axes that have theirs" if axes.along else ", ".join("xyz"[:size])
            raise InputError(f"{where}: unknown direction; expected {wanted}")
        if not isinstance(factors, list) or len(factors) != size:
            raise InputError(
                f"{where}: found {brief(factors)}; expected {size} formulas, the factors of the "
                "derivatives by the reference coordinates"
            )
        values = [scope.read(factor, f"{where}[{i}]") for i, factor in enumerate(factors)]
        scope.add_rate(letter, values)


def _read_across(data: dict[str, Any], scope: Scope, components: int) -> tuple[sympy.Symbol, ...]:
    """Return the coordinates across the cell; formulas know them, and derivatives along them."""
    letters = [*"xyz"[CELL_DIMENSION[data["cell"]] : components]]
    found = data.get("across", [])
    if not isinstance(found, list) or found not in (letters, []):
        raise InputError(f"across: found {brief(found)}; expected {letters} or []")
    return tuple(scope.add_across(letter, "across") for letter in found)


def _coordinates(
    scope: Scope, nodes: int, carried: tuple[str, ...], components: int
) -> list[sympy.Symbol]:
    """Return the nodal coordinates; in the plane the second one of a rotation has no name.

    Formulas know them, the vectors of every node, and these interpolated.
    """
    columns = []
    for vector in carried:
        turns = vector == "rotation" and components == 2
        letters = "z" if turns else "xyz"[:components]
        nodal: list[Value] = []
        for node in range(1, nodes + 1):
            names = [f"{'r' if vector == 'rotation' else 'u'}{letter}{node}" for letter in letters]
            symbols = [sympy.Symbol(name, real=True) for name in names]
            for name, symbol in zip(names, symbols, strict=True):
                scope.add(name, symbol, "carried")
            nodal.append(symbols[0] if turns else sympy.ImmutableMatrix(symbols))
            scope.add(f"{vector}{node}", nodal[-1], "carried")
            columns.append([*symbols, sympy.Symbol(f"filling{node}", real=True)][:components])
        scope.add(vector, scope.interpolated(*nodal), "carried", function=True)
    by_node = (columns[k * nodes + n] for n in range(nodes) for k in range(len(carried)))
    return [symbol for group in by_node for symbol in group]


def _read_measure(data: dict[str, Any], scope: Scope, axes: LocalAxes) -> sympy.Expr:
    if (axes.measure is None) != ("measure" in data):
        found, wanted = ("missing", "the length or area for a unit of the reference cell")
        if "measure" in data:
            found, wanted = "found one with axes that have theirs", "none"
        raise InputError(f"measure: {found}; expected {wanted}")
    return scope.read(data["measure"], "measure") if axes.measure is None else axes.measure


def _read_loose(data: dict[str, Any], most: int) -> int:
    found = data.get("loose", 0)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < most:
        raise InputError(f"loose: found {brief(found)}; expected a whole number below {most}")
    return found


def _read_components(
    data: dict[str, Any], key: str, scope: Scope, components: int
) -> tuple[dict[str, sympy.Expr], dict[str, Any]]:
    """Return the components of a vector that a list of formulas says, or one; and their texts."""
    found = data[key]
    if isinstance(found, str):
        value = scope.read(found, key, vectors=True)
        if not is_vector(value) or value.rows != components:
            raise InputError(f"{key}: found '{found}'; expected a vector of {components}")
        values = {f"{key}[{i}]": entry for i, entry in enumerate(value)}
        return values, dict.fromkeys(values, found)
    rows = entries(data, key)
    if len(rows) != components:
        raise InputError(f"{key}: found {len(rows)} rows; expected {components}, or a vector")
    texts = {f"{key}[{i}]": row for i, row in enumerate(rows)}
    return {where: scope.read(row, where) for where, row in texts.items()}, texts


def _read_position(
    data: dict[str, Any], scope: Scope, axes: LocalAxes, components: int
) -> sympy.ImmutableMatrix:
    """Return where a point of the undeformed element is."""
    known = data.get("across", [])
    default = {"position": [c if c in known else "0" for c in "xyz"[:components]]}
    local, _ = _read_components(default | data, "position", scope, components)
    middle = [
        sympy.Add(*(h * nodal_position(a, i) for a, h in enumerate(scope.shape)))
        for i in range(components)
    ]
    offset = axes.rows.T * sympy.Matrix([*local.values()])
    return sympy.ImmutableMatrix(sympy.Matrix(middle) + offset)
