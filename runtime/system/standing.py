# SPDX-License-Identifier: BSD-3-Clause
"""Inertia of a body that spins about its axis of symmetry, in axes that stand still.

With displacements ``d = R^T q``, where ``R' = R w~`` turns with the body and q is along axes that
stand still, the equations of the turning frame become (physics.md section 10)

    m q'' + 2 w (c - m n~) q' + (k + w^2 (k_omega + m n~ n~ - 2 c n~) + w' (c - m n~)) q = f

with the axis n and the matrices of a unit angular velocity: c of ``n~``, k_omega of ``n~ n~``. They
are constant if turning about the axis changes nothing: ``R a R^T = a``, node by node, for every
matrix a of the body. Where nodes move and do not turn, c = m n~ and the rotation has no effect on
small vibrations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.standing_axes import in_standing_axes
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.inertia import skew

#: Largest change of a matrix by turning, and of a load, relative to its largest entry.
_ALIKE = 1e-9
#: What is left of terms that cancel, relative to them.
_CANCELLED = 1e-14


@dataclass(frozen=True, slots=True)
class StandingInertia:
    """Matrices of inertia in axes that stand still, block by block.

    Attributes
    ----------
    axis : ndarray, (3,)
        Unit vector n of the axis of rotation.
    matrices : ndarray, (3, nnz 9)
        Of accelerations; of velocities for ``w = 1/2``, and of displacements for a unit angular
        acceleration; of displacements for a unit angular velocity.
    """

    axis: Floats
    matrices: Floats

    @classmethod
    def of(
        cls, axis: Floats, mass: Floats, coriolis: Floats, centrifugal: Floats
    ) -> StandingInertia:
        """Return the matrices from those of the frame that turns with the body.

        Parameters
        ----------
        axis : ndarray, (3,)
            Unit vector n.
        mass, coriolis, centrifugal : ndarray, (nnz 9,)
            Matrices m, c and k_omega of a unit angular velocity, block by block.
        """
        turn = skew(axis)
        m, c = mass.reshape(-1, 3, 3), coriolis.reshape(-1, 3, 3)
        gyroscopic, centre = in_standing_axes(
            m, c, centrifugal.reshape(-1, 3, 3), turn, np.matmul, _sum
        )
        return cls(axis, np.array([one.ravel() for one in (m, gyroscopic, centre)]))

    def combined(self, block: Floats) -> Floats:
        """Return the matrix of a block of a turning frame, (nnz 9,).

        Parameters
        ----------
        block : ndarray, (3, 3)
            A combination of 1, of ``n~`` and of ``n~ n~``; of any other one the part in these.
        """
        n = self.axis
        along = float(n @ block @ n)
        turning = np.array([block[2, 1], block[0, 2], block[1, 0]])
        turning = turning - np.array([block[1, 2], block[2, 0], block[0, 1]])
        # 1 has n.B n = 1 and the trace 3; n~ n~ = n n^T - 1 has 0 and -2.
        centre = 0.5 * (3.0 * along - float(np.trace(block)))
        return np.asarray(np.array([along, 0.5 * float(n @ turning), centre]) @ self.matrices)


def _sum(*terms: Floats) -> Floats:
    """Return a sum of matrices, with zeros where they cancel but for round-off."""
    total, sizes = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
    return np.where(np.abs(total) > _CANCELLED * sizes, total, 0.0)


def circulatory(axis: Floats, damping: Floats) -> Floats:
    """Return the matrix of displacements of damping that turns, ``-d n~`` at 1 rad/s, (nnz 9,).

    Parameters
    ----------
    axis : ndarray, (3,)
        Unit vector n.
    damping : ndarray, (nnz 9,)
        Damping matrix d of the body, block by block.
    """
    return np.asarray(-(damping.reshape(-1, 3, 3) @ skew(axis))).ravel()


def torque_stiffness(axis: Floats, torques: Floats) -> Floats:
    """Return the matrices of displacements of torques that stay along an axis at rest, (n, 3, 3).

    A torque T n does the virtual work ``T n . (dr + r x dr / 2)`` on the rotation vector r of a
    node, to second order, so that its generalized force is ``T n + T n x r / 2``: it is not
    conservative (Ziegler, Principles of Structural Stability, 1968).

    Parameters
    ----------
    axis : ndarray, (3,)
        Unit vector n.
    torques : ndarray, (n,)
        Torque T on each node, N m.
    """
    return np.asarray(-0.5 * torques[:, None, None] * skew(axis))


def require_alike(
    name: str, axis: Floats, matrices: Mapping[str, Floats], loads: Floats, reach: float
) -> None:
    """Refuse a body on which turning about an axis has an effect.

    Parameters
    ----------
    name : str
        Name of the body.
    axis : ndarray, (3,)
        Unit vector of the axis.
    matrices : mapping
        Its matrices, (nnz 9,) each, block by block, by what they are called in a message.
    loads : ndarray, (n, V, 3)
        Inertia forces of unit angular velocity and acceleration.
    reach : float
        Largest distance of its nodes from the origin, m.

    Raises
    ------
    InputError
        Naming the matrix.
    """
    turn = skew(axis)
    mass = np.abs(matrices["mass matrix"]).max(initial=0.0)
    for what, values in matrices.items():
        blocks, scale = values.reshape(-1, 3, 3), np.abs(values).max(initial=0.0)
        if what == "gyroscopic matrix":
            scale = max(scale, mass)
        change = np.abs(blocks @ turn - turn @ blocks).max(initial=0.0)
        if change > _ALIKE * scale:
            raise InputError(
                f"body '{name}': spin: found a {what} that is not the same in all directions "
                "across the axis; expected a body of revolution about it (round sections, equal "
                "moments of inertia across the axis), or frame in place of spin"
            )
    across, scale = np.abs(loads @ turn.T).max(initial=0.0), np.abs(loads).max(initial=0.0)
    if across > _ALIKE * max(scale, reach * mass):
        raise InputError(
            f"body '{name}': spin: found mass beside the axis; expected nodes and centres of mass "
            "on it, or frame in place of spin"
        )
