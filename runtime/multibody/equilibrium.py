# SPDX-License-Identifier: BSD-3-Clause
"""The position in which links whose motion is found stay at rest.

Newton's method, with as much mass added to the stiffness as makes the motions that joints allow
stable: so the links fall, and come to rest in a stable position. The matrices there give the small
vibrations about it, with gravity and the forces of joints in them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

#: Corrections at most; in units of scales, a correction at rest, and how far joints are left open.
_MOST, _REST, _OPEN = 300, 1e-11, 1e-12
#: Force on a motion that joints allow, of the largest force, below which it is balanced.
_BALANCED = 1e-6
#: Longest correction, in units of scales; mass added, of what makes motions just stable; part of
#: the largest eigenvalue below which a negative one is round-off.
_LONGEST, _ADDED, _ROUND_OFF = 0.3, 2.0, 1e-10


def equilibrium(
    model: MultibodyModel, state: State, scales: Floats
) -> tuple[State, NDArray[np.complex128]]:
    """Return a state at rest in a stable position, near a given one, and how it vibrates there.

    Parameters
    ----------
    model : MultibodyModel
        The equations, with loads and drivers of the time of the state.
    state : State
        Where to begin; its velocities are not looked at.
    scales : ndarray, (n,)
        Sizes of large displacements and rotations.

    Returns
    -------
    State
        At rest.
    ndarray of complex
        Eigenvalues of small vibrations about it, 1/s: rate of growth and angular frequency, those
        of lowest frequency first, one of each pair.

    Raises
    ------
    AnalysisError
        When the links come to rest nowhere.
    """
    z, count = len(state.z), len(model.parts.names)
    rates = np.zeros(model.space.size)
    at = Point(state.t, state.q, np.zeros(z), state.s, state.mode, rates, np.zeros(count))
    for _ in range(_MOST):
        forces = np.zeros(len(rates))
        model.residual(at, forces)
        linear, rows = model.linearize(at), model.constraints(at)
        at = replace(at, s=model.turns)
        matrix = rows.matrix[:, :z].toarray() * scales
        loads = forces[:z] * scales + matrix.T @ at.force
        stiffness, masses = (
            one[:z, :z].toarray() * scales * scales[:, None] for one in (linear.place, linear.rate)
        )
        free = scipy.linalg.null_space(matrix, rcond=1e-10)
        values, motions = _eigenmotions(free.T @ stiffness @ free, free.T @ masses @ free)
        lowest = float(values[0].real) if len(values) else 0.0
        unstable = lowest < -_ROUND_OFF * max(float(np.abs(values).max(initial=0.0)), 1.0)
        added = -_ADDED * lowest if unstable else 0.0
        step, force = _correction(stiffness + added * masses, matrix, loads, rows.place)
        longest = float(np.abs(step).max(initial=0.0))
        pushed = float(np.abs(free.T @ (forces[:z] * scales)).max(initial=0.0))
        allowed = _BALANCED * np.abs(forces).max() + _REST * float(np.abs(stiffness).max())
        if longest <= _REST and pushed <= allowed and _are_closed(rows):
            if not unstable:
                viscous = linear.speed[:z, :z].toarray() * scales * scales[:, None]
                parts = (free.T @ one @ free for one in (masses, viscous, stiffness))
                return replace(state, q=at.q, z=np.zeros(z), s=at.s), _eigenvalues(*parts)
            step = free @ motions[:, 0].real  # off a summit
            longest = float(np.abs(step).max())
        step *= min(1.0, _LONGEST / max(longest, _REST))
        at = replace(at, q=_moved(model, at.q, step * scales), force=force)
    raise AnalysisError(
        "start: the links come to rest nowhere; expected springs or joints that hold them against "
        'the loads at t = 0, or start = "initial"'
    )


def _eigenmotions(
    stiffness: Floats, masses: Floats
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Return eigenvalues of a stiffness by masses, (n,), softest first, and their motions, (n, n).

    The stiffness need not be symmetric: stresses follow displacements, and what they stiffen does
    not act back on them.
    """
    root = scipy.linalg.cholesky(masses, lower=True)
    half = scipy.linalg.solve_triangular(root, stiffness, lower=True)
    values, vectors = scipy.linalg.eig(scipy.linalg.solve_triangular(root, half.T, lower=True).T)
    order = np.argsort(values.real, kind="stable")
    return values[order], scipy.linalg.solve_triangular(root.T, vectors[:, order])


def _eigenvalues(masses: Floats, viscous: Floats, stiffness: Floats) -> NDArray[np.complex128]:
    """Return eigenvalues of ``M q'' + C q' + K q = 0`` with positive frequencies, and real ones."""
    n = len(masses)
    below = -np.linalg.solve(masses, np.hstack([stiffness, viscous]))
    first = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), below])
    found = np.linalg.eigvals(first).astype(complex)
    found = found[found.imag >= 0.0]
    return found[np.argsort(np.abs(found), kind="stable")]


def _are_closed(rows: Rows) -> bool:
    return bool(np.abs(rows.place / rows.scales).max(initial=0.0) <= _OPEN)


def _correction(
    stiffness: Floats, matrix: Floats, loads: Floats, open_by: Floats
) -> tuple[Floats, Floats]:
    """Return a correction of the position, and the multipliers."""
    count, z = matrix.shape
    border = float(np.abs(stiffness).max()) or 1.0  # rows as large as the stiffness
    corner = np.zeros((count, count))
    whole = np.block([[stiffness, -border * matrix.T], [border * matrix, corner]])
    right = np.concatenate([-loads, -border * open_by])
    found = np.linalg.lstsq(whole, right, rcond=1e-14)[0]
    return found[:z], border * found[z:]


def _moved(model: MultibodyModel, q: Floats, step: Floats) -> Floats:
    poses, rigid = model.poses.size, model.poses.dimension
    return np.concatenate([model.poses.retract(q[:poses], step[:rigid]), q[poses:] + step[rigid:]])
