# SPDX-License-Identifier: BSD-3-Clause
"""A user's own beam, bar, plate or shell, declared in a TOML file: data only, as in ``user``.

name = "strut"               # a C identifier
cell = "interval"            # interval, triangle or quadrilateral
nodes = [[-1], [1]]          # reference coordinates
carried = ["displacement", "rotation"]   # vectors at each node; coordinates are ux1 .. rz2
components = 3               # coordinates of a vector; in the plane, the rotation is rz
axes = "line"                # line, facet, oriented_facet or frame: see field_axes
across = ["y", "z"]          # coordinates of the section, or through the thickness
parameters = ["area"]        # scalar arguments besides those of the law and of the axes
varying = ["torsion"]        # others, given at every point of integration: torsion1, torsion2 ..
degree = { stiffness = 2, mass = 6 }     # degrees integrated exactly along the cell
field = ["u - y*v_x", "v", "w"]          # displacement along the local axes, or a vector
position = ["0", "y", "z"]   # of a point relative to the cell, likewise (default across)
density = "density"          # name of the inertia parameter (default density)
forces = ["N", "-My"]        # names of the section forces (default none), one per strain

energy = "EA/2*tension^2"    # with finite, in place of law.stress: energy per length of the strains
                             # and law.parameters
loose = 0                    # number of non-rigid motions without stiffness (default 0)

rates = { x = ["1/length"] } # for axes = "frame": derivatives along axes as factors of f_xi ..

[definitions]                # named quantities such as lengths, in order; sqrt is known
[functions]                  # named functions of position and nodal coordinates, in order
[strain]                     # linear strains by name
[units]                      # of parameters, for descriptors and documentation
[law]                        # parameters; stress: by strain, per unit of volume
[fibres]                     # of the section, for stiffness, mass and, if different, geometric
[finite]                     # the same strains at any displacement and rotation, of a rod: linear
                             # in gamma_x, gamma_y, gamma_z, kappa_x, kappa_y, kappa_z of its
                             # section (in the plane gamma_x, gamma_y, kappa_z), or in green of bars
[stiffening]                 # second-order strains and their stress; none: no stress stiffening
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy
from flexforge.codegen.elements.calls import Value
from flexforge.codegen.elements.declaration import CELL_DIMENSION
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.field_conditions import add_functions
from flexforge.codegen.elements.field_geometry import (
    read_across,
    read_axes,
    read_components,
    read_measure,
    read_places,
    read_position,
    read_rates,
)
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.field_strains import linear_rows, read_stiffening
from flexforge.codegen.elements.parameters import parameters_of
from flexforge.codegen.elements.rod_law import by_formula, used_symbols
from flexforge.codegen.elements.section_scope import SectionScope
from flexforge.codegen.elements.stiffening import Stiffening
from flexforge.codegen.elements.user_finite import read_finite
from flexforge.codegen.elements.user_laws import (
    check_used,
    limit_law,
    named_forces,
    read_stresses,
    section_law,
)
from flexforge.codegen.elements.user_sections import (
    read_degrees,
    read_fibres,
    read_forces,
    read_points,
)
from flexforge.codegen.elements.user_values import (
    UNDESCRIBED,
    brief,
    check_keys,
    checked_name,
    components_of,
    identifiers,
    named,
    read_units,
    table,
    text,
    whole,
)
from flexforge.codegen.errors import InputError

_REQUIRED = ("name", "cell", "nodes", "components", "carried", "axes", "degree", "field",
             "strain", "law", "fibres")  # fmt: skip
_OPTIONAL = ("description", "across", "parameters", "position", "density", "forces", "measure",
             "rates", "definitions", "functions", "stiffening", "loose", "units",
             "finite", "energy", "varying")  # fmt: skip
_CARRIED = (["displacement"], ["displacement", "rotation"], ["displacement", "slope"])
#: First letters of the coordinates of vectors.
_LETTERS = {"displacement": "u", "rotation": "r", "slope": "s"}


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
    components = components_of(data)
    places, shape = read_places(data)
    dimension = CELL_DIMENSION[data["cell"]]
    varying = identifiers(data, "varying") if "varying" in data else ()
    within = SectionScope(shape, read_points(data)) if varying else None
    scope = within or Scope(dimension, shape)
    own = identifiers(data, "parameters") if "parameters" in data else ()
    for parameter in own:
        scope.parameter(parameter, "parameters")
    given = tuple(one for name in varying if within for one in within.varying(name, "varying"))
    law = table(data, "law")
    check_keys(law, ("stress",), ("parameters",), where="law.")
    law_parameters = identifiers(law, "parameters", "law.") if "parameters" in law else ()
    for parameter in law_parameters:
        scope.parameter(parameter, "law.parameters")
    axes = read_axes(data, scope, len(places), components)
    for key, value in table(data, "definitions").items():
        where = f"definitions.{checked_name(key, f'definitions.{key}')}"
        scope.define(key, scope.read(value, where, vectors=True), where)
    read_rates(data, scope, axes)
    constants = scope.constants()
    across = read_across(data, scope, components)
    carried = tuple(data["carried"]) if data["carried"] in _CARRIED else ()
    if not carried:
        raise InputError(f"carried: found {brief(data['carried'])}; expected one of {_CARRIED}")
    columns = _coordinates(scope, len(places), carried, components)
    add_functions(scope, table(data, "functions"), columns)
    field, written = read_components(data, "field", scope, components)
    displacement = linear_rows(field, written, columns)
    for i, letter in enumerate("xyz"[:components]):
        value = sympy.Add(*(displacement[i, k] * c for k, c in enumerate(columns)))
        scope.add(f"u{letter}", value, "field", function=True)
    strain = _read_strains(data, scope, columns)
    strains = tuple(table(data, "strain"))
    forces = read_forces(data, len(strains))
    fibres = read_fibres(data, constants, len(across))
    energy = read_finite(data, strains, constants, components, fibres["stiffness"])
    stiffening = None
    if energy is not None and energy.formula:
        constitutive = limit_law(energy, law_parameters, strains)
    else:
        stresses = read_stresses(
            table(law, "stress", "law."), strains, strains, constants, "law.stress."
        )
        constitutive = section_law(stresses, law_parameters, strains)
        if energy is None:
            known = constants | dict(zip(data.get("across", []), across, strict=True))
            known = named_forces(forces, stresses) | known
            stiffening = _read_stiffening(data, scope, known, columns, strain)
    element = FieldElement(
        name=name,
        cell=data["cell"],
        places=places,
        carried=carried,
        components=components,
        axes=axes.rows,
        across=across,
        measure=read_measure(data, scope, axes),
        position=read_position(data, scope, axes, components),
        displacement=displacement,
        strain=sympy.ImmutableMatrix.vstack(*strain.values()),
        constitutive=constitutive,
        fibres=fibres,
        degree=read_degrees(data, fibres),
        parameters=(*own, *given, *axes.parameters),
        varying=varying,
        density=named(data, "density", "density"),
        stiffening=stiffening,
        energy=energy,
        flat=bool(axes.along) and len(places) > CELL_DIMENSION[data["cell"]] + 1,
        loose=whole(data.get("loose", 0), "loose", len(columns) - 1),
        generalized=forces,
        description=text(data, "description") if "description" in data else UNDESCRIBED,
        definitions=tuple(scope.definitions),  # last: reading formulas adds definitions
    )
    if energy is not None and energy.formula:
        element = by_formula(element, energy)  # without what an inherited law needed
    else:
        used = used_symbols(element)
        check_used(law_parameters, used, "law.parameters", "the declaration")
        check_used(own, used, "parameters", "the declaration")
        check_used(varying, used, "varying", "the declaration")
    return replace(element, units=read_units(data, parameters_of(element)))


def _read_stiffening(
    data: dict[str, Any],
    scope: Scope,
    known: Mapping[str, sympy.Expr],
    columns: Sequence[sympy.Symbol],
    strain: Mapping[str, sympy.ImmutableMatrix],
) -> Stiffening | None:
    if "stiffening" not in data:
        return None
    return read_stiffening(scope, known, data["stiffening"], columns, strain)


def _read_strains(
    data: dict[str, Any], scope: Scope, columns: list[sympy.Symbol]
) -> dict[str, sympy.ImmutableMatrix]:
    """Return the strains as rows by name; second-order strains refer to them."""
    texts = table(data, "strain")
    values = {key: scope.read(value, f"strain.{key}") for key, value in texts.items()}
    keys = {f"strain.{key}": value for key, value in values.items()}
    rows = linear_rows(keys, {f"strain.{key}": text for key, text in texts.items()}, columns)
    for key, value in values.items():
        if scope.get(key, value) != value:
            raise InputError(
                f"strain.{key}: is the name of a definition or function; expected a new name"
            )
        if key not in scope:
            scope.add(key, value, f"strain.{key}")
    return {key: rows[k, :] for k, key in enumerate(texts)}


def _coordinates(
    scope: Scope, nodes: int, carried: tuple[str, ...], components: int
) -> list[sympy.Symbol]:
    """Return the nodal coordinates; in the plane the second one of a rotation is unnamed.

    Formulas can use them, the vectors of every node, and the interpolated vectors.
    """
    columns = []
    for vector in carried:
        turns = vector == "rotation" and components == 2
        letters = "z" if turns else "xyz"[:components]
        nodal: list[Value] = []
        for node in range(1, nodes + 1):
            names = [f"{_LETTERS[vector]}{letter}{node}" for letter in letters]
            symbols = [sympy.Symbol(name, real=True) for name in names]
            for name, symbol in zip(names, symbols, strict=True):
                scope.add(name, symbol, "carried")
            nodal.append(symbols[0] if turns else sympy.ImmutableMatrix(symbols))
            scope.add(f"{vector}{node}", nodal[-1], "carried")
            columns.append([*symbols, sympy.Symbol(f"filling{node}", real=True)][:components])
        scope.add(vector, scope.interpolated(*nodal), "carried", function=True)
    by_node = (columns[k * nodes + n] for n in range(nodes) for k in range(len(carried)))
    return [symbol for group in by_node for symbol in group]
