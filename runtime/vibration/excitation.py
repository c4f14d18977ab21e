# SPDX-License-Identifier: BSD-3-Clause
"""Motions of the base of a structure: its direction, and what moves with it.

Displacements are relative to the base, which moves everything that holds the bodies alike:
``m u'' + c u' + k u = - m r a``, with r the unit motion of all nodes, those held too.
Source: Clough and Penzien, Dynamics of Structures, chapter 26.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_spectra import RandomAnalysis
from flexforge.runtime.system.system import System


def axis_of(direction: str | tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a direction of the model file as a unit vector."""
    if isinstance(direction, str):
        x, y, z = (float(one == direction) for one in "xyz")
    else:
        x, y, z = (np.array(direction) / np.linalg.norm(direction)).tolist()
    return x, y, z


def name_of(direction: str | tuple[float, float, float]) -> str:
    """Return a direction as a text, such as ``x`` or ``(0.6, 0.8, 0)``."""
    if isinstance(direction, str):
        return direction
    return f"({', '.join(f'{one:g}' for one in direction)})"


def base_motion(system: System, axis: tuple[float, float, float], time: float) -> Floats:
    """Return the unit translation of all nodes along an axis, (N, d), in components of frames.

    Parameters
    ----------
    system : System
        The bodies.
    axis : tuple of float
        Unit vector in global axes.
    time : float
        Time at which frames are taken, s.
    """
    moved = np.zeros((system.size, system.dimension))
    turning = np.zeros(system.size, dtype=bool)
    for body, frame in zip(system.bodies, system.frames(time), strict=True):
        moved[body.nodes] = (frame.R.T @ np.array(axis))[: system.dimension]
        turning[body.rotations] = True
        turning[body.internal] = True
    moved[turning] = 0.0
    return moved


def require_rest(system: System, time: float, kind: str) -> None:
    """Refuse frames that turn or move: the base of the structure is what moves.

    Raises
    ------
    InputError
        Naming a body.
    """
    for body, frame in zip(system.bodies, system.frames(time), strict=True):
        if frame.w.any() or frame.e.any() or frame.a_O.any() or frame.v_O.any():
            raise InputError(
                f"analysis.kind: found {kind} with a frame that moves, of body '{body.name}'; "
                "expected frames at rest: excitations move the base"
            )


def correlation_matrix(analysis: RandomAnalysis) -> Floats:
    """Return the correlations of the excitations of an analysis, (e, e)."""
    names = [one.name for one in analysis.excitations]
    matrix = np.eye(len(names))
    for one in analysis.correlations:
        i, j = (names.index(name) for name in one.of)
        matrix[i, j] = matrix[j, i] = one.coefficient
    return matrix
