# SPDX-License-Identifier: BSD-3-Clause
"""Independent speeds of links: which link hangs on which, and what multipliers have to hold.

Links hang on each other by lower pairs as a tree whose joints leave the fewest motions open; links
that no such joint reaches hang on the ground with all their motions. Joints that close loops, rows
beyond a lower pair, gears, drivers and equations of speeds keep their multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mechanism.joints import GROUND, Joint
from flexforge.runtime.multibody.formulas import coupled
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.pairs import LowerPair, lower_pair
from flexforge.runtime.tables import structs
from flexforge.runtime.transient.model import Point
from numpy.typing import NDArray

#: Pivot of rows of unit length below which one follows from others.
_DEPENDENT = 1e-9
#: Value at which a row is kept that counts as none, in units of its scale.
_OFF = 1e-12
#: Part of the largest inertia below which there is none.
_MASSLESS = 1e-12
_IN_PLANE = (0, 1, 5)


@dataclass(frozen=True, slots=True)
class Branch:
    """How a link hangs on another.

    Attributes
    ----------
    link, base : int
        The link, and what it hangs on; -1 the ground.
    joint, side : int
        The joint and the side of it that the link is; -1 and 0 of a link that flies.
    pair : LowerPair, optional
        Of the joint.
    screws : ndarray, (m, 6)
        In components of the link.
    """

    link: int
    base: int
    joint: int
    side: int
    pair: LowerPair | None
    screws: Floats


def independent_speeds(
    model: MultibodyModel, at: Point, *, reactions: bool
) -> tuple[structs.Tree, NDArray[np.int64]]:
    """Return the tree of the links, and all equations that do not depend on others.

    Parameters
    ----------
    model : MultibodyModel
        Equations of the links.
    at : Point
        A position that satisfies all equations.
    reactions : bool
        Whether multipliers of the joints of the tree are wanted.

    Raises
    ------
    InputError
        For links that move mass only where a joint closes a loop.
    """
    branches = _branches(model)
    _require_masses(model, at, branches)
    covered, closing = _equations(model, branches)
    if len(closing):
        closing = closing[_chosen(model, at, branches, closing)]
    return (
        _table(model, branches, closing, reactions=reactions),
        np.sort(np.concatenate([covered, closing])),
    )


def _branches(model: MultibodyModel) -> list[Branch]:
    """Return the branches from the ground outwards.

    Every time it is the joint that leaves the fewest motions open, or a link that flies where no
    joint reaches another.
    """
    parts, table = model.parts, model.table
    links, whole = len(parts.links), _whole(model)
    pairs: list[tuple[bool, int, int, int, LowerPair]] = []
    felt = _felt(model)
    for number, joint in enumerate(parts.joints):
        if number in felt:  # its forces are unknowns: T. R. Kane's auxiliary generalized speeds
            continue
        scale = np.abs(joint.offsets).max(initial=0.0)
        for side in (0, 1):
            pair = lower_pair(joint, side) if joint.links[side] != GROUND else None
            if pair is not None and scale < _OFF and not _deforms(model, number, side):
                massless = not _has_mass(model, joint.links[side], _placed(joint, side, pair))
                pairs.append((massless, len(pair.screws), number, side, pair))
    pairs.sort(key=lambda one: one[:2])
    found: list[Branch] = []
    known = {GROUND}
    first = np.asarray(table.first)
    while len(found) < links:
        for _, _, number, side, pair in pairs:
            joint = parts.joints[number]
            link, base = joint.links[side], joint.links[1 - side]
            if link not in known and base in known:
                found.append(Branch(link, base, number, side, pair, _placed(joint, side, pair)))
                break
        else:
            left = [k for k in range(links) if k not in known]
            link = max(left, key=lambda k: (first[k + 1] - first[k], -k))
            found.append(Branch(link, GROUND, -1, 0, None, whole))
        known.add(found[-1].link)
    return found


def _felt(model: MultibodyModel) -> set[int]:
    """Return the joints whose forces laws know, as friction does."""
    linkage = model.table.linkage
    assert linkage is not None
    equations = {e for one in model.formulas.forces for e in one.reactions.values()}
    starts, held = np.asarray(linkage.starts), np.asarray(linkage.equation_of)
    return {
        joint
        for joint, (first, last) in enumerate(pairwise(starts.tolist()))
        if equations.intersection(held[first:last].tolist())
    }


def _whole(model: MultibodyModel) -> Floats:
    """Return all motions of a link, (m, 6)."""
    return np.eye(6)[list(_IN_PLANE)] if model.parts.planar else np.eye(6)


def _placed(joint: Joint, side: int, pair: LowerPair) -> Floats:
    """Return the screws of a joint in components of the link on one side, at its origin."""
    place = joint.markers[side]
    turn = pair.screws[:, 3:] @ place.axes
    return np.hstack([pair.screws[:, :3] @ place.axes + np.cross(place.point, turn), turn])


def _has_mass(model: MultibodyModel, link: int, screws: Floats) -> bool:
    """Whether all motions of a link in its base move its own mass."""
    table = model.table
    mass, moment = float(table.mass[link]), np.asarray(table.moment[link])
    second = np.asarray(table.second[link])
    move, turn = screws[:, :3], screws[:, 3:]
    moved = (
        mass * move @ move.T
        + np.cross(turn, moment) @ move.T + move @ np.cross(turn, moment).T
        + turn @ (np.trace(second) * np.eye(3) - second) @ turn.T
    )  # fmt: skip
    largest = max(float(np.max(table.mass)) * model.parts.size**2, 1e-300)
    return not len(screws) or bool(np.linalg.eigvalsh(moved)[0] > _MASSLESS * largest)


def _require_masses(model: MultibodyModel, at: Point, branches: list[Branch]) -> None:
    """Refuse trees in which a motion moves no mass: multipliers do without."""
    links = model.parts.links
    whole = _whole(model)
    if all(_has_mass(model, k, whole) for k in range(len(links))):
        return
    speeds = _motions(model, at, branches)
    z = speeds.shape[0]
    masses = speeds.T @ (model.linearize(at).rate[:z, :z] @ speeds)
    sizes = np.sqrt(np.maximum(masses.diagonal(), 1e-300))
    least, motions = np.linalg.eigh(masses / sizes / sizes[:, None])
    if least[0] > _MASSLESS:
        return
    worst = int(np.argmax(np.abs(motions[:, 0])))
    first = np.cumsum([len(one.screws) for one in branches])
    name = links[branches[int(np.searchsorted(first, worst, side="right"))].link]
    raise InputError(
        f"analysis.formalism: found independent speeds where link '{name}' moves mass only by "
        "joints that close loops; expected lagrange, or mass and inertia of the link"
    )


def _deforms(model: MultibodyModel, joint: int, side: int) -> bool:
    """Whether the marker of a joint moves with elastic coordinates of its link."""
    first, last = np.asarray(model.table.shape_of)[2 * joint + side : 2 * joint + side + 2]
    return bool(np.any(np.asarray(model.table.shapes)[first:last]))


def _equations(model: MultibodyModel, branches: list[Branch]) -> tuple[Ints, Ints]:
    """Return the equations that the tree satisfies, and all others."""
    linkage = model.table.linkage
    assert linkage is not None
    of_joint: dict[int, tuple[bool, ...]] = {
        one.joint: one.pair.covered for one in branches if one.pair is not None
    }
    covered: list[int] = []
    for joint, (first, last) in enumerate(pairwise(np.asarray(linkage.starts).tolist())):
        held = [int(e) for e in np.asarray(linkage.equation_of)[first:last] if e >= 0]
        which = of_joint.get(joint, (False,) * len(held))
        covered += [e for e, kept in zip(held, which, strict=True) if kept]
    others = np.setdiff1d(np.arange(len(model.names)), covered)
    return np.array(sorted(covered), dtype=np.int64), others.astype(np.int64)


def _chosen(
    model: MultibodyModel, at: Point, branches: list[Branch], closing: Ints
) -> NDArray[np.bool_]:
    """Return which of the equations do not follow from others and from the tree."""
    speeds = _motions(model, at, branches)
    whole = model.constraints(at).matrix[closing][:, : speeds.shape[0]]
    rows = whole @ speeds / np.sqrt(whole.multiply(whole).sum(axis=1))
    found = np.zeros(len(closing), dtype=bool)
    factor, pivots = scipy.linalg.qr(rows.T, mode="r", pivoting=True)
    found[pivots[: int((np.abs(np.diag(factor)) > _DEPENDENT).sum())]] = True
    return found


def _motions(model: MultibodyModel, at: Point, branches: list[Branch]) -> Floats:
    """Return the speeds of the model by the independent ones of the tree, (z, n)."""
    links, elastic = len(model.parts.links), model.table.elastic
    frames, _ = model.frames(at, np.zeros(len(model.parts.coordinates)))
    count = sum(len(one.screws) for one in branches) + elastic
    moved = np.zeros((links + 1, 6, count))  # in global axes about the global origin; -1 the ground
    shapes = np.zeros((links, 6, count))
    at_column = 0
    for one in branches:
        moved[one.link] = moved[one.base]
        if one.base != GROUND:
            shape = _tip(model, one)
            first = count - elastic + model.table.first[one.base]
            point = model.parts.joints[one.joint].markers[1 - one.side].point
            own = _spatial(frames[one.base], shape, point)
            moved[one.link][:, first : first + own.shape[1]] += own
        n = len(one.screws)
        moved[one.link][:, at_column : at_column + n] = _spatial(
            frames[one.link], one.screws.T, np.zeros(3)
        )
        at_column += n
        shapes[one.link] = _local(frames[one.link], moved[one.link])
    found = np.zeros((6 * links + elastic, count))
    found[: 6 * links] = shapes.reshape(6 * links, count)
    found[6 * links :, count - elastic :] = np.eye(elastic)
    return np.asarray(found[model.numbers])


def _tip(model: MultibodyModel, one: Branch) -> Floats:
    """Return how the marker that a link hangs on moves with elastic coordinates, (6, n)."""
    where = 2 * one.joint + 1 - one.side
    first, last = np.asarray(model.table.shape_of)[where : where + 2]
    return np.reshape(np.asarray(model.table.shapes)[first:last], (6, -1))


def _spatial(frame: Floats, screws: Floats, point: Floats) -> Floats:
    """Return screws (6, n) at a point of a link, in its components, about the global origin."""
    turn = frame[1:4] @ screws[3:]
    origin = frame[0] + frame[1:4] @ point
    return np.vstack([frame[1:4] @ screws[:3] + np.cross(origin, turn, axisb=0).T, turn])


def _local(frame: Floats, screws: Floats) -> Floats:
    """Return screws (6, n) about the global origin in components of a link, at its origin."""
    move = screws[:3] - np.cross(frame[0], screws[3:], axisb=0).T
    return np.vstack([frame[1:4].T @ move, frame[1:4].T @ screws[3:]])


def _table(
    model: MultibodyModel, branches: list[Branch], closing: Ints, *, reactions: bool
) -> structs.Tree:
    table, linkage, links = model.table, model.table.linkage, len(model.parts.links)
    assert linkage is not None
    of_link = {one.link: one for one in branches}
    ordered = [of_link[k] for k in range(links)]
    counts = [len(one.screws) for one in ordered]
    first = np.asarray(table.first)
    tips = [
        first[one.base + 1] - first[one.base]
        if one.base != GROUND and _deforms(model, one.joint, 1 - one.side) else 0
        for one in ordered
    ]  # fmt: skip
    hung = {one.joint: one.link for one in ordered if one.joint >= 0}
    bordering, felt = _bordering(model, hung)
    counted = [_counted(model, one) for one in ordered]
    angles = {
        one.joint
        for k, one in enumerate(model.parts.coordinates)
        if one.is_angle and not any(k in numbers for numbers in counted)
    }
    equation_of, joint_of = np.asarray(linkage.equation_of), np.asarray(table.joint_of)
    needed = {int(joint_of[r]) for r in range(len(equation_of)) if equation_of[r] in closing}
    drawn = [*np.ravel(linkage.gear_of).astype(int), *linkage.driver_of]
    rows = [table.row_of[number] for number in (*drawn, *table.actuator_of)]
    acted = {int(joint_of[row]) for row in rows}
    loose = set(range(len(model.parts.joints))) - hung.keys()
    watch = sorted(loose | angles | needed | acted | felt)
    return structs.Tree(
        speeds=sum(counts) + table.elastic + table.controllers,
        rigid=sum(counts),
        multiplied=int(reactions),
        order=np.array([one.link for one in branches], dtype=int),
        base=np.array([one.base for one in ordered], dtype=int),
        joint=np.array([one.joint for one in ordered], dtype=int),
        side=np.array([one.side for one in ordered], dtype=int),
        first=np.cumsum([0, *counts]),
        first_tip=np.cumsum([0, *tips]),
        screws=np.concatenate([one.screws.ravel() for one in ordered]),
        dual=np.concatenate([np.linalg.pinv(one.screws).T.ravel() for one in ordered]),
        counted=np.array(
            [
                -1 if one.joint in watch else k
                for one, numbers in zip(ordered, counted, strict=True)
                for k in numbers
            ],
            dtype=int,
        ),
        hung_by=np.array([hung.get(k, -1) for k in range(len(model.parts.joints))], dtype=int),
        watch=np.array(watch, dtype=int),
        is_watched=np.isin(np.arange(len(model.parts.joints)), watch).astype(int),
        closing=closing,
        bordering=np.array(bordering, dtype=int),
    )


def _counted(model: MultibodyModel, one: Branch) -> list[int]:
    """Return, of every speed of a joint, the coordinate that changes as it says, or -1."""
    if one.pair is None:
        return [-1] * len(one.screws)
    numbers = [k for k, c in enumerate(model.parts.coordinates) if c.joint == one.joint]
    return [numbers[k] if k >= 0 else -1 for k in one.pair.counted]


def _bordering(model: MultibodyModel, hung: dict[int, int]) -> tuple[list[int], set[int]]:
    """Return actuators whose forces other joints feel, and joints that formulas know.

    Forces along a joint of the tree by its own coordinate are of the tree.
    """
    joint_of = [model.parts.coordinates[one.coordinate].joint for one in model.actuators]
    named = {one.name: k for k, one in enumerate(model.actuators)}
    found, felt = set[int](), set[int]()
    for k, one in enumerate(model.actuators):
        if joint_of[k] not in hung and (one.stiffness or one.damping):
            found.add(k)
    acting = {one.name: one.coordinate for one in model.actuators}
    ties = coupled(model.formulas, acting)
    for numbers, _ in ties:
        felt |= {model.parts.coordinates[number].joint for number in numbers}
    for name, (numbers, states) in zip(model.formulas.laws, ties, strict=False):
        k = named[name]
        if states or numbers != {acting[name]} or joint_of[k] not in hung:
            found.add(k)
    return sorted(found), felt
