# SPDX-License-Identifier: BSD-3-Clause
"""The position in which links whose motion is found stay at rest.

Newton's method, with as much mass added to the stiffness as makes the motions that joints allow
stable: so the links fall, and come to rest in a stable position. Elastic bodies follow after their
links have fallen with them as if rigid. With controllers the nearest position is taken in which
their states rest as well: what is stable is for them to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
#: Change of a state of a controller that rests, of its size; rounds in which equations are scaled.
_SETTLED, _ROUNDS = 1e-9, 5
#: Forces and rates of states that are left at rest, of their terms; displacement, in units of
#: scales, whose forces are no loads.
_BALANCED, _SMALL = 1e-7, 1e-6
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
    if model.formulas.controllers:
        at, rests = regulated(model, (still(model, state), at), scales)
    if rests:
        return at
    if model.formulas.controllers:
        raise AnalysisError(
            "start: found no position near the placements in which links and states of "
            "controllers rest; expected controllers whose rates are zero where links rest, or "
            'start = "initial"'
        )
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
        at = replace(at, s=model.states(at))
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
        at = replace(at, q=model.moved(at.q, whole * scales), force=force)
    return at, False


def regulated(
    model: MultibodyModel,
    starts: Sequence[Point],
    scales: Floats,
    carry: Carry = lambda at: at,
) -> tuple[Point, bool]:
    """Return where Newton's method for positions and states of controllers leads.

    And whether it has converged.

    Parameters
    ----------
    model, scales, carry
        As of `fallen`.
    starts : sequence of Point
        Where it begins, one after the other until it converges.
    """
    for at in starts:
        found = _regulated(model, at, scales, carry)
        if found is not None:
            return found, True
    return starts[-1], False


def _regulated(model: MultibodyModel, at: Point, scales: Floats, carry: Carry) -> Point | None:
    z, counted, count = len(scales), len(model.counted), len(model.formulas.controllers)
    own, states = slice(z), slice(model.first_state, None)
    travelled = np.zeros(count)
    for _ in range(_MOST):
        at = carry(at)
        forces = np.zeros(model.space.size)
        model.residual(at, forces)
        at = replace(at, s=model.states(at))
        linear, rows = model.linearize(at), model.constraints(at)
        speed, place = linear.speed.toarray(), linear.place.toarray()
        matrix = rows.matrix[:, own].toarray() * scales
        by_place = (speed[:, own] @ bracket(model, at.z) + place[:, own]) * scales
        acting = scales[:, None] * speed[own, states]
        none = np.zeros((len(matrix), count))
        whole = np.block([
            [scales[:, None] * by_place[own], acting, -matrix.T],
            [by_place[states], speed[states, states], none.T],
            [matrix, none, np.zeros((len(matrix), len(matrix)))],
        ])  # fmt: skip
        left = np.concatenate([forces[own] * scales, forces[states], rows.place])
        step = _least(whole, -left)
        moved, grown, change = np.split(step, [z, z + count])
        longest = float(np.abs(moved).max(initial=0.0))
        share = min(1.0, _LONGEST / max(longest, _REST))
        s = at.s.copy()
        s[counted:] += share * grown
        force = at.force + change
        at = replace(at, q=model.moved(at.q, share * moved * scales), s=s, force=force)
        travelled = np.maximum(travelled, np.abs(grown))
        rests = np.abs(grown) <= _SETTLED * (np.abs(s[counted:]) + travelled)
        if longest <= _REST and rests.all() and _are_closed(rows):
            loads = left[:z] + matrix.T @ at.force
            held = max(np.abs(loads).max(initial=0.0), _SMALL * np.abs(whole[:z, :z]).max())
            sizes = np.abs(whole[z : z + count, : z + count]) @ np.append(
                np.ones(z), np.abs(s[counted:])
            )
            size = np.concatenate([np.full(z, held), sizes])
            return at if (np.abs(left[: z + count]) <= _BALANCED * size).all() else None
    return None


def _least(matrix: Floats, right: Floats) -> Floats:
    """Return the solution of least squares, of numbers in units of their rows and columns."""
    rows, columns = np.ones(len(matrix)), np.ones(matrix.shape[1])
    for _ in range(_ROUNDS):
        left = np.abs(matrix * rows[:, None] * columns)
        for axis, sizes in ((0, columns), (1, rows)):
            most = left.max(axis=axis, initial=0.0)
            sizes /= np.sqrt(np.where(most > 0.0, most, 1.0))
    left = matrix * rows[:, None] * columns
    return np.asarray(columns * np.linalg.lstsq(left, right * rows, rcond=1e-12)[0])


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
