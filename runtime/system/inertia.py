# SPDX-License-Identifier: BSD-3-Clause
"""Inertia of a moving frame: with a scalar mass matrix M every term is M times a small block.

    m = M (x) I,  c = M (x) w~,  k_eps = M (x) e~,  k_omega = M (x) w~ w~ ,
    q_eps = k_eps X,  q_omega = k_omega X   with the nodal positions X

(physics.md section 2; the compiler detects the structure and records it in the kernel's
descriptor). A step therefore combines constants: nothing is assembled again when w(t) varies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime._frames import turning_blocks
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameState


@dataclass(frozen=True, slots=True)
class Spin:
    """Blocks of the inertia terms of a body at one time, (d, d) each.

    Attributes
    ----------
    coriolis : ndarray
        ``2 w~``: factor of M on the velocities, 1/s.
    stiffness : ndarray
        ``e~ + w~ w~``: factor of M on the displacements, 1/s^2.
    load : ndarray
        The same for the terms that load the body: factor of M on the positions, 1/s^2.
    prestress : ndarray, (patterns,)
        Factors of the geometric stiffness matrices of unit prestress.
    circulation : float
        Angular velocity of damping that spins in axes that stand still, rad/s; zero without.
    """

    coriolis: Floats
    stiffness: Floats
    load: Floats
    prestress: Floats
    circulation: float = 0.0


def skew(vector: Floats) -> Floats:
    """Return the matrix ``v~`` with ``v~ b = v x b``."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def spin(frame: FrameState, include: IncludeSpec, unpatterned: Floats, dimension: int) -> Spin:
    """Return the blocks of the motion of a frame.

    Parameters
    ----------
    frame : FrameState
        Motion of the frame at the time.
    include : IncludeSpec
        Terms that are included.
    unpatterned : ndarray, (9, n)
        From :func:`pattern_inverse`.
    dimension : int
        Dimension of the body: 2 or 3.
    """
    (found,) = turning_blocks(frame.w[None], frame.e[None], include)
    stiffness, coriolis, load = found[:3, :dimension, :dimension]
    return Spin(coriolis, stiffness, load, found[3].ravel() @ unpatterned)


def prestress_patterns(axis: Floats | None) -> Floats:
    """Return the loads ``U`` that span every ``w~ w~`` of a frame.

    Parameters
    ----------
    axis : ndarray, (3,), optional
        Fixed direction of the angular velocity; None where it varies.

    Returns
    -------
    ndarray, (1 or 6, 3, 3)
    """
    if axis is not None:
        unit = skew(axis / np.linalg.norm(axis))
        return np.array([unit @ unit])
    identity = np.eye(3)
    patterns = []
    for i in range(3):
        for j in range(i, 3):
            product = np.outer(identity[i], identity[j])
            patterns.append(
                product - identity if i == j else product + product.T  # w w^T - |w|^2 I
            )
    return np.array(patterns)


def pattern_inverse(patterns: Floats) -> Floats:
    """Return the matrix (9, p) that gives the factors of patterns (p, 3, 3) in ``w~ w~``."""
    if not len(patterns):
        return np.zeros((9, 0))
    return np.asarray(np.linalg.pinv(patterns.reshape(len(patterns), 9)))
