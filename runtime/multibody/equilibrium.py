# SPDX-License-Identifier: BSD-3-Clause
"""The position in which links whose motion is found stay at rest.

Newton's method, with as much mass added to the stiffness as makes the motions that joints allow
stable: so the links fall, and come to rest in a stable position. Elastic bodies follow after their
links have fallen with them as if rigid.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.small_motions import SmallMotions, free_motions
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.state import State

#: Corrections at most; in units of scales, a correction at rest, and how far joints are left open.
MOST, REST, _OPEN = 300, 1e-11, 1e-12
#: Longest correction, in units of scales; mass added, of what makes motions just stable.
_LONGEST, _ADDED = 0.3, 2.0
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
    at = still(model, state)
    if model.table.elastic:  # as rigid links first: bodies that buckle on the way make it long
        at = _fallen(model, at, scales, model.poses.dimension)[0]
    at, rests = _fallen(model, at, scales, len(scales))
    if rests:
        return at
    raise AnalysisError(
        "start: the links come to rest nowhere; expected springs or joints that hold them against "
        'the loads at t = 0, placements nearer to rest, or start = "initial"'
    )


def _fallen(model: MultibodyModel, at: Point, scales: Floats, count: int) -> tuple[Point, bool]:
    """Return where motions of the first unknowns lead, and whether they come to rest there."""
    own = slice(count)
    for _ in range(MOST):
        forces = np.zeros(model.space.size)
        model.residual(at, forces)
        at = replace(at, s=model.turns)
        linear, rows = model.linearize(at), model.constraints(at)
        matrix = rows.matrix[:, own].toarray() * scales[own]
        loads = forces[own] * scales[own] + matrix.T @ at.force
        stiffness, masses = (
            one[own, own].toarray() * scales[own] * scales[own, None]
            for one in (linear.place, linear.rate)
        )
        free = free_motions(rows.matrix[:, own].toarray(), scales[own], model.poses.dimension)
        basis = np.vstack([free, np.zeros((len(scales) - count, free.shape[1]))])
        small = SmallMotions.within(model, at, basis, linear)
        squares, motions = small.conservative
        unstable = len(squares) > 0 and float(squares[0]) < 0.0
        if unstable and count == model.poses.dimension:
            down = free @ motions / scales[own, None]
            step, force = _fall(stiffness, matrix, loads, rows.place, squares, down)
        else:
            added = -_ADDED * float(squares[0]) if unstable else 0.0
            step, force = correction(stiffness + added * masses, matrix, loads, rows.place)
        longest = float(np.abs(step).max(initial=0.0))
        if longest <= REST and are_closed(rows):
            if not unstable:
                return at, True
            step = free @ motions[:, 0] / scales[own]  # off a summit
            longest = float(np.abs(step).max())
        whole = np.concatenate([shortened(step, longest), np.zeros(len(scales) - count)])
        at = replace(at, q=moved(model, at.q, whole * scales), force=force)
    return at, False


def still(model: MultibodyModel, state: State) -> Point:
    """Return the point of a state without speeds and forces."""
    rates, count = np.zeros(model.space.size), len(model.parts.names)
    nothing = np.zeros(len(state.z))
    return Point(state.t, state.q, nothing, state.s, state.mode, rates, np.zeros(count))


def shortened(step: Floats, longest: float) -> Floats:
    """Return a correction, in units of scales, that is not too long to be linear."""
    return step * min(1.0, _LONGEST / max(longest, REST))


def are_closed(rows: Rows) -> bool:
    """Whether joints are closed to round-off."""
    return bool(np.abs(rows.place / rows.scales).max(initial=0.0) <= _OPEN)


def correction(
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
    Parameters are those of `correction`, and the squares, (f,), and motions, (z, f), of small
    motions of unit modal mass.
    """
    closing = np.linalg.lstsq(matrix, -open_by, rcond=1e-12)[0]
    forces = motions.T @ (loads + stiffness @ closing)
    sizes = np.abs(squares)
    least = _SOFT * float(np.median(sizes[sizes > 0.0]))
    step = closing - motions @ (forces / np.maximum(sizes, least))
    left = loads + stiffness @ step
    return step, np.asarray(np.linalg.lstsq(matrix.T, left, rcond=1e-12)[0])


def moved(model: MultibodyModel, q: Floats, step: Floats) -> Floats:
    """Return positions after increments, in components of the links."""
    poses, rigid = model.poses.size, model.poses.dimension
    return np.concatenate([model.poses.retract(q[:poses], step[:rigid]), q[poses:] + step[rigid:]])
