# SPDX-License-Identifier: BSD-3-Clause
"""A user element of Abaqus, ``UEL``: stiffness and mass with its Fortran interface."""

from __future__ import annotations

from collections.abc import Sequence

from flexforge.codegen.driver import Kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.parameters import ParameterInfo
from flexforge.codegen.elements.terms import Known, chosen_terms
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.sources import header, kernel_sources
from flexforge.codegen.version import VERSION
from flexforge.templates import render

TERMS = ("stiffness", "mass")
#: Properties in the programs that test an element, in C and Fortran syntax.
_VALUES = {"young": "200000000000.0", "poisson": "0.3", "density": "7800.0", "thickness": "0.01"}


def uel_known(element: AnyElement) -> Known:
    """Return the terms of a user element."""
    return Known(TERMS)


def uel_terms(
    element: AnyElement, terms: Sequence[str] | str | None, scalar: str
) -> tuple[str, ...]:
    """Return the terms of a user element: always stiffness, mass and the check of its geometry.

    Raises
    ------
    InputError
        For other terms or another scalar type, or an element that is not a solid or plane one.
    """
    if not isinstance(element, Element) or element.dimension != element.components:
        raise InputError(
            f"element '{element.name}': cannot be a user element; expected a solid or a plane one"
        )
    chosen = chosen_terms(TERMS, terms)
    if set(chosen) != set(TERMS):
        raise InputError(f"terms: found {', '.join(chosen)}; a user element has {', '.join(TERMS)}")
    if scalar != "double":
        raise InputError(f"scalar type '{scalar}': a user element computes in double")
    return (*TERMS, GEOMETRY)


def properties(kernels: Sequence[Kernel]) -> tuple[ParameterInfo, ...]:
    """Return the properties of the element: the distinct parameters of its kernels."""
    return tuple(dict.fromkeys(p for kernel in kernels for p in kernel.parameters))


def uel_files(element: AnyElement, kernels: Sequence[Kernel], prefix: str) -> dict[str, str]:
    """Return the files of a user element.

    Parameters
    ----------
    element : Element
        The declaration.
    kernels : sequence of Kernel
        The kernels of its stiffness, mass and Jacobian.
    prefix : str
        Prefix of the file names.

    Returns
    -------
    dict
        Text by file name.
    """
    assert isinstance(element, Element)
    table = f"{prefix}_kernels"
    props = properties(kernels)
    # Holding three nodes that span a plane, or two on a line, prevents all rigid motions.
    held = element.components**2
    content = {
        "element": element,
        "stiffness": kernels[0],
        "mass": kernels[1],
        "check": kernels[2],
        "arguments": {k.term: [props.index(p) for p in k.parameters] for k in kernels},
        "properties": props,
        "freedoms": len(element.nodes) * element.components,
        "values": [_VALUES.get(p.name, "1.0") for p in props],
        "is_held": [int(k < held) for k in range(len(element.nodes) * element.components)],
        "held": held,
        "components": "1, 2, 3" if element.components == 3 else "1, 2",
        "prefix": prefix,
        "version": VERSION,
    }
    return {
        f"{table}.c": kernel_sources(kernels, table)[f"{element.name}.c"],
        f"{table}.h": header(kernels, f"{table.upper()}_H", table),
        f"{prefix}_uel.c": render("foreign/uel.c.jinja", **content),
        "driver.c": render("foreign/uel_driver.c.jinja", **content),
        "driver.f90": render("foreign/uel_driver.f90.jinja", **content),
        "flexforge.h": (INCLUDE / "flexforge.h").read_text(encoding="utf-8"),
        "README.md": render("foreign/uel.md.jinja", **content),
    }
