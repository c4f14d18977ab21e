# SPDX-License-Identifier: BSD-3-Clause
"""Names of the forces of sections: what the law of a rod or a shell gives at a station.

A minus sign before a name: what the law gives is the negative of it. Strains without a name carry
no force that anybody asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PLANE_BEAM = ("N", "Mz")
#: Of plates: along the axes 1 and 2 of the surface, for a unit of length.
_PLATE = ("N11", "N22", "N12", "M11", "M22", "M12")
#: By element. The turn that goes with a deflection along z is that about -y, so that the stress of
#: a fibre is ``N / A + M_y z / I_y - M_z y / I_z``.
SECTION_FORCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("bar2", "bar3", "bar2_plane", "bar3_plane"), ("N",)),
        "euler_beam_plane": _PLANE_BEAM,
        "timoshenko_beam_plane": (*_PLANE_BEAM, "Vy"),
        **dict.fromkeys(("euler_beam", "euler_beam_laminate"), ("N", "Mz", "-My", "T")),
        **dict.fromkeys(
            ("timoshenko_beam", "timoshenko_beam_laminate"), ("N", "Mz", "Vy", "-My", "Vz", "T")
        ),
        **dict.fromkeys(("dkt3", "dkt3_laminate"), (*_PLATE, "")),
        **dict.fromkeys(("dkt3d", "dkt3d_laminate"), _PLATE),
        **dict.fromkeys(("mitc4", "mitc4_laminate"), (*_PLATE, "Q1", "Q2", "")),
    }
)
