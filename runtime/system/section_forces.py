# SPDX-License-Identifier: BSD-3-Clause
"""Forces of the sections of bars and beams, and their largest normal stress.

At a point (y, z) of a section ``sigma = N / A + M_y z / I_y - M_z y / I_z``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from flexforge.runtime.arrays import Floats

#: In the order of the results.
FORCES = ("N", "Vy", "Vz", "T", "My", "Mz")
LARGEST = "largest_normal_stress"


def section_forces(
    found: Mapping[str, Floats],
    stations: Floats,
    largest: Callable[[Mapping[str, Floats]], Floats | None],
) -> dict[str, Floats]:
    """Return the forces at the stations, (E Q,) each, in the order of the results.

    A beam without shear strains has the shear forces of equilibrium, ``V_y = - dM_z/dx`` and ``V_z
    = dM_y/dx``; its moments are linear along an element.

    Parameters
    ----------
    found : mapping
        Forces by the constitutive law, (E, Q) each.
    stations : ndarray, (E, Q, d)
        Their positions, m.
    largest : callable
        Returns the largest normal stress of forces, None if unknown.
    """
    forces = dict(found)
    for shear, moment, sign in (("Vy", "Mz", -1.0), ("Vz", "My", 1.0)):
        if moment in forces and shear not in forces:
            forces[shear] = sign * _slope(forces[moment], stations)
    stress = largest(forces)
    if stress is not None:
        forces[LARGEST] = stress
    return {name: forces[name].ravel() for name in (*FORCES, LARGEST) if name in forces}


def _slope(moment: Floats, stations: Floats) -> Floats:
    """Return the derivative along the element of a linear function."""
    length = np.linalg.norm(stations[:, -1] - stations[:, 0], axis=1)
    rise = (moment[:, -1] - moment[:, 0]) / length
    return np.repeat(rise[:, None], moment.shape[1], axis=1)


def largest_normal_stress(
    forces: Mapping[str, Floats],
    values: Mapping[str, float | Floats],
    reach: tuple[float | Floats, float | Floats] | None,
    *,
    round: bool,
) -> Floats | None:
    """Return the largest magnitude of the normal stress in a section; None if unknown.

    Parameters
    ----------
    forces : mapping
        Forces at stations by name, arrays of one shape.
    values : mapping
        Properties of the section, numbers or arrays of that shape.
    reach : tuple, optional
        Largest distances from the centroid along y and z, m, likewise.
    round : bool
        Whether the stresses of the two bending moments add as vectors.
    """
    if reach is None and any(moment in forces for moment in ("My", "Mz")):
        return None
    parts = [
        np.abs(forces[moment]) * distance / values[inertia]
        for moment, inertia, distance in (
            ("My", "inertia_y", (reach or (0.0, 0.0))[1]),
            ("Mz", "inertia_z", (reach or (0.0, 0.0))[0]),
        )
        if moment in forces
    ]
    bending = np.hypot(*parts) if round and len(parts) == 2 else sum(parts)
    return np.asarray(np.abs(forces["N"]) / values["area"] + bending)
