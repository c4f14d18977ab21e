# SPDX-License-Identifier: BSD-3-Clause
"""The position in which links whose motion is found stay at rest.

Newton's method, with as much mass added to the stiffness as makes the motions that joints allow
stable: so the links fall, and come to rest in a stable position. Elastic bodies follow after their
links have fallen with them as if rigid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.small_motions import SmallMotions, bracket, free_motions
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.state import State

#: Returns a point with other speeds.
Carry = Callable[[Point], Point]

#: Corrections at most; in units of scales, a correction at rest, and how far joints are left open.
_MOST, _REST, _OPEN = 300, 1e-11, 1e-12
#: Longest correction, in units of scales; mass added, of what makes motions just stable.
_LONGEST, _ADDED = 0.3, 2.0
#: Part of the forces along a motion that is round-off; of the largest squared frequency.
_IDLE, _ROUND_OFF = 1e-9, 1e-10
#: Least squared frequency by which links go down, of that of half of their motions.
_SOFT = 1e-3


def equilibrium(model: MultibodyModel, state: State, scales: Floats) -> Point:
    """Return a stable position at rest near a given one, with the forces of joints.

    Parameters
    ----------
    model : MultibodyModel
        The equations, with loads and drivers of the time of the state.
    state : State
        Where to begin; its velocities are not looked at.
    scales : ndarray, (n,)
        Sizes of large displacements and rotations.

    Raises
    ------
    AnalysisError
        When the links come to rest nowhere.
    """
    at, rests = fallen(model, still(model, state), scales)
    if rests:
        return at
    raise AnalysisError(
        "start: the links come to rest nowhere; expected springs or joints that hold them against "
        'the loads at t = 0, placements nearer to rest, or start = "initial"'
    )


def fallen(
    model: MultibodyModel, at: Point, scales: Floats, carry: Carry = lambda at: at
) -> tuple[Point, bool]:
    """Return the stable position that links fall into, and whether they come to rest there.

    Parameters
    ----------
    model, scales
        As of `equilibrium`.
    at : Point
        Where they begin.
    carry : callable
        Returns a point with the speeds of a steady motion, in which the links then rest.
    """
    if model.table.elastic:  # as rigid links first: bodies that buckle on the way make it long
        at = settled(model, at, scales, model.poses.dimension, carry)[0]
    return settled(model, at, scales, len(scales), carry)


def settled(
    model: MultibodyModel,
    at: Point,
    scales: Floats,
    count: int,
    carry: Carry,
    *,
    falls: bool = True,
) -> tuple[Point, bool]:
    """Return where Newton's method leads, and whether it has converged.

    Parameters
    ----------
    model, at, scales, carry
        As of `fallen`.
    count : int
        Unknowns that move: the first ones.
    falls : bool
        Whether unstable motions go down; otherwise the nearest position is found, stable or not.
    """
    own = slice(count)
    for _ in range(_MOST):
        at = carry(at)
        forces = np.zeros(model.space.size)
        model.residual(at, forces)
        at = replace(at, s=model.turns)
        linear, rows = model.linearize(at), model.constraints(at)
        matrix = rows.matrix[:, own].toarray() * scales[own]
        loads = forces[own] * scales[own] + matrix.T @ at.force
        turned = (linear.speed[own, own] @ bracket(model, at.z)[own, own]) if at.z.any() else 0.0
        stiffness, masses = (
            one * scales[own] * scales[own, None]
            for one in (linear.place[own, own].toarray() + turned, linear.rate[own, own].toarray())
        )
        free = free_motions(rows.matrix[:, own].toarray(), scales[own], model.poses.dimension)
        basis = np.vstack([free, np.zeros((len(scales) - count, free.shape[1]))])
        small = SmallMotions.within(model, at, basis, linear)
        squares, motions = small.conservative
        rigid = count == model.poses.dimension
        unstable, lowest = falls and small.falls, float(squares.min(initial=0.0))
        down = free @ motions / scales[own, None]
        first = down[:, :1]
        if unstable and not rigid:
            lowest, first = _softest(stiffness, masses, down)
            unstable = lowest < -_ROUND_OFF * max(float(np.abs(squares).max()), 1.0)
        if unstable and rigid:
            step, force = _fall(stiffness, matrix, loads, rows.place, squares, down)
        else:
            added = -_ADDED * lowest if unstable else 0.0
            step, force = _correction(stiffness + added * masses, matrix, loads, rows.place)
            idle = down[:, squares == 0.0]
            idle = idle[:, np.abs(idle.T @ loads) <= _IDLE * (np.abs(idle.T) @ np.abs(loads))]
            step = step - idle @ (idle.T @ (masses @ step))  # which nothing holds nor pulls
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= _REST and _are_closed(rows):
            if not unstable:
                return at, True
            step = first[:, 0]  # off a summit
            longest = float(np.abs(step).max())
        whole = np.concatenate([_shortened(step, longest), np.zeros(len(scales) - count)])
        at = replace(at, q=_moved(model, at.q, whole * scales), force=force)
    return at, False


def _softest(stiffness: Floats, masses: Floats, motions: Floats) -> tuple[float, Floats]:
    """Return the least squared frequency of motions (z, f), and its motion, (z, 1).

    The stiffness need not be symmetric: stresses follow displacements, and what they stiffen does
    not act back on them.
    """
    root = scipy.linalg.cholesky(motions.T @ masses @ motions, lower=True)
    half = scipy.linalg.solve_triangular(root, motions.T @ stiffness @ motions, lower=True)
    values, vectors = scipy.linalg.eig(scipy.linalg.solve_triangular(root, half.T, lower=True).T)
    one = int(np.argmin(values.real))
    motion = scipy.linalg.solve_triangular(root.T, vectors[:, [one]].real)
    return float(values[one].real), motions @ motion


def still(model: MultibodyModel, state: State) -> Point:
    """Return the point of a state without speeds and forces."""
    rates, count = np.zeros(model.space.size), len(model.names)
    nothing = np.zeros(len(state.z))
    return Point(state.t, state.q, nothing, state.s, state.mode, rates, np.zeros(count))


def _shortened(step: Floats, longest: float) -> Floats:
    """Return a correction, in units of scales, that is not too long to be linear."""
    return step * min(1.0, _LONGEST / max(longest, _REST))


def _are_closed(rows: Rows) -> bool:
    """Whether joints are closed to round-off."""
    return bool(np.abs(rows.place / rows.scales).max(initial=0.0) <= _OPEN)


def _correction(
    stiffness: Floats, matrix: Floats, loads: Floats, open_by: Floats
) -> tuple[Floats, Floats]:
    """Return a correction of the position, and the multipliers.

    Parameters
    ----------
    stiffness : ndarray, (z, z)
        Derivative of the forces by positions.
    matrix : ndarray, (m, z)
        Rows of the joints.
    loads : ndarray, (z,)
        Forces without those of joints.
    open_by : ndarray, (m,)
        How far joints are open.
    """
    count, z = matrix.shape
    border = float(np.abs(stiffness).max(initial=0.0)) or 1.0  # rows as large as the stiffness
    corner = np.zeros((count, count))
    whole = np.block([[stiffness, -border * matrix.T], [border * matrix, corner]])
    right = np.concatenate([-loads, -border * open_by])
    found = np.linalg.lstsq(whole, right, rcond=1e-14)[0]
    return found[:z], border * found[z:]


def _fall(
    stiffness: Floats,
    matrix: Floats,
    loads: Floats,
    open_by: Floats,
    squares: Floats,
    motions: Floats,
) -> tuple[Floats, Floats]:
    """Return a correction of rigid links that goes down along every motion, and the multipliers.

    Each goes by the size of its stiffness, stable or not: stiff ones do not hold up soft ones.
    Parameters are those of `_correction`, and the squares, (f,), and motions, (z, f), of small
    motions of unit modal mass.
    """
    closing = np.linalg.lstsq(matrix, -open_by, rcond=1e-12)[0]
    forces = motions.T @ (loads + stiffness @ closing)
    sizes = np.abs(squares)
    least = _SOFT * float(np.median(sizes[sizes > 0.0]))
    step = closing - motions @ (forces / np.maximum(sizes, least))
    left = loads + stiffness @ step
    return step, np.asarray(np.linalg.lstsq(matrix.T, left, rcond=1e-12)[0])


def _moved(model: MultibodyModel, q: Floats, step: Floats) -> Floats:
    """Return positions after increments, in components of the links."""
    poses, rigid = model.poses.size, model.poses.dimension
    return np.concatenate([model.poses.retract(q[:poses], step[:rigid]), q[poses:] + step[rigid:]])
