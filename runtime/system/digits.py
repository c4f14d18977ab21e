# SPDX-License-Identifier: BSD-3-Clause
"""Digits of element sizes lost by coordinates far from the origin."""

from __future__ import annotations

import math

import numpy as np
from flexforge.runtime.system.system import System

#: Relative change of the size of an element by rounded coordinates that is acceptable.
_LOST = 1e-6


def lost_digits(system: System) -> list[str]:
    """Return warnings about bodies so far from the origin that digits of elements are lost.

    A coordinate x is rounded to ``eps |x|``, in the file or in a sum, so the size h of an element
    is known to ``eps |x| / h``.

    Parameters
    ----------
    system : System
        The bodies.
    """
    said = []
    for body in system.bodies:
        if body.lumped:
            continue
        points = body.part.points
        corners = points[body.part.connectivity]
        size = float(np.ptp(corners, axis=1).max(axis=1).min())
        if not size:  # only points
            continue
        far = float(np.abs(points).max())
        error = float(np.finfo(np.float64).eps) * far / size
        if error > _LOST:
            said.append(
                f"body '{body.name}': coordinates up to {far:.3g} m leave about "
                f"{max(-math.log10(error), 0.0):.0f} digits of elements of {size:.3g} m; expected "
                "the origin of the mesh near the body"
            )
    return said
