# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a mechanism, by name: redundant, missing or locked motions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.freer_joints import freer_joints
from flexforge.runtime.mechanism.stiffer_joints import stiffer_joints
from flexforge.runtime.solvers.clear_rows import clear_rows
from flexforge.runtime.solvers.triangular import solve_upper

#: Singular values below this part of the largest count as none.
RANK = 1e-8
#: Joints that let links turn about a point, or an axis through it.
PINS = ("revolute", "spherical", "universal")
_TILTED = 0.2  # part of an axis out of the direction that it has in the plane, some 12 degrees


def check_determined(parts: Parts, jacobian: Floats, frames: Floats) -> None:
    """Refuse a mechanism whose joints and drivers do not determine its motion, each once.

    Parameters
    ----------
    parts : Parts
        The mechanism.
    jacobian : (E, n) array
        Its scaled Jacobian in the position of the start.
    frames : (L, 8, 3) array
        States of the links there.

    Raises
    ------
    InputError
        One line, with the names of joints, drivers and links.
    """
    unknowns = jacobian.shape[1]
    joints, count = jacobian[: parts.held], len(parts.drivers)
    rank = rank_of(joints)
    if rank < len(joints):
        raise InputError(_redundant(parts, jacobian, rank))
    freedom = unknowns - rank
    found = f"found {number_of(count, 'driver')} of a mechanism with "
    found += number_of(freedom, "free motion")
    if count > freedom:
        idle, wanted = _idle_driver(parts, jacobian), [number_of(freedom, "driver")]
        if freer := _freer(parts, jacobian):
            wanted.insert(0 if freedom == 0 else 1, freer)  # a mechanism is meant to move
        raise InputError(f"{found}: {idle}; expected {', or '.join(wanted)}")
    total = rank_of(jacobian)
    if total == unknowns:
        return
    loose = free_motion(parts, jacobian)
    if total < len(jacobian):
        raise InputError(
            f"{_idle_driver(parts, jacobian)} in the initial position, where {loose} for any "
            "driver motion; "
            + (_at_one_point(parts, jacobian) or "expected another position or another driver")
        )
    missing = unknowns - total
    held = "joints that hold it"
    if count:  # else what is left over may be how the mechanism is meant to move
        over = np.linalg.svd(jacobian)[2][total:]
        held = stiffer_joints(parts, frames, over) or held
    raise InputError(f"{found}: {loose}; expected {number_of(missing, 'more driver')}, or {held}")


def free_motion(parts: Parts, jacobian: Floats) -> str:
    """Return which link can still move, and how, in words; of several motions one."""
    _, _, vt = np.linalg.svd(jacobian)
    return describe_motion(parts, vt[-1])


def describe_motion(parts: Parts, motion: Floats) -> str:
    """Return the largest part of a motion of all links, (n,), in words."""
    link, turns, axis = _motion(parts, motion)
    return f"link '{link}' can {'turn about' if turns else 'move along'} {axis}"


def dependent_equations(parts: Parts, jacobian: Floats) -> str:
    """Return which equations of a mechanism that moves hold the same motions, in words; or ""."""
    rank = rank_of(jacobian)
    more = len(jacobian) - rank
    if not more:
        return ""
    _, triangle, order = scipy.linalg.qr(jacobian.T, mode="economic", pivoting=True)
    weights = solve_upper(triangle[:rank, :rank], triangle[:rank, rank:])
    others = order[:rank][(np.abs(weights) > 1e-6).any(axis=1)]
    names = joined(_distinct(parts.names[k] for k in sorted([*others, *order[rank:]])))
    held = "holds" if names.count("'") == 2 else "together hold"
    return (
        f"{names} {held} {number_of(more, 'motion')} more than once ({len(jacobian)} equations, "
        f"{rank} independent): the links move as they should, but how the forces share what is "
        f"held twice is not determined{plane_hint(parts).replace(', or', '; think of')}"
    )


def locked(parts: Parts, jacobian: Floats, *, singular: bool) -> str:
    """Return what holds what near a position where a mechanism stops, in words."""
    u, _, vt = np.linalg.svd(jacobian)
    part = np.abs(u[:, -1])
    names = joined(_distinct(parts.names[k] for k in np.argsort(-part) if part[k] > 0.3))
    names = names or parts.names[int(part.argmax())]
    link, turns, axis = _motion(parts, vt[-1])
    motion = f"{'turn about' if turns else 'move along'} {axis}"
    if singular:
        return f"{names} leave link '{link}' free to {motion} there"
    return f"{names} do not let link '{link}' {motion} any further"


def rank_of(matrix: Floats) -> int:
    """Return how many rows of a scaled Jacobian do not depend on others."""
    if not matrix.size:
        return 0
    if clear_rows(matrix) is not None:
        return len(matrix)
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > RANK * values[0]).sum()) if values[0] else 0


def _redundant(parts: Parts, jacobian: Floats, rank: int) -> str:
    """Return which joints hold the same motion of which link, as one line."""
    joints = jacobian[: parts.held]
    _, triangle, order = scipy.linalg.qr(joints.T, mode="economic", pivoting=True)
    extra = int(order[rank])
    weights = solve_upper(triangle[:rank, :rank], triangle[:rank, rank])
    others = [order[k] for k in range(rank) if abs(weights[k]) > 1e-6]
    names = joined(_distinct(parts.names[k] for k in sorted([*others, extra])))
    link, turns, axis = _motion(parts, joints[extra])
    what = "rotation" if turns else "displacement"
    held = f"the {what} of link '{link}' {'about' if turns else 'along'} {axis}"
    more = len(joints) - rank - 1
    further = f", and {number_of(more, 'more equation')} {'is' if more == 1 else 'are'} redundant"
    further = further if more else ""
    several = "both hold" if names.count("'") == 4 else "together hold"
    if names.count("'") == 2:
        several = "holds twice"
    counted = f"{number_of(len(joints), 'equation')} for {joints.shape[1]} coordinates"
    plane = plane_hint(parts)
    wanted = _freer(parts, jacobian) or _idle_joint(parts, jacobian)
    wanted = wanted or "a joint that leaves it free"
    return (
        f"{names} {several} {held}{further} ({counted}, {rank} independent); "
        f"expected {wanted}{plane}"
    )


def _freer(parts: Parts, jacobian: Floats) -> str:
    """Return joints of freer kinds with which joints and drivers determine all, once; or ""."""
    # Where drivers are given, the joints have to leave them their motions too.
    unknowns = jacobian.shape[1]
    excess = len(jacobian) - unknowns
    return freer_joints(parts, excess, lambda kept: rank_of(jacobian[kept]) == unknowns)


def _idle_joint(parts: Parts, jacobian: Floats) -> str:
    """Return the last joint without which the others hold as much, in words; or ""."""
    names, joints = np.array(parts.names[: parts.held]), jacobian[: parts.held]
    moved = {parts.coordinates[one.coordinate].joint for one in parts.drivers}
    moved |= {parts.coordinates[k].joint for one in parts.gears for k in one.coordinates}
    for number, joint in reversed(list(enumerate(parts.joints))):
        name = f"joint '{joint.name}'"
        if number not in moved and rank_of(joints[names != name]) == rank_of(joints):
            return f"no {name}, which holds nothing that the others do not hold"
    return ""


def _at_one_point(parts: Parts, jacobian: Floats) -> str:
    """Return which joints about which the loose link turns are at one point of it; or ""."""
    loose, _ = _largest(parts, np.linalg.svd(jacobian)[2][-1])
    points = [
        (joint.name, marker.point)
        for joint in parts.joints
        for link, marker in zip(joint.links, joint.markers, strict=True)
        if link == loose and joint.kind in PINS
    ]
    for (one, here), (other, there) in combinations(points, 2):
        if np.linalg.norm(here - there) <= RANK * parts.size:
            link = parts.links[loose]
            return (
                f"joints '{one}' and '{other}' are at the same point of link '{link}', "
                "expected different points"
            )
    return ""


def plane_hint(parts: Parts) -> str:
    """Return the hint at planar models, where all axes are along z or in the plane x, y."""
    if parts.planar or not all(map(_in_plane, _axes(parts))):
        return ""
    return ", or planar = true for a mechanism in the plane x, y"


def _axes(parts: Parts) -> Iterator[tuple[str, Floats]]:
    """Yield kind and axis of all joints in the guess of the model file, in global components."""
    for joint in parts.joints:
        for link, marker in zip(joint.links, joint.markers, strict=True):
            turn = np.eye(3) if link < 0 else parts.placements[link, 1:4]
            yield joint.kind, turn @ marker.axes[2]


def _in_plane(of: tuple[str, Floats]) -> bool:
    """Whether a joint with such an axis lets links move in the plane x, y."""
    kind, axis = of
    across, along = float(np.hypot(*axis[:2])), abs(float(axis[2]))
    if kind in ("prismatic", "point_on_line"):
        return along <= _TILTED
    return kind not in ("revolute", "cylindrical", "rolling") or across <= _TILTED


def _idle_driver(parts: Parts, jacobian: Floats) -> str:
    """Return the first driver that moves nothing that is not determined without it."""
    for k, driver in enumerate(parts.drivers):
        row = parts.held + k
        if rank_of(jacobian[: row + 1]) == rank_of(jacobian[:row]):
            return f"driver '{driver.name}' drives what joints and other drivers determine"
    return "some driver drives what joints and other drivers determine"


def _motion(parts: Parts, row: Floats) -> tuple[str, bool, str]:
    """Return the largest part of a motion of all links, or of a row of a Jacobian.

    Returns
    -------
    str, bool, str
        The link, whether it turns, and the axis about or along which, in words.
    """
    lengths = 2 if parts.planar else 3
    each = row.reshape(len(parts.links), -1)
    link, turns = _largest(parts, row)
    vector = each[link, lengths:] if turns else each[link, :lengths]
    if parts.planar and turns:
        return parts.links[link], True, "its axis z"
    vector = vector / np.linalg.norm(vector)
    axis = int(np.abs(vector).argmax())
    if abs(vector[axis]) > 0.999:
        return parts.links[link], turns, f"its axis {'xyz'[axis]}"
    components = ", ".join(f"{x:.3g}" for x in vector * np.sign(vector[axis]))
    return parts.links[link], turns, f"[{components}] in its axes"


def _largest(parts: Parts, row: Floats) -> tuple[int, bool]:
    """Return which link moves most, and whether it turns."""
    each, lengths = row.reshape(len(parts.links), -1), 2 if parts.planar else 3
    sizes = [np.linalg.norm(each[:, :lengths], axis=1), np.linalg.norm(each[:, lengths:], axis=1)]
    turns = bool(sizes[1].max() > 0.1 * sizes[0].max())  # what turns also moves
    return int(sizes[turns].argmax()), turns


def number_of(count: int, what: str) -> str:
    """Return a count with its noun, such as "2 drivers"."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def joined(names: list[str]) -> str:
    """Return names as "joints 'A', 'B' and gear 'C'"."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        kind, _, rest = name.partition(" ")
        grouped.setdefault(kind, []).append(rest)
    texts = []
    for kind, those in grouped.items():
        plural = "s" if len(those) > 1 else ""
        listed = ", ".join(those[:-1]) + (" and " if len(those) > 1 else "") + those[-1]
        texts.append(f"{kind}{plural} {listed}")
    return ", ".join(texts)
