# SPDX-License-Identifier: BSD-3-Clause
"""Names of the forces of sections: what the law of a rod or a shell gives at a station.

A minus sign before a name: what the law gives is the negative of it. Strains without a name carry
no force that anybody asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from flexforge.codegen.elements.user_files import LIBRARY, read_declaration

#: Elements of the library that are declared in files, as a user's are.
DECLARED: Mapping[str, Path] = MappingProxyType(
    {
        name: LIBRARY / f"{name}.toml"
        for name in (
            "bar2",
            "bar2_plane",
            "bar3",
            "bar3_plane",
            "euler_beam",
            "euler_beam_plane",
            "timoshenko_beam",
            "timoshenko_beam_plane",
            "euler_beam_laminate",
            "timoshenko_beam_laminate",
        )
    }
)
#: Of plates: along the axes 1 and 2 of the surface, for a unit of length.
_PLATE = ("N11", "N22", "N12", "M11", "M22", "M12")
#: By element. The turn that goes with a deflection along z is that about -y, so that the stress of
#: a fibre of a beam is ``N / A + M_y z / I_y - M_z y / I_z``.
SECTION_FORCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("dkt3", "dkt3_laminate"), (*_PLATE, "")),
        **dict.fromkeys(("dkt3d", "dkt3d_laminate"), _PLATE),
        **dict.fromkeys(("mitc4", "mitc4_laminate"), (*_PLATE, "Q1", "Q2", "")),
    }
)


@cache
def forces_of(element: str) -> tuple[str, ...]:
    """Return the names of the forces of an element of the library; none where it has none.

    Parameters
    ----------
    element : str
        Its full name.
    """
    if element in DECLARED:
        return tuple(read_declaration(DECLARED[element])[0]["forces"])
    return SECTION_FORCES.get(element, ())
