# SPDX-License-Identifier: BSD-3-Clause
"""Stresses on the two faces of a plate of one material, from the forces of its section.

They are linear across the thickness, ``sigma = n / t + 12 m z / t^3``, and the transverse shear
vanishes on the faces. In a laminate they differ between plies and are not computed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import von_mises

#: Side of the normal by the suffix of the names.
FACES: Mapping[str, int] = {"top": 1, "bottom": -1}
#: Names of the section forces by their position in xx yy zz xy yz zx.
_PLACES = {0: "11", 1: "22", 3: "12"}


def face_stresses(found: Mapping[str, Floats], thickness: float) -> dict[str, Floats]:
    """Return stresses along the axes of the surface, (n, 6), and von Mises stress, (n,), Pa.

    Parameters
    ----------
    found : mapping
        Forces and moments of the section, ``N11`` to ``M12``, (n,) each, N/m and N.
    thickness : float
        Thickness, m.
    """
    stresses = {}
    for face, side in FACES.items():
        stress = np.zeros((len(found["N11"]), 6))
        for place, key in _PLACES.items():
            membrane = found[f"N{key}"] / thickness
            stress[:, place] = membrane + side * 6 * found[f"M{key}"] / thickness**2
        stresses[face] = stress
    return {
        **{f"stress_{face}": stress for face, stress in stresses.items()},
        **{f"von_mises_{face}": von_mises(stress) for face, stress in stresses.items()},
    }
