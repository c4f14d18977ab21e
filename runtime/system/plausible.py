# SPDX-License-Identifier: BSD-3-Clause
"""Plausibility of size and mass of bodies: a mesh may be in mm."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.digits import lost_digits
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.strips import strip_remark

#: kg; the Eiffel tower has 7e6, and so has an 11 mm steel cube if its millimetres count as metres.
HEAVIEST = 1e7
#: m; larger than any machine, and smaller than any body that is a continuum.
LONGEST = 1e3
SHORTEST = 1e-6


def bounding_box(places: NameTable) -> tuple[Floats, Floats]:
    """Return the lowest and the highest coordinates of all bodies in their frames, (3,), m."""
    points = [body.part.points for body in places.system.bodies if len(body.part.points)]
    everything = np.vstack(points) if points else np.zeros((1, 3))
    return everything.min(axis=0), everything.max(axis=0)


def remarks(places: NameTable) -> list[str]:
    """Return the warnings about the mesh, one line each.

    Parameters
    ----------
    places : NameTable
        The bodies with their mesh.
    """
    lower, upper = bounding_box(places)
    length = float((upper - lower).max())
    mass = float(sum(body.total_mass for body in places.system.bodies))
    found = []
    if mass > HEAVIEST:
        found.append(f"the bodies have a mass of {mass:.3g} kg together, more than {HEAVIEST:g} kg")
    if length > LONGEST:
        found.append(f"the model is {length:.3g} m long, more than {LONGEST:g} m")
    elif 0.0 < length < SHORTEST:
        found.append(f"the model is {length:.3g} m long, less than {SHORTEST:g} m")
    if found:
        found[-1] += "; [mesh] scale makes coordinates metres: 1e-3 of millimetres"
    strips = [text for body in places.system.bodies if (text := strip_remark(body))]
    return [*places.mesh.remarks, *found, *lost_digits(places.system), *strips]
