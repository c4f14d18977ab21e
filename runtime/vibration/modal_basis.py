# SPDX-License-Identifier: BSD-3-Clause
"""The modes of a system at rest in its frames, as a superposition with damping."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_analysis import Rayleigh
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.undamped import solve_undamped


def superposition(
    stressed: System,
    count: int,
    damping: Rayleigh | float | tuple[float, ...] | None,
    time: float,
    solver: str,
) -> Superposition:
    """Return the lowest modes of a system, with the damping of its bodies and of the modes.

    Parameters
    ----------
    stressed : System
        The bodies, with their stresses.
    count : int
        Number of modes.
    damping : Rayleigh, float or tuple, optional
        Further damping of the modes: ratios, or what is in proportion to mass and stiffness.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        For frames that turn, whose Coriolis terms couple modes.
    AnalysisError
        When modes do not converge, or one grows.
    """
    spins = stressed.spins(time)
    if any(spin.coriolis.any() for spin in spins):
        raise InputError(
            "analysis.modes: found with a frame that turns, whose Coriolis terms couple the modes; "
            "expected include.coriolis = false, or an analysis without modes"
        )
    elastic = [Combination(1.0, spin.stiffness, spin.prestress) for spin in spins]
    found = solve_undamped(Pencil.of(stressed, elastic), count, None, solver)
    if found.missing:
        raise AnalysisError(f"modes: {found.missing}")
    if (found.squares < 0.0).any():
        raise AnalysisError("modes: a motion grows by itself; expected a stable state")
    shapes = np.array([stressed.expand(vector) for vector in found.vectors.T])
    return Superposition(
        found.squares, shapes, _damping(stressed, shapes, found.squares, damping, time)
    )


def _damping(
    system: System,
    shapes: Floats,
    squares: Floats,
    given: Rayleigh | float | tuple[float, ...] | None,
    time: float,
) -> Floats:
    """Return the damping matrix of modes, (k, k), 1/s."""
    viscous = viscous_of(system, time)
    damped = any(body.is_damped for body in system.bodies)
    matrix = np.zeros((len(squares),) * 2)
    if damped:
        forces = np.array([system.apply(viscous, shape) for shape in shapes])
        matrix = np.tensordot(shapes, forces, axes=((1, 2), (1, 2)))
    if isinstance(given, Rayleigh):
        matrix = matrix + np.diag(given.alpha + given.beta * squares)
    elif given is not None:
        ratios = np.zeros(len(squares))
        listed = np.broadcast_to(given, len(squares)) if isinstance(given, float) else given
        ratios[: len(listed)] = np.asarray(listed)[: len(squares)]
        matrix = matrix + np.diag(2.0 * ratios * np.sqrt(squares))
    return matrix


def viscous_of(system: System, time: float) -> list[Combination]:
    """Return the velocity operator of a system: Coriolis terms and damping."""
    identity = np.eye(system.dimension)
    return [
        Combination(body.beta, spin.coriolis + body.alpha * identity, np.zeros(0), 1.0)
        for body, spin in zip(system.bodies, system.spins(time), strict=True)
    ]
