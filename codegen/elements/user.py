# SPDX-License-Identifier: BSD-3-Clause
"""A user's own element, declared in a TOML file: data only, nothing in it is executed.

name = "oscillator"          # a C identifier
cell = "point"               # reference cell
nodes = [[]]                 # reference coordinates, numbers or fractions such as "1/2"
monomials = ["1"]            # interpolation space, one per node, in xi, eta, zeta; in a
                             # pyramid also ratios such as "xi*eta/(1 - zeta)"; or instead:
shape = ["1"]                # the shape functions themselves, in the order of the nodes
components = 2               # coordinates per node: 2 in the plane, 3 in space
strain = "displacement"      # strain operator: small_strain, selective, axisymmetric,
                             # axisymmetric_torsion or displacement, or its rows, such as
                             # ["ux_x", "uy_y", "ux_y + uy_x"]
energy = "neo_hookean"       # in place of law, for large deformations: st_venant_kirchhoff,
                             # neo_hookean, neo_hookean_isochoric, mooney_rivlin, gent, or a
                             # formula of invariants, such as "mu/2*(I1 - 3) - mu*log(J)"
parameters = ["mu"]          # of such a formula
law = "spring"               # isotropic, plane_stress, plane_strain, selective,
                             # selective_plane_strain, axisymmetric or spring, or a matrix:
                             # { parameters = ["E"], matrix = [["E", "0"], ["0", "E/2"]] }
density = "mass"             # name of the inertia parameter (default density)
degree = { stiffness = 0, mass = 0 }     # degrees that the quadrature integrates exactly
recovery = ["1"]             # basis that extrapolates stresses (default constant)
section = "thickness"        # factor of the volume (default none)
units = { E = "Pa" }         # units of parameters, for descriptors and documentation
extends = ["base.toml"]      # files that supply the keys missing here

[quadrature.stiffness]       # a rule of your own in place of a degree; also for mass
points = [[]]
weights = [1]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import sympy
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.parameters import check_distinct, parameters_of
from flexforge.codegen.elements.reference_cells import check_corners, check_inside
from flexforge.codegen.elements.user_energies import read_energy
from flexforge.codegen.elements.user_fields import declare_field
from flexforge.codegen.elements.user_files import located, read_declaration
from flexforge.codegen.elements.user_laws import read_law, read_strain
from flexforge.codegen.elements.user_rules import read_rules
from flexforge.codegen.elements.user_values import (
    UNDESCRIBED,
    check_keys,
    check_units,
    checked_name,
    choice,
    components_of,
    entries,
    named,
    points,
    read_units,
    table,
    text,
)
from flexforge.codegen.elements.validity import check_field
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.system_files import MARK as SYSTEM
from flexforge.codegen.files.system_files import WHERE

_REQUIRED = ("name", "cell", "nodes", "components", "strain", "law")
_OPTIONAL = ("monomials", "shape", "degree", "quadrature", "density", "recovery", "section",
             "description", "units", "energy", "parameters")  # fmt: skip


def load_element(path: Path) -> AnyElement:
    """Read the declaration of an element.

    Parameters
    ----------
    path : Path
        A TOML file with the keys named above.

    Returns
    -------
    Element or FieldElement
        With an explicit displacement field if the declaration has the key ``carried``
        (:mod:`flexforge.codegen.elements.user_fields`).

    Raises
    ------
    InputError
        Naming the file and the key, what was found and what is expected.
    """
    data, sources = read_declaration(path)
    try:
        declared = declare_field(data) if "carried" in data else _declare(data)
        check_units(table(sources[0].data, "units"), parameters_of(declared))
    except InputError as error:
        raise located(error, sources) from error
    except RecursionError:
        raise InputError(
            f"{path}: found formulas that are nested too deeply; expected simpler ones"
        ) from None
    return declared


def load_field(path: Path) -> FieldElement:
    """Read the declaration of an element with an explicit field, as :func:`load_element` does."""
    found = load_element(path)
    if not isinstance(found, FieldElement):
        raise InputError(f"{path}: carried: missing; expected an element with an explicit field")
    return found


def _declare(data: dict[str, Any]) -> Element:
    if SYSTEM in data:
        raise InputError(f"{SYSTEM}: found in a system of bodies; {WHERE}")
    required = [key for key in _REQUIRED if key != "law" or "energy" not in data]
    check_keys(data, required, (*_OPTIONAL, "law"), elsewhere=("carried",))
    name = checked_name(text(data, "name"), "name")
    components = components_of(data)
    cell = choice(data, "cell", tuple(CELL_DIMENSION))
    dimension = CELL_DIMENSION[cell]
    nodes = points(data, "nodes")
    if ("monomials" in data) == ("shape" in data):
        found = "both" if "shape" in data else "neither"
        raise InputError(f"monomials, shape: found {found}; expected one of them")
    functions = "shape" if "shape" in data else "monomials"
    strain = read_strain(data, components)
    energy = read_energy(data, strain)
    declared = Element(
        name=name,
        cell=cell,
        nodes=nodes,
        monomials=_functions(data, functions, dimension, cell == "pyramid"),
        components=components,
        strain=strain,
        constitutive=read_law(data, strain, components)
        if energy is None
        else energy.limit(components, strain),
        energy=energy,
        degree=read_rules(data, cell),
        recovery=(
            _functions(data, "recovery", dimension) if "recovery" in data else (sympy.Integer(1),)
        ),
        section=named(data, "section") or None,
        density=named(data, "density", "density"),
        description=text(data, "description") if "description" in data else UNDESCRIBED,
    )
    check_distinct(declared.constitutive.parameters, declared.section, declared.density)
    units = (dict(energy.units) if energy else {}) | read_units(data, parameters_of(declared))
    declared = replace(declared, units=units)
    check_inside(cell, nodes)
    check_corners(cell, nodes)
    check_field(declared, given=functions == "shape")
    return declared


def _functions(
    data: dict[str, Any], key: str, dimension: int, ratios: bool = False
) -> tuple[sympy.Expr, ...]:
    """Return the polynomials of a list; ``ratios`` allows division by ``1 - zeta`` for pyramids."""
    variables = {str(symbol): symbol for symbol in REFERENCE[:dimension]}
    found = []
    for i, formula in enumerate(entries(data, key)):
        value = parse(formula, variables, f"{key}[{i}]", ratios=ratios)
        above, below = sympy.fraction(sympy.together(value))
        if ratios and below.free_symbols:
            rest = sympy.cancel(below / (1 - REFERENCE[2]))
            if rest.free_symbols:
                raise InputError(
                    f"{key}[{i}]: found '{formula}'; expected a polynomial, or one over 1 - zeta"
                )
            value = sympy.expand(above / rest) / (1 - REFERENCE[2])
        else:
            value = sympy.expand(value)
        found.append(value)
    return tuple(found)
