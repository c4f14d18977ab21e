# SPDX-License-Identifier: BSD-3-Clause
"""How critical speeds depend on the stiffness and the mass of each part of a machine.

From ``(k - W^2 a) u = 0`` follows, for any change of k and a,

    d W / W = 1/2 (u^H dk u / u^H k u - u^H da u / u^H a u):

a part whose stiffness grows by one per cent raises a critical speed by half its share of the
elastic energy, in per cent; one whose mass grows lowers it by half its share of the kinetic energy,
in which the gyroscopic part counts, and the stresses that the rotation causes in it.
Source: Fox and Kapoor, AIAA Journal 6 (1968).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.vibration.critical_pencil import Law
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_terms import Part, parts_of

_NONE = 1e-12  # a share that is round-off


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Relative change of a critical speed per relative change of a part.

    Attributes
    ----------
    name : str
        Of a body, a mass or a connector.
    stiffness, mass : float
        ``(dW / W) / (dk / k)`` and ``(dW / W) / (dm / m)``.
    """

    name: str
    stiffness: float
    mass: float


def sensitivities(
    matrices: SpeedMatrices,
    order: int,
    shape: Complex,
    square: float,
    law: Law,
    varying: Sequence[str],
) -> list[Sensitivity]:
    """Return what a critical speed owes to each part, without those of no influence.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    order : int
        Of the load.
    shape : ndarray of complex, (n,)
        Of the unknowns, of unit energy ``u^H k u``.
    square : float
        Of the critical speed, (rad/s)^2.
    law : Law
        Of bearings that vary.
    varying : sequence of str
        Their names.
    """
    system, at_rest = matrices.systems[:2]
    given = parts_of(system, matrices.spins, ())
    before = parts_of(at_rest, at_rest.spins(0.0), ())[Part.STRESS]
    scale = 1.0 / matrices.highest
    nodal = np.array([system.expand(shape.real), system.expand(shape.imag)])
    of_laws = dict(zip(varying, zip(law.stiffness, law.inertia, strict=True), strict=True))
    found = []
    for number, body in enumerate(system.bodies):
        field = nodal[:, body.nodes]
        one = {part: given[part][number] for part in Part}
        if isinstance(body, BearingBody) and body.name in of_laws:
            stiff, heavy = _of_law(body, field, *of_laws[body.name])
        else:
            stiff = sum(_energy(body, one[part], field) for part in (Part.ELASTIC, Part.HELD))
            heavy = order**2 * _energy(body, one[Part.MASS], field)
            heavy -= scale**2 * _energy(body, one[Part.INERTIA], field)
            heavy -= scale**2 * _energy(body, one[Part.STRESS], field)
            heavy += scale**2 * _energy(at_rest.bodies[number], before[number], field)
            heavy += scale * order * _turning(body, one[Part.GYROSCOPIC], field)
        if max(abs(stiff), abs(square * heavy)) > _NONE:
            found.append(Sensitivity(body.name, 0.5 * stiff, 0.0 - 0.5 * square * heavy))
    return found


def _energy(body: Body, combination: Combination, field: Floats) -> float:
    """Return ``u^H b u`` of a symmetric matrix b for real and imaginary parts (2, V, d)."""
    if not combination.acts:
        return 0.0
    return sum(float((one * body.apply(combination, one)).sum()) for one in field)


def _turning(body: Body, combination: Combination, field: Floats) -> float:
    """Return ``-i u^H g u`` of a skew matrix g for real and imaginary parts (2, V, d)."""
    if not combination.acts:
        return 0.0
    real, imaginary = field
    return 2.0 * float((real * body.apply(combination, imaginary)).sum())


def _of_law(body: BearingBody, field: Floats, stiff: Floats, heavy: Complex) -> tuple[float, float]:
    """Return both products of a bearing with its law."""
    between = field[:, 0] - field[:, 1] if field.shape[1] > 1 else field[:, 0]
    u = body.across @ (between[0] + 1j * between[1])
    return float((u.conj() @ stiff @ u).real), float((u.conj() @ heavy @ u).real)
