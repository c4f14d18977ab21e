# SPDX-License-Identifier: BSD-3-Clause
"""The modes of a system at rest in its frames, as a superposition with damping."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.combinations import elastic_of, require_symmetric, viscous_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.undamped import solve_undamped

#: Returns the modes of bodies under their stresses: their number, further damping, time, solver.
ModalBasis: TypeAlias = Callable[
    [System, int, Rayleigh | float | tuple[float, ...] | None, float, str], Superposition
]


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
        For frames that turn, whose Coriolis terms couple modes, and for matrices that are not
        symmetric.
    AnalysisError
        When modes do not converge, or one grows.
    """
    spins = stressed.spins(time)
    if any(spin.coriolis.any() for spin in spins):
        raise InputError(
            "analysis.modes: found with a frame that turns, whose Coriolis terms couple the modes; "
            "expected include.coriolis = false, or an analysis without modes"
        )
    elastic = elastic_of(spins)
    wanted = "expected an analysis without modes"
    require_symmetric(stressed.bodies, elastic, "analysis.modes: found with", wanted)
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
    viscous = viscous_of(system.bodies, system.spins(time))
    damped = any(body.is_damped for body in system.bodies)
    matrix = np.zeros((len(squares),) * 2)
    if damped:
        forces = np.array([system.apply(viscous, shape) for shape in shapes])
        matrix = np.tensordot(shapes, forces, axes=((1, 2), (1, 2)))
    return matrix + further_damping(squares, given)


def further_damping(squares: Floats, given: Rayleigh | float | tuple[float, ...] | None) -> Floats:
    """Return what is given of the damping of modes, as a matrix (k, k), 1/s.

    Parameters
    ----------
    squares : ndarray, (k,)
        Squared circular frequencies, (rad/s)^2.
    given : Rayleigh, float or tuple, optional
        Ratios, or what is in proportion to mass and stiffness.
    """
    if isinstance(given, Rayleigh):
        return np.diag(given.alpha + given.beta * squares)
    ratios = np.zeros(len(squares))
    if given is not None:
        listed = np.broadcast_to(given, len(squares)) if isinstance(given, float) else given
        ratios[: len(listed)] = np.asarray(listed)[: len(squares)]
    return np.diag(2.0 * ratios * np.sqrt(squares))
