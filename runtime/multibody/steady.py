# SPDX-License-Identifier: BSD-3-Clause
"""Positions about which links are linearised: at rest, or in a steady motion as one rigid body.

In a steady motion (a relative equilibrium) drivers and given velocities turn all links alike about
an axis in space: speeds are constant in components of the links, and so are all forces and
coefficients. That is required: it is computed anew after turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.equilibrium import (
    equilibrium,
    fallen,
    regulated,
    settled,
    still,
)
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.small_motions import SmallMotions
from flexforge.runtime.transient import rotation
from flexforge.runtime.transient.model import Point, Rows
from flexforge.runtime.transient.state import State

#: Returns rows of the speeds that a model gives, their values and keys.
Given = Callable[[Point], tuple[list[Floats], list[float], list[str]]]

#: Turns, rad, after which everything must be the same, and how far it may differ, relative.
_TURNS, _SAME = (0.7, 1.9), 1e-7
#: Difference from given speeds, of the largest; force left at placements, of the largest.
_APART, _UNBALANCED = 1e-9, 1e-6
#: Speed, m/s or rad/s, that is none: drivers that begin gently.
_AT_REST = 1e-12
#: Displacement, in units of scales, whose forces are no loads.
_SMALL = 1e-6


@dataclass(frozen=True, slots=True)
class Steady:
    """A motion about which links are linearised.

    Attributes
    ----------
    point : Point
        Positions, speeds and multipliers at t = 0.
    twist : ndarray, (6,)
        Velocity of the global origin, m/s, and angular velocity, rad/s, of all links, in space;
        zero at rest.
    motions : SmallMotions
        The small motions about it.
    """

    point: Point
    twist: Floats
    motions: SmallMotions


def steady(
    model: MultibodyModel, state: State, scales: Floats, given: Given, *, found: bool
) -> Steady:
    """Return the position at rest or the steady motion about which links are linearised.

    Parameters
    ----------
    model : MultibodyModel
        The equations, with loads and drivers of t = 0.
    state : State
        The placements of the links, with closed joints.
    scales : ndarray, (z,)
        Sizes of large displacements and rotations.
    given : callable
        Returns the rows of given speeds at a point, their values and keys.
    found : bool
        Whether the position is found: that into which links fall, or the steady motion nearest to
        the placements. Otherwise the placements are required to be it.

    Raises
    ------
    InputError
        When the placements are in no equilibrium, links do not move as one rigid body, or
        something changes as they turn.
    AnalysisError
        When no position or motion is found.
    """
    at = still(model, state)
    twist = _twist(model, at, given)
    turns = bool(twist.any())
    if turns and model.formulas.conditions:
        raise InputError(
            "constraints: found them where all links move steadily as one rigid body; expected "
            "links at rest, or joints in their place"
        )
    if not found:
        at = _balanced(model, replace(at, z=_carrier(model, at) @ twist), scales)
    elif turns:
        at = _turning(model, at, twist, scales)
    else:
        at = equilibrium(model, state, scales)
    motions = SmallMotions.about(model, at, scales)
    if not turns:
        _require_rest(model, at)
    else:
        _require_steady(model, at, scales)
        for turn in _TURNS:
            _require_same(model, at, motions, scales, turn * _period(twist, scales))
    return Steady(at, twist, motions)


def _carrier(model: MultibodyModel, at: Point) -> Floats:
    """Return the speeds of all links by their twist in space, (z, 6)."""
    count, kept = model.poses.count, model.poses.numbers
    found = np.zeros((6 * count, 6))
    for k, pose in enumerate(at.q[: model.poses.size].reshape(-1, 7)):
        turned = rotation.matrix(pose[3:]).T
        found[6 * k : 6 * k + 3] = np.hstack([turned, -turned @ rotation.cross(pose[:3])])
        found[6 * k + 3 : 6 * k + 6, 3:] = turned
    whole = np.zeros((len(at.z), 6))
    whole[: len(kept)] = found[kept]
    return whole


def _twist(model: MultibodyModel, at: Point, given: Given) -> Floats:
    """Return the smallest twist with the speeds of drivers and those given."""
    rows, carrier = model.constraints(at), _carrier(model, at)
    wanted, values, names = given(at)
    right = np.concatenate([rows.speed, values])
    largest = float(np.abs(right).max(initial=0.0))
    if largest <= _AT_REST:
        return np.zeros(6)
    left = np.vstack([rows.matrix[:, : len(at.z)] @ carrier, *(one @ carrier for one in wanted)])
    moving = (0, 1, 5) if model.poses.planar else tuple(range(6))
    sizes = np.repeat([model.parts.size, 1.0], 3)
    found = np.zeros(6)
    scaled = (left * sizes)[:, moving]
    found[list(moving)] = np.linalg.lstsq(scaled, right, rcond=1e-10)[0]
    twist = sizes * np.where(np.abs(found) > _APART * np.abs(found).max(), found, 0.0)
    off = np.abs(left @ twist - right)
    worst = int(np.argmax(off))
    if off[worst] > _APART * largest:
        name = (*rows.names, *names)[worst]
        raise InputError(
            f"{name}: found a motion in which the links do not move as one rigid body: a speed "
            f"would differ by {off[worst]:.3g} of {abs(right[worst]) or largest:.3g}; expected "
            "drivers and velocities that turn all links alike about one axis, or none"
        )
    return np.asarray(twist)


def _turning(model: MultibodyModel, at: Point, twist: Floats, scales: Floats) -> Point:
    """Return the steady motion nearest to a position, or that into which links fall."""

    def carry(at: Point) -> Point:
        return replace(at, z=_carrier(model, at) @ twist)

    found, rests = settled(model, at, scales, len(scales), carry, falls=False)
    if model.formulas.controllers:
        found, rests = regulated(model, (at, found), scales, carry)
    elif not rests:
        found, rests = fallen(model, at, scales, carry)
    if rests:
        return carry(found)
    raise AnalysisError(
        "start: the links find no steady motion near their placements; expected placements nearer "
        "to it, or springs and joints that hold the links against centrifugal and other forces"
    )


def _balance(model: MultibodyModel, at: Point, scales: Floats) -> tuple[Point, Floats, float]:
    """Return a point with the multipliers of least squares, what is left of forces, and a size."""
    z = len(at.z)
    forces = np.zeros(model.space.size)
    bare = replace(at, force=np.zeros(len(at.force)))
    model.residual(bare, forces)
    matrix = model.constraints(bare).matrix[:, :z].toarray() * scales
    loads = forces[:z] * scales
    multipliers = np.linalg.lstsq(matrix.T, loads, rcond=1e-12)[0]
    left = loads - matrix.T @ multipliers
    linear, rate = model.linearize(bare), float(np.abs(at.z / scales).max(initial=0.0))
    mass, place = (np.abs(one[:z, :z].toarray()) @ scales for one in (linear.rate, linear.place))
    # Forces that cancel, and what springs and bodies answer to displacements of round-off.
    sizes = (loads, rate**2 * scales * mass, _SMALL * scales * place)
    size = max(float(np.abs(one).max(initial=0.0)) for one in sizes)
    return replace(bare, force=multipliers), left / scales, size


def _balanced(model: MultibodyModel, at: Point, scales: Floats) -> Point:
    """Return the placements with the forces of joints; refuse those that are in no equilibrium."""
    at, left, size = _balance(model, at, scales)
    _require_states(model, at, scales)
    if np.abs(left * scales).max(initial=0.0) > _UNBALANCED * size:
        raise InputError(
            f"analysis.start: found initial, but the placements are in no equilibrium: "
            f"{_largest(model, left, scales)} is left; expected equilibrium, or other placements"
        )
    return at


def _require_states(model: MultibodyModel, at: Point, scales: Floats) -> None:
    """Refuse states of controllers that do not rest."""
    left, first, z = np.zeros(model.space.size), model.first_state, len(at.z)
    model.residual(at, left)
    linear = model.linearize(at)
    by_place, own = abs(linear.place.toarray()[first:, :z]), linear.speed.toarray()[first:, first:]
    sizes = by_place @ scales + np.abs(own) @ np.abs(at.s[len(model.counted) :])
    for k, one in enumerate(model.formulas.controllers):
        if abs(left[first + k]) > _UNBALANCED * sizes[k]:
            raise InputError(
                f"controllers[{k}]: found '{one.name}' with a rate of {-left[first + k]:.3g} per "
                "second where the links rest; expected a state that rests as well"
            )


def _largest(model: MultibodyModel, forces: Floats, scales: Floats) -> str:
    """Return the largest of forces on links and bodies, with its unit and link."""
    worst = int(np.argmax(np.abs(forces * scales)))
    rigid, links = model.poses.dimension, model.parts.links
    if worst >= rigid:
        first = np.asarray(model.table.first)
        link = int(np.searchsorted(first, worst - rigid, side="right")) - 1
        return f"a force of {abs(forces[worst]):.3g} N on the bodies of link '{links[link]}'"
    per_link = rigid // len(links)
    own = forces[per_link * (worst // per_link) :][:per_link]
    lengths = 2 if model.poses.planar else 3
    name = links[worst // per_link]
    if worst % per_link < lengths:
        return f"a force of {np.linalg.norm(own[:lengths]):.3g} N on link '{name}'"
    return f"a moment of {np.linalg.norm(own[lengths:]):.3g} N m on link '{name}'"


def _require_rest(model: MultibodyModel, at: Point) -> None:
    """Refuse drivers that begin to move."""
    rows = model.constraints(at)
    faster = np.abs(rows.second) / rows.scales
    if faster.max(initial=0.0) > _APART:
        worst = int(np.argmax(faster))
        raise InputError(
            f"{rows.names[worst]}: found an acceleration of {abs(rows.second[worst]):.3g} at t = 0 "
            "with modes; expected a constant value or velocity"
        )


def _require_steady(model: MultibodyModel, at: Point, scales: Floats) -> None:
    """Refuse joints and drivers that do not allow constant speeds."""
    rows = model.constraints(at)
    moving = np.abs(rows.matrix[:, : len(at.z)] @ at.z - rows.speed) / rows.scales
    rate = float(np.abs(at.z / scales).max())
    faster = np.abs(rows.second) / rows.scales
    for off, most in ((moving, _APART * rate), (faster, _SAME * rate**2)):
        if off.max(initial=0.0) > most:
            raise InputError(_unsteady(rows, int(np.argmax(off))))


def _unsteady(rows: Rows, worst: int) -> str:
    return (
        f"{rows.names[worst]}: does not allow that all links turn steadily as one rigid body; "
        "expected drivers with constant velocities about one axis that is fixed in space"
    )


def _period(twist: Floats, scales: Floats) -> float:
    """Return the time of a turn by one rad, or of a move by the size of the mechanism, s."""
    turn = float(np.linalg.norm(twist[3:]))
    return 1.0 / turn if turn else float(scales.max()) / float(np.linalg.norm(twist[:3]))


def _require_same(
    model: MultibodyModel, at: Point, motions: SmallMotions, scales: Floats, later: float
) -> None:
    """Refuse forces and coefficients that are others at a later time of the steady motion, s."""
    model.residual(at, np.zeros(model.space.size))
    s, rigid = at.s.copy(), np.arange(len(at.z)) < model.poses.dimension
    s[: len(model.counted)] += later * model.turn_rates
    q = model.moved(at.q, np.where(rigid, later * at.z, 0.0))
    after = replace(at, t=at.t + later, q=q, s=s)
    rows = model.constraints(after)
    open_by = np.abs(rows.place / rows.scales)
    if open_by.max(initial=0.0) > _SAME:
        raise InputError(_unsteady(rows, int(np.argmax(open_by))))
    _require_steady(model, after, scales)
    after, left, size = _balance(model, after, scales)
    _require_states(model, after, scales)
    if np.abs(left * scales).max(initial=0.0) > _SAME * size:
        raise InputError(
            f"analysis: found links that turn under forces that change as they turn: by "
            f"{_largest(model, left, scales)}; expected loads, springs and joints that look the "
            "same from all links, such as gravity along the axis"
        )
    other = SmallMotions.within(model, after, motions.basis)
    for name, one, two in (
        ("inertia", motions.mass, other.mass),
        ("damping", motions.viscous, other.viscous),
        ("stiffness", motions.stiffness, other.stiffness),
    ):
        size = float(np.abs(one).max(initial=0.0))
        if np.abs(one - two).max(initial=0.0) > _SAME * size + 1e-14:
            raise InputError(
                f"analysis: found links whose {name} changes as they turn; expected joints, "
                "springs and loads that look the same from all links"
            )
