# SPDX-License-Identifier: BSD-3-Clause
"""Facts of an element that its declaration states: read from its file, nothing is derived.

Deriving the displacement field of a shell takes a second; its name, nodes and terms do not depend
on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.terms import FINITE, field_terms, terms_of
from flexforge.codegen.elements.user_files import read_declaration
from flexforge.codegen.elements.user_values import UNDESCRIBED


@dataclass(frozen=True, slots=True)
class Outline:
    """An element of the library with an explicit displacement field, in outline.

    Attributes
    ----------
    element, cell, description : str
        Name, reference cell, and what it is.
    nodes, coordinates : int
        Nodes of the mesh, and nodal coordinates.
    terms : tuple of str
        Names of its kernels.
    """

    element: str
    cell: str
    nodes: int
    coordinates: int
    description: str
    terms: tuple[str, ...]


def outline_of(element: FieldElement) -> Outline:
    """Return the outline of a declared element."""
    return Outline(
        element.name,
        element.cell,
        len(element.places),
        element.size,
        element.description,
        terms_of(element),
    )


def read_outline(path: Path) -> Outline:
    """Return the outline of a file of the library, whose declaration is known to be valid.

    Examples
    --------
    >>> from flexforge.codegen.elements.user_files import LIBRARY
    >>> shell = read_outline(LIBRARY / "mitc4.toml")
    >>> shell.nodes, shell.coordinates
    (4, 24)
    """
    data, _ = read_declaration(path)
    large = "finite" in data
    return Outline(
        data["name"],
        data["cell"],
        len(data["nodes"]),
        len(data["nodes"]) * len(data["carried"]) * data["components"],
        data.get("description", UNDESCRIBED),
        (
            *field_terms(
                data["fibres"],
                stiffened="stiffening" in data and not large,
                across=bool(data.get("across")) and not large,
            ),
            *(FINITE if large else ()),
        ),
    )
