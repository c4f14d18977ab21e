# SPDX-License-Identifier: BSD-3-Clause
"""Solid and plane elements of the library as the keys of a declaration, to be extended by files."""

from __future__ import annotations

from typing import Any

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.errors import InputError


def declaration_data(element: Element) -> dict[str, Any]:
    """Return the keys of a file that declares the same element.

    Parameters
    ----------
    element : Element
        An element of the library.

    Raises
    ------
    InputError
        For an element with incompatible modes, for which declarations have no key.

    Examples
    --------
    >>> from flexforge.codegen.elements.library import element
    >>> declaration_data(element("tri3"))["monomials"]
    ['1', 'eta', 'xi']
    """
    if element.modes:
        raise InputError(
            f"found '{element.name}', whose incompatible modes a file cannot state; expected an "
            "element without them"
        )
    data = {
        "name": element.name,
        "description": element.description,
        "cell": element.cell,
        "nodes": [[str(x) for x in node] for node in element.nodes],
        "monomials": [str(monomial) for monomial in element.monomials],
        "components": element.components,
        "strain": element.strain,
        "law": element.constitutive.name,
        "degree": dict(element.degree),
        "recovery": [str(monomial) for monomial in element.recovery],
        "density": element.density,
    }
    return data | ({"section": element.section} if element.section else {})
