# SPDX-License-Identifier: BSD-3-Clause
"""From a rough guess to closed joints at t = 0: Newton's method with steps of least norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime._mechanism import Equations
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts, with_offsets
from flexforge.runtime.mechanism.joints import GROUND, joint_kernel
from flexforge.runtime.mechanism.open_joints import why_open
from flexforge.runtime.solvers.clear_rows import clear_rows
from numpy.typing import NDArray

#: Scaled residual below which joints are closed; rounding leaves about 1e-16.
CLOSED = 1e-12
#: Largest step, of the mechanism's size and in rad.
LARGEST_STEP = 0.5
MOST_STEPS = 200
#: Angles, rad, by which placements are turned where joints do not close from the given ones.
TURNED = (0.1, -0.1, 0.3, -0.3)
#: Singular values below this part of the largest do not make a step.
RANK = 1e-9


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a mechanism.

    Attributes
    ----------
    frames : (L, 8, 3) array
        States of the links.
    angles : (R,) array
        Angles of the rows of all joints, with their turns.
    offsets : (E,) array
        Values at which equations are kept.
    """

    frames: Floats
    angles: Floats
    offsets: Floats


@dataclass(frozen=True, slots=True)
class Linear:
    """The equations near a position, scaled: residuals (E,), Jacobian (E, n), values and angles."""

    residual: Floats
    jacobian: Floats
    coordinates: Floats
    angles: Floats

    @property
    def open(self) -> float:
        """Largest residual."""
        return float(np.abs(self.residual).max(initial=0.0))


def linearize(equations: Equations, position: Position, driven: Floats) -> Linear:
    """Return the equations near a position."""
    count = max(equations.equations, 1)
    found = Linear(
        np.zeros(count),
        np.zeros((count, max(equations.unknowns, 1))),
        np.zeros(max(equations.coordinates, 1)),
        position.angles.copy(),
    )
    equations.linearize(
        position.frames.reshape(-1, 24),
        position.angles,
        position.offsets,
        driven,
        found.residual,
        found.jacobian,
        found.coordinates,
        found.angles,
    )
    return found


def assemble(parts: Parts, equations: Equations) -> tuple[Parts, Position]:
    """Close the joints of a mechanism at t = 0.

    Parameters
    ----------
    parts : Parts
        Its parts; the placements are where the search begins.
    equations : Equations
        Those of the parts.

    Returns
    -------
    Parts, Position
        The parts with the values at which rolling joints and gears are kept, and the position.

    Raises
    ------
    InputError
        When joints stay open, naming the one that is open most, or close with opposite axes.
    """
    driven = parts.driven(np.zeros(1))[0]
    if not parts.names:  # links that fly
        return parts, Position(parts.placements.copy(), np.zeros(0), np.zeros(0))
    kept = np.array(_kept(parts))
    position = Position(
        parts.placements.copy(), _first_angles(parts, driven), np.array(_offsets(parts))
    )
    position, linear = _close_near(parts, equations, position, driven, ~kept)
    scales = np.where(parts.lengths, parts.size, 1.0)
    position.offsets[kept] += (linear.residual * scales)[kept]
    if not _closed(linear, ~kept):

        def trial(wanted: NDArray[np.bool_]) -> Floats | None:
            _, found = _close(equations, position, driven, wanted & ~kept)
            return found.jacobian if _closed(found, wanted & ~kept) else None

        residual = np.where(kept, 0.0, linear.residual)
        raise InputError(why_open(parts, residual, equations.unknowns, trial))
    _check_aligned(parts, position)
    held = position.offsets[: parts.held]
    return with_offsets(parts, held), position


def _close_near(
    parts: Parts,
    equations: Equations,
    start: Position,
    driven: Floats,
    wanted: NDArray[np.bool_],
) -> tuple[Position, Linear]:
    """Close joints from the placements or, where they do not close, from slightly turned ones.

    Links in line may have to move in a direction in which, at first, no joint closes further.
    """
    first = _close(equations, start, driven, wanted)
    if _closed(first[1], wanted):
        return first
    links, lengths = len(parts.links), 2 if parts.planar else 3
    for angle in TURNED:
        steps = np.zeros((links, equations.unknowns // links))
        # Of a different amount each, lest what is in line stays in line.
        steps[:, lengths:] = angle * (1.0 + 0.5 * (np.arange(links) % 3))[:, np.newaxis]
        turned = Position(start.frames.copy(), start.angles, start.offsets)
        equations.move(turned.frames.reshape(-1, 24), steps.ravel())
        found = _close(equations, turned, driven, wanted)
        if _closed(found[1], wanted):
            return found
    return first


def _closed(linear: Linear, wanted: NDArray[np.bool_]) -> bool:
    return bool(np.abs(linear.residual[wanted]).max(initial=0.0) <= CLOSED)


def _close(
    equations: Equations, position: Position, driven: Floats, wanted: NDArray[np.bool_]
) -> tuple[Position, Linear]:
    """Return the position next to the given one in which the wanted equations hold, if it is."""
    linear = linearize(equations, position, driven)
    damping = 0.0
    for _ in range(MOST_STEPS):
        residual = linear.residual[wanted]
        size = float(np.linalg.norm(residual))
        if np.abs(residual).max(initial=0.0) < 1e-15:
            break
        step = _step(linear.jacobian[wanted], residual, damping)
        moved = _search(equations, position, driven, wanted, step, size)
        if moved is None:
            if size < CLOSED or damping > 10.0:
                break
            damping = max(10 * damping, 1e-4)
            continue
        damping = 0.0 if damping < 1e-6 else damping / 10
        position, linear = moved
    return position, linear


def _step(jacobian: Floats, residual: Floats, damping: float) -> Floats:
    """Return the step of least norm, damped where that alone failed, and not too long."""
    clear = None if damping else clear_rows(jacobian)
    if clear is not None:
        return _not_too_long(clear.least(-residual))
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    good = s > RANK * s.max(initial=0.0)
    inverse = np.where(good, s / np.where(good, s**2 + damping**2, 1.0), 0.0)
    return _not_too_long(-vt.T @ (inverse * (u.T @ residual)))


def _not_too_long(step: Floats) -> Floats:
    longest = float(np.abs(step).max(initial=0.0))
    return np.asarray(step * min(1.0, LARGEST_STEP / longest) if longest else step)


def _search(
    equations: Equations,
    position: Position,
    driven: Floats,
    wanted: NDArray[np.bool_],
    step: Floats,
    size: float,
) -> tuple[Position, Linear] | None:
    """Return the first of shorter and shorter steps that closes the joints further."""
    part = 1.0
    while part > 1e-5:
        trial = Position(position.frames.copy(), position.angles, position.offsets)
        equations.move(trial.frames.reshape(-1, 24), part * step)
        linear = linearize(equations, trial, driven)
        if float(np.linalg.norm(linear.residual[wanted])) < (1 - 1e-4 * part) * size:
            return Position(trial.frames, linear.angles, trial.offsets), linear
        part /= 2
    return None


def _kept(parts: Parts) -> list[bool]:
    """Return of every equation whether it is kept at the value of the start."""
    found = []
    for joint in parts.joints:
        last = len(JOINTS[joint.kind].held) - 1
        found += [joint.kind == "rolling" and row == last for row in joint.held_rows]
    found += [gear.offset is None for gear in parts.gears]
    return [*found, *(False for _ in parts.drivers)]


def _offsets(parts: Parts) -> list[float]:
    found = [float(offset) for joint in parts.joints for offset in joint.offsets]
    found += [gear.offset or 0.0 for gear in parts.gears]
    return [*found, *(0.0 for _ in parts.drivers)]


def _first_angles(parts: Parts, driven: Floats) -> Floats:
    """Return next to which values angles are at the start: drivers', else zero."""
    values: dict[int, float] = {}
    for driver, (value, _, _) in zip(parts.drivers, driven, strict=False):
        coordinate = parts.coordinates[driver.coordinate]
        if coordinate.name == "angle":
            values[coordinate.joint] = value
    found: list[float] = []
    for number, joint in enumerate(parts.joints):
        found += [values.get(number, 0.0)] * joint_kernel(joint.kind, "rigid").rows
    others = {
        driver.coordinate: value
        for driver, (value, _, _) in zip(parts.drivers, driven, strict=False)
    }
    starts = np.cumsum([0, *(joint_kernel(one.kind, "rigid").rows for one in parts.joints)])
    for number, coordinate in enumerate(parts.coordinates):
        if coordinate.name in ("second_angle", "third_angle"):
            row = parts.joints[coordinate.joint].free_rows[coordinate.name]
            found[starts[coordinate.joint] + row] = others.get(number, 0.0)
    return np.array(found)


def _check_aligned(parts: Parts, position: Position) -> None:
    """Refuse a joint whose axes have come to be opposite."""
    for joint in parts.joints:
        if not JOINTS[joint.kind].aligned:
            continue
        axes = []
        for link, marker in zip(joint.links, joint.markers, strict=True):
            turn = np.eye(3) if link == GROUND else position.frames[link, 1:4]
            axes.append(turn @ marker.axes[2])
        if axes[0] @ axes[1] < 0:
            raise InputError(
                f"joint '{joint.name}' closes with opposite axes at t = 0; expected initial "
                "placements of its links nearer to the closed position"
            )
