# SPDX-License-Identifier: BSD-3-Clause
"""Names of the forces of sections: what the law of a rod or a shell gives at a station."""

from __future__ import annotations

from functools import cache

from flexforge.codegen.elements.user_files import LIBRARY, read_declaration


@cache
def forces_of(element: str) -> tuple[str, ...]:
    """Return the names of the forces of an element of the library; none where it has none.

    A minus sign before a name: what the law gives is the negative of it. Strains without a name
    carry no force that anybody asks for.

    Parameters
    ----------
    element : str
        Its full name.
    """
    path = LIBRARY / f"{element}.toml"
    return tuple(read_declaration(path)[0].get("forces", ())) if path.is_file() else ()
