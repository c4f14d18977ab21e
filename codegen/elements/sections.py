# SPDX-License-Identifier: BSD-3-Clause
"""Names of section forces: the generalized stresses of a rod or shell at a station."""

from __future__ import annotations

from functools import cache

from flexforge.codegen.elements.user_files import LIBRARY, read_declaration


@cache
def forces_of(element: str) -> tuple[str, ...]:
    """Return the names of the section forces of a library element; empty if it has none.

    A minus sign before a name marks a force that is the negative of the law's. Strains without a
    name have no force of interest.

    Parameters
    ----------
    element : str
        Full name of the element.
    """
    path = LIBRARY / f"{element}.toml"
    return tuple(read_declaration(path)[0].get("forces", ())) if path.is_file() else ()
