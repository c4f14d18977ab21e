# SPDX-License-Identifier: BSD-3-Clause
"""The matrices of displacements and of velocities of bodies in moving frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import Spin


def elastic_of(spins: Iterable[Spin]) -> list[Combination]:
    """Return the matrices of displacements: ``k + k_eps + k_omega + k_geo``, one per body.

    Parameters
    ----------
    spins : iterable of Spin
        Inertia blocks of the bodies at a time.
    """
    return [
        Combination(1.0, one.stiffness, one.prestress, circulation=one.circulation) for one in spins
    ]


def require_symmetric(
    bodies: Sequence[Body], elastic: Sequence[Combination], found: str, expected: str
) -> None:
    """Refuse matrices that are not symmetric, of which real modes do not decouple the equations.

    Parameters
    ----------
    bodies : sequence of Body
        The bodies.
    elastic : sequence of Combination
        Their matrices of displacements.
    found, expected : str
        Beginning and end of the message.

    Raises
    ------
    InputError
        Naming a bearing, or a body.
    """
    for body, one in zip(bodies, elastic, strict=True):
        if not body.is_symmetric or not one.is_symmetric:
            kind = "connector" if body.is_connector else "body"
            raise InputError(
                f"{found} {kind} '{body.name}', whose matrices are not symmetric; {expected}"
            )


def viscous_of(bodies: Sequence[Body], spins: Sequence[Spin]) -> list[Combination]:
    """Return the matrices of velocities: ``2 c`` and damping, one per body.

    Parameters
    ----------
    bodies : sequence of Body
        The bodies.
    spins : sequence of Spin
        Their inertia blocks at a time.
    """
    return [
        Combination(body.beta, one.coriolis + body.alpha * np.eye(body.dimension), np.zeros(0), 1.0)
        for body, one in zip(bodies, spins, strict=True)
    ]
